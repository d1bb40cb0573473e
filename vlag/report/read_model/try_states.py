# SPDX-License-Identifier: GPL-2.0-only
"""Tries: series of patches that people sent on the pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypedDict

from vlag.report.read_model.rows import column, one, rows
from vlag.store.database import Connection

#: Tries of a list.
_MOST = 100


class TryRow(TypedDict):
    """`try`: a series of patches that somebody sent on the pages."""

    id: int
    asked_at: datetime
    ended_at: datetime | None
    by: str
    title: str
    patches: int
    tree: str
    base: str
    plan: str
    board_type: str
    each: bool
    state: str
    reason: str | None
    commit: str | None
    boots: int | None
    comparisons: list[int]
    mbox_sha256: str
    against_sha256: str | None


def tries(conn: Connection) -> list[TryRow]:
    """Return the newest tries, the newest first."""
    sql: Final = "SELECT * FROM read_model.try ORDER BY id DESC LIMIT %(n)s"
    return rows(conn, TryRow, sql, {"n": _MOST})


def try_(conn: Connection, number: int) -> TryRow | None:
    """Return a try, or None if there is none of that id."""
    return one(conn, TryRow, "SELECT * FROM read_model.try WHERE id = %(id)s", {"id": number})


def booted(conn: Connection, row: TryRow, series: Sequence[str]) -> int:
    """Return how many planned boots of a try are on record: of its series, and of its base."""
    [count] = column(
        conn,
        "SELECT count(*) AS boots FROM read_model.run r JOIN read_model.kernel k ON k.id = r.kernel"
        " WHERE k.commit = %(commit)s AND r.plan = %(plan)s AND r.board_type = %(board)s"
        " AND r.knobs = '' AND k.variant = 'default'"
        " AND (k.series = ANY(%(series)s) OR k.series IS NULL AND %(plain)s)",
        {
            "commit": row["commit"], "plan": row["plan"], "board": row["board_type"],
            "series": list(series), "plain": row["against_sha256"] is None,
        },
    )  # fmt: skip
    return min(int(count), row["boots"] or 0)
