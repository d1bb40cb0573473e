"""Verdicts of branches and board types over the last nights."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from vlag.report.read_model.rows import Row, rows
from vlag.store.database import Connection

#: Nights of a heat map; what is newer than the last of them is one more column.
NIGHTS = 14

# A night has the comparisons that it names, and those of pushes since the night before.
# OFFSET keeps the planner from reading all comparisons before those of the branches.
_SQUARES = """
WITH line AS (
  SELECT DISTINCT f.branch_name, f.kernel FROM read_model.kernel_branch f
  WHERE f.branch_name = ANY(%(branches)s)
), made AS (
  SELECT l.branch_name, c.id, c.board_type, c.role, c.patches, c.at
  FROM line l CROSS JOIN LATERAL (SELECT x.* FROM read_model.comparison x
    WHERE x.new_kernel = l.kernel AND x.board_type = ANY(%(boards)s) AND x.role IS NOT NULL
    OFFSET 0) c
  WHERE c.as_predicted IS NULL
), square AS (
  SELECT m.*, n.night
  FROM (SELECT x.night, y.comparison FROM unnest(%(nights)s::bigint[]) AS x(night)
    JOIN read_model.night n ON n.id = x.night, unnest(n.comparisons) AS y(comparison)) n
  JOIN made m ON m.id = n.comparison
  UNION
  SELECT m.*, (SELECT n.id FROM read_model.night n
    WHERE n.id = ANY(%(nights)s) AND n.finished_at >= m.at ORDER BY n.finished_at, n.id LIMIT 1)
  FROM made m WHERE m.at > coalesce(%(since)s, m.at - interval '1 day')
)
SELECT q.branch_name, q.board_type, q.role, q.patches, q.night, q.at,
  s.id, s.verdict, s.severity, s.size, s.worst, s.hints, s.worst_hint
FROM square q JOIN read_model.comparison_summary s ON s.id = q.id
ORDER BY q.night, q.id
"""


def nights(conn: Connection) -> list[Row]:
    """Return the last nights, at most `NIGHTS`, the newest last: id, started_at, finished_at."""
    found = rows(
        conn,
        "SELECT n.id, n.started_at, n.finished_at FROM read_model.night n"
        " ORDER BY n.finished_at DESC, n.id DESC LIMIT %(most)s",
        {"most": NIGHTS},
    )
    return found[::-1]


def squares(
    conn: Connection, of: Sequence[Row], branches: Sequence[str], boards: Sequence[str]
) -> list[Row]:
    """Return the comparisons of branches on boards in nights, those by hand left out.

    Each has `branch_name`, `board_type`, `role`, `patches`, its number and summary, and `night`:
    None for one that is newer than the last of the nights.
    """
    since: datetime.datetime | None = of[0]["started_at"] if of else None
    return rows(
        conn,
        _SQUARES,
        {
            "nights": [n["id"] for n in of],
            "since": since,
            "branches": list(branches),
            "boards": list(boards),
        },
    )


def medians(
    conn: Connection, tree: str, branch: str, series: Sequence[int], *, knobs: str, most: int
) -> list[Row]:
    """Return the medians of the boots of a branch's newest plain kernels, the newest last.

    Each has `series`, `statistic`, `kernel` and `value`, in the unit of its series.
    """
    kernels = rows(
        conn,
        "SELECT k.id FROM read_model.kernel_branch f JOIN read_model.kernel k ON k.id = f.kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s AND k.application = 'none'"
        " AND k.variant = 'default' ORDER BY k.committed_at DESC, k.id DESC LIMIT %(most)s",
        {"tree": tree, "branch": branch, "most": most},
    )
    # Constants: PostgreSQL finds the boots by their kernels then, not all boots of a series.
    return rows(
        conn,
        "SELECT h.series, h.statistic, h.kernel,"
        "   percentile_cont(0.5) WITHIN GROUP (ORDER BY h.value) AS value"
        " FROM read_model.history h WHERE h.kernel = ANY(%(kernels)s)"
        "   AND h.series = ANY(%(series)s) AND h.knobs = %(knobs)s"
        " GROUP BY h.series, h.statistic, h.kernel, h.committed_at"
        " ORDER BY h.series, h.statistic, h.committed_at, h.kernel",
        {"kernels": [k["id"] for k in kernels], "series": list(series), "knobs": knobs},
    )
