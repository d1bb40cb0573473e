# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes of a branch and of commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from vlag.report.document import LaneColumns, LaneData, LaneFindingData, LaneWords
from vlag.report.read_model.rows import picked, rows
from vlag.store.database import Connection

#: Commits of a branch on its page.
COMMITS = 20
#: What a report has beside its own commits: those since the last night, which may have been short.
_DAY = "30 hours"


class LaneRow(LaneColumns):
    """`lane`: a commit in a configuration that was only built."""

    at: datetime


class LaneFindingRow(LaneFindingData):
    """`lane_finding`: an error or a new warning of a lane."""

    lane: int


class BuiltLane(LaneWords):
    """A lane with its `findings`."""

    at: datetime


class LanesOfCommit(TypedDict):
    """The lanes of a commit."""

    commit: str
    subject: str
    at: datetime  # of the last one
    lanes: list[BuiltLane]


def lanes_of_branch(
    conn: Connection, tree: str, branch: str, most: int = COMMITS
) -> list[LanesOfCommit]:
    """Return the commits of a branch with lanes, the newest first, each with its `lanes`."""
    # The columns that cost a search are those of few commits.
    lanes = rows(
        conn,
        LaneRow,
        "WITH newest AS ("
        "   SELECT l.commit, max(l.id) AS number FROM read_model.lane l"
        "   WHERE l.tree = %(tree)s AND l.commit IN ("
        "     SELECT k.commit FROM read_model.kernel_branch f"
        "     JOIN read_model.kernel k ON k.id = f.kernel"
        "     WHERE f.tree = %(tree)s AND f.branch = %(branch)s)"
        "   GROUP BY l.commit ORDER BY number DESC LIMIT %(most)s)"
        " SELECT l.* FROM newest n"
        " JOIN read_model.lane l ON l.tree = %(tree)s AND l.commit = n.commit"
        " ORDER BY n.number DESC, l.id",
        {"tree": tree, "branch": branch, "most": most},
    )
    by_commit: dict[str, list[BuiltLane]] = {}
    for lane in _with_findings(conn, lanes):
        by_commit.setdefault(lane["commit"], []).append(lane)
    return [
        {
            "commit": commit,
            "subject": some[0]["subject"],
            "at": max(lane["at"] for lane in some),
            "lanes": some,
        }
        for commit, some in by_commit.items()
    ]


def lanes_told(conn: Connection, comparisons: Sequence[int]) -> list[LaneData]:
    """Return the lanes that a report on comparisons tells of: breaks and new warnings.

    They are those of the new kernels' commits, and what a commit of the same branches has brought
    since the last night.  Each is data that JSON can hold.
    """
    lanes = rows(
        conn,
        LaneRow,
        "WITH compared AS ("
        "   SELECT k.tree, k.commit, k.branches, c.at FROM read_model.comparison c"
        "   JOIN read_model.kernel k ON k.id = c.new_kernel WHERE c.id = ANY(%(ids)s))"
        " SELECT l.* FROM read_model.lane l WHERE l.id IN ("
        "     SELECT x.id FROM compared c"
        "     JOIN read_model.lane x ON x.tree = c.tree AND x.commit = c.commit"
        "   UNION SELECT x.id FROM compared c JOIN read_model.lane x ON x.tree = c.tree"
        "     AND x.at BETWEEN c.at - %(day)s::interval AND c.at"
        "     AND x.branches && c.branches AND (x.is_new OR x.new_warnings > 0))"
        " AND (l.outcome = 'breaks' OR l.is_new OR l.new_warnings > 0)"
        " ORDER BY l.id",
        {"ids": list(comparisons), "day": _DAY},
    )
    return [plain(lane) for lane in _with_findings(conn, lanes)]


def plain(lane: BuiltLane) -> LaneData:
    """Return a lane as JSON has it."""
    return {**lane, "at": lane["at"].isoformat()}


def _with_findings(conn: Connection, lanes: Sequence[LaneRow]) -> list[BuiltLane]:
    """Return lanes with their `findings`."""
    by_lane: dict[int, list[LaneFindingData]] = {}
    for f in rows(
        conn,
        LaneFindingRow,
        "SELECT f.* FROM read_model.lane_finding f WHERE f.lane = ANY(%(ids)s)"
        " ORDER BY f.lane, f.number",
        {"ids": [lane["id"] for lane in lanes]},
    ):
        by_lane.setdefault(f["lane"], []).append(picked(LaneFindingData, f))
    return [{**lane, "findings": by_lane.get(lane["id"], [])} for lane in lanes]
