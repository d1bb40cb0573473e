"""A figure on other boards, configurations and branches, and when it was last good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
# A kernel that is not worse than its parent may be as bad: only the baseline decides.
_LAST_GOOD: Final = (
    _ASKED  # noqa: S608 - constants
    + ", home AS MATERIALIZED (SELECT DISTINCT c.* FROM asked a JOIN read_model.verdict v"
    "   ON v.id = a.asked JOIN read_model.comparison c ON c.id = v.comparison),"
    " kernel AS MATERIALIZED (SELECT c.id AS home, g.kernel, max(g.place) AS nth FROM home c"
    "   JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel"
    "   JOIN read_model.kernel_branch g ON g.tree = f.tree AND g.branch = f.branch"
    "     AND g.place <= f.place GROUP BY 1, 2),"
    " place AS MATERIALIZED (SELECT c.id AS home, x.id AS comparison, x.new, x.new_commit, x.tree,"
    "     x.committed_at, x.at, g.nth"
    "   FROM home c JOIN kernel g ON g.home = c.id JOIN read_model.comparison x"
    "     ON x.new_kernel = ANY(ARRAY(SELECT k.kernel FROM kernel k))"
    "     AND x.new_kernel = g.kernel AND x.board_type = c.board_type"
    "   WHERE (x.role = 'baseline' OR x.base_kernel = c.base_kernel AND c.role IS DISTINCT FROM"
    "       'parent') AND x.new_kernel <> c.new_kernel"
    "     AND x.new_knobs = c.new_knobs AND x.variant = c.variant"
    "     AND x.patches IS NOT DISTINCT FROM c.patches AND x.application = c.application)"
    " SELECT DISTINCT ON (a.asked) a.asked, v.verdict, v.standing, v.effect, v.worsening,"
    "   v.ci_low, v.ci_high, p.*"
    " FROM asked a JOIN read_model.verdict o ON o.id = a.asked"
    " JOIN place p ON p.home = o.comparison"
    + _FIGURES_OF
    + "   AND v.parameters = a.parameters AND v.verdict IN ('UNCHANGED', 'IMPROVEMENT')"
    "   AND v.standing <> 'suspected'"
    " ORDER BY a.asked, p.nth DESC, p.comparison DESC"
)


def elsewhere(conn: Connection, figures: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return rows of the view `verdict`, each with `same`, `last_good` and `home`.

    `same` are the newest verdicts on the figure on each board type, branch, patches, variant,
    knobs and role of the base, with those columns and without its own comparison: its branch
    first, then other configurations, then other branches.  `last_good` is the verdict of the
    newest kernel of its branch and board type, up to its own, that was not worse than the
    baseline; None without one.  `home` is its own comparison.
    """
    if not figures:
        return []
    asked = {name: [v[name] for v in figures] for name in ("id", *_FIGURE)}
    found: dict[int, list[Row]] = {}
    for row in rows(conn, _ELSEWHERE, asked):
        found.setdefault(row["asked"], []).append(row)
    good = {row["asked"]: row for row in rows(conn, _LAST_GOOD, asked)}
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
            "last_good": good.get(v["id"]),
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
