"""Faults that the database itself would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vlag.store.database import Connection


@contextmanager
def planted(conn: Connection) -> Iterator[Connection]:
    """Let what was said be changed in place, as only a superuser can."""
    conn.execute("SET session_replication_role = replica")
    try:
        yield conn
    finally:
        conn.execute("SET session_replication_role = origin")
