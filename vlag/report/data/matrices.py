# SPDX-License-Identifier: GPL-2.0-only
"""Patches or knobs by metrics, as plain data: what each setting does to one base.

A cell is the verdict of a comparison, or says why there is none: it was not run, or its
kernel failed.  Nothing is compared here that was not compared before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Outcome
from vlag.report import read_model
from vlag.report.compared import names
from vlag.report.data.branch_state import again, branch_of, table_row
from vlag.report.data.dependences import dependences
from vlag.report.document import (
    AccountData,
    BoardMatrix,
    FigureCell,
    MatrixCell,
    MatrixColumn,
    MatrixData,
    MatrixMetric,
    Side,
)
from vlag.report.read_model.comparison_rows import ComparedRow, MeasuredRow
from vlag.report.read_model.view_rows import FailureRow
from vlag.stats.attribution import Answer
from vlag.stats.matrix_cells import NOT_RUN, Cell
from vlag.stats.patches import Applied, PatchReport
from vlag.stats.patches import patches as account
from vlag.store.database import Connection

_NUMBERED = re.compile(r"(solo|prefix|without)\((\d+)\)")
_NONE = "none"
# Alone, on those before it, left out; the whole series last.
_ORDER = (_NONE, "solo", "prefix", "without", "full")


def matrix(
    conn: Connection, catalogue: Catalogue, asked: Sequence[str], head_notes: Sequence[str] = ()
) -> MatrixData:
    """Return the matrices of a branch TREE/BRANCH, or of comparisons by their numbers.

    Raises UsageError for what is not on record, and where no setting was compared.
    """
    ids = [int(word) for word in asked if word.isdecimal()]
    if (ids and len(ids) < len(asked)) or len(asked) > len(ids) + 1:
        raise UsageError("a matrix is of one branch TREE/BRANCH, or of numbers of comparisons")
    name = None if ids else asked[0]
    tree, branch = (None, None) if name is None else branch_of(conn, name)
    compared = read_model.matrix(conn, tree, branch, ids)
    missing = sorted(set(ids) - {c["id"] for c in compared})
    if missing:
        raise UsageError(f"there is no comparison {missing[0]} on record")
    if not compared:
        raise UsageError(
            f"on {name} nothing was compared that differs in patches, variant or knobs;"
            " `vlag compare` with --base-knob and --new-knob, or a series, makes it"
        )
    return {
        "schema": 1,
        "kind": "matrix",
        "name": name,
        "head_notes": list(head_notes),
        "synthetic": any(c["synthetic"] for c in compared),
        "matrices": tables(conn, catalogue, compared),
    }


def tables(
    conn: Connection, catalogue: Catalogue, compared: Sequence[ComparedRow]
) -> list[BoardMatrix]:
    """Return a matrix for each board type and base of rows of `read_model.matrix`."""
    by_base: dict[tuple[str, int, str], list[ComparedRow]] = {}
    for c in compared:
        by_base.setdefault((c["board_type"], c["base_kernel"], c["base_knobs"]), []).append(c)
    return [
        _matrix(conn, catalogue, group)
        for group in sorted(
            by_base.values(), key=lambda group: (group[0]["board_type"], -len(group))
        )
    ]


def _order(column: MatrixColumn) -> tuple[str, int, int]:
    return (column["settings"], *_place(column["application"]))


def _matrix(conn: Connection, catalogue: Catalogue, compared: Sequence[ComparedRow]) -> BoardMatrix:
    """Return one base's matrix; of two comparisons of one setting the newer stands."""
    newest = list({_setting(c): c for c in compared}.values())
    first = newest[0]
    ids = [c["id"] for c in newest]
    failed, verdicts = _by_comparison(read_model.failed(conn, ids)), read_model.verdicts(conn, ids)
    of_comparison = _by_comparison(verdicts)
    columns = [_column(c, first, newest, failed.get(c["id"], ())) for c in newest]
    columns += _not_run(columns, first)
    columns.sort(key=_order)
    subjects: dict[tuple[str, ...], dict[int, MeasuredRow]] = {}
    for c in newest:
        for v in of_comparison.get(c["id"], ()):
            key = (v["benchmark"], v["parameters"], v["metric"], v["statistic"])
            subjects.setdefault(key, {})[c["id"]] = v
    board = catalogue.board_types.get(first["board_type"])
    # What no boot of any kernel gave a figure of is no row.
    rows = [row for _, row in sorted(subjects.items()) if any(v["n_base"] for v in row.values())]
    named = names([read_model.row(next(iter(row.values()))) for row in rows])
    metrics = [
        _metric(catalogue, name, row, columns) for name, row in zip(named, rows, strict=True)
    ]
    boots = read_model.boots(conn, verdicts)
    reports: list[AccountData] = [
        {"metric": m["name"], "answer": report.answer.value, "sentence": report.sentence}
        for m, row in zip(metrics, rows, strict=True)
        if (report := _accounted(boots, catalogue, row, columns, first)) is not None
        and report.answer is not Answer.UNKNOWN
    ]
    every = [v for row in subjects.values() for v in row.values()]
    counts = sorted({v["n_new"] for v in every if v["n_new"]})
    return {
        "board_type": first["board_type"],
        "base": first["base"],
        "base_commit": first["base_commit"],
        "base_knobs": first["base_knobs"],
        "synthetic": any(c["synthetic"] for c in newest),
        "limits": board.limits if board else None,
        "tools": sorted({f"{v['tool']} {v['tool_version']}" for v in every if v["tool"]}),
        "boots_a_side": sorted({counts[0], counts[-1]}) if counts else [],
        "columns": columns,
        "metrics": metrics,
        "accounts": reports,
        "dependences": _dependences(columns),
        "again": again(conn, every),
    }


