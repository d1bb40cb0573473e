"""Rows of a statement as dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, LiteralString

from psycopg.rows import dict_row

from vlag.store.database import Connection

Row = dict[str, Any]


def rows(
    conn: Connection, sql: LiteralString, values: Mapping[str, Any] | None = None
) -> list[Row]:
    """Return all rows of a statement, each by the names of its columns."""
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(sql, values).fetchall()


def one(conn: Connection, sql: LiteralString, values: Mapping[str, Any]) -> Row | None:
    """Return the first row of a statement, or None."""
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(sql, values).fetchone()
