# SPDX-License-Identifier: GPL-2.0-only
"""Several kernels side by side: each against the first, on one board type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypedDict

from vlag.errors import UsageError
from vlag.report.document import AcrossRow, AcrossTable, Cell
from vlag.report.read_model.choose import Choice, choice, differing, pair
from vlag.report.read_model.comparison_rows import MeasuredRow
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection

#: Most kernels of a table: more are unreadable.
MOST = 8

#: Benchmark, parameters, metric and statistic.
_Figure: TypeAlias = tuple[str, str, str, str]


class _ValueRow(TypedDict):
    board_type: str
    benchmark: str
    parameters: str
    metric: str
    statistic: str
    unit: str
    direction: str
    name: str
    boots: int
    value: float


def _figure(v: MeasuredRow | _ValueRow) -> _Figure:
    return v["benchmark"], v["parameters"], v["metric"], v["statistic"]


def across(
    conn: Connection, kernels: Sequence[Choice], board_type: str | None = None
) -> AcrossTable:
    """Return a table of kernels: the first is the baseline of the others.

    Without `board_type` it is the one with the most figures.  A value without a comparison is the
    median of the kernel's complete boots without knobs.
    """
    pairs = [pair(conn, kernels[0], k) for k in kernels[1:]]
    figures: dict[str, list[dict[_Figure, MeasuredRow]]] = {}
    for i, beside in enumerate(pairs):
        for v in beside["figures"] if beside["knobs"] == ("", "") else ():
            here = figures.setdefault(v["board_type"], [{} for _ in pairs])
            here[i][_figure(v)] = v
    values = [_measured(conn, k) for k in kernels]
    boards = sorted(
        set(figures) | {key[0] for beside in values for key in beside},
        key=lambda b: (-sum(map(len, figures.get(b, []))), b),
    )
    board = board_type or (boards[0] if boards else None)
    compared = figures.get(board or "", [{} for _ in pairs])
    measured = [{key[1]: v for key, v in beside.items() if key[0] == board} for beside in values]
    keys = {key for beside in compared for key in beside}
    judged = {key[0] for key in keys}
    for key in {key for beside in measured for key in beside}:
        # What one kernel alone has cannot be set against another; of a compared benchmark the
        # metrics without a verdict repeat others.
        if key[0] not in judged and sum(key in beside for beside in measured) > 1:
            keys.add(key)
    shown = [_row(key, compared, measured) for key in sorted(keys)]
    for row, words in zip(shown, differing(shown, shown), strict=True):
        row["differing"] = words
    return {"board_type": board, "boards": boards, "rows": shown}


def _row(
    key: _Figure,
    compared: Sequence[dict[_Figure, MeasuredRow]],
    measured: Sequence[dict[_Figure, _ValueRow]],
) -> AcrossRow:
    verdicts = [None, *(values.get(key) for values in compared)]
    levels = ((v, v["base_value"]) for v in verdicts if v is not None)
    first, level = next(((v, x) for v, x in levels if x is not None), (None, 0.0))
    cells = [_cell(v, values.get(key)) for v, values in zip(verdicts, measured, strict=True)]
    if first is not None:
        cells[0] = {"value": level, "boots": first["n_base"], "verdict": None}
    known: MeasuredRow | _ValueRow | None = first
    known = known or next((values[key] for values in measured if key in values), None)
    known = known or next(v for v in verdicts if v is not None)
    benchmark, parameters, metric, statistic = key
    return {
        "benchmark": benchmark,
        "parameters": parameters,
        "metric": metric,
        "statistic": statistic,
        "name": known["name"],
        "unit": known["unit"],
        "direction": known["direction"],
        "differing": "",
        "cells": cells,
    }


def _cell(v: MeasuredRow | None, measured: _ValueRow | None) -> Cell | None:
    if v is not None and v["new_value"] is not None:
        return {"value": v["new_value"], "boots": v["n_new"], "verdict": v}
    if measured is not None:
        return {"value": measured["value"], "boots": measured["boots"], "verdict": v}
    return None


def _measured(conn: Connection, kernel: Choice) -> dict[tuple[str, _Figure], _ValueRow]:
    """Return the values of a kernel by board type and figure."""
    values = rows(
        conn,
        _ValueRow,
        "SELECT s.board_type, s.benchmark, s.parameters, s.metric, v.statistic, s.unit,"
        "   s.direction, s.name || CASE v.statistic WHEN 'median' THEN '' ELSE ' ' || v.statistic"
        "   END AS name, count(*) AS boots,"
        "   percentile_cont(0.5) WITHIN GROUP (ORDER BY v.value) AS value"
        " FROM read_model.run r JOIN read_model.run_value v ON v.run = r.id"
        " JOIN read_model.series s ON s.id = v.series"
        " WHERE r.id IN (SELECT x.run FROM read_model.kernel_run x WHERE x.kernel = ANY(%(ids)s))"
        "   AND r.outcome = 'complete' AND r.knobs = '' AND r.left_out IS NULL"
        " GROUP BY s.board_type, s.benchmark, s.parameters, s.metric, v.statistic, s.unit,"
        "   s.direction, s.name",
        {"ids": kernel.ids},
    )
    return {(r["board_type"], _figure(r)): r for r in values}


def chosen(conn: Connection, names: Sequence[str]) -> list[Choice]:
    """Return the kernels that names mean; UsageError for a wrong number of them."""
    if not 2 <= len(names) <= MOST:
        raise UsageError(f"name 2 to {MOST} kernels, not {len(names)}; the first is the baseline")
    return [choice(conn, name) for name in names]