_OfComparison = TypeVar("_OfComparison", FailureRow, MeasuredRow)


def _by_comparison(listed: Sequence[_OfComparison]) -> dict[int, list[_OfComparison]]:
    by_id: dict[int, list[_OfComparison]] = {}
    for r in listed:
        by_id.setdefault(r["comparison"], []).append(r)
    return by_id


def _setting(c: ComparedRow) -> tuple[int, str]:
    return c["new_kernel"], c["new_knobs"]


def _column(
    c: ComparedRow,
    first: ComparedRow,
    every: Sequence[ComparedRow],
    failed: Sequence[FailureRow],
) -> MatrixColumn:
    """Return a column, named by what sets it apart from the base."""
    knobs, base = (
        {name: value for name, _, value in (pair.partition("=") for pair in text.split())}
        for text in (c["new_knobs"], c["base_knobs"])
    )
    changed = [f"{k}={v}" for k, v in sorted(knobs.items()) if base.get(k) != v]
    changed += [f"no {k}" for k in sorted(set(base) - set(knobs))]
    settings = [c["variant"]] if c["variant"] != "default" else []
    settings += changed
    application = c["application"] if c["patches"] else _NONE
    several = len({x["new_commit"] for x in every}) > 1
    parts = [c["new"].partition(" + ")[0]] if several else []
    parts += [application] if application != _NONE else []
    parts += settings
    worst = _worst(failed)
    return {
        "label": " ".join(parts) or ("as it is" if c["new"] != first["base"] else c["new"]),
        "patches": c["patches"],
        "application": application,
        "applied": list(c["patch_names"]),
        "settings": " ".join(settings),
        "comparison": c["id"],
        "new": c["new"],
        "new_commit": c["new_commit"],
        "verdict": c["verdict"],
        "failure": None if worst is None else Cell(outcome=Outcome(worst["outcome"])).problem,
        "reason": None if worst is None else worst["reason"],
    }


def _worst(failures: Sequence[FailureRow]) -> FailureRow | None:
    """Return how the new kernel failed, if it did: a build before a run."""
    failed = [f for f in failures if f["side"] != "base"]
    return min(failed, key=lambda f: f["kind"], default=None)


def _not_run(columns: Sequence[MatrixColumn], first: ComparedRow) -> list[MatrixColumn]:
    """Return columns for what belongs to the matrix and was not run.

    These are the combinations of patches with settings, and of a series the whole and the
    numbers that lack among those that were run of a kind.
    """
    there = {(c["application"], c["settings"]) for c in columns}
    kernels = {c["new_commit"] for c in columns}
    if len(kernels) > 1:
        return []
    base = (first["base_application"], "")
    there.add(base)
    applications = {a for a, _ in there}
    series = next((c["patches"] for c in columns if c["patches"]), None)
    wanted = {(a, s) for a in applications for s in {s for _, s in there}}
    if series is not None:
        numbered = [m for m in map(_NUMBERED.fullmatch, applications) if m]
        most = _count(columns)
        kinds = {m.group(1) for m in numbered}
        wanted |= {(f"{kind}({n})", "") for kind in kinds for n in range(1, most + 1)}
        wanted |= {("full", "")}
        # One kernel: the first patch alone, and the first of those before.
        if ("solo(1)", "") in there:
            wanted.discard(("prefix(1)", ""))
        # With the whole it is known how many there are, and so which others are one kernel.
        if ("full", "") in there:
            built = {_applied(a, most) for a, s in there if not s and a != _NONE}
            wanted = {(a, s) for a, s in wanted if s or _applied(a, most) not in built}
    return [
        {
            "label": " ".join(filter(None, (a if a != _NONE else "", s))) or "as it is",
            "patches": series if a != _NONE else None,
            "application": a,
            "applied": [],
            "settings": s,
            "comparison": None,
            "new": None,
            "new_commit": None,
            "verdict": NOT_RUN,
            "failure": None,
            "reason": None,
        }
        for a, s in wanted - there
    ]


