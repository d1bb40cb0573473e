"""The order of what is said of figures: each row has a number, and stays as it was said.

Comparisons with their verdicts, suspicions, decisions of reruns, what became of predictions and a
night's multiple testing are only added; the database refuses to change them.  A moment of the past
is a number: views show what was said up to it.
"""

from __future__ import annotations

from vlag.store.database import Connection

# Any constant that nothing else in the database uses.
_ADVISORY_LOCK = 0x73616964


def begin(conn: Connection) -> None:
    """Wait for others who say something, until the transaction ends.

    So a number is never seen before a smaller one.
    """
    conn.execute("SELECT pg_advisory_xact_lock(%s)", (_ADVISORY_LOCK,))


def last(conn: Connection) -> int:
    """Return the number of what was said last; 0: nothing was said."""
    row = conn.execute("SELECT coalesce(said, 0) FROM read_model.last_said").fetchone()
    assert row is not None  # noqa: S101 - the view has one row
    return int(row[0])


def show(conn: Connection, said: int | None) -> None:
    """Let this connection's views show what was said up to a number; None: all of it."""
    conn.execute("SELECT set_config('vlag.said', %s, false)", ("" if said is None else str(said),))
