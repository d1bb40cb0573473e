# SPDX-License-Identifier: GPL-2.0-only
"""Boards, their checks and their boots."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypedDict

from vlag.report.read_model.rows import column, rows
from vlag.store.database import Connection

#: Checks of a board on a page: those of three weeks.
CHECKS: Final = 20


class BoardRow(TypedDict):
    """`board`: a board with its state and last check."""

    name: str
    board_type: str
    arch: str
    deterministic: bool
    cpus: int
    limits: str | None
    state: str
    since: datetime | None
    reason: str | None
    by: str | None
    last_finding: str | None
    last_sentence: str | None
    last_checked: datetime | None


class BoardCheckRow(TypedDict):
    """`board_check`: a boot that checked a board."""

    id: int
    board: str
    board_type: str
    at: datetime
    run: int
    finding: str
    accepted: bool
    level: float | None
    noise: float | None
    level_low: float | None
    level_high: float | None
    noise_high: float | None
    sentence: str


class CheckedBoard(BoardRow):
    """A board with its last checks, the newest first."""

    checks: list[BoardCheckRow]


class BoardUse(TypedDict):
    """The boots of a board in the last 30 days."""

    board: str
    boots: int
    failed: int
    marked: int
    left_out: int
    took_s: float | None
    last_at: datetime | None


def boards(conn: Connection) -> list[CheckedBoard]:
    """Return every board with its state, and its last `checks`, the newest first."""
    listed = rows(
        conn, BoardRow, "SELECT b.* FROM read_model.board b ORDER BY b.board_type, b.name"
    )
    checks: dict[str, list[BoardCheckRow]] = {}
    for c in rows(
        conn,
        BoardCheckRow,
        "SELECT c.* FROM read_model.board b CROSS JOIN LATERAL (SELECT x.*"
        " FROM read_model.board_check x WHERE x.board = b.name ORDER BY x.id DESC"
        " LIMIT %(most)s) c ORDER BY c.board, c.id DESC",
        {"most": CHECKS},
    ):
        checks.setdefault(c["board"], []).append(c)
    return [{**b, "checks": checks.get(b["name"], [])} for b in listed]


def board_use(conn: Connection) -> dict[str, BoardUse]:
    """Return statistics of the boots of the last 30 days for every board."""
    uses = rows(
        conn,
        BoardUse,
        "SELECT b.name AS board, count(r.id) AS boots,"
        " count(*) FILTER (WHERE r.outcome <> 'complete') AS failed, count(*) FILTER"
        " (WHERE r.marked) AS marked, count(r.left_out) AS left_out,"
        " sum(r.took_s) AS took_s, max(r.finished_at) AS last_at"
        " FROM read_model.board b LEFT JOIN read_model.run r ON r.board ="
        " b.name AND NOT r.synthetic"
        "   AND r.finished_at > now() - interval '30 days'"
        " GROUP BY b.name",
    )
    return {r["board"]: r for r in uses}


def board_types(conn: Connection) -> list[str]:
    """Return the board types that anything was measured or compared on."""
    return column(conn, "SELECT DISTINCT s.board_type FROM read_model.series s ORDER BY 1")
