# SPDX-License-Identifier: GPL-2.0-only
"""Which alert tells of a figure, as people have split and joined alerts."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection


@frozen(kw_only=True)
class Pin:
    """A row of `alert_pin`, with what its alert is about."""

    scope: str  # digest
    benchmark: str
    alert: int
    was: int | None  # the alert that told of it before
    of_commit: bool  # whether the alert is about one commit and its parent


def standing(conn: Connection) -> list[Pin]:
    """Return the pins to alerts that nothing has withdrawn."""
    with conn.cursor(row_factory=class_row(Pin)) as cursor:
        return cursor.execute(
            "SELECT p.scope, p.benchmark, p.alert, p.was,"
            " a.role IS NOT DISTINCT FROM 'parent' AS of_commit"
            " FROM alert_pin p JOIN alert a ON a.id = p.alert WHERE a.withdrawn_at IS NULL"
            " ORDER BY p.scope, p.benchmark"
        ).fetchall()


def put(
    conn: Connection, parts: Iterable[tuple[str, str]], alert: int, was: int | None = None
) -> None:
    """Let an alert tell of parts: digests of scopes, and benchmarks.

    `was` is the alert that told of them so far; None: the same one.
    """
    for scope, benchmark in parts:
        conn.execute(
            "INSERT INTO alert_pin (scope, benchmark, alert, was) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (scope, benchmark) DO UPDATE"
            " SET alert = excluded.alert, was = coalesce(excluded.was, alert_pin.was)",
            (scope, benchmark, alert, was),
        )


def end(conn: Connection) -> None:
    """Forget the pins to alerts that have ended: what comes back is grouped by itself."""
    conn.execute(
        "DELETE FROM alert_pin p USING alert a WHERE a.id = p.alert AND a.withdrawn_at IS NOT NULL"
    )
