# SPDX-License-Identifier: GPL-2.0-only
"""Automatic changes of an alert: open, update, withdraw, reopen."""

from __future__ import annotations

from datetime import datetime

from attrs import evolve

from vlag.store import alerts
from vlag.store.alerts import CLOSED, Alert, Draft
from vlag.store.database import Connection

_FIXED, _NEW = "fixed", "new"


def settle(
    conn: Connection,
    known: Alert | None,
    draft: Draft,
    *,
    seen: datetime | None,
    more: bool = False,
) -> Alert:
    """Store the present state of a cause, and return its alert.

    `known` is the cause's alert so far, `seen` the time of its newest finding; `more`: the
    change is much larger than the one that people closed.  An alert set to fixed becomes new
    again if its finding comes back or is newer than the fix; one closed otherwise stays
    closed unless there is more.
    """
    if known is None:
        return _now(conn, alerts.insert(conn, draft, draft.title), "opened")
    alerts.follow(conn, known, draft.key, draft.branch)
    gone, closed = known.withdrawn_at is not None, known.triage in CLOSED
    fixed = known.triage == _FIXED and (gone or _outlived(conn, known, seen))
    again = closed and (more or fixed)
    if again or not closed:  # a closed alert keeps its text
        alerts.update(conn, known, draft)
    if not gone and not again:
        return _now(conn, known.id, None)
    why = "what is newer than its fix shows it still"
    if gone or more:
        why = "it came back" if gone else "it is much more than what was closed"
    alerts.reopen(conn, known.id, _NEW if again else known.triage, why)
    alert = _now(conn, known.id, "reopened")
    # An alert that a person closed for good needs no attention.
    return alert if alert.open else evolve(alert, action=None)


def withdraw(conn: Connection, known: Alert | None, why: str) -> Alert | None:
    """Withdraw an open alert, and return it; None without one."""
    known = None if known is None else alerts.by_id(conn, known.id)
    if known is None or known.withdrawn_at is not None:
        return None
    alerts.withdraw(conn, known.id, why)
    return _now(conn, known.id, "withdrawn")


def told_elsewhere(conn: Connection, known: Alert) -> bool:
    """Return whether an alert was withdrawn only as another one told its figures."""
    last = alerts.last_event(conn, known.id, "withdrawn")
    return last is not None and last.why.startswith("alert ")


def _outlived(conn: Connection, known: Alert, seen: datetime | None) -> bool:
    fixed = alerts.triaged_at(conn, known.id, _FIXED)
    return seen is not None and fixed is not None and seen > fixed


def _now(conn: Connection, id_: int, action: str | None) -> Alert:
    alert = alerts.by_id(conn, id_)
    assert alert is not None  # noqa: S101 - it is there, or has just been written
    return evolve(alert, action=action)
