# SPDX-License-Identifier: GPL-2.0-only
"""Tries: series of patches that people send on the pages, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import asdict, frozen
from psycopg.rows import class_row

from vlag.model import TryState
from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class Wanted:
    """What somebody sends."""

    by: str
    title: str  # of the series
    patches: int
    mbox: bytes
    against: bytes | None  # an earlier version, which is the base then
    tree: str
    base: str  # a watched branch
    plan: str
    board_type: str
    each: bool  # also each patch on those before it


@frozen(kw_only=True)
class Try(Wanted):
    """A row of `try`."""

    id: int
    state: str
    reason: str | None


def insert(conn: Connection, wanted: Wanted) -> int:
    """Put a try on record, which waits; return its id."""
    row = conn.execute(
        f"INSERT INTO try {columns(Wanted).inserted()} RETURNING id", asdict(wanted)
    ).fetchone()
    assert row is not None  # noqa: S101 - RETURNING
    return int(row[0])


def get(conn: Connection, number: int) -> Try | None:
    """Return a try, or None if there is none of that id."""
    with conn.cursor(row_factory=class_row(Try)) as cursor:
        return cursor.execute(
            "SELECT id, by, title, patches, mbox, against, tree, base, plan, board_type, each,"
            " state::text AS state, reason FROM try WHERE id = %s",
            (number,),
        ).fetchone()


def still_open(conn: Connection, by: str | None = None) -> list[int]:
    """Return the ids of the tries that wait or run, the oldest first; of one person, or all."""
    rows = conn.execute(
        "SELECT id FROM try WHERE state IN ('waiting', 'running')"
        " AND coalesce(by = %s, true) ORDER BY id",
        (by,),
    )
    return [int(number) for (number,) in rows]


def begin(conn: Connection, number: int) -> None:
    """Note that a try runs; after a restart again."""
    conn.execute(
        "UPDATE try SET state = 'running', reason = NULL, ended_at = NULL WHERE id = %s", (number,)
    )


def plan(conn: Connection, number: int, commit: str, boots: int) -> None:
    """Note the head of the base, and the number of boots of all kernels."""
    conn.execute("UPDATE try SET commit = %s, boots = %s WHERE id = %s", (commit, boots, number))


def end(
    conn: Connection,
    number: int,
    state: TryState,
    reason: str | None = None,
    comparisons: Sequence[int] = (),
) -> None:
    """Note the end of a try; one that has ended keeps its result."""
    conn.execute(
        "UPDATE try SET state = %s, reason = %s, comparisons = %s, ended_at = now()"
        " WHERE id = %s AND state IN ('waiting', 'running')",
        (state.value, reason, list(comparisons), number),
    )
