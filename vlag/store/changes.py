# SPDX-License-Identifier: GPL-2.0-only
"""Change points in the histories of series."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import asdict, frozen
from psycopg.rows import class_row

from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class Change:
    """A row of `change_point`; ids and times are None until it is stored."""

    series: int
    statistic: str
    tree: str
    branch: str
    before_kernel: int
    kernel: int  # first of the new segment
    effect: float  # relative, 0.01 = 1 %
    ci_low: float
    ci_high: float
    cause: str  # "kernel" or "board"
    id: int | None = None
    found_at: datetime | None = None
    withdrawn_at: datetime | None = None


_COLUMNS = columns(Change)
_KEY = ("series", "statistic", "tree", "branch", "kernel")
_PUT = columns(Change, but=("id", "found_at", "withdrawn_at"))


def standing(conn: Connection, *, tree: str, branch: str, series: Sequence[int]) -> list[Change]:
    """Return the change points of a branch that were not withdrawn."""
    with conn.cursor(row_factory=class_row(Change)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM change_point WHERE tree = %s AND branch = %s"  # noqa: S608
            " AND series = ANY(%s) AND withdrawn_at IS NULL ORDER BY id",
            (tree, branch, list(series)),
        ).fetchall()


def kernel_of(conn: Connection, id_: int) -> int:
    """Return the first kernel of the new segment of a change point."""
    row = conn.execute("SELECT kernel FROM change_point WHERE id = %s", (id_,)).fetchone()
    assert row is not None  # noqa: S101 - whoever has its id has it from the table
    return int(row[0])


def put(conn: Connection, change: Change) -> bool:
    """Store or update a change point; return whether it is new.

    A withdrawn one that is found again becomes active again.
    """
    row = conn.execute(
        f"INSERT INTO change_point {_PUT.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_PUT.renewed(_KEY)}, withdrawn_at = NULL RETURNING xmax = 0",
        asdict(change),
    ).fetchone()
    return bool(row and row[0])


def withdraw(conn: Connection, ids: Sequence[int]) -> None:
    """Withdraw change points that later data has removed."""
    conn.execute(
        "UPDATE change_point SET withdrawn_at = now() WHERE id = ANY(%s) AND withdrawn_at IS NULL",
        (list(ids),),
    )
