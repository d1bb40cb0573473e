# SPDX-License-Identifier: GPL-2.0-only
"""Change points in the histories of series."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import asdict, frozen
from psycopg.rows import class_row

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


_COLUMNS = (
    "series, statistic, tree, branch, before_kernel, kernel, effect, ci_low, ci_high, cause, id,"
    " found_at, withdrawn_at"
)


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
        "INSERT INTO change_point (series, statistic, tree, branch, before_kernel, kernel, effect,"
        " ci_low, ci_high, cause) VALUES (%(series)s, %(statistic)s, %(tree)s, %(branch)s,"
        " %(before_kernel)s, %(kernel)s, %(effect)s, %(ci_low)s, %(ci_high)s, %(cause)s)"
        " ON CONFLICT (series, statistic, tree, branch, kernel) DO UPDATE SET"
        " before_kernel = excluded.before_kernel, effect = excluded.effect,"
        " ci_low = excluded.ci_low, ci_high = excluded.ci_high, cause = excluded.cause,"
        " withdrawn_at = NULL RETURNING xmax = 0",
        asdict(change),
    ).fetchone()
    return bool(row and row[0])


def withdraw(conn: Connection, ids: Sequence[int]) -> None:
    """Withdraw change points that later data has removed."""
    conn.execute(
        "UPDATE change_point SET withdrawn_at = now() WHERE id = ANY(%s) AND withdrawn_at IS NULL",
        (list(ids),),
    )
