# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons, their verdicts and the numbers behind them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from vlag.compare import verdict_keys as rows_of_reports
from vlag.report.document import SIDES, Decided, FirstBoots, Side, TableFigure
from vlag.report.read_model import worst_first
from vlag.report.read_model.rows import column, rows
from vlag.report.read_model.view_rows import FailureRow, QuantileRow, SummaryRow, VerdictRow
from vlag.store.database import Connection


class SummaryCounts(TypedDict):
    """What an overview has of a comparison."""

    id: int
    at: datetime
    board_type: str
    role: str | None
    tree: str
    ref: str
    patches: str | None
    synthetic: bool
    verdict: str
    severity: int
    size: float
    confirmed_by: int | None
    worst: float | None
    hints: int
    worst_hint: float | None
    figures: int
    unmeasured: int
    without_base: int
    without_new: int
    own: bool  # of the new kernel's branch: no patch series, no knob or variant was tried


class ComparedRow(SummaryRow):
    """A comparison with what both kernels have of their patches."""

    base_application: str
    patch_names: list[str]  # of the new kernel


class MeasuredRow(VerdictRow):
    """A verdict with the tool that measured it."""

    tool: str | None
    tool_version: str | None


class WholeComparison(ComparedRow):
    """A comparison with its figures."""

    verdicts: list[MeasuredRow]  # worst first
    distributions: list[QuantileRow]
    failed: list[FailureRow]


class _MatrixRow(TypedDict):
    id: int
    board_type: str
    base_kernel: int
    base_knobs: str
    new_kernel: int
    new_knobs: str
    new_commit: str
    at: datetime
    varied: bool


class _BootValue(TypedDict):
    series: int
    statistic: str
    run: int
    value: float


class _Bucket(TypedDict):
    lower_bound: int
    count: int


def by_ids(conn: Connection, ids: Sequence[int]) -> list[ComparedRow]:
    """Return summaries of comparisons in the order of `ids`, without missing ones."""
    return rows(
        conn,
        ComparedRow,
        "SELECT c.*, b.application AS base_application, n.patch_names"
        " FROM read_model.comparison_summary c JOIN read_model.kernel b ON b.id = c.base_kernel"
        " JOIN read_model.kernel n ON n.id = c.new_kernel WHERE c.id = ANY(%(ids)s)"
        " ORDER BY array_position(%(ids)s::bigint[], c.id)",
        {"ids": list(ids)},
    )


def comparison(conn: Connection, id_: int) -> WholeComparison | None:
    """Return a comparison's summary with `verdicts`, `distributions` and `failed`, or None."""
    summaries = by_ids(conn, [id_])
    if not summaries:
        return None
    return {
        **summaries[0],
        "verdicts": verdicts(conn, [id_]),
        "distributions": rows(
            conn,
            QuantileRow,
            "SELECT d.* FROM read_model.distribution d WHERE d.comparison = %(id)s"
            " ORDER BY d.benchmark, d.parameters, d.metric, d.number",
            {"id": id_},
        ),
        "failed": failed(conn, [id_]),
    }


def failed(conn: Connection, ids: Sequence[int]) -> list[FailureRow]:
    """Return the builds and runs of comparisons that failed."""
    return rows(
        conn,
        FailureRow,
        "SELECT f.* FROM read_model.failure f WHERE f.comparison = ANY(%(ids)s)"
        " ORDER BY f.kind, f.benchmark, f.build, f.run",
        {"ids": list(ids)},
    )


def verdicts(conn: Connection, ids: Sequence[int]) -> list[MeasuredRow]:
    """Return the verdicts of comparisons, worst first, each with the tool that measured it."""
    return rows(
        conn,
        MeasuredRow,
        "SELECT v.*, s.tool, s.tool_version FROM read_model.verdict v"  # noqa: S608 - constants
        " LEFT JOIN read_model.series s ON s.id = coalesce(v.series_new, v.series_base)"
        " WHERE v.comparison = ANY(%(ids)s) ORDER BY " + worst_first.FIGURES,
        {"ids": list(ids)},
    )


def of_pair(conn: Connection, base: int, new: int) -> list[int]:
    """Return the current comparisons of two kernels, newest first."""
    return column(
        conn,
        "SELECT c.id FROM read_model.comparison c WHERE c.base_kernel = %(base)s"
        " AND c.new_kernel = %(new)s AND c.current ORDER BY c.id DESC",
        {"base": base, "new": new},
    )


def parameters_of(verdict: VerdictRow) -> dict[str, str]:
    """Return the parameters of a row by name."""
    pairs = (pair.partition("=") for pair in verdict["parameters"].split())
    return {name: value for name, _, value in pairs}


def row(verdict: VerdictRow) -> TableFigure:
    """Return a row of the view `verdict` in the words that tables of reports have."""
    return {
        **rows_of_reports.row(verdict, parameters_of(verdict)),
        "id": verdict["id"],
        "comparison": verdict["comparison"],
        "standing": verdict["standing"],
        **screen(verdict),
        "told": None,
        "confirmable": verdict["standing"] == "suspected",
        "suspicion": None
        if verdict["stand"] is None
        else {
            "stand": verdict["stand"],
            "boots": verdict["fresh_boots"] or 0,
            "confirmed_by": verdict["confirmed_by"],
            "number": verdict["suspicion_id"],
        },
    }


