# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a statement, each with the type of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, LiteralString, TypeVar, cast

from psycopg import Cursor
from psycopg.rows import dict_row

from vlag.store.database import Connection

Row = TypeVar("Row")

#: Values of the parameters of a statement, by name.
Values = Mapping[str, object]


def rows(
    conn: Connection, kind: type[Row], sql: LiteralString, values: Values | None = None
) -> list[Row]:
    """Return all rows of a statement; `kind` is a TypedDict with the names of its columns.

    Raises TypeError where the statement lacks one of them.
    """
    with conn.cursor(row_factory=_of(kind)) as cursor:
        return cursor.execute(sql, values).fetchall()


def one(conn: Connection, kind: type[Row], sql: LiteralString, values: Values) -> Row | None:
    """Return the first row of a statement as `rows` does, or None."""
    with conn.cursor(row_factory=_of(kind)) as cursor:
        return cursor.execute(sql, values).fetchone()


def column(conn: Connection, sql: LiteralString, values: Values | None = None) -> list[Any]:
    """Return the first column of a statement."""
    return [row[0] for row in conn.execute(sql, values)]


def each(
    conn: Connection, kind: type[Row], sql: LiteralString, values: Values, at_once: int
) -> Iterator[Row]:
    """Yield rows as `rows` returns them; the server sends so many at once."""
    with conn.transaction(), conn.cursor(name="export", row_factory=_of(kind)) as cursor:
        cursor.itersize = at_once
        cursor.execute(sql, values)
        yield from cursor


def picked(kind: type[Row], row: Values) -> Row:
    """Return the keys of `kind`, a TypedDict, from a row that has more."""
    return cast(Row, {name: row[name] for name in kind.__annotations__})


def _of(kind: type[Row]) -> Callable[[Cursor[Any]], Callable[[Sequence[Any]], Row]]:
    """Return a factory of rows that refuses a statement without a column of `kind`."""

    def factory(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], Row]:
        there = {c.name for c in cursor.description or ()}
        if there and (lacking := kind.__annotations__.keys() - there):
            raise TypeError(f"{kind.__name__}: the statement has no {', '.join(sorted(lacking))}")
        return cast("Callable[[Sequence[Any]], Row]", dict_row(cursor))

    return factory
