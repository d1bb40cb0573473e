"""Tries: series of patches that people sent on the pages."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.report.read_model.rows import Row, rows
from vlag.store.database import Connection

#: Tries of a list.
_MOST = 100


def tries(conn: Connection) -> list[Row]:
    """Return the newest tries, the newest first."""
    return rows(conn, "SELECT * FROM read_model.try ORDER BY id DESC LIMIT %(n)s", {"n": _MOST})


def try_(conn: Connection, number: int) -> Row | None:
    """Return a try, or None if there is none of that id."""
    found = rows(conn, "SELECT * FROM read_model.try WHERE id = %(id)s", {"id": number})
    return found[0] if found else None


def booted(conn: Connection, of: Row, series: Sequence[str]) -> int:
    """Return how many planned boots of a try are on record: of its series, and of its base."""
    [found] = rows(
        conn,
        "SELECT count(*) AS boots FROM read_model.run r JOIN read_model.kernel k ON k.id = r.kernel"
        " WHERE k.commit = %(commit)s AND r.plan = %(plan)s AND r.board_type = %(board)s"
        " AND r.knobs = '' AND k.variant = 'default'"
        " AND (k.series = ANY(%(series)s) OR k.series IS NULL AND %(plain)s)",
        {
            "commit": of["commit"], "plan": of["plan"], "board": of["board_type"],
            "series": list(series), "plain": of["against_sha256"] is None,
        },
    )  # fmt: skip
    return min(int(found["boots"]), of["boots"] or 0)
