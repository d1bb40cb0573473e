# SPDX-License-Identifier: GPL-2.0-only
"""A figure on other boards, configurations and branches, and where it began."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from vlag.report.read_model.onsets import Head, onsets
from vlag.report.read_model.rows import rows
from vlag.report.read_model.view_rows import ComparisonRow, VerdictRow
from vlag.store.database import Connection

#: What makes two rows of the view `verdict` the same figure.
_FIGURE: Final = ("benchmark", "parameters", "metric", "statistic")

_ASKED: Final = (
    "WITH asked AS (SELECT * FROM unnest(%(id)s::bigint[], %(benchmark)s::text[],"
    " %(parameters)s::text[], %(metric)s::text[], %(statistic)s::text[])"
    " AS a(asked, benchmark, parameters, metric, statistic))"
)
# An array, so that the planner looks the figures up by the comparisons' index: it takes a join
# for one with most of the table.
_FIGURES_OF: Final = (
    " JOIN read_model.verdict v ON v.comparison = ANY(ARRAY(SELECT x.comparison FROM place x))"
    "   AND v.comparison = p.comparison AND v.benchmark = a.benchmark AND v.metric = a.metric"
    "   AND v.statistic = a.statistic"
)
_ELSEWHERE: Final = (
    _ASKED  # noqa: S608 - constants
    + ", place AS MATERIALIZED (SELECT n.* FROM read_model.newest n),"
    " found AS MATERIALIZED (SELECT a.asked, p.head_of, v.* FROM place p CROSS JOIN asked a"
    + _FIGURES_OF
    + ") SELECT v.*, coalesce(v.head_of, c.branch_name) AS branch_name, c.ref, c.tree, c.role,"
    "   c.patches, c.application, c.variant, c.new_knobs, c.base, c.new, c.at, c.committed_at,"
    "   c.synthetic"
    " FROM found v JOIN read_model.comparison c ON c.id = v.comparison"
    " ORDER BY v.asked, v.comparison DESC"
)


class _FoundRow(VerdictRow):
    asked: int  # the verdict of whose figure it is
    head_of: str | None
    branch_name: str | None
    ref: str
    tree: str
    role: str | None
    patches: str | None
    application: str
    variant: str
    new_knobs: str
    base: str
    new: str
    at: datetime
    committed_at: datetime
    synthetic: bool


class SameRow(_FoundRow):
    """A figure elsewhere, with the parameters that differ."""

    differing: str
    here: bool  # the same place, against another base


class _HomeRow(ComparisonRow):
    asked: int


class Elsewhere(VerdictRow):
    """A figure, and what it is elsewhere."""

    same: list[SameRow]
    last_good: Head | None
    began: str | None
    home: _HomeRow


def _scope(row: _FoundRow | _HomeRow) -> tuple[str, str | None, str | None, str, str, str]:
    """Return what a figure is measured on: the board type, the branch, the configuration."""
    return (
        row["board_type"],
        row["branch_name"],
        row["patches"],
        row["application"],
        row["variant"],
        row["new_knobs"],
    )


def elsewhere(conn: Connection, figures: Sequence[VerdictRow]) -> list[Elsewhere]:
    """Return rows of the view `verdict`, each with `same`, `last_good`, `began` and `home`.

    `same` are the newest verdicts on the figure on each board type, branch, patches, variant,
    knobs and role of the base, with those columns and without its own comparison: its branch
    first, then other configurations, then other branches.  `last_good` and `began` are of
    `onsets`: the verdict of the last head that was not worse, and where it began in words; either
    may be None.  `home` is its own comparison.
    """
    if not figures:
        return []
    asked = {name: [v[name] for v in figures] for name in ("id", *_FIGURE)}
    by_comparison: dict[int, list[_FoundRow]] = {}
    for row in rows(conn, _FoundRow, _ELSEWHERE, asked):
        by_comparison.setdefault(row["asked"], []).append(row)
    along = onsets(conn, [v["id"] for v in figures])
    homes = {
        home["asked"]: home
        for home in rows(
            conn,
            _HomeRow,
            "SELECT v.id AS asked, c.* FROM read_model.verdict v JOIN read_model.comparison c"
            " ON c.id = v.comparison WHERE v.id = ANY(%(id)s)",
            asked,
        )
    }
    return [
        {
            **v,
            "same": _same(by_comparison.get(v["id"], ()), homes[v["id"]], v["parameters"]),
            "last_good": along[v["id"]].good,
            "began": along[v["id"]].words,
            "home": homes[v["id"]],
        }
        for v in figures
    ]


def _same(listed: Sequence[_FoundRow], home: _HomeRow, parameters: str) -> list[SameRow]:
    """Return the newest row of each place without those of `home`, the nearest place first.

    Board types of other sizes have other parameters: of several rows the most alike counts, and
    has its own ones as `differing`.
    """
    here = set(parameters.split())
    newest: dict[tuple[object, ...], SameRow] = {}
    for row in listed:
        if row["comparison"] == home["id"] or not row["n_new"]:
            continue
        own = row["parameters"].split()
        differing = " ".join(p for p in own if p not in here)
        place = (*_scope(row), row["role"])
        before = newest.get(place)
        if before is None or len(before["differing"]) > len(differing):
            newest[place] = {**row, "differing": differing, "here": _scope(row) == _scope(home)}

    def distance(row: SameRow) -> tuple[bool, bool, bool, bool, int]:
        differs = [own != its for own, its in zip(_scope(row), _scope(home), strict=True)]
        board, branch, *config = differs
        return branch, any(config), board, row["role"] != home["role"], -row["comparison"]

    return sorted(newest.values(), key=distance)
