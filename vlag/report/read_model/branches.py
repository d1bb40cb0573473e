# SPDX-License-Identifier: GPL-2.0-only
"""Branches: their newest comparisons, and the state of each."""

from __future__ import annotations

from typing import Final, TypedDict

from vlag.report.read_model.alert_rows import AlertRow, alerts
from vlag.report.read_model.comparison_rows import (
    ComparedRow,
    MeasuredRow,
    SummaryCounts,
    by_ids,
    verdicts,
)
from vlag.report.read_model.night_rows import (
    NightProof,
    NightRow,
    UndeliveredRow,
    night,
    proof,
    undelivered,
)
from vlag.report.read_model.rows import column, rows
from vlag.report.read_model.view_rows import (
    ChangePointRow,
    NewestRow,
    SummaryRow,
    SuspicionRow,
    TimeSeriesRow,
)
from vlag.store.database import Connection

#: Most comparisons on a branch's page.
_COMPARISONS: Final = 80


class OfBranch(SummaryCounts):
    """A comparison of an overview, once for each branch of which it is the newest."""

    branch_name: str | None  # None: its kernel belongs to no branch


class Overview(TypedDict):
    """The newest comparisons of all branches, and the last night."""

    comparisons: list[OfBranch]
    alerts: list[AlertRow]
    night: NightRow | None
    proof: NightProof | None
    undelivered: list[UndeliveredRow]


class JudgedComparison(ComparedRow):
    """A comparison with its verdicts, worst first."""

    verdicts: list[MeasuredRow]


class BranchState(TypedDict):
    """The state of a branch."""

    comparisons: list[JudgedComparison]  # the newest on each board type
    changes: list[ChangePointRow]  # steps in its history, the newest first
    alerts: list[AlertRow]  # the open ones
    suspicions: list[SuspicionRow]  # those that a rerun has not decided


class StatisticRow(TimeSeriesRow):
    """A series with a statistic that it has."""

    statistic: str


def branches(conn: Connection) -> list[str]:
    """Return the branches with a comparison, as TREE/BRANCH."""
    return column(
        conn,
        "SELECT f.branch_name FROM read_model.kernel_branch f WHERE EXISTS (SELECT"
        " FROM read_model.comparison c"
        " WHERE c.new_kernel = f.kernel) GROUP BY f.branch_name ORDER BY f.branch_name",
    )


def overview(conn: Connection, words: str = "", board: str = "") -> Overview:
    """Return the newest comparisons as `newest` does, open alerts, and the last night."""
    last = night(conn, None)
    return {
        "comparisons": newest(conn, words, board),
        "alerts": alerts(conn),
        "night": last,
        "proof": proof(conn, last),
        "undelivered": undelivered(conn),
    }


def newest(conn: Connection, words: str = "", board: str = "") -> list[OfBranch]:
    """Return the newest comparisons of each branch and board type.

    One is there once for each branch of which it is the newest; its `branch_name` is that
    branch, None for a kernel that belongs to no branch.  Only those count whose branch and board
    type have `words` and `board` in their names.
    """
    listed = [
        r
        for r in _newest(conn, None, None)
        if words in (r["branch_name"] or "") and board in r["board_type"]
    ]
    by_id = {
        c["id"]: c
        for c in rows(
            conn,
            SummaryCounts,
            "SELECT s.id, s.at, s.board_type, s.role, s.tree, s.ref, s.patches, s.synthetic,"
            " s.verdict, s.severity, s.size, s.confirmed_by, s.worst, s.hints, s.worst_hint,"
            " s.figures, s.unmeasured, s.without_base, s.without_new"
            " FROM read_model.comparison_summary s WHERE s.id = ANY(%(ids)s)",
            {"ids": sorted({r["id"] for r in listed})},
        )
    }
    return [{**by_id[r["id"]], "branch_name": r["branch_name"]} for r in listed]


def _newest(conn: Connection, tree: str | None, branch: str | None) -> list[NewestRow]:
    """Return the newest comparisons: id, branch.

    Those by hand only if a branch has no others on a board type.
    """
    listed = rows(
        conn,
        NewestRow,
        "SELECT n.* FROM read_model.newest_of_role n"
        " WHERE (%(tree)s::text IS NULL OR (n.tree, n.branch) = (%(tree)s, %(branch)s))",
        {"tree": tree, "branch": branch},
    )

    def place(r: NewestRow) -> tuple[object, ...]:
        return r["branch_name"] or r["new_kernel"], r["board_type"]

    watched = {place(r) for r in listed if r["role"] is not None}
    kept = [r for r in listed if r["role"] or place(r) not in watched]
    return sorted(kept, key=lambda r: r["id"])


