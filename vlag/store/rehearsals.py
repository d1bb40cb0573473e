# SPDX-License-Identifier: GPL-2.0-only
"""A copy of the alerts that a rehearsal works on, and what the record has to compare it with.

The copy has the names of the tables, in the schema of the session's own, so that whatever reads
and writes alerts works on it as it is.  All of it is in one transaction that may not write to the
tables themselves and that is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection

# The time up to which comparisons and nights are there.
_AT = "current_setting('vlag.rehearsed_at')::timestamptz"
_OF_REGRESSIONS = "kind IN ('regression', 'slow loss')"
# What an alert last said before a time; older versions kept no texts.
_SAID_BEFORE = (
    "coalesce((SELECT t.verdicts FROM public.alert_text t WHERE t.alert = a.id AND t.at < %(since)s"
    "   ORDER BY t.said DESC LIMIT 1),"
    " ARRAY(SELECT x.verdict FROM public.alert_verdict x WHERE x.alert = a.id))"
)
_COPY = (
    *(
        f"CREATE TEMP TABLE {table} (LIKE public.{table} INCLUDING DEFAULTS INCLUDING IDENTITY"
        " INCLUDING INDEXES) ON COMMIT DROP"
        for table in ("alert", "alert_verdict", "alert_event", "alert_text")
    ),
    "CREATE TEMP SEQUENCE rehearsed_text",
    "ALTER TABLE pg_temp.alert_text ALTER said SET DEFAULT nextval('pg_temp.rehearsed_text')",
    # Whatever is done to an alert of the copy is noted, so that others need not be looked at.
    "CREATE TEMP TABLE rehearsed_change (alert bigint NOT NULL) ON COMMIT DROP",
    "CREATE FUNCTION pg_temp.note_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF TG_OP <> 'UPDATE' OR NEW IS DISTINCT FROM OLD THEN INSERT INTO pg_temp.rehearsed_change"
    "   VALUES ((to_jsonb(coalesce(NEW, OLD)) ->> TG_ARGV[0])::bigint); END IF;"
    " RETURN NULL; END $$",
    f"CREATE TEMP VIEW comparison AS SELECT * FROM public.comparison"  # noqa: S608
    f" WHERE created_at <= {_AT}",
    f"CREATE TEMP VIEW night AS SELECT * FROM public.night"  # noqa: S608
    f" WHERE finished_at <= {_AT}",
    "INSERT INTO pg_temp.alert OVERRIDING SYSTEM VALUE SELECT * FROM public.alert"  # noqa: S608
    f" WHERE {_OF_REGRESSIONS} AND opened_at < %(since)s",
    "INSERT INTO pg_temp.alert_verdict SELECT a.id, unnest("  # noqa: S608 - constants
    f"{_SAID_BEFORE}) FROM pg_temp.alert a",
    "INSERT INTO pg_temp.alert_event OVERRIDING SYSTEM VALUE SELECT e.* FROM public.alert_event e"
    " JOIN pg_temp.alert a ON a.id = e.alert WHERE e.at < %(since)s",
    "CREATE TEMP TABLE alert_pin (LIKE public.alert_pin INCLUDING INDEXES) ON COMMIT DROP",
    "INSERT INTO pg_temp.alert_pin SELECT p.* FROM public.alert_pin p"
    " JOIN pg_temp.alert a ON a.id = p.alert",
    # As it stood then: a mute was of what it was, and a state of what people had said so far.
    "UPDATE pg_temp.alert a SET muted_until = NULL, muted_at = NULL,"
    " withdrawn_at = (SELECT CASE e.action WHEN 'withdrawn' THEN e.at END"
    "   FROM pg_temp.alert_event e WHERE e.alert = a.id"
    "   AND e.action IN ('opened', 'reopened', 'withdrawn') ORDER BY e.id DESC LIMIT 1),"
    " triage = coalesce((SELECT e.triage FROM pg_temp.alert_event e WHERE e.alert = a.id"
    "   AND e.action = 'triaged' AND (e.triage NOT IN ('fixed', 'invalid', 'wont_fix')"
    "     OR NOT EXISTS (SELECT FROM pg_temp.alert_event b WHERE b.alert = a.id AND b.id > e.id"
    "       AND b.action = 'reopened'))"
    "   ORDER BY e.id DESC LIMIT 1), 'new')",
    # The numbers of those on record mean nothing else.
    "SELECT setval(pg_get_serial_sequence('pg_temp.alert', 'id'),"
    " (SELECT coalesce(max(id), 0) + 1 FROM public.alert), false)",
    "SELECT setval(pg_get_serial_sequence('pg_temp.alert_event', 'id'),"
    " (SELECT coalesce(max(id), 0) + 1 FROM public.alert_event), false)",
    *(
        f"CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON pg_temp.{table} FOR EACH ROW"
        f" EXECUTE FUNCTION pg_temp.note_change('{column}')"
        for table, column in (
            ("alert", "id"),
            ("alert_verdict", "alert"),
            ("alert_event", "alert"),
            ("alert_text", "alert"),
            ("alert_pin", "alert"),
        )
    ),
)


@frozen(kw_only=True)
class Moment:
    """A time at which the service derived alerts, and the comparisons that were new then."""

    at: datetime
    night: bool  # else a push
    comparisons: Sequence[int]


@frozen(kw_only=True)
class About:
    """What an alert of the copy is about."""

    tree: str | None
    branch: str | None
    kernel: int | None  # that of its newest figure


@frozen(kw_only=True)
class Opened:
    """An alert about a regression that was opened on record, as people have judged it since."""

    id: int
    title: str
    tree: str | None
    branch: str | None
    opened_at: datetime
    triage: str  # what a person said last; new: nobody said anything
    verdicts: Sequence[int]  # all that it ever stood on


@frozen(kw_only=True)
class Turn:
    """An alert on record was opened or came back."""

    alert: int
    at: datetime
    action: str
    tree: str | None
    branch: str | None


@frozen(kw_only=True)
class Triaged:
    """What a person said about an alert on record."""

    alert: int
    at: datetime
    by: str
    triage: str
    why: str


@contextmanager
def copied(conn: Connection, since: datetime) -> Iterator[None]:
    """Let a connection work on a copy of the alerts as they stood at a time; nothing stays.

    `conn` must be in autocommit mode.
    """
    with conn.transaction(force_rollback=True):
        show_until(conn, since)
        for statement in _COPY:
            conn.execute(statement, {"since": since} if "%(since)s" in statement else None)
        conn.execute("SET TRANSACTION READ ONLY")
        yield


def show_until(conn: Connection, at: datetime) -> None:
    """Let the copy have the comparisons and nights up to a time."""
    conn.execute("SELECT set_config('vlag.rehearsed_at', %s, true)", (at.isoformat(),))


def changed(conn: Connection) -> list[About]:
    """Return what the alerts of the copy are about to which something was done since last asked."""
    with conn.cursor(row_factory=class_row(About)) as cursor:
        return cursor.execute(
            "WITH done AS (DELETE FROM pg_temp.rehearsed_change RETURNING alert)"
            " SELECT DISTINCT a.tree, a.branch, a.new_kernel AS kernel FROM done"
            " JOIN pg_temp.alert a ON a.id = done.alert"
        ).fetchall()


def moments(conn: Connection, since: datetime) -> list[Moment]:
    """Return when alerts were derived since a time: at the end of each night and each push."""
    with conn.cursor(row_factory=class_row(Moment)) as cursor:
        return cursor.execute(
            "WITH told AS (SELECT n.comparisons, greatest(n.finished_at, (SELECT max(c.created_at)"
            "     FROM public.comparison c WHERE c.id = ANY(n.comparisons))) AS at"
            "   FROM public.night n)"
            " SELECT t.at, true AS night, t.comparisons FROM told t WHERE t.at >= %(since)s"
            " UNION ALL SELECT max(c.created_at), false, array_agg(c.id ORDER BY c.id)"
            " FROM public.comparison c WHERE c.created_at >= %(since)s AND c.role IS NOT NULL"
            " AND c.stage IS DISTINCT FROM 'confirm'"
            " AND c.id NOT IN (SELECT unnest(t.comparisons) FROM told t)"
            " GROUP BY c.new_kernel ORDER BY at, night",
            {"since": since},
        ).fetchall()


def opened(conn: Connection, since: datetime) -> list[Opened]:
    """Return the alerts on record about regressions that were opened since a time."""
    with conn.cursor(row_factory=class_row(Opened)) as cursor:
        return cursor.execute(
            "SELECT a.id, a.title, a.tree, a.branch, a.opened_at,"  # noqa: S608 - constants
            " coalesce((SELECT e.triage::text FROM public.alert_event e WHERE e.alert = a.id"
            "   AND e.action = 'triaged' ORDER BY e.id DESC LIMIT 1), 'new') AS triage,"
            " ARRAY(SELECT unnest(t.verdicts) FROM public.alert_text t WHERE t.alert = a.id"
            "   UNION SELECT x.verdict FROM public.alert_verdict x WHERE x.alert = a.id)"
            " AS verdicts"
            f" FROM public.alert a WHERE {_OF_REGRESSIONS} AND a.opened_at >= %s ORDER BY a.id",
            (since,),
        ).fetchall()


def turns(conn: Connection, since: datetime) -> list[Turn]:
    """Return when alerts on record about regressions were opened or came back."""
    with conn.cursor(row_factory=class_row(Turn)) as cursor:
        return cursor.execute(
            "SELECT a.id AS alert, e.at, e.action, a.tree, a.branch"  # noqa: S608 - constants
            " FROM public.alert_event e JOIN public.alert a ON a.id = e.alert"
            f" WHERE e.action IN ('opened', 'reopened') AND e.at >= %s AND a.{_OF_REGRESSIONS}"
            " ORDER BY e.id",
            (since,),
        ).fetchall()


def triaged(conn: Connection, since: datetime) -> list[Triaged]:
    """Return what people have said about alerts on record since a time, in its order."""
    with conn.cursor(row_factory=class_row(Triaged)) as cursor:
        return cursor.execute(
            "SELECT e.alert, e.at, e.by, e.triage::text AS triage, e.why"  # noqa: S608 - constants
            " FROM public.alert_event e JOIN public.alert a ON a.id = e.alert"
            f" WHERE e.action = 'triaged' AND e.at >= %s AND a.{_OF_REGRESSIONS} ORDER BY e.id",
            (since,),
        ).fetchall()


def repeat(conn: Connection, act: Triaged) -> None:
    """Let a person say the same of the copy's alert of that cause, if it has one."""
    conn.execute(
        "WITH same AS (UPDATE pg_temp.alert a SET triage = %(triage)s"
        "   WHERE a.key = (SELECT r.key FROM public.alert r WHERE r.id = %(alert)s) OR a.id IN ("
        "     SELECT x.alert FROM pg_temp.alert_verdict x JOIN public.alert_text t"
        "     ON t.alert = %(alert)s AND x.verdict = ANY(t.verdicts)) RETURNING a.id)"
        " INSERT INTO pg_temp.alert_event (alert, at, by, action, triage, why)"
        " SELECT id, %(at)s, %(by)s, 'triaged', %(triage)s, %(why)s FROM same",
        {"alert": act.alert, "at": act.at, "by": act.by, "triage": act.triage, "why": act.why},
    )


def grounds(conn: Connection, alerts: Sequence[int]) -> dict[int, list[int]]:
    """Return the verdicts on which alerts of the copy stand, by alert."""
    selected = conn.execute(
        "SELECT alert, array_agg(verdict) FROM pg_temp.alert_verdict WHERE alert = ANY(%s)"
        " GROUP BY alert",
        (list(alerts),),
    )
    return dict(selected.fetchall())


def date(conn: Connection, alerts: Sequence[int], at: datetime) -> None:
    """Give what a derivation did to alerts of the copy the time at which it would have been."""
    conn.execute(
        "UPDATE pg_temp.alert SET opened_at = least(opened_at, %(at)s),"
        " withdrawn_at = CASE WHEN withdrawn_at > %(at)s THEN %(at)s ELSE withdrawn_at END"
        " WHERE id = ANY(%(ids)s)",
        {"ids": list(alerts), "at": at},
    )
