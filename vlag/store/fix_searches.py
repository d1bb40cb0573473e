# SPDX-License-Identifier: GPL-2.0-only
"""Searches for the commit that takes a loss back, by the search that found its culprit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class FixRow:
    """A row of `fix_search`."""

    bisection: int  # that found the culprit
    branch: str
    head: str  # commit up to which it was searched
    commits: Sequence[str]  # several where skipped commits hide which; none: there is no fix
    subject: str | None  # of the first of them
    release: str | None  # the first tag that has it
    says_so: bool  # in a `Fixes:` line, or as a revert
    between: int  # commits
    recovered: float | None  # from the culprit to the head, a part of the loss
    why: str | None  # why there is none
    document: Mapping[str, Any] | None


_KEY = ("bisection", "branch")
_COLUMNS = columns(FixRow)


def put(conn: Connection, row: FixRow) -> None:
    """Store the result of a search; one up to a later head replaces it."""
    values = {name: getattr(row, name) for name in _COLUMNS.names}
    values["document"] = None if row.document is None else Jsonb(dict(row.document))
    values["commits"] = list(row.commits)
    conn.execute(
        f"INSERT INTO fix_search {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, created_at = now()",
        values,
    )


def of(conn: Connection, bisection: int, branch: str) -> FixRow | None:
    """Return the search of a branch for what took a loss back; None: there was none."""
    with conn.cursor(row_factory=class_row(FixRow)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM fix_search"  # noqa: S608 - constants
            " WHERE (bisection, branch) = (%s, %s)",
            (bisection, branch),
        ).fetchone()
