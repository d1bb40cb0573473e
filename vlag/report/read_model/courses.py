# SPDX-License-Identifier: GPL-2.0-only
"""The figures of comparisons from night to night: what is new of a figure that is worse.

Mail and door ask here, so that they call the same figures new.  A figure that is measured in
another way for the first time, against another baseline or with other parameters, is no news where
it was worse before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import TypedDict

from attrs import define, field

from vlag.report.read_model.questions import (
    Alike,
    Compared,
    FigureRow,
    Key,
    Quantity,
    Question,
    asked_of,
    is_worse,
    with_figures,
)
from vlag.report.read_model.rows import column, rows
from vlag.stats.healing import Course, estimate
from vlag.store.database import Connection

#: Nights that are looked back upon for what did not run in the last one.
REACH = 14

_NIGHTS = """
SELECT n.id, n.finished_at, n.comparisons FROM read_model.night n
WHERE n.id <= %(last)s ORDER BY n.id DESC LIMIT %(reach)s
"""

#: Commits that nights have compared with their parents, by the names that they had.
_TOLD = """
SELECT DISTINCT k.commit, c.board_type FROM read_model.night n
JOIN read_model.comparison c ON c.id = ANY(n.comparisons) AND c.role = 'parent'
JOIN read_model.kernel k ON k.id = c.new_kernel
WHERE n.id <= %(last)s AND c.patches IS NULL
  AND (%(commits)s::text[] IS NULL OR k.commit = ANY(%(commits)s::text[]))
"""

#: Alerts that opened since the night before and that nobody was told of, and their figures: most
#: often there is none, and then the view of figures is not asked.
_UNTOLD = """
SELECT a.id FROM read_model.alert a
WHERE a.open AND a.told_at IS NULL AND a.kind IN ('regression', 'slow loss')
  AND a.opened_at > %(since)s
