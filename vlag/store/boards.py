# SPDX-License-Identifier: GPL-2.0-only
"""Boards: their states, their checks, and runs in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import asdict, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.printable import minute
from vlag.store.columns import columns
from vlag.store.database import Connection

GOOD, MAINTENANCE = "good", "maintenance"
#: Finding of a check: the board has moved against the other boards of its type.
MOVED = "moved"
#: A board that left service this often in this time comes and goes: it needs a repair.
OFTEN, LATELY = 3, timedelta(days=30)


@frozen(kw_only=True)
class State:
    """A row of `board_state`."""

    board: str
    state: str  # GOOD or MAINTENANCE
    since: datetime
    reason: str
    by: str
    new_band: bool = False


@frozen(kw_only=True)
class CheckRow:
    """A row of `board_check`; `id` is None until it is stored."""

    board: str
    run: int
    conditions: str
    finding: str
    accepted: bool
    level: float | None
    noise: float | None
    band: Mapping[str, Any] | None
    sentence: str
    finished_at: datetime  # of its run
    id: int | None = None


@frozen(kw_only=True)
class Doubt:
    """Reason why a run does not count: its board failed a check."""

    run: int
    board: str
    since: datetime | None  # end of the last good check; None: there was none
    reason: str  # sentence of the failed check
    finding: str  # of that check

    def __str__(self) -> str:
        """Return it without the run."""
        if self.finding == MOVED and self.since is not None:
            return f"since {minute(self.since)} the board is not what it was: {self.reason}"
        if self.since is None:
            return f"no good check vouches for it, and one failed: {self.reason}"
        return f"since its last good check, {minute(self.since)}, it failed one: {self.reason}"


_STATE = columns(State)
_CHECKED = columns(CheckRow, but=("finished_at", "id"))
_CHECK = (
    f"SELECT c.id, {', '.join(f'c.{name}' for name in _CHECKED.names)}, r.finished_at"  # noqa: S608
    " FROM board_check c JOIN run r ON r.id = c.run"
)
_NEWEST = " ORDER BY r.finished_at DESC, r.id DESC LIMIT 1"


def lock(conn: Connection, board: str) -> None:
    """Lock a board's checks and states against other writers until the transaction ends."""
    conn.execute("SELECT 1 FROM board WHERE name = %s FOR UPDATE", (board,))


def states(conn: Connection) -> dict[str, State]:
    """Return the state of each board that has one; a board without is good."""
    with conn.cursor(row_factory=class_row(State)) as cursor:
        rows = cursor.execute(
            f"SELECT DISTINCT ON (board) {_STATE} FROM board_state"  # noqa: S608 - constants
            " ORDER BY board, id DESC"
        ).fetchall()
    return {row.board: row for row in rows}


def outages(conn: Connection, since: datetime) -> dict[str, int]:
    """Return how often each board has left service since a time; a board that has not is left out.

    A reason that is renewed while a board is out is no outage of its own.
    """
    rows = conn.execute(
        "SELECT board, count(*) FROM (SELECT board, since, state, lag(state, 1, 'good')"
        " OVER (PARTITION BY board ORDER BY id) AS before FROM board_state) AS steps"
        " WHERE state = 'maintenance' AND before = 'good' AND since > %s GROUP BY board",
        (since,),
    )
    return {str(board): int(count) for board, count in rows}


def boots(conn: Connection, since: datetime) -> dict[str, tuple[int, int]]:
    """Return how many boots each board has had since a time, and how many of them failed."""
    rows = conn.execute(
        "SELECT board, count(*), count(*) FILTER (WHERE outcome <> 'complete') FROM run"
        " WHERE NOT synthetic AND finished_at > %s GROUP BY board",
        (since,),
    )
    return {str(board): (int(count), int(failed)) for board, count, failed in rows}


def put_state(conn: Connection, state: State) -> None:
    """Add a state; it holds until the next one."""
    conn.execute(f"INSERT INTO board_state {_STATE.inserted()}", asdict(state))


def unchecked(conn: Connection, board: str, plan: str) -> list[int]:
    """Return the board's unjudged runs of the plan of checks, oldest first."""
    rows = conn.execute(
        "SELECT id FROM run WHERE board = %s AND plan = %s AND NOT synthetic AND observes IS NULL"
        " AND id NOT IN (SELECT run FROM board_check) ORDER BY finished_at, id",
        (board, plan),
    )
    return [int(row[0]) for row in rows]


def check_of(conn: Connection, run: int) -> CheckRow | None:
    """Return the check of a run, or None if it was not judged."""
    with conn.cursor(row_factory=class_row(CheckRow)) as cursor:
        return cursor.execute(_CHECK + " WHERE c.run = %s", (run,)).fetchone()


def newest_check(conn: Connection, board: str) -> CheckRow | None:
    """Return the board's latest judged check."""
    with conn.cursor(row_factory=class_row(CheckRow)) as cursor:
        return cursor.execute(_CHECK + " WHERE c.board = %s" + _NEWEST, (board,)).fetchone()


