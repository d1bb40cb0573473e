# SPDX-License-Identifier: GPL-2.0-only
"""Alerts, their verdicts and their events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from attrs import asdict, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store import statements
from vlag.store.columns import columns
from vlag.store.database import Connection

#: Name in `by` for actions of vlag itself.
SERVICE = "vlag"

REGRESSION, NO_RESULTS, BOARD = "regression", "no results", "board"
#: A regression that came little by little: no step explains it.
SLOW = "slow loss"

#: States of triage in which an alert is open.
OPEN = ("new", "acknowledged", "investigating")
#: States of triage in which it is closed.
CLOSED = ("fixed", "invalid", "wont_fix")

# Any constant that nothing else in the database uses.
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
    due: date | None
    opened_at: datetime
    changed_at: datetime
    withdrawn_at: datetime | None
    muted_until: datetime | None
    # Benchmark -> size of its largest change as it was muted, as a log ratio; None: not muted.
    muted_at: Mapping[str, float] | None
    told_at: datetime | None
    # The action just taken: opened, reopened or withdrawn; None: unchanged.
    action: str | None = None

    @property
    def open(self) -> bool:
        """Return whether it is neither withdrawn nor closed."""
        return self.withdrawn_at is None and self.triage in OPEN


@frozen(kw_only=True)
class Draft:
    """Present content of an alert, from its causes on record; fields as those of `Alert`."""

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
    verdicts: tuple[int, ...] = ()  # ids of its verdicts, ascending


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
    """One verdict of an alert."""

    alert: int
    verdict: int
    comparison: int
    board_type: str
    benchmark: str
    effect: float | None


_DRAFT = columns(Draft, but=("verdicts",))
_COLUMNS = columns(Alert, but=("action",)).selected(triage="triage::text")
_ALERT = f"SELECT {_COLUMNS} FROM alert"  # noqa: S608 - constants


def lock(conn: Connection) -> None:
    """Lock the derivation of alerts until the transaction ends."""
    conn.execute("SELECT pg_advisory_xact_lock(%s)", (_ADVISORY_LOCK,))


def by_id(conn: Connection, id_: int) -> Alert | None:
    """Return the alert of that id, locked until the transaction ends."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(_ALERT + " WHERE id = %s FOR UPDATE", (id_,)).fetchone()


def by_key(conn: Connection, key: str) -> Alert | None:
    """Return the alert of a cause, locked until the transaction ends."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(_ALERT + " WHERE key = %s FOR UPDATE", (key,)).fetchone()


def by_keys(conn: Connection, keys: Sequence[str]) -> list[Alert]:
    """Return the alerts of causes, locked until the transaction ends."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE key = ANY(%s) ORDER BY id FOR UPDATE", (list(keys),)
        ).fetchall()


