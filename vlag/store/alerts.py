"""Alerts: what somebody must look at, what it stands on, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import asdict, frozen
from psycopg.rows import class_row

from vlag.store.database import Connection

#: Who acts where no person does.
SERVICE = "vlag"

REGRESSION, NO_RESULTS, BOARD = "regression", "no results", "board"

#: States of triage in which an alert still waits for somebody.
OPEN = ("new", "acknowledged", "investigating")
#: States in which a person has closed it.
CLOSED = ("fixed", "invalid", "wont_fix")

# Any constant will do, as long as nothing else in the database takes the same one.
_ADVISORY_LOCK = 0x616C6572


@frozen(kw_only=True)
class Alert:
    """A row of `alert`."""

    id: int
    key: str
    kind: str
    tree: str | None
    branch: str | None
    board_type: str | None
    board: str | None
    base_kernel: int | None
    new_kernel: int | None
    change_point: int | None
    role: str | None
    throughput: float | None
    latency: float | None
    title: str
    body: str
    synthetic: bool
    triage: str
    owner: str | None
    opened_at: datetime
    changed_at: datetime
    withdrawn_at: datetime | None
    muted_until: datetime | None
    told_at: datetime | None
    # What was just done to it: opened, reopened or withdrawn; None: it stands as it stood.
    action: str | None = None

    @property
    def open(self) -> bool:
        """Return whether it stands and nobody has closed it."""
        return self.withdrawn_at is None and self.triage in OPEN


@frozen(kw_only=True)
class Draft:
    """What an alert says now, as its causes are on record; fields as those of `Alert`."""

    key: str
    kind: str
    title: str
    body: str
    tree: str | None = None
    branch: str | None = None
    board_type: str | None = None
    board: str | None = None
    base_kernel: int | None = None
    new_kernel: int | None = None
    change_point: int | None = None
    role: str | None = None
    throughput: float | None = None
    latency: float | None = None
    synthetic: bool = False
    verdicts: tuple[int, ...] = ()  # what it stands on, ascending


@frozen(kw_only=True)
class Event:
    """A row of `alert_event`."""

    id: int
    alert: int
    at: datetime
    by: str
    action: str
    triage: str | None
    why: str


@frozen(kw_only=True)
class Ground:
    """One verdict that an alert stands on."""

    alert: int
    verdict: int
    comparison: int
    board_type: str
    benchmark: str
    effect: float | None


_DRAFT = (
    "key, kind, title, body, tree, branch, board_type, board, base_kernel, new_kernel,"
    " change_point, role, throughput, latency, synthetic"
)
_ALERT = (
    f"SELECT id, {_DRAFT}, triage::text AS triage, owner, opened_at, changed_at,"  # noqa: S608
    " withdrawn_at, muted_until, told_at FROM alert"
)
_NAMES = [name.strip() for name in _DRAFT.split(",")]


def lock(conn: Connection) -> None:
    """Keep others from deriving alerts until the transaction ends."""
    conn.execute("SELECT pg_advisory_xact_lock(%s)", (_ADVISORY_LOCK,))


def by_id(conn: Connection, id_: int) -> Alert | None:
    """Return the alert of that id, held against changes until the transaction ends."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(_ALERT + " WHERE id = %s FOR UPDATE", (id_,)).fetchone()


def by_key(conn: Connection, key: str) -> Alert | None:
    """Return the alert of a cause, held against changes until the transaction ends."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(_ALERT + " WHERE key = %s FOR UPDATE", (key,)).fetchone()


def standing(conn: Connection, kind: str) -> list[Alert]:
    """Return the alerts of a kind that no later data has removed, closed ones too."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE kind = %s AND withdrawn_at IS NULL ORDER BY id FOR UPDATE", (kind,)
        ).fetchall()