def accepted(conn: Connection, *, board: str, conditions: str, before: datetime) -> list[CheckRow]:
    """Return the accepted checks of the board's present band, oldest first.

    Those with equal conditions that ended before a time and after the last `new_band`.
    """
    with conn.cursor(row_factory=class_row(CheckRow)) as cursor:
        return cursor.execute(
            _CHECK  # noqa: S608 - constant
            + " WHERE c.board = %(board)s AND c.conditions = %(conditions)s AND c.accepted"
            "   AND c.level IS NOT NULL AND r.finished_at < %(before)s"
            "   AND r.started_at >= coalesce((SELECT max(since) FROM board_state"
            "     WHERE board = %(board)s AND new_band AND since <= %(before)s), '-infinity')"
            " ORDER BY r.finished_at, r.id",
            {"board": board, "conditions": conditions, "before": before},
        ).fetchall()


def bands(conn: Connection, *, board: str, before: datetime) -> list[CheckRow]:
    """Return the last accepted check before a time of each of a board's bands, newest first."""
    with conn.cursor(row_factory=class_row(CheckRow)) as cursor:
        rows = cursor.execute(
            _CHECK.replace("SELECT", "SELECT DISTINCT ON (c.conditions)", 1)
            + " WHERE c.board = %s AND c.accepted AND c.level IS NOT NULL AND r.finished_at < %s"
            " ORDER BY c.conditions, r.finished_at DESC, r.id DESC",
            (board, before),
        ).fetchall()
    return sorted(rows, key=lambda c: (c.finished_at, c.run), reverse=True)


def band_since(conn: Connection, board: str) -> datetime:
    """Return when a person last said that a board may have another level."""
    row = conn.execute(
        "SELECT max(since) FROM board_state WHERE board = %s AND new_band", (board,)
    ).fetchone()
    return (row and row[0]) or datetime.min.replace(tzinfo=UTC)


def insert_check(conn: Connection, check: CheckRow) -> int:
    """Add the check of a run, and return its id."""
    values = asdict(check, recurse=False)
    values["band"] = None if check.band is None else Jsonb(dict(check.band))
    row = conn.execute(
        f"INSERT INTO board_check {_CHECKED.inserted()} RETURNING id", values
    ).fetchone()
    assert row is not None  # noqa: S101 - RETURNING
    return int(row[0])


def vouched_until(conn: Connection, board: str, before: datetime) -> datetime | None:
    """Return when the board was last known to be good, by a check or by a person."""
    row = conn.execute(
        "SELECT max(at) FROM ("
        " SELECT r.finished_at AS at FROM board_check c JOIN run r ON r.id = c.run"
        "   WHERE c.board = %(board)s AND c.accepted AND r.finished_at < %(before)s"
        " UNION ALL SELECT since FROM board_state"
        "   WHERE board = %(board)s AND state = 'good' AND since < %(before)s) AS times",
        {"board": board, "before": before},
    ).fetchone()
    return None if row is None else row[0]


def open_doubt(conn: Connection, *, board: str, since: datetime | None, check: int) -> None:
    """Take the board's runs since a time out of comparisons; idempotent."""
    conn.execute(
        "INSERT INTO board_doubt (board, since, found_by) VALUES (%s, %s, %s)"
        " ON CONFLICT (board) WHERE until IS NULL DO NOTHING",
        (board, since, check),
    )


def close_doubt(conn: Connection, *, board: str, until: datetime, lifted_by: str | None) -> None:
    """Count the board's runs again from a time on; with `lifted_by` also those before it."""
    conn.execute(
        "UPDATE board_doubt SET until = %(until)s, lifted_by = %(by)s,"
        " lifted_at = CASE WHEN %(by)s::text IS NULL THEN NULL ELSE %(until)s END"
        " WHERE board = %(board)s AND until IS NULL",
        {"board": board, "until": until, "by": lifted_by},
    )


def doubts(conn: Connection, runs: Sequence[int]) -> dict[int, Doubt]:
    """Return those of the runs that do not count, by id."""
    with conn.cursor(row_factory=class_row(Doubt)) as cursor:
        rows = cursor.execute(
            "SELECT x.run, x.board, x.since, x.reason, c.finding FROM run_in_doubt x"
            " JOIN board_doubt d ON d.id = x.doubt JOIN board_check c ON c.id = d.found_by"
            " WHERE x.run = ANY(%s) ORDER BY x.run",
            (list(runs),),
        ).fetchall()
    return {row.run: row for row in rows}


def doubted(conn: Connection) -> dict[str, int]:
    """Return the number of runs in doubt by board."""
    rows = conn.execute("SELECT board, count(*) FROM run_in_doubt GROUP BY board")
    return {str(board): int(count) for board, count in rows}


def of_key(conn: Connection, *, run_key: str, board: str, before: datetime) -> int | None:
    """Return the run of record of a key: the first that counts and ended before a time.

    Runs before the last `new_band` of the checked board do not count.
    """
    row = conn.execute(
        "SELECT id FROM run WHERE run_key = %s AND finished_at < %s AND suspect IS NULL"
        " AND NOT synthetic"
        " AND id NOT IN (SELECT run FROM run_in_doubt) AND started_at >= coalesce("
        "   (SELECT max(since) FROM board_state WHERE board = %s AND new_band), '-infinity')"
        " ORDER BY id LIMIT 1",
        (run_key, before, board),
    ).fetchone()
    return None if row is None else int(row[0])
