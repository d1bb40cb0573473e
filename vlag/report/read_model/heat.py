# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts of branches and board types over the last nights."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TypedDict

from vlag.report.read_model.night_rows import NightSpan
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection


class _SquareRow(TypedDict):
    branch_name: str
    board_type: str
    role: str
    patches: str | None
    night: int | None  # None: newer than the last night
    at: datetime.datetime
    id: int


class _CountsRow(TypedDict):
    id: int
    verdict: str
    severity: int
    size: float
    worst: float | None
    hints: int
    worst_hint: float | None
    figures: int
    unmeasured: int
    without_base: int
    without_new: int


class SquareRow(_SquareRow, _CountsRow):
    """A comparison of a branch on a board in a night."""


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


def squares(
    conn: Connection, nights: Sequence[NightSpan], branches: Sequence[str], boards: Sequence[str]
) -> list[SquareRow]:
    """Return the comparisons of branches on boards in nights, those by hand left out."""
    since: datetime.datetime | None = nights[0]["started_at"] if nights else None
    made = rows(
        conn,
        _SquareRow,
        _SQUARES,
        {
            "nights": [n["id"] for n in nights],
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
            _CountsRow,
            "SELECT s.id, s.verdict, s.severity, s.size, s.worst, s.hints, s.worst_hint,"
            " s.figures, s.unmeasured, s.without_base, s.without_new"
            " FROM read_model.comparison_summary s WHERE s.id = ANY(%(ids)s)",
            {"ids": sorted({s["id"] for s in made})},
        )
    }
    return [{**s, **summaries[s["id"]]} for s in made]
