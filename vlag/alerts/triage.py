# SPDX-License-Identifier: GPL-2.0-only
"""Triage of alerts: their owner, state and mute, each with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

import psycopg
from attrs import evolve

from vlag.alerts.causes import sizes_of
from vlag.errors import UsageError
from vlag.printable import minute
from vlag.store import alerts, statements
from vlag.store.alerts import CLOSED, OPEN, Alert
from vlag.store.database import Connection

#: States of triage, in their usual order.
STATES = (*OPEN, *CLOSED)

#: Longest mute: an alert to be silent for longer is `wont_fix`.
LONGEST_MUTE = timedelta(days=366)

_LENGTH = 2000  # of a reason; longer texts belong on the mailing list
_NAME_LENGTH = 200


def may(people: Sequence[str], name: str) -> None:
    """Raise UsageError unless a person may change alerts.

    `people` are those of the settings; if they name nobody, everybody who may write to the
    database may change alerts.
    """
    if people and name not in people:
        raise UsageError(
            f"{name} may not change alerts; people.triage in the settings names who may:"
            f" {', '.join(people)}"
        )


def set_state(
    conn: Connection,
    alert: int,
    state: str,
    *,
    by: str,
    why: str,
    owner: str | None = None,
    due: date | None = None,
) -> Alert:
    """Set an alert's state of triage, and record who did it and why.

    Its owner is `owner`, else the person who acknowledges or investigates it; a new alert has
    no owner.  `due` is the day by which the owner means to have dealt with it; it stays until
    another one is given or the alert is closed or new.  Of two changes at once both are
    recorded, and the last one wins.  Raises UsageError for an unknown alert or state, without a
    reason, for a withdrawn alert, and if this user of the database may only read.
    """
    if state not in STATES:
        raise UsageError(f"there is no state {state!r}; there are: {', '.join(STATES)}")
    by, why = one_line_each(by, why)
    with changing(conn, alert) as known:
        if known.withdrawn_at is not None and state in OPEN:
            raise UsageError(
                f"alert {alert} was withdrawn {minute(known.withdrawn_at)}: nothing is left to"
                " look at; it comes back by itself if the figures do"
            )
        if owner is None and state != "new":
            owner = by if state in OPEN else known.owner
        if due is not None and (state not in OPEN or state == "new"):
            raise UsageError(f"an alert that is {state} has no deadline: nobody works on it")
        why = why if due is None else f"due {due.isoformat()}: {why}"
        kept = known.due if due is None else due
        due = kept if state in OPEN and state != "new" else None
        alerts.set_triage(conn, alert, state, owner, due)
        alerts.add_event(conn, alert, by=by, action="triaged", why=why, triage=state)
        return evolve(known, triage=state, owner=owner, due=due)


def mute(
    conn: Connection, alert: int, until: datetime, *, by: str, why: str, now: datetime | None = None
) -> Alert:
    """Mute an alert until a time, as it is: it stays open.  `now` is for tests.

    What is lost in another benchmark, or more than twice as much, ends the mute.

    Raises UsageError as `set_state`, for an alert that is closed or withdrawn, and for a
    time without zone, in the past or more than a year away.
    """
    by, why = one_line_each(by, why)
    now = now or datetime.now(UTC)
    if until.tzinfo is None:
        raise UsageError(f"{until}: the time zone is missing")
    if until <= now:
        raise UsageError(f"{minute(until)} has passed: give a time in the future")
    if until > now + LONGEST_MUTE:
        raise UsageError(
            f"{minute(until)} is more than a year away; for a longer time set the alert to wont_fix"
        )
    with changing(conn, alert) as known:
        if not known.open:
            what = known.triage if known.withdrawn_at is None else "withdrawn"
            raise UsageError(f"alert {alert} is {what}, so there is nothing to mute")
        sizes = sizes_of(alerts.grounds(conn, [alert]))
        alerts.set_muted(conn, alert, until, sizes)
        alerts.add_event(conn, alert, by=by, action="muted", why=f"until {minute(until)}: {why}")
        return evolve(known, muted_until=until)


def unmute(
    conn: Connection, alert: int, *, by: str, why: str, now: datetime | None = None
) -> Alert:
    """Unmute an alert.  `now` is for tests.

    Raises UsageError as `set_state`, and for an alert that is not muted.
    """
    by, why = one_line_each(by, why)
    with changing(conn, alert) as known:
        if known.muted_until is None or known.muted_until <= (now or datetime.now(UTC)):
            raise UsageError(f"alert {alert} is not muted")
        alerts.set_muted(conn, alert, None)
        alerts.add_event(conn, alert, by=by, action="unmuted", why=why)
        return evolve(known, muted_until=None)


def one_line_each(by: str, why: str) -> tuple[str, str]:
    """Return who and why as one line each; UsageError if one is missing."""
    by, why = (" ".join(text.replace("\0", " ").split()) for text in (by, why))
    if not by:
        raise UsageError("give your name: each change is recorded with a name")
    if len(by) > _NAME_LENGTH:
        raise UsageError(f"a name has at most {_NAME_LENGTH} characters, not {len(by)}")
    if not why:
        raise UsageError("give a reason: the next reader of the alert needs it")
    if len(why) > _LENGTH:
        raise UsageError(f"a reason has at most {_LENGTH} characters, not {len(why)}")
    return by, why


@contextmanager
def changing(conn: Connection, *numbers: int, derived: bool = False) -> Iterator[Alert]:
    """Lock alerts while they are changed, in one transaction with its events; yield the first.

    `derived`: alerts are derived in it too, which takes its locks before those of rows.
    """
    try:
        with conn.transaction():
            if derived:
                statements.begin(conn)
                alerts.lock(conn)
            first, *_others = [_known(conn, number) for number in numbers]
            yield first
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
        raise UsageError(
            "this user of the database may only read: alerts are changed by `vlag alerts` where"
            " the service runs, or on its pages by who may"
        ) from None


def _known(conn: Connection, number: int) -> Alert:
    known = alerts.by_id(conn, number) if 0 < number < 2**63 else None
    if known is None:
        raise UsageError(f"there is no alert {number}; `vlag alerts list --all` lists them")
    return known