"""

_FRESH = "SELECT v.verdict FROM read_model.alert_verdict v WHERE v.alert = ANY(%(alerts)s)"


class _NightRow(TypedDict):
    id: int
    finished_at: datetime
    comparisons: list[int]


class _ToldRow(TypedDict):
    commit: str
    board_type: str


@define(kw_only=True)
class Known:
    """What earlier nights said of a figure."""

    course: Course = field(factory=Course)
    worst: FigureRow | None = None  # the last time that it was worse

    def news_of(self, v: FigureRow) -> bool:
        """Return whether a figure that is worse was not, or not as much: intervals do not meet."""
        further = self.worst is not None and _further(v, self.worst)
        return not self.course.stands or further


@define(kw_only=True)
class Before:
    """What was said last of a question before a night."""

    night: int
    at: datetime
    #: Of the last night that asked it, each with its comparison.
    figures: dict[Key, tuple[Compared, FigureRow]] = field(factory=dict)
    courses: Mapping[Key, Known] = field(factory=dict)  # what nights until then said


@define(kw_only=True)
class Past:
    """What the nights before one said."""

    questions: Mapping[Question, Before]
    branches: Set[str] = frozenset()  # that were compared
    fresh: Set[int] = frozenset()  # figures by which an alert is new
    told: Set[tuple[str, str]] = frozenset()  # commits that were compared, by board type

    def near(self, question: Question) -> list[Question]:
        """Return what was asked before and differs at most in its baseline."""
        return [q for q in self.questions if q.alike == question.alike]

    def first(self, branch: str | None) -> bool:
        """Return whether nothing was asked of a branch before: none of it is news then."""
        return branch not in self.branches

    def known(self, question: Question, key: Key) -> Known | None:
        """Return what is known of a figure; None: it was never measured like that.

        A baseline may have been away: what another one has shown since counts.
        """
        before = self.questions.get(question)
        own = None if before is None else before.courses.get(key)
        if before is None or own is None:
            return None
        later = [
            b.courses[key].course.stands
            for b in map(self.questions.__getitem__, self.near(question))
            if b.night > before.night and key in b.courses
        ]
        return Known() if later and not any(later) else own

    def elsewhere(self, question: Question, key: Key) -> list[tuple[Question, Key]]:
        """Return as what a figure was worse that was never measured like that.

        That is against another baseline, else with other parameters.
        """
        if self.known(question, key) is not None:
            return []
        worse = [
            (q, k)
            for q in self.near(question)
            for k, known in self.questions[q].courses.items()
            if known.course.stands and k.quantity == key.quantity
        ]
        return [(q, k) for q, k in worse if k == key] or worse

    def may_be_news(self, question: Question, key: Key, v: FigureRow) -> bool:
        """Return whether more nights could show that it is news that a figure is worse."""
        known = self.known(question, key)
        return v["id"] in self.fresh or known is None or known.news_of(v)

    def news_of(self, question: Question, key: Key, v: FigureRow) -> bool:
        """Return whether it is news that a figure is worse."""
        if v["id"] in self.fresh:
            return True
        if self.first(question.branch) or self.elsewhere(question, key):
            return False
        known = self.known(question, key)
        if known is None:  # of a commit it was told, however long ago and of whichever branch
            return question.commit not in self.told
        return known.news_of(v)


def past(
    conn: Connection,
    last: int,
    *,
    synthetic: bool,
    now: Sequence[Compared] | None = None,
    reach: int = REACH,
) -> Past:
    """Return what so many nights up to `last` (an id) said.

    With `now` only what may tell whether its figures that are worse are news.  Which commits were
    told is not read for fewer nights than `REACH`, which cannot show that something is news.
    """
    nights = rows(conn, _NightRow, _NIGHTS, {"last": last, "reach": reach})
    if not nights:
        return Past(questions={})
    ids = sorted({id_ for n in nights for id_ in n["comparisons"]})
    names = boards = commits = None
    quantities: dict[Alike, set[Quantity]] | None = None
    if now is not None:
        names = {c.row["branch_name"] for c in now}
        boards = {c.row["board_type"] for c in now}
        quantities = {}
        for c in now:
            worse = {k.quantity for k, v in c.figures.items() if is_worse(v)}
            quantities.setdefault(c.question.alike, set()).update(worse)
        commits = sorted({c.commit for c in now if c.question.once})
    asked = asked_of(conn, ids, synthetic, names=names, boards=boards)
    branches = {c.row["branch_name"] for c in asked}
    if names is not None and names - branches:  # they may have been compared on other boards
        more = asked_of(conn, ids, synthetic, names=names - branches)
        branches |= {c.row["branch_name"] for c in more}
    of_night = [
        [
            c for c in asked
            if c.row["id"] in its and (quantities is None or c.question.alike in quantities)
        ]
        for its in (set(n["comparisons"]) for n in nights)
    ]  # fmt: skip
    return Past(
        questions=_newest(nights, with_figures(conn, of_night, quantities)),
        branches=branches,
        fresh=_fresh(conn, nights[0]["finished_at"]),
        told=_told(conn, last, commits) if reach >= REACH else frozenset(),
    )


def _newest(
    nights: Sequence[_NightRow], compared: Sequence[Sequence[Compared]]
) -> dict[Question, Before]:
    """Return what nights, the latest first, said of each question."""
    by_question: dict[Question, list[Compared]] = {}
    newest: dict[Question, Before] = {}
    for night, its in zip(nights, compared, strict=True):
        for c in reversed(its):
            for v in c.figures.values():
                _as_known(v, night["finished_at"])
            before = newest.setdefault(
                c.question, Before(night=night["id"], at=night["finished_at"])
            )
            if before.night == night["id"]:
                before.figures = {k: (c, v) for k, v in c.figures.items()} | before.figures
            by_question.setdefault(c.question, []).append(c)
    for question, listed in by_question.items():
        newest[question].courses = _courses(listed)
    return newest


def _fresh(conn: Connection, since: datetime) -> Set[int]:
    """Return the figures by which alerts are new since a time."""
    untold = column(conn, _UNTOLD, {"since": since})
    return frozenset(column(conn, _FRESH, {"alerts": untold})) if untold else frozenset()


def _told(conn: Connection, last: int, commits: Sequence[str] | None) -> Set[tuple[str, str]]:
    """Return which commits nights up to `last` have compared with their parents, on what.

    Of these alone; None: of all.
    """
    if commits is not None and not commits:
        return frozenset()
    listed = rows(conn, _ToldRow, _TOLD, {"last": last, "commits": commits})
    return {(r["commit"], r["board_type"]) for r in listed}


def _courses(compared: Sequence[Compared]) -> dict[Key, Known]:
    """Return what comparisons, the latest first, say of each figure."""
    # Of one pair of kernels the latest counts: it has the boots of the others.
    latest = {
        (key, c.row["base_kernel"], c.row["new_kernel"]): v
        for c in reversed(compared)
        for key, v in c.figures.items()
    }
    courses: dict[Key, Known] = {}
    for (key, _base, _new), v in latest.items():
        known = courses.setdefault(key, Known())
        follow(known.course, v)
        known.worst = v if is_worse(v) else known.worst
    return courses


def follow(course: Course, v: FigureRow) -> bool:
    """Take what a night said of a figure, and return whether its loss stands."""
    open_ = v["standing"] in ("suspected", "hint")
    measured = None
    if not open_:
        measured = estimate(
            v["effect"], v["ci_low"], v["ci_high"], more_is_worse=v["direction"] == "lower",
            conditions=v["conditions"],
        )  # fmt: skip
    better = v["verdict"] in ("IMPROVEMENT", "UNCHANGED")
    return course.add(measured, proven=is_worse(v), exact=better and not open_)


def _as_known(v: FigureRow, at: datetime) -> None:
    """Take from a figure what a rerun decided only later."""
    if v["standing"] in ("confirmed", "refuted") and v["decided_at"] and v["decided_at"] > at:
        v["standing"], v["verdict"] = "suspected", v["screened"]
        v["effect"] = v["screened_effect"]
        v["ci_low"], v["ci_high"] = v["screened_ci_low"], v["screened_ci_high"]
        v["mode"] = v["conditional_effect"] = v["conditional_low"] = v["conditional_high"] = None


def _further(now: FigureRow, then: FigureRow) -> bool:
    """Return whether a figure that was worse is worse still: the intervals do not meet."""
    if now["direction"] == "lower":
        low, high = now["ci_low"], then["ci_high"]
    else:
        low, high = then["ci_low"], now["ci_high"]
    return low is not None and high is not None and low > high


def day(at: datetime) -> str:
    """Return the day of a moment, in UTC."""
    return f"{at.astimezone(UTC).date():%Y-%m-%d}"