def runs_of(verdict: VerdictRow, side: Side) -> list[int]:
    """Return the runs of a side of a row."""
    return verdict["base_runs"] if side == "base" else verdict["new_runs"]


def time_series_on(verdict: VerdictRow, side: Side) -> int | None:
    """Return the series of a side of a row."""
    return verdict["series_base"] if side == "base" else verdict["series_new"]


def screen(verdict: VerdictRow) -> Decided:
    """Return `decided_by` and `screen` of a row of the view `verdict`.

    If a rerun decided, the row has its numbers: `decided_by` is its comparison and
    `screen` has the numbers of the first boots.  Otherwise both are None.
    """
    if verdict["decided_by"] is None:
        return {"decided_by": None, "screen": None}
    first: FirstBoots = {
        "verdict": verdict["screened"],
        "base": verdict["screened_base_value"],
        "new": verdict["screened_new_value"],
        "effect": verdict["screened_effect"],
        "ci_low": verdict["screened_ci_low"],
        "ci_high": verdict["screened_ci_high"],
        "n_base": verdict["screened_n_base"] or 0,
        "n_new": verdict["screened_n_new"] or 0,
    }
    return {"decided_by": verdict["decided_by"], "screen": first}


def matrix(
    conn: Connection, tree: str | None, branch: str | None, ids: Sequence[int] = ()
) -> list[ComparedRow]:
    """Return the summaries for the matrices of a branch, or of chosen comparisons.

    For a branch these are the current comparisons of its newest commit on each board type,
    against each base that any of them varies by patches, variant or knobs, without those of the
    self-proof.
    """
    compared = rows(
        conn,
        _MatrixRow,
        "SELECT c.id, c.board_type, c.base_kernel, c.base_knobs, c.new_kernel, c.new_knobs,"
        " c.new_commit, c.at, c.patches IS NOT NULL OR c.variant <> 'default'"
        "   OR c.new_knobs <> c.base_knobs AS varied"
        " FROM read_model.comparison c"
        " WHERE CASE WHEN cardinality(%(ids)s::bigint[]) > 0 THEN c.id = ANY(%(ids)s)"
        "   ELSE c.current AND c.as_predicted IS NULL AND c.new_kernel IN"
        "     (SELECT f.kernel FROM read_model.kernel_branch f"
        "     WHERE f.tree = %(tree)s AND f.branch = %(branch)s) END"
        " ORDER BY (SELECT max(f.place) FROM read_model.kernel_branch f WHERE f.kernel ="
        "   c.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s) DESC NULLS LAST,"
        " c.committed_at DESC, c.id DESC",
        {"tree": tree, "branch": branch, "ids": list(ids)},
    )
    if not ids:
        newest: dict[str, str] = {}
        for c in compared:
            if c["varied"]:
                newest.setdefault(c["board_type"], c["new_commit"])
        compared = [c for c in compared if newest.get(c["board_type"]) == c["new_commit"]]
        varied = {_base(c) for c in compared if c["varied"]}
        compared = [c for c in compared if _base(c) in varied]
    return by_ids(conn, sorted(c["id"] for c in compared))


def _base(c: _MatrixRow) -> tuple[str, int, str]:
    return c["board_type"], c["base_kernel"], c["base_knobs"]


def boots(
    conn: Connection, verdicts: Sequence[VerdictRow]
) -> dict[tuple[int, str], dict[int, float]]:
    """Return what the boots behind rows of the view `verdict` gave.

    By series and statistic, then by run, in the unit of the series.
    """
    sides = [(time_series_on(v, side), runs_of(v, side)) for v in verdicts for side in SIDES]
    values = rows(
        conn,
        _BootValue,
        "SELECT v.series, v.statistic, v.run, v.value FROM read_model.run_value v"
        " WHERE v.series = ANY(%(series)s) AND v.run = ANY(%(runs)s)",
        {
            "series": sorted({series for series, _ in sides if series is not None}),
            "runs": sorted({run for _, runs in sides for run in runs}),
        },
    )
    by_series: dict[tuple[int, str], dict[int, float]] = {}
    for r in values:
        by_series.setdefault((r["series"], r["statistic"]), {})[r["run"]] = r["value"]
    return by_series


def buckets(conn: Connection, runs: Sequence[int], series: int) -> list[tuple[float, int]]:
    """Return the histogram of some runs together: (lower bound, samples), in order."""
    counted = rows(
        conn,
        _Bucket,
        "SELECT h.lower_bound, sum(h.count)::bigint AS count FROM read_model.histogram_bucket h"
        " WHERE h.series = %(series)s AND h.run = ANY(%(runs)s)"
        " GROUP BY h.lower_bound HAVING sum(h.count) > 0 ORDER BY h.lower_bound",
        {"series": series, "runs": list(runs)},
    )
    return [(float(r["lower_bound"]), int(r["count"])) for r in counted]