def _count(columns: Sequence[MatrixColumn]) -> int:
    """Return how many patches the series has, as far as what was built says it."""
    numbers = [m.group(2) for c in columns if (m := _NUMBERED.fullmatch(c["application"]))]
    return max([0, *map(int, numbers), *(len(c["applied"]) for c in columns)])


def _place(application: str) -> tuple[int, int]:
    kind, _, number = application.partition("(")
    return _ORDER.index(kind) if kind in _ORDER else 0, int(number.rstrip(")") or 0)


def _metric(
    catalogue: Catalogue,
    name: str,
    cells: Mapping[int, MeasuredRow],
    columns: Sequence[MatrixColumn],
) -> MatrixMetric:
    some = table_row(next(iter(cells.values())), catalogue)
    return {
        "benchmark": some["benchmark"],
        "overrides": some["overrides"],
        "metric": some["metric"],
        "statistic": some["statistic"],
        "unit": some["unit"],
        "direction": some["direction"],
        "name": name,
        "base": next(
            (v["base_value"] for v in cells.values() if v["base_value"] is not None), None
        ),
        "cells": [_cell(catalogue, cells.get(c["comparison"] or 0), c) for c in columns],
    }


def _cell(catalogue: Catalogue, verdict: MeasuredRow | None, column: MatrixColumn) -> MatrixCell:
    """Return a verdict's row, or `nothing`: in words why there is none."""
    if verdict is None or not verdict["n_new"]:
        was_run = column["comparison"] is not None and verdict is not None
        return {"nothing": column["failure"] or ("no figure" if was_run else NOT_RUN)}
    cell: FigureCell = {"nothing": None, **table_row(verdict, catalogue)}
    return cell


def _accounted(
    boots: Mapping[tuple[int, str], Mapping[int, float]],
    catalogue: Catalogue,
    row: Mapping[int, MeasuredRow],
    columns: Sequence[MatrixColumn],
    first: ComparedRow,
) -> PatchReport | None:
    """Return which patch of the series makes what of its effect; None where there is none."""
    some = next(iter(row.values()))
    entry = catalogue.benchmarks.get(some["benchmark"])
    metric = None if entry is None else entry.metric(some["metric"])
    board = catalogue.board_types.get(first["board_type"])
    plain = [c for c in columns if c["patches"] and not c["settings"]]
    count = _count(columns)
    if metric is None or board is None or not count or first["base_application"] != _NONE:
        return None
    cells: dict[Applied, Cell] = {}
    for c in plain:
        v, applied = row.get(c["comparison"] or 0), _applied(c["application"], count)
        if v is not None and v["n_new"]:
            cells[applied] = _boots(boots, v, "new")
            cells[frozenset()] = _boots(boots, v, "base")
        elif c["failure"] is not None:
            failed = {Cell(outcome=o).problem: o for o in Outcome if o is not Outcome.COMPLETE}
            cells[applied] = Cell(outcome=failed[c["failure"]])
    called = _called(plain)
    names = [called.get(n, f"patch {n}") for n in range(1, count + 1)]
    return account(
        cells,
        names,
        direction=metric.direction,
        relevance=metric.relevance_on(board),
        resolution=metric.resolution,
    )


def _dependences(columns: Sequence[MatrixColumn]) -> list[str]:
    """Return which patches need an earlier one, a sentence each."""
    plain = [c for c in columns if c["patches"] and not c["settings"] and c["comparison"]]
    count = _count(columns)
    called = _called(plain)
    return dependences(
        {_applied(c["application"], count): c["failure"] for c in plain},
        {n: called.get(n, "") for n in range(1, count + 1)},
    )


def _called(plain: Sequence[MatrixColumn]) -> dict[int, str]:
    """Return the names of patches by their numbers, as far as columns have one alone."""
    return {
        int(m.group(2)): c["applied"][0].removesuffix(".patch")
        for c in plain
        if (m := _NUMBERED.fullmatch(c["application"])) and len(c["applied"]) == 1
    }


def _boots(
    boots: Mapping[tuple[int, str], Mapping[int, float]], v: MeasuredRow, side: Side
) -> Cell:
    series = read_model.time_series_on(v, side)
    values = {} if series is None else boots.get((series, v["statistic"]), {})
    return Cell(boots=[values[r] for r in sorted(read_model.runs_of(v, side)) if r in values])


def _applied(application: str, count: int) -> Applied:
    every = frozenset(range(1, count + 1))
    m = _NUMBERED.fullmatch(application)
    if m is None:
        return every if application == "full" else frozenset()
    n = int(m.group(2))
    kinds = {"solo": {n}, "prefix": set(range(1, n + 1)), "without": every - {n}}
    return frozenset(kinds[m.group(1)])
