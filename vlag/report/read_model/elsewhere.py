"""A figure on other boards, configurations and branches, and when it was last good."""

from __future__ import annotations

from collections.abc import Sequence
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
# The comparisons are chosen before any of their figures is looked up, with an index each.
_ELSEWHERE: Final = (
    _ASKED
    + ", found AS MATERIALIZED (SELECT a.asked, n.head_of, v.* FROM read_model.newest n CROSS JOIN"
    " asked a JOIN read_model.verdict v ON v.comparison = n.comparison"
    "   AND v.benchmark = a.benchmark AND v.metric = a.metric AND v.statistic = a.statistic"
    "   AND v.parameters = a.parameters)"
    " SELECT v.*, coalesce(v.head_of, c.branch_name) AS branch_name, c.ref, c.tree, c.role,"
    "   c.patches, c.application, c.variant, c.new_knobs, c.base, c.new, c.at, c.committed_at,"
    "   c.synthetic"
    " FROM found v JOIN read_model.comparison c ON c.id = v.comparison"
    " ORDER BY v.asked, v.comparison DESC"
)
# A kernel that is not worse than its parent may be as bad: only the baseline decides.
_LAST_GOOD: Final = (
    _ASKED + " SELECT DISTINCT ON (a.asked) a.asked, v.verdict, v.standing, v.effect, v.worsening,"
    "   v.ci_low, v.ci_high, g.comparison, g.new, g.new_commit, g.tree, g.committed_at, g.at"
    " FROM asked a JOIN read_model.verdict o ON o.id = a.asked"
    " JOIN read_model.comparison c ON c.id = o.comparison"
    " CROSS JOIN LATERAL (SELECT x.id AS comparison, x.new, x.new_commit, x.tree, x.committed_at,"
    "     x.at FROM read_model.comparison x WHERE x.board_type = c.board_type"
    "     AND x.new_kernel IN (SELECT g.kernel FROM read_model.kernel_branch f"
    "       JOIN read_model.kernel_branch g ON g.tree = f.tree AND g.branch = f.branch"
    "       WHERE f.kernel = c.new_kernel)"
    "     AND (x.role = 'baseline' OR x.base_kernel = c.base_kernel AND c.role IS DISTINCT FROM"
    "       'parent') AND x.new_kernel <> c.new_kernel AND x.committed_at <= c.committed_at"
    "     AND x.new_knobs = c.new_knobs AND x.variant = c.variant"
    "     AND x.patches IS NOT DISTINCT FROM c.patches AND x.application = c.application) g"
    " JOIN read_model.verdict v ON v.comparison = g.comparison AND v.benchmark = a.benchmark"
    "   AND v.metric = a.metric AND v.statistic = a.statistic AND v.parameters = a.parameters"
    "   AND v.verdict IN ('UNCHANGED', 'IMPROVEMENT') AND v.standing <> 'suspected'"
    " ORDER BY a.asked, g.committed_at DESC, g.comparison DESC"
)


def elsewhere(conn: Connection, figures: Sequence[Row]) -> list[Row]:
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
            "same": _same(found.get(v["id"], ()), homes[v["id"]]),
            "last_good": good.get(v["id"]),
            "home": homes[v["id"]],
        }
        for v in figures
    ]


def _same(found: Sequence[Row], home: Row) -> list[Row]:
    """Return the newest row of each place without those of `home`, the nearest place first."""
    newest: dict[tuple[Any, ...], Row] = {}
    for row in found:
        if row["comparison"] != home["id"] and row["n_new"]:
            newest.setdefault((*(row[name] for name in _SCOPE), row["role"]), row)

    def distance(row: Row) -> tuple[Any, ...]:
        differs = [row[name] != home[name] for name in _SCOPE]
        board, branch, *config = differs
        return branch, any(config), board, row["role"] != home["role"], -row["comparison"]

    return sorted(newest.values(), key=distance)
