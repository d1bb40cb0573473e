# SPDX-License-Identifier: GPL-2.0-only
"""The outbox: what is sent to people, and what became of it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import psycopg
from attrs import frozen
from psycopg.rows import class_row

from vlag.store.columns import columns
from vlag.store.database import Connection

# Any constant will do, as long as nothing else in the database takes the same one.
_SENDER_LOCK = 0x766C6168

# A sender that was killed frees the lock within moments, as soon as PostgreSQL sees its
# connection closed; one that is alive is not waited for.
LOCK_WAIT_S = 5

# A sender whose machine lost its power closes nothing: PostgreSQL finds out by itself,
# within a minute instead of hours.
_KEEPALIVES = (
    "SELECT set_config('tcp_keepalives_idle', '30', false),"
    " set_config('tcp_keepalives_interval', '10', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)


class State(enum.StrEnum):
    """Where a message is."""

    QUEUED = "queued"
    SENT = "sent"
    GIVEN_UP = "given up"


# Older versions left `handing over` behind when they were killed, and made `unconfirmed` of it.
_DUE = "state IN ('queued', 'handing over')"
_FAILED = "state IN ('given up', 'unconfirmed')"


@frozen(kw_only=True)
class Message:
    """A row of `message`."""

    id: int
    key: str
    channel: str  # mail or webhook
    recipient: str
    subject: str
    body: bytes
    night: int | None
    state: str
    attempts: int  # that failed since it was queued
    next_at: datetime  # of queued: not before
    said: str | None  # by the other side
    created_at: datetime
    changed_at: datetime


_COLUMNS = columns(Message)


def queue(
    conn: Connection,
    *,
    key: str,
    channel: str,
    recipient: str,
    subject: str,
    body: bytes,
    night: int | None,
) -> bool:
    """Queue a message, due at once; return False for a key that is there: it is not sent again."""
    row = conn.execute(
        "INSERT INTO message (key, channel, recipient, subject, body, night)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (key) DO NOTHING RETURNING id",
        (key, channel, recipient, subject, body, night),
    ).fetchone()
    return row is not None


def _select(conn: Connection, condition: str, values: Sequence[object]) -> list[Message]:
    with conn.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM message {condition}",  # noqa: S608 - constants
            values,
        ).fetchall()


def due(conn: Connection, now: datetime) -> list[Message]:
    """Return what is to be sent, oldest first."""
    return _select(conn, f"WHERE {_DUE} AND next_at <= %s ORDER BY id", (now,))


def waiting(conn: Connection) -> bool:
    """Return whether a sender has anything to do."""
    row = conn.execute(
        f"SELECT EXISTS (SELECT FROM message WHERE {_DUE} AND next_at <= now())"  # noqa: S608 - constant
    ).fetchone()
    return bool(row and row[0])


def latest(conn: Connection, count: int) -> list[Message]:
    """Return the newest messages, oldest first."""
    return _select(conn, "ORDER BY id DESC LIMIT %s", (count,))[::-1]


def unsettled(conn: Connection) -> list[Message]:
    """Return what has neither arrived nor is queued, oldest first."""
    return _select(conn, f"WHERE {_FAILED} ORDER BY id", ())


def untold(conn: Connection, recipient: str) -> list[Message]:
    """Return what failed to reach somebody after the newest message to them was made."""
    return _select(
        conn,
        f"m WHERE recipient = %s AND {_FAILED} AND changed_at >= ("  # noqa: S608 - constant
        " SELECT max(created_at) FROM message n WHERE n.recipient = m.recipient) ORDER BY id",
        (recipient,),
    )


def by_id(conn: Connection, id_: int) -> Message | None:
    """Return the message of that id, or None."""
    return next(iter(_select(conn, "WHERE id = %s", (id_,))), None)


def settle(
    conn: Connection, id_: int, state: str, answer: str, *, attempts: int, next_at: datetime
) -> None:
    """Note what became of an attempt; a message that is known to have arrived stays so."""
    conn.execute(
        "UPDATE message SET state = %s, said = %s, attempts = %s, next_at = %s,"
        " changed_at = now() WHERE id = %s AND state <> 'sent'",
        (state, answer, attempts, next_at, id_),
    )


def again(conn: Connection, id_: int) -> bool:
    """Queue what was given up once more; return False for any other."""
    return (
        conn.execute(
            "UPDATE message SET state = 'queued', attempts = 0, next_at = now(),"  # noqa: S608 - constant
            f" changed_at = now() WHERE id = %s AND {_FAILED}",
            (id_,),
        ).rowcount
        == 1
    )


@contextmanager
def only_sender(conn: Connection) -> Iterator[bool]:
    """Hold the sender's lock, which ends with the connection; yield False if another has it."""
    conn.execute(_KEEPALIVES)
    conn.execute("SELECT set_config('lock_timeout', %s, false)", (f"{LOCK_WAIT_S}s",))
    try:
        conn.execute("SELECT pg_advisory_lock(%s)", (_SENDER_LOCK,))
        held = True
    except psycopg.errors.LockNotAvailable:
        held = False
    conn.execute("RESET lock_timeout")
    try:
        yield held
    finally:
        if held and not conn.closed:
            conn.execute("SELECT pg_advisory_unlock(%s)", (_SENDER_LOCK,))
