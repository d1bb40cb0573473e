# SPDX-License-Identifier: GPL-2.0-only
"""Branches: their newest comparisons, and the state of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypedDict

from vlag.report.read_model.alert_rows import AlertRow, alerts, withdrawn_since
from vlag.report.read_model.comparison_rows import (
    ComparedRow,
    MeasuredRow,
    SummaryCounts,
    by_ids,
    verdicts,
)
from vlag.report.read_model.news import newly_worse
from vlag.report.read_model.night_rows import (
    NightProof,
    NightRow,
    UndeliveredRow,
    night,
    nights,
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
from vlag.store.nights import AtBaseline, at_baseline

#: Most comparisons on a branch's page.
_COMPARISONS: Final = 80
#: Most comparisons on an overview that people made on purpose.
_TRIED: Final = 5

#: Whether a comparison `c` is of its branch alone: no patch series, knob or variant was tried.
_OWN: Final = "(c.patches IS NULL AND c.variant = 'default' AND c.base_knobs = c.new_knobs)"


#: Comparisons of commits with their parents that show a loss.
_WORSE_THAN_PARENT: Final = """
SELECT c.id FROM read_model.comparison c
WHERE c.id = ANY(%(ids)s) AND c.role = 'parent' AND c.patches IS NULL AND NOT c.synthetic
  AND EXISTS (SELECT FROM read_model.verdict v WHERE v.comparison = c.id
    AND v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told'))
"""


class OfBranch(SummaryCounts):
    """A comparison of an overview, once for each branch of which it is the newest."""

    branch_name: str | None  # None: its kernel belongs to no branch


class Overview(TypedDict):
    """The newest comparisons of all branches, and the last night."""

    comparisons: list[OfBranch]
    tried: list[OfBranch]  # by hand with patches, a knob or a variant: the newest, newest first
    tries: int  # how many there are
    alerts: list[AlertRow]  # the open ones
    ended: list[AlertRow]  # withdrawn since `before`
    before: datetime | None  # end of the night before the last one
    # Of a branch: how many figures are worse, and were not, or not as much, then.
    worsened: Mapping[str, int]
    night: NightRow | None
    at_baseline: list[AtBaseline]  # heads of that night that are their own baseline
    proof: NightProof | None
    undelivered: list[UndeliveredRow]


class SinceThen(TypedDict):
    """What has become of the branches since a time."""

    new: list[AlertRow]  # opened or back, and open
    worse: list[tuple[OfBranch, int]]  # with how many figures are worse than in the night before
    fixed: list[AlertRow]  # withdrawn
    waiting: list[OfBranch]  # what is suspected, and no rerun has decided yet


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
    """Return the newest comparisons as `newest` does, open alerts, and the last night.

    What people try on purpose stands apart: it says nothing of a branch.
    """
    last = night(conn, None)
    kept, tried = _parted(conn, words, board)
    compared = _summaries(conn, kept)
    earlier = nights(conn)[-2:-1]
    before = earlier[0]["finished_at"] if earlier else None
    return {
        "comparisons": compared,
        "tried": _summaries(conn, tried[:_TRIED]),
        "tries": len(tried),
        "alerts": alerts(conn),
        "ended": [] if before is None else withdrawn_since(conn, before),
        "before": before,
        "worsened": _worsened(conn, compared, last, earlier[0]["id"]) if last and earlier else {},
        "night": last,
        "at_baseline": [] if last is None else at_baseline(last["branches"]),
        "proof": proof(conn, last),
        "undelivered": undelivered(conn),
    }


def since_then(conn: Connection, newest: Overview, at: datetime) -> SinceThen:
    """Return what has become of the branches of an overview since a time."""
    begun = column(
        conn,
        "SELECT DISTINCT e.alert FROM read_model.alert_event e"
        " WHERE e.action IN ('opened', 'reopened') AND e.at > %(at)s",
        {"at": at},
    )
    earlier = [n["id"] for n in nights(conn) if n["finished_at"] <= at][-1:]
    own = [c for c in newest["comparisons"] if c["own"] and not c["synthetic"]]
    later = [c for c in own if c["at"] > at]
    asked = {(c["id"], c["branch_name"]) for c in later if _may_be_news(c)}
    news = newly_worse(conn, asked, earlier[0]) if earlier else []
    worsened = Counter(id_ for id_, _key in {(n.comparison, n.key) for n in news})
    return {
        "new": [a for a in newest["alerts"] if a["id"] in begun and not a["synthetic"]],
        "worse": [(c, worsened[c["id"]]) for c in later if c["id"] in worsened],
        "fixed": [a for a in withdrawn_since(conn, at) if not a["synthetic"]],
        "waiting": [c for c in own if c["verdict"] == "SUSPECTED" and c["confirmed_by"] is None],
    }


def _worsened(
    conn: Connection, compared: Sequence[OfBranch], night: NightRow, last: int
) -> dict[str, int]:
    """Return of each branch how many figures are news: worse, and not or not as much before.

    `last` is the night before `night`, whose comparisons of commits with their parents count
    beside the newest ones.
    """
    asked = {(c["id"], c["branch_name"]) for c in compared if _may_be_news(c)}
    parents = column(conn, _WORSE_THAN_PARENT, {"ids": night["comparisons"]})
    news = newly_worse(conn, asked | {(id_, None) for id_ in parents}, last)
    figures = {(n.branch, n.board_type, n.key) for n in news}
    return Counter(branch for branch, _board_type, _key in figures)


def _may_be_news(c: OfBranch) -> bool:
    return c["own"] and c["worst"] is not None and not c["synthetic"]


def newest(conn: Connection, words: str = "", board: str = "") -> list[OfBranch]:
    """Return the newest comparisons of each branch and board type.

    One is there once for each branch of which it is the newest; its `branch_name` is that
    branch, None for a kernel that belongs to no branch.  Only those count whose branch and board
    type have `words` and `board` in their names.
    """
    return _summaries(conn, _parted(conn, words, board)[0])


def _parted(conn: Connection, words: str, board: str) -> tuple[list[NewestRow], list[NewestRow]]:
    """Return the newest comparisons of branches, and those that people tried, the newest first."""
    listed = [
        r
        for r in _listed(conn, None, None)
        if words in (r["branch_name"] or "") and board in r["board_type"]
    ]
    by_hand = [r["id"] for r in listed if r["role"] is None]
    tried = set(
        column(
            conn,
            f"SELECT c.id FROM read_model.comparison c WHERE c.id = ANY(%(ids)s) AND NOT {_OWN}",  # noqa: S608 - constants
            {"ids": by_hand},
        )
    )
    kept = _counted([r for r in listed if r["id"] not in tried])
    return kept, sorted((r for r in listed if r["id"] in tried), key=lambda r: -r["id"])


def _summaries(conn: Connection, listed: Sequence[NewestRow]) -> list[OfBranch]:
    by_id = {
        c["id"]: c
        for c in rows(
            conn,
            SummaryCounts,
            "SELECT c.id, c.at, c.board_type, c.role, c.tree,"  # noqa: S608 - constants
            " c.ref, c.patches, c.synthetic,"
            " c.verdict, c.severity, c.size, c.confirmed_by, c.worst, c.hints, c.worst_hint,"
            f" c.figures, c.unmeasured, c.without_base, c.without_new, {_OWN} AS own"
            " FROM read_model.comparison_summary c WHERE c.id = ANY(%(ids)s)",
            {"ids": sorted({r["id"] for r in listed})},
        )
    }
    return [{**by_id[r["id"]], "branch_name": r["branch_name"]} for r in listed]


def _newest(conn: Connection, tree: str | None, branch: str | None) -> list[NewestRow]:
    """Return the newest comparisons: id, branch.

    Those by hand only if a branch has no others on a board type.
    """
    return _counted(_listed(conn, tree, branch))


def _listed(conn: Connection, tree: str | None, branch: str | None) -> list[NewestRow]:
    return rows(
        conn,
        NewestRow,
        "SELECT n.* FROM read_model.newest_of_role n"
        " WHERE (%(tree)s::text IS NULL OR (n.tree, n.branch) = (%(tree)s, %(branch)s))",
        {"tree": tree, "branch": branch},
    )


def _counted(listed: Sequence[NewestRow]) -> list[NewestRow]:
    """Return comparisons without those by hand where a branch has others on the board type."""

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