def branch(conn: Connection, tree: str, name: str, board_type: str | None = None) -> BranchState:
    """Return the state of a branch, on one board type or all."""
    compared = by_ids(conn, [r["id"] for r in _newest(conn, tree, name)])
    compared = [c for c in compared if board_type in (None, c["board_type"])]
    by_comparison: dict[int, list[MeasuredRow]] = {}
    for v in verdicts(conn, [c["id"] for c in compared]):
        by_comparison.setdefault(v["comparison"], []).append(v)
    values = {"tree": tree, "branch": name, "board_type": board_type}
    return {
        "comparisons": [{**c, "verdicts": by_comparison.get(c["id"], [])} for c in compared],
        "changes": rows(
            conn,
            ChangePointRow,
            "SELECT p.* FROM read_model.change_point p WHERE p.tree = %(tree)s"
            " AND p.branch = %(branch)s AND p.withdrawn_at IS NULL"
            " AND p.board_type = coalesce(%(board_type)s, p.board_type)"
            " ORDER BY p.committed_at DESC, p.id DESC",
            values,
        ),
        "alerts": alerts(conn, tree=tree, branch=name, board_type=board_type),
        "suspicions": rows(
            conn,
            SuspicionRow,
            "SELECT s.* FROM read_model.suspicion s JOIN read_model.kernel_branch f"
            "   ON f.kernel = s.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s"
            " WHERE s.stand IN ('open', 'undecided')"
            " AND NOT s.predicted"
            " AND s.board_type = coalesce(%(board_type)s, s.board_type) ORDER BY s.id",
            values,
        ),
    }


def boards_of_branch(conn: Connection, tree: str, branch: str) -> list[str]:
    """Return the board types that kernels of a branch were booted or compared on."""
    return column(
        conn,
        "SELECT c.board_type FROM read_model.comparison c"
        " JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s"
        " UNION SELECT r.board_type FROM read_model.kernel_branch f JOIN"
        " read_model.run r ON r.kernel = f.kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s ORDER BY 1",
        {"tree": tree, "branch": branch},
    )


def comparisons_of_branch(
    conn: Connection, tree: str, branch: str, board_type: str
) -> list[SummaryRow]:
    """Return the current comparisons of a branch on a board type, newest first."""
    return rows(
        conn,
        SummaryRow,
        "SELECT s.* FROM read_model.comparison_summary s WHERE s.id = ANY(ARRAY("
        "  SELECT c.id FROM read_model.comparison c JOIN read_model.kernel_branch f"
        "    ON f.kernel = c.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s"
        "    WHERE c.board_type = %(board_type)s AND c.current AND c.as_predicted IS NULL"
        "    ORDER BY c.id DESC LIMIT %(most)s))"
        " ORDER BY s.id DESC",
        {"tree": tree, "branch": branch, "board_type": board_type, "most": _COMPARISONS},
    )


def time_series_of(
    conn: Connection, tree: str, name: str, board_type: str | None = None
) -> list[StatisticRow]:
    """Return the series and statistics with values of a branch's kernels, for a selector."""
    return rows(
        conn,
        StatisticRow,
        "SELECT s.*, v.statistic FROM read_model.series s"
        " JOIN (SELECT DISTINCT v.series, v.statistic FROM read_model.verdict c"
        "   JOIN read_model.comparison k ON k.id = c.comparison"
        "   JOIN read_model.kernel_branch f ON f.kernel = k.new_kernel,"
        "   LATERAL (SELECT coalesce(c.series_new, c.series_base) AS series, c.statistic) v"
        "   WHERE f.tree = %(tree)s AND f.branch = %(branch)s) v ON v.series = s.id"
        " WHERE s.board_type = coalesce(%(board_type)s, s.board_type)"
        " ORDER BY s.board_type, s.benchmark, s.parameters, s.metric, s.id, v.statistic",
        {"tree": tree, "branch": name, "board_type": board_type},
    )
