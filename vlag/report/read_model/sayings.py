# SPDX-License-Identifier: GPL-2.0-only
"""What a comparison has said of its figures, one after the other, and what replaced it."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from vlag.report.read_model.comparison_rows import MeasuredRow, by_ids, verdicts
from vlag.report.read_model.rows import one, rows
from vlag.store import statements
from vlag.store.database import Connection


class _SayingRow(TypedDict):
    since: int  # the first number of what counts in it (`vlag.store.statements`)
    at: datetime
    judge: str | None
    # The rerun that made the change; None: the first boots, or its prediction judged again.
    decided_by: int | None


class Saying(_SayingRow):
    """What a comparison has said."""

    said: int  # the last number
    verdict: str | None  # None: it has said only one thing, and is not asked
    worst: MeasuredRow | None  # its worst figure then


class _Screen(TypedDict):
    screen: int


class Replacement(TypedDict):
    """A later comparison that took the place of one."""

    id: int
    at: datetime


def sayings(conn: Connection, id_: int) -> list[Saying]:
    """Return what a comparison has said, oldest first; the last one is what it says now."""
    first = one(
        conn,
        _SayingRow,
        "SELECT c.said AS since, c.created_at AS at, c.judge, NULL::bigint AS decided_by"
        " FROM read_model.saying c WHERE c.comparison = %(id)s",
        {"id": id_},
    )
    if first is None:
        return []
    later = rows(
        conn,
        _SayingRow,
        "SELECT m.said AS since, m.at, m.judge, m.decided_by FROM read_model.change_of_mind m"
        " WHERE m.comparison = %(id)s ORDER BY m.said",
        {"id": id_},
    )
    listed = [first, *later]
    ends = [x["since"] - 1 for x in listed[1:]] + [statements.last(conn)]
    if not later:
        return [{**first, "said": ends[0], "verdict": None, "worst": None}]
    try:
        return [_then(conn, id_, x, end) for x, end in zip(listed, ends, strict=True)]
    finally:
        statements.show(conn, None)


def _then(conn: Connection, id_: int, saying: _SayingRow, statement: int) -> Saying:
    """Return a saying with its last number, and what it was."""
    statements.show(conn, statement)
    [summary] = by_ids(conn, [id_])
    figures = verdicts(conn, [id_])
    return {
        **saying,
        "said": statement,
        "verdict": summary["verdict"],
        "worst": next(iter(figures), None),
    }


def screen_of(conn: Connection, id_: int) -> int | None:
    """Return the comparison that shows what a rerun decided; None for what is no rerun."""
    row = one(
        conn,
        _Screen,
        "SELECT r.screen FROM read_model.rerun r WHERE r.comparison = %(id)s",
        {"id": id_},
    )
    return None if row is None else row["screen"]


def replaced_by(conn: Connection, id_: int) -> Replacement | None:
    """Return the later comparison that took the place of one, its `id` and `at`; None: none did."""
    return one(
        conn,
        Replacement,
        "SELECT r.later AS id, r.at FROM read_model.replacement r WHERE r.comparison = %(id)s"
        " ORDER BY r.later DESC LIMIT 1",
        {"id": id_},
    )
