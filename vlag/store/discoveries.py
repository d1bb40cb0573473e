# SPDX-License-Identifier: GPL-2.0-only
"""A night's tests as one family: its changes, and which of them may be reported."""

from __future__ import annotations

from collections.abc import Mapping

from vlag.store import statements
from vlag.store.database import Connection


def insert(
    conn: Connection,
    *,
    key: str,
    q: float,
    tests: int,
    p: Mapping[int, float],
    reported: Mapping[int, bool],
) -> int:
    """Store a family with its changes, by verdict, once for each key; return its id."""
    with conn.transaction():
        statements.begin(conn)
        row = conn.execute(
            "INSERT INTO multiple_testing (key, q, tests) VALUES (%s, %s, %s)"
            " ON CONFLICT (key) DO NOTHING RETURNING id",
            (key, q, tests),
        ).fetchone()
        if row is None:
            known = conn.execute(
                "SELECT id FROM multiple_testing WHERE key = %s", (key,)
            ).fetchone()
            assert known is not None  # noqa: S101 - the insertion met it
            return int(known[0])
        with conn.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO multiple_testing_verdict (multiple_testing, verdict, p, told)"
                " VALUES (%s, %s, %s, %s)",
                [(row[0], verdict, value, reported[verdict]) for verdict, value in p.items()],
            )
    return int(row[0])
