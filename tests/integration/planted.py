# SPDX-License-Identifier: GPL-2.0-only
"""Faults that the database itself would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vlag.store import views
from vlag.store.database import MIGRATIONS, Connection


@contextmanager
def planted(conn: Connection) -> Iterator[Connection]:
    """Let what was said be changed in place, as only a superuser can."""
    conn.execute("SET session_replication_role = replica")
    try:
        yield conn
    finally:
        conn.execute("SET session_replication_role = origin")


@contextmanager
def before(conn: Connection, migration: str) -> Iterator[Connection]:
    """Take back a migration and all later ones, without views; make them again at the end."""
    views.drop(conn)
    paths = sorted(MIGRATIONS.glob("*.rollback.sql"), reverse=True)
    later = [p for p in paths if p.name.removesuffix(".rollback.sql") >= migration]
    for path in later:
        conn.execute(path.read_bytes())
    yield conn
    for path in reversed(later):
        conn.execute(path.with_name(path.name.replace(".rollback", "")).read_bytes())
    views.apply(conn)


def places(conn: Connection) -> dict[int, set[tuple[str, str]]]:
    """Return what each open alert has as its ground."""
    found: dict[int, set[tuple[str, str]]] = {}
    for alert, board_type, benchmark in conn.execute(
        "SELECT a.id, v.board_type, v.benchmark FROM alert a JOIN read_model.alert_verdict v"
        " ON v.alert = a.id WHERE a.withdrawn_at IS NULL"
    ).fetchall():
        found.setdefault(alert, set()).add((board_type, benchmark))
    return found
