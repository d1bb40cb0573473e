# SPDX-License-Identifier: GPL-2.0-only
"""Alerts, and what they have said."""

from __future__ import annotations

from datetime import date, datetime
from typing import TypedDict

from vlag.report.read_model import worst_first
from vlag.report.read_model.rows import one, rows
from vlag.report.read_model.view_rows import VerdictRow
from vlag.store import statements
from vlag.store.database import Connection


class AlertRow(TypedDict):
    """`alert`: a cause that needs attention."""

    id: int
    kind: str
    tree: str | None
    branch: str | None
    branch_name: str | None
    branches: list[str]
    board_type: str | None
    board: str | None
    board_types: list[str]
    role: str | None
    title: str
    body: str
    synthetic: bool
    triage: str
    owner: str | None
    opened_at: datetime
    changed_at: datetime
    withdrawn_at: datetime | None
    muted_until: datetime | None
    told_at: datetime | None
    due: date | None
    throughput: float | None
    latency: float | None
    base_kernel: int | None
    new_kernel: int | None
    base: str | None
    new: str | None
    commit: str | None
    open: bool
    loud: bool
    muted: bool
    said: int


class AlertEventRow(TypedDict):
    """`alert_event`: what somebody did with an alert."""

    id: int
    alert: int
    at: datetime
    by: str
    action: str
    triage: str | None
    why: str


class AlertPinRow(TypedDict):
    """`alert_pin`: of what people have said that an alert tells."""

    alert: int
    was: int | None
    benchmark: str


class AlertTextRow(TypedDict):
    """`alert_text`: what an alert has said."""

    alert: int
    said: int
    at: datetime
    title: str
    body: str
    verdicts: list[int]


class AlertText(AlertTextRow):
    """The same with the numbers under which it counts."""

    since: int  # the first number under which it counts; `said` is the last


class WholeAlert(AlertRow):
    """An alert with what it says, and what it has said."""

    text: AlertText  # the one that is shown
    texts: list[AlertText]  # oldest first
    verdicts: list[VerdictRow]  # worst first
    events: list[AlertEventRow]


def alerts(
    conn: Connection,
    *,
    tree: str | None = None,
    branch: str | None = None,
    board_type: str | None = None,
    closed: bool = False,
) -> list[AlertRow]:
    """Return the open alerts, the newest first; with `closed` all alerts."""
    return rows(
        conn,
        AlertRow,
        "SELECT a.* FROM read_model.alert a WHERE (a.open OR %(closed)s)"
        " AND (%(tree)s::text IS NULL OR a.tree = %(tree)s)"
        " AND (%(branch)s::text IS NULL OR %(branch)s = ANY(a.branches))"
        " AND (%(board_type)s::text IS NULL OR %(board_type)s = ANY(a.board_types)"
        "   OR cardinality(a.board_types) = 0)"
        " ORDER BY a.open DESC, a.opened_at DESC, a.id DESC",
        {"tree": tree, "branch": branch, "board_type": board_type, "closed": closed},
    )


def joined_into(conn: Connection, alert: int) -> list[int]:
    """Return the alerts that told of something before people joined it with this one."""
    pins = rows(
        conn,
        AlertPinRow,
        "SELECT p.* FROM read_model.alert_pin p JOIN read_model.alert w ON w.id = p.was"
        " WHERE p.alert = %(id)s AND w.withdrawn_at IS NOT NULL",
        {"id": alert},
    )
    return sorted({p["was"] for p in pins if p["was"] is not None})


def withdrawn_since(conn: Connection, since: datetime) -> list[AlertRow]:
    """Return the alerts that were withdrawn after a moment, the newest first."""
    return rows(
        conn,
        AlertRow,
        "SELECT a.* FROM read_model.alert a WHERE a.withdrawn_at > %(since)s"
        " ORDER BY a.withdrawn_at DESC, a.id DESC",
        {"since": since},
    )


def alert(conn: Connection, id_: int, statement: int | None = None) -> WholeAlert | None:
    """Return an alert with its `verdicts`, worst first, its `texts` and `events`, or None.

    `texts` are all that it has said, oldest first; each has `since` and `said`, the first and last
    number under which it counts (`vlag.store.statements`), and `text` is the one shown.  With the
    number `statement`, title, body and figures are those of then, as this connection's views are
    from now on; UsageError for a number that nothing has, or from before the alert.
    """
    values = {"id": id_}
    row = one(conn, AlertRow, "SELECT a.* FROM read_model.alert a WHERE a.id = %(id)s", values)
    if row is None:
        return None
    texts = rows(
        conn,
        AlertText,
        "SELECT t.*, t.said AS since FROM read_model.alert_text t WHERE t.alert = %(id)s"
        " ORDER BY t.said",
        values,
    )
    ends = [t["since"] - 1 for t in texts[1:]] + [statements.last(conn)]
    for text, end in zip(texts, ends, strict=True):
        text["said"] = end
    shown = texts[-1]
    if statement is not None:
        statements.show_at(conn, statement, since=texts[0]["since"], what=f"alert {id_}")
        shown = next(t for t in texts if statement <= t["said"])
    return {
        **row,
        "title": shown["title"],
        "body": shown["body"],
        "text": shown,
        "texts": texts,
        "verdicts": rows(
            conn,
            VerdictRow,
            "SELECT v.* FROM read_model.verdict v WHERE v.id = ANY(%(ids)s)"  # noqa: S608 - constants
            " ORDER BY " + worst_first.FIGURES,
            {"ids": shown["verdicts"]},
        ),
        "events": rows(
            conn,
            AlertEventRow,
            "SELECT e.* FROM read_model.alert_event e WHERE e.alert = %(id)s ORDER BY e.id",
            values,
        ),
    }