def of_commits(conn: Connection, *, tree: str, branch: str) -> list[Alert]:
    """Return all alerts about commits of a branch, those that were withdrawn too."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE role = 'parent' AND tree = %s AND branch = %s ORDER BY id FOR UPDATE",
            (tree, branch),
        ).fetchall()


def grounds(conn: Connection, alerts: Sequence[int]) -> list[Ground]:
    """Return what alerts stand on."""
    with conn.cursor(row_factory=class_row(Ground)) as cursor:
        return cursor.execute(
            "SELECT x.alert, x.verdict, v.comparison, v.board_type, v.benchmark, v.effect"
            " FROM alert_verdict x JOIN shown.verdict v ON v.id = x.verdict"
            " WHERE x.alert = ANY(%s) ORDER BY 1, 2",
            (list(alerts),),
        ).fetchall()


def insert(conn: Connection, draft: Draft, why: str) -> int:
    """Open a new alert and return its id."""
    marks = ", ".join(f"%({name})s" for name in _NAMES)
    row = conn.execute(
        f"INSERT INTO alert ({_DRAFT}) VALUES ({marks}) RETURNING id",  # noqa: S608 - constants
        asdict(draft, recurse=False),
    ).fetchone()
    assert row is not None  # noqa: S101 - RETURNING
    id_ = int(row[0])
    _stand_on(conn, id_, draft.verdicts)
    add_event(conn, id_, by=SERVICE, action="opened", why=why)
    return id_


def update(conn: Connection, alert: Alert, draft: Draft) -> bool:
    """Write what is now known of an alert, but its key; return whether that was news."""
    told = tuple(g.verdict for g in grounds(conn, [alert.id]))
    names = [name for name in _NAMES if name != "key"]
    if told == draft.verdicts and all(getattr(alert, n) == getattr(draft, n) for n in names):
        return False
    sets = ", ".join(f"{name} = %({name})s" for name in names)
    conn.execute(
        f"UPDATE alert SET {sets}, changed_at = now() WHERE id = %(id)s",  # noqa: S608 - constants
        asdict(draft, recurse=False) | {"id": alert.id},
    )
    if told != draft.verdicts:
        conn.execute("DELETE FROM alert_verdict WHERE alert = %s", (alert.id,))
        _stand_on(conn, alert.id, draft.verdicts)
    return True


def _stand_on(conn: Connection, id_: int, verdicts: Sequence[int]) -> None:
    conn.execute(
        "INSERT INTO alert_verdict (alert, verdict) SELECT %s, unnest(%s::bigint[])",
        (id_, list(verdicts)),
    )


def withdraw(conn: Connection, id_: int, why: str) -> None:
    """Note that later data has removed an alert; what it stood on stays."""
    conn.execute("UPDATE alert SET withdrawn_at = now(), changed_at = now() WHERE id = %s", (id_,))
    add_event(conn, id_, by=SERVICE, action="withdrawn", why=why)


def reopen(conn: Connection, id_: int, triage: str, why: str) -> None:
    """Note that an alert has come back, and where people are with it now."""
    conn.execute(
        "UPDATE alert SET withdrawn_at = NULL, triage = %s, changed_at = now() WHERE id = %s",
        (triage, id_),
    )
    add_event(conn, id_, by=SERVICE, action="reopened", why=why)


def set_triage(conn: Connection, id_: int, triage: str, owner: str | None) -> None:
    """Write where people are with an alert, and who has it."""
    conn.execute(
        "UPDATE alert SET triage = %s, owner = %s, changed_at = now() WHERE id = %s",
        (triage, owner, id_),
    )


def set_muted(conn: Connection, id_: int, until: datetime | None) -> None:
    """Write until when an alert tells nobody; None: it is not muted."""
    conn.execute(
        "UPDATE alert SET muted_until = %s, changed_at = now() WHERE id = %s", (until, id_)
    )


def note_told(conn: Connection, ids: Sequence[int], why: str) -> None:
    """Note that a message with these alerts was queued, as the first or once more."""
    conn.execute(
        "UPDATE alert SET told_at = coalesce(told_at, now()) WHERE id = ANY(%s)", (list(ids),)
    )
    for id_ in ids:
        add_event(conn, id_, by=SERVICE, action="told", why=why)


def add_event(
    conn: Connection, id_: int, *, by: str, action: str, why: str, triage: str | None = None
) -> None:
    """Add to what became of an alert; `triage` is the new state of an action `triaged`."""
    # Not the transaction's start: whoever waited for the row has acted later.
    conn.execute(
        "INSERT INTO alert_event (alert, at, by, action, triage, why)"
        " VALUES (%s, clock_timestamp(), %s, %s, %s, %s)",
        (id_, by, action, triage, why),
    )


def triaged_at(conn: Connection, id_: int, triage: str) -> datetime | None:
    """Return when people last brought an alert into a state, or None."""
    row = conn.execute(
        "SELECT max(at) FROM alert_event WHERE alert = %s AND triage = %s", (id_, triage)
    ).fetchone()
    return None if row is None else row[0]
