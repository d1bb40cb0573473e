# SPDX-License-Identifier: GPL-2.0-only
"""The life of an alert, one line for each thing that happened to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypedDict

from vlag.report.compared import counted
from vlag.report.read_model.alert_rows import AlertEventRow
from vlag.report.read_model.bisection_rows import fixed, fixes_of
from vlag.report.read_model.course_steps import Step
from vlag.report.read_model.regressions import (
    Named,
    change_words,
    figure_name,
    regression_of_alert,
)
from vlag.report.read_model.rows import rows
from vlag.store.database import Connection

#: What an event is called; what is told to people and when says nothing of the alert.
_NAMES = {
    "opened": "opened",
    "triaged": "",
    "muted": "muted",
    "unmuted": "unmuted",
    "withdrawn": "gone",
    "reopened": "came back",
    "split": "split",
    "joined": "joined",
}
#: Why an alert is withdrawn whose figures another one tells, and what was split and joined.
_OTHER = re.compile(r"^alert (\d+) ")
_LINKED = ("withdrawn", "split", "joined")


class LifeLine(TypedDict):
    """One thing that happened to an alert."""

    at: datetime
    words: str  # "muted by kim: until 2026-03-05 10:00 UTC: the board moves"
    comparison: int | None  # whose page has the boots
    alert: int | None  # another one that tells of it
    fix: bool  # the words are of a commit that takes it back


class _ConfirmedRow(Named):
    at: datetime
    boots: int
    effect: float | None
    base: str
    raised_by: int | None


class _BasesRow(TypedDict):
    at: datetime
    bases: list[str]


def life_of(conn: Connection, alert: int) -> list[LifeLine]:
    """Return what happened to an alert, oldest first."""
    course = regression_of_alert(conn, alert)["course"]
    lines = [
        *_confirmed(conn, alert),
        *_causes(course),
        *_fixes(conn, course),
        *_moves(conn, alert),
        *_events(conn, alert),
        *_taken_over(conn, alert),
    ]
    return sorted(lines, key=lambda line: line["at"])


def _line(
    at: datetime,
    words: str,
    *,
    comparison: int | None = None,
    alert: int | None = None,
    fix: bool = False,
) -> LifeLine:
    return {"at": at, "words": words, "comparison": comparison, "alert": alert, "fix": fix}


def _confirmed(conn: Connection, alert: int) -> Iterator[LifeLine]:
    """Yield when reruns confirmed what it stands on or stood on, once for those of one moment."""
    by_moment: dict[datetime, list[_ConfirmedRow]] = {}
    for row in rows(
        conn,
        _ConfirmedRow,
        "SELECT d.at, d.boots, d.effect, s.benchmark, s.metric, s.statistic, s.base, s.raised_by"
        " FROM read_model.suspicion_decision d JOIN read_model.suspicion s ON s.id = d.suspicion"
        " WHERE d.stand = 'confirmed' AND s.worse AND (s.id IN ("
        "   SELECT x.suspicion FROM read_model.alert_suspicion x WHERE x.alert = %(id)s)"
        " OR s.id IN (SELECT v.suspicion_id FROM read_model.alert_text t"
        "   JOIN read_model.verdict v ON v.id = ANY(t.verdicts) WHERE t.alert = %(id)s))"
        " ORDER BY d.said",
        {"id": alert},
    ):
        by_moment.setdefault(row["at"], []).append(row)
    for at, some in by_moment.items():
        first = some[0]
        words = f"confirmed by a rerun: {figure_name(first)}, {change_words(first['effect'])}"
        words += f" in {first['boots']} boots a side against {first['base']}"
        words += f", and {counted(len(some) - 1, 'other figure')}" if len(some) > 1 else ""
        yield _line(at, words, comparison=first["raised_by"])


def _causes(course: Sequence[Step]) -> Iterator[LifeLine]:
    """Yield when a search has told its commit."""
    for step in course:
        if step["what"] == "commit":
            yield _line(step["at"], f"cause: {step['words']}", comparison=step["comparison"])


def _fixes(conn: Connection, course: Sequence[Step]) -> Iterator[LifeLine]:
    """Yield when a search has told what takes it back, on each branch."""
    causes = [s["comparison"] for s in course if s["what"] == "commit"]
    for fix in fixes_of(conn, [id_ for id_ in causes if id_ is not None]):
        yield _line(fix["at"], fixed(fix), comparison=fix["comparison"], fix=True)


def _moves(conn: Connection, alert: int) -> Iterator[LifeLine]:
    """Yield when its branch was compared with another baseline than before."""
    before: list[str] = []
    for row in rows(
        conn,
        _BasesRow,
        "SELECT t.at, array_agg(DISTINCT c.base ORDER BY c.base) AS bases"
        " FROM read_model.alert_text t JOIN read_model.verdict v ON v.id = ANY(t.verdicts)"
        " JOIN read_model.comparison c ON c.id = v.comparison AND c.role = 'baseline'"
        " WHERE t.alert = %(id)s GROUP BY t.said, t.at ORDER BY t.said",
        {"id": alert},
    ):
        if before and not set(before) & set(row["bases"]):
            words = f"baseline moved: {' and '.join(before)} -> {' and '.join(row['bases'])}"
            yield _line(row["at"], words)
        before = row["bases"]


def _events(conn: Connection, alert: int) -> Iterator[LifeLine]:
    for e in rows(
        conn,
        AlertEventRow,
        "SELECT e.* FROM read_model.alert_event e WHERE e.alert = %(id)s ORDER BY e.id",
        {"id": alert},
    ):
        if e["action"] not in _NAMES:
            continue
        name = _NAMES[e["action"]] or str(e["triage"]).replace("_", " ")
        if e["action"] == "opened":
            yield _line(e["at"], name)
            continue
        by = "" if e["by"] == "vlag" else f" by {e['by']}"
        other = _OTHER.match(e["why"]) if e["action"] in _LINKED else None
        number = None if other is None else int(other.group(1))
        yield _line(e["at"], f"{name}{by}: {e['why']}", alert=number)


def _taken_over(conn: Connection, alert: int) -> Iterator[LifeLine]:
    """Yield which alerts ended as this one tells their figures."""
    for e in rows(
        conn,
        AlertEventRow,
        "SELECT e.* FROM read_model.alert_event e WHERE e.action = 'withdrawn'"
        " AND e.why LIKE %(why)s ORDER BY e.id",
        {"why": f"alert {alert} %"},
    ):
        yield _line(e["at"], f"tells the figures of alert {e['alert']}", alert=e["alert"])