def standing(conn: Connection, *kinds: str) -> list[Alert]:
    """Return the alerts of some kinds that were not withdrawn, closed ones too."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE kind = ANY(%s) AND withdrawn_at IS NULL ORDER BY id FOR UPDATE",
            (list(kinds),),
        ).fetchall()


def branches(conn: Connection) -> list[tuple[str, str]]:
    """Return tree and branch of all alerts."""
    return conn.execute(
        "SELECT DISTINCT tree, branch FROM alert WHERE branch IS NOT NULL"
    ).fetchall()


def of_commits(conn: Connection, *, tree: str, branch: str) -> list[Alert]:
    """Return all alerts about commits of a branch, withdrawn ones too."""
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE role = 'parent' AND tree = %(tree)s AND (branch = %(branch)s OR"  # noqa: S608
            "   new_kernel IN (SELECT f.kernel FROM kernel_ref f WHERE f.tree = %(tree)s"
            "     AND f.name = %(branch)s AND f.is_branch)) ORDER BY id FOR UPDATE",
            {"tree": tree, "branch": branch},
        ).fetchall()


def of_branch(
    conn: Connection, *, tree: str, names: Sequence[str | None], board_type: str
) -> list[Alert]:
    """Return all alerts about a branch on a board type, withdrawn ones too, the newest first.

    Those about several board types are among them.
    `names` are all that it had; None: of commits that belong to no branch.
    """
    with conn.cursor(row_factory=class_row(Alert)) as cursor:
        return cursor.execute(
            _ALERT + " WHERE kind IN ('regression', 'slow loss')"
            " AND role IS DISTINCT FROM 'parent' AND tree = %s"
            " AND (branch = ANY(%s) OR branch IS NULL AND %s)"
            " AND (board_type = %s OR board_type IS NULL) ORDER BY id DESC FOR UPDATE",
            (tree, [n for n in names if n is not None], None in names, board_type),
        ).fetchall()


def grounds(conn: Connection, alerts: Sequence[int]) -> list[Ground]:
    """Return the verdicts of alerts."""
    with conn.cursor(row_factory=class_row(Ground)) as cursor:
        return cursor.execute(
            "SELECT x.alert, x.verdict, v.comparison, v.board_type, v.benchmark, v.effect"
            " FROM alert_verdict x JOIN read_model.verdict v ON v.id = x.verdict"
            " WHERE x.alert = ANY(%s) ORDER BY 1, 2",
            (list(alerts),),
        ).fetchall()


def insert(conn: Connection, draft: Draft, why: str, *, said: bool = True) -> int:
    """Open a new alert and return its id; unless it is `said`, its text is one to be replaced."""
    row = conn.execute(
        f"INSERT INTO alert {_DRAFT.inserted()} RETURNING id",
        asdict(draft, recurse=False),
    ).fetchone()
    assert row is not None  # noqa: S101 - RETURNING
    id_ = int(row[0])
    _stand_on(conn, id_, draft.verdicts)
    if said:
        _say(conn, id_, draft)
    add_event(conn, id_, by=SERVICE, action="opened", why=why)
    return id_


def follow(conn: Connection, alert: Alert, key: str, branch: str | None) -> None:
    """Give an alert the branch and key that its cause has now, a key only if it is free.

    The commit where a cause begins may be found later, branches are renamed, and older versions
    had other keys.
    """
    if alert.branch != branch:
        conn.execute(
            "UPDATE alert SET branch = %(branch)s WHERE id = %(id)s",
            {"branch": branch, "id": alert.id},
        )
    if alert.key != key:
        conn.execute(
            "UPDATE alert SET key = %(key)s WHERE id = %(id)s"
            " AND NOT EXISTS (SELECT FROM alert x WHERE x.key = %(key)s)",
            {"key": key, "id": alert.id},
        )


def update(conn: Connection, alert: Alert, draft: Draft) -> bool:
    """Update an alert, except its key; return whether anything changed."""
    stood = conn.execute(
        "SELECT verdict FROM alert_verdict WHERE alert = %s ORDER BY 1", (alert.id,)
    )
    stored = tuple(int(row[0]) for row in stood)
    names = [name for name in _DRAFT.names if name != "key"]
    if stored == draft.verdicts and all(getattr(alert, n) == getattr(draft, n) for n in names):
        return False
    sets = ", ".join(f"{name} = %({name})s" for name in names)
    conn.execute(
        f"UPDATE alert SET {sets}, changed_at = now() WHERE id = %(id)s",  # noqa: S608 - constants
        asdict(draft, recurse=False) | {"id": alert.id},
    )
    if stored != draft.verdicts:
        conn.execute("DELETE FROM alert_verdict WHERE alert = %s", (alert.id,))
        _stand_on(conn, alert.id, draft.verdicts)
    _say(conn, alert.id, draft)
    return True


def _say(conn: Connection, id_: int, draft: Draft) -> None:
    """Keep the text of an alert beside those before it, unless it is the last one still."""
    statements.begin(conn)
    conn.execute(
        "INSERT INTO alert_text (alert, title, body, verdicts, replaces)"
        " SELECT %(id)s, %(title)s, %(body)s, %(verdicts)s, t.said"
        " FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT * FROM alert_text x"
        "   WHERE x.alert = %(id)s ORDER BY x.said DESC LIMIT 1) t ON true"
        " WHERE (t.title, t.body, t.verdicts) IS DISTINCT FROM"
        "   (%(title)s, %(body)s, %(verdicts)s::bigint[])",
        {
            "id": id_,
            "title": draft.title,
            "body": draft.body,
            "verdicts": list(draft.verdicts),
        },
    )


def _stand_on(conn: Connection, id_: int, verdicts: Sequence[int]) -> None:
    conn.execute(
        "INSERT INTO alert_verdict (alert, verdict) SELECT %s, unnest(%s::bigint[])",
        (id_, list(verdicts)),
    )


def withdraw(conn: Connection, id_: int, why: str) -> None:
    """Withdraw an alert that later data has removed; keep its verdicts."""
    conn.execute("UPDATE alert SET withdrawn_at = now(), changed_at = now() WHERE id = %s", (id_,))
    add_event(conn, id_, by=SERVICE, action="withdrawn", why=why)


def reopen(conn: Connection, id_: int, triage: str, why: str) -> None:
    """Reopen an alert, and set its state of triage."""
    conn.execute(
        "UPDATE alert SET withdrawn_at = NULL, triage = %s, changed_at = now() WHERE id = %s",
        (triage, id_),
    )
    add_event(conn, id_, by=SERVICE, action="reopened", why=why)


def set_triage(
    conn: Connection, id_: int, triage: str, owner: str | None, due: date | None
) -> None:
    """Set an alert's state of triage, its owner and the owner's deadline."""
    conn.execute(
        "UPDATE alert SET triage = %s, owner = %s, due = %s, changed_at = now() WHERE id = %s",
        (triage, owner, due, id_),
    )


def set_muted(
    conn: Connection, id_: int, until: datetime | None, sizes: Mapping[str, float] | None = None
) -> None:
    """Set the time until which an alert is muted, with its sizes; None: it is not muted."""
    conn.execute(
        "UPDATE alert SET muted_until = %s, muted_at = %s, changed_at = now() WHERE id = %s",
        (until, None if sizes is None else Jsonb(dict(sizes)), id_),
    )


def note_told(conn: Connection, ids: Sequence[int], why: str) -> None:
    """Record that a message with these alerts was queued; the first time counts."""
    conn.execute(
        "UPDATE alert SET told_at = coalesce(told_at, now()) WHERE id = ANY(%s)", (list(ids),)
    )
    for id_ in ids:
        add_event(conn, id_, by=SERVICE, action="told", why=why)


def add_event(
    conn: Connection, id_: int, *, by: str, action: str, why: str, triage: str | None = None
) -> None:
    """Add an event of an alert; `triage` is the new state of an action `triaged`."""
    # Not the transaction's start: a process that waited for the row acts later.
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


def last_event(conn: Connection, id_: int, action: str) -> Event | None:
    """Return the last event of an alert that is such an action."""
    with conn.cursor(row_factory=class_row(Event)) as cursor:
        return cursor.execute(
            "SELECT id, alert, at, by, action, triage::text, why FROM alert_event"
            " WHERE alert = %s AND action = %s ORDER BY id DESC LIMIT 1",
            (id_, action),
        ).fetchone()
