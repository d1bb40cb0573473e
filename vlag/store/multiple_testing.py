"""Families of tests: which of a night's changes pass multiple testing."""

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
    told: Mapping[int, bool],
) -> None:
    """Store a family with its changes, by verdict; each key is stored once."""
    with conn.transaction():
        statements.begin(conn)
        row = conn.execute(
            "INSERT INTO multiple_testing (key, q, tests) VALUES (%s, %s, %s)"
            " ON CONFLICT (key) DO NOTHING RETURNING id",
            (key, q, tests),
        ).fetchone()
        if row is None:
            return
        for verdict, value in p.items():
            conn.execute(
                "INSERT INTO multiple_testing_verdict (multiple_testing, verdict, p,"
                " told) VALUES (%s, %s, %s, %s)",
                (row[0], verdict, value, told[verdict]),
            )
