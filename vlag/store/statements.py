# SPDX-License-Identifier: GPL-2.0-only
"""The order of what is said of figures: each row has a number, and stays as it was said.

Comparisons with their verdicts, suspicions, decisions of reruns, what became of predictions, a
night's multiple testing and the texts of alerts are only added; the database refuses to change
them.  A moment of the past is a number: views show what was said up to it.
"""

from __future__ import annotations

from vlag.errors import UsageError
from vlag.store.database import Connection

# Any constant that nothing else in the database uses.
_ADVISORY_LOCK = 0x73616964


def begin(conn: Connection) -> None:
    """Wait for others who say something, until the transaction ends.

    So a number is never seen before a smaller one.  A transaction that may only read says nothing
    that others see (`rehearsals`): it makes nobody wait.
    """
    conn.execute(
        "SELECT pg_advisory_xact_lock(%s) WHERE current_setting('transaction_read_only') = 'off'",
        (_ADVISORY_LOCK,),
    )


def show_at(conn: Connection, number: int, *, since: int, what: str) -> None:
    """Let this connection's views show what was said up to a number.

    Raises UsageError for a number that nothing has, and for one before `since`, the first of
    `what` is asked for, such as "comparison 3".
    """
    newest = last(conn)
    if not 0 < number <= newest:
        raise UsageError(f"nothing was said under the number {number}; the last one is {newest}")
    if number < since:
        raise UsageError(
            f"{what} was made after {number} was said: its first number is {since}; leave said out"
            " to see what it says now"
        )
    show(conn, number)


def shown(conn: Connection) -> int:
    """Return the number up to which this connection's views show what was said."""
    row = conn.execute("SELECT least(l.said, read_model.said()) FROM read_model.last_said l")
    return int((row.fetchone() or (0,))[0] or 0)


def last(conn: Connection) -> int:
    """Return the number of what was said last; 0: nothing was said."""
    row = conn.execute("SELECT coalesce(said, 0) FROM read_model.last_said").fetchone()
    assert row is not None  # noqa: S101 - the view has one row
    return int(row[0])


def show(conn: Connection, number: int | None) -> None:
    """Let this connection's views show what was said up to a number; None: all of it."""
    conn.execute(
        "SELECT set_config('vlag.said', %s, false)", ("" if number is None else str(number),)
    )
