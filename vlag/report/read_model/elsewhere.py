"""A figure on other boards, configurations and branches, and where it began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vlag.report.read_model.onsets import onsets
from vlag.report.read_model.rows import Row, rows
from vlag.store.database import Connection

#: What makes two rows of the view `verdict` the same figure.
_FIGURE = ("benchmark", "parameters", "metric", "statistic")
#: What a figure is measured on.
_SCOPE = ("board_type", "branch_name", "patches", "application", "variant", "new_knobs")

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


def elsewhere(conn: Connection, figures: Sequence[Mapping[str, Any]]) -> list[Row]:
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
    found: dict[int, list[Row]] = {}
    for row in rows(conn, _ELSEWHERE, asked):
        found.setdefault(row["asked"], []).append(row)
    along = onsets(conn, asked["id"])
    homes = {
        row["asked"]: row
        for row in rows(
            conn,
            "SELECT v.id AS asked, c.* FROM read_model.verdict v JOIN read_model.comparison c"
            " ON c.id = v.comparison WHERE v.id = ANY(%(id)s)",
            asked,
        )
    }
    return [
        {
            **v,
            "same": _same(found.get(v["id"], ()), homes[v["id"]], v["parameters"]),
            "last_good": along[v["id"]].good,
            "began": along[v["id"]].words,
            "home": homes[v["id"]],
        }
        for v in figures
    ]


def _same(found: Sequence[Row], home: Row, parameters: str) -> list[Row]:
    """Return the newest row of each place without those of `home`, the nearest place first.

    Board types of other sizes have other parameters: of several rows the most alike counts, and
    has its own ones as `differing`.
    """
    here = set(parameters.split())
    newest: dict[tuple[Any, ...], Row] = {}
    for row in found:
        if row["comparison"] == home["id"] or not row["n_new"]:
            continue
        own = row["parameters"].split()
        differing = " ".join(p for p in own if p not in here)
        place = (*(row[name] for name in _SCOPE), row["role"])
        before = newest.get(place)
        if before is None or len(before["differing"]) > len(differing):
            newest[place] = {**row, "differing": differing}

    def distance(row: Row) -> tuple[Any, ...]:
        differs = [row[name] != home[name] for name in _SCOPE]
        board, branch, *config = differs
        return branch, any(config), board, row["role"] != home["role"], -row["comparison"]

    return sorted(newest.values(), key=distance)
