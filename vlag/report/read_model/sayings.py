"""What a comparison has said of its figures, one after the other, and what replaced it."""

from __future__ import annotations

from typing import Any

from vlag.report.read_model.comparison_rows import by_ids, verdicts
from vlag.report.read_model.rows import Row, one, rows
from vlag.store import statements
from vlag.store.database import Connection


def sayings(conn: Connection, id_: int) -> list[Row]:
    """Return what a comparison has said, oldest first; the last one is what it says now.

    Each has `since` and `said`, the first and last number of what counts in it
    (`vlag.store.statements`), `at`, its `judge`, the rerun `decided_by` that made the change (None:
    the first boots, or later its prediction judged again), the comparison's `verdict` then, and
    `worst`, the row of its worst figure.  A comparison that has said only one thing is not asked
    for the last two: None.
    """
    first = one(
        conn,
        "SELECT c.said AS since, c.created_at AS at, c.judge, NULL::bigint AS decided_by"
        " FROM read_model.saying c WHERE c.comparison = %(id)s",
        {"id": id_},
    )
    if first is None:
        return []
    later = rows(
        conn,
        "SELECT m.said AS since, m.at, m.judge, m.decided_by FROM read_model.change_of_mind m"
        " WHERE m.comparison = %(id)s ORDER BY m.said",
        {"id": id_},
    )
    found: list[dict[str, Any]] = [first, *later]
    ends = [x["since"] - 1 for x in found[1:]] + [statements.last(conn)]
    if not later:
        return [{**first, "said": ends[0], "verdict": None, "worst": None}]
    try:
        return [_then(conn, id_, x, end) for x, end in zip(found, ends, strict=True)]
    finally:
        statements.show(conn, None)


def _then(conn: Connection, id_: int, saying: Row, said: int) -> Row:
    """Return a saying with its last number, and what it was."""
    statements.show(conn, said)
    [summary] = by_ids(conn, [id_])
    figures = verdicts(conn, [id_])
    return {
        **saying,
        "said": said,
        "verdict": summary["verdict"],
        "worst": next(iter(figures), None),
    }


def replaced_by(conn: Connection, id_: int) -> Row | None:
    """Return the later comparison that took the place of one, its `id` and `at`; None: none did."""
    return one(
        conn,
        "SELECT r.later AS id, r.at FROM read_model.replacement r WHERE r.comparison = %(id)s"
        " ORDER BY r.later DESC LIMIT 1",
        {"id": id_},
    )
