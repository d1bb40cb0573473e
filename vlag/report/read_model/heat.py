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
SELECT q.branch_name, q.board_type, q.role, q.patches, q.night, q.at, q.id
FROM square q ORDER BY q.night, q.id
"""


def nights(conn: Connection) -> list[Row]:
    """Return the last nights, at most `NIGHTS`, the newest last: id, started_at, finished_at."""
    found = rows(
        conn,
        "SELECT n.id, n.started_at, n.finished_at FROM read_model.night n"
        " ORDER BY n.id DESC LIMIT %(most)s",
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
    found = rows(
        conn,
        _SQUARES,
        {
            "nights": [n["id"] for n in of],
            "since": since,
            "branches": list(branches),
            "boards": list(boards),
        },
    )
    # Apart: joined to the squares, PostgreSQL would count the verdicts of some more than once.
    summaries = {
        s["id"]: s
        for s in rows(
            conn,
            "SELECT s.id, s.verdict, s.severity, s.size, s.worst, s.hints, s.worst_hint,"
            " s.figures, s.unmeasured, s.without_base, s.without_new"
            " FROM read_model.comparison_summary s WHERE s.id = ANY(%(ids)s)",
            {"ids": sorted({s["id"] for s in found})},
        )
    }
    return [{**s, **summaries[s["id"]]} for s in found]
