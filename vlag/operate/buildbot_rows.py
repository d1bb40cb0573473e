# SPDX-License-Identifier: GPL-2.0-only
"""What vlag asks of Buildbot's database, and changes in it: all of its SQL there.

Buildbot keeps finished work for ever by itself; its janitor removes the text of old logs alone.
`remove` takes the requests of a buildset with their builds, steps and properties, a whole buildset
at a time.  The newest build of each builder stays: Buildbot numbers the next one after it.
"""

from __future__ import annotations

import datetime
import logging

from vlag.store.database import Connection

log = logging.getLogger(__name__)

#: Buildsets that go in one transaction: their logs may be long.
_BATCH = 100

_OLD = (
    "SELECT s.id FROM buildsets s WHERE s.complete = 1 AND s.complete_at < %(before)s"
    # Several masters, and a build that a kill has left: what is not over stays.
    " AND NOT EXISTS (SELECT FROM buildrequests q WHERE q.buildsetid = s.id AND (q.complete = 0"
    "   OR EXISTS (SELECT FROM builds b WHERE b.buildrequestid = q.id AND (b.complete_at IS NULL"
    "     OR b.number = (SELECT max(n.number) FROM builds n WHERE n.builderid = b.builderid)))))"
    # What it asked for is over as well.
    " AND NOT EXISTS (SELECT FROM buildrequests q JOIN builds b ON b.buildrequestid = q.id"
    "   JOIN buildsets c ON c.parent_buildid = b.id WHERE q.buildsetid = s.id AND c.complete = 0)"
)


# "push 2 TREE BRANCH" becomes "push TREE BRANCH", where what was seen is kept, and in what
# the request of a commit is found by.
_RENAME = (
    """
    UPDATE objects o SET name = old.new FROM (
      SELECT id, class_name, regexp_replace(name, '^push [0-9]+ ', 'push ') AS new,
        row_number() OVER (PARTITION BY regexp_replace(name, '^push [0-9]+ ', 'push ')
          ORDER BY id DESC) AS n
      FROM objects WHERE name ~ '^push [0-9]+ [^ ]+ [^ ]+$' AND class_name ~ 'PushScheduler'
    ) old
    WHERE o.id = old.id AND old.n = 1 AND NOT EXISTS (
      SELECT FROM objects x WHERE x.name = old.new AND x.class_name = old.class_name)
    """,
    """
    UPDATE buildsets
    SET external_idstring = regexp_replace(external_idstring, ' push [0-9]+ ', ' push ')
    WHERE external_idstring ~ '^[0-9a-f]{40} [^ ]+ push [0-9]+ [^ ]+ [^ ]+$'
    """,
)


def is_requested(conn: Connection, builder: str) -> bool:
    """Return whether a builder has a request that is not over."""
    if not _is_made(conn):
        return False
    rows = conn.execute(
        "SELECT 1 FROM buildrequests JOIN builders ON builders.id = buildrequests.builderid"
        " WHERE builders.name = %s AND buildrequests.complete = 0",
        [builder],
    )
    return rows.fetchone() is not None


def end_masters(conn: Connection) -> None:
    """Say of each master that it was last seen long ago.

    Whatever an earlier start has left undone when it was killed is over then; Buildbot would wait
    ten minutes.
    """
    conn.execute("UPDATE masters SET active = 1, last_active = 0")


def masters_at_work(conn: Connection, seen_s: float) -> int:
    """Return how many masters were seen in the last seconds."""
    row = conn.execute(
        "SELECT count(*) FROM masters WHERE active = 1"
        " AND last_active > extract(epoch FROM now()) - %s",
        [seen_s],
    ).fetchone()
    return 0 if row is None else int(row[0])


def rename_pushes(conn: Connection) -> None:
    """Keep what the schedulers of pushes have seen: older versions numbered their names."""
    for statement in _RENAME:
        conn.execute(statement)


def last_build(conn: Connection) -> int:
    """Return Buildbot's newest build; 0 if there is none."""
    row = conn.execute("SELECT coalesce(max(id), 0) FROM builds").fetchone()
    return 0 if row is None else int(row[0])


def count(conn: Connection, age: datetime.timedelta | None) -> int:
    """Return how many builds belong to buildsets that ended longer ago; None keeps all."""
    if age is None or not _is_made(conn):
        return 0
    row = conn.execute(
        f"SELECT count(*) FROM buildrequests q JOIN builds b ON b.buildrequestid = q.id"  # noqa: S608
        f" WHERE q.buildsetid IN ({_OLD})",
        {"before": _before(age)},
    ).fetchone()
    return 0 if row is None else int(row[0])


def remove(conn: Connection, age: datetime.timedelta | None) -> int:
    """Remove these buildsets with all that belongs to them; return how many builds went."""
    gone, left = 0, count(conn, age)
    while left and age is not None:
        with conn.transaction():
            ids = [
                row[0]
                for row in conn.execute(
                    f"{_OLD} ORDER BY s.id LIMIT {_BATCH} FOR UPDATE SKIP LOCKED",
                    {"before": _before(age)},
                )
            ]
            removed = conn.execute(
                "SELECT count(*) FROM buildrequests q JOIN builds b ON b.buildrequestid = q.id"
                " WHERE q.buildsetid = ANY(%s)",
                (ids,),
            ).fetchone()
            # Requests, builds, steps, logs and properties go with it: Buildbot's own rules.
            conn.execute("DELETE FROM buildsets WHERE id = ANY(%s)", (ids,))
        gone += 0 if removed is None else int(removed[0])
        if not ids:
            break
        log.info(f"{gone} builds removed from Buildbot's database")
    return gone


def _before(age: datetime.timedelta) -> int:
    return int((datetime.datetime.now(datetime.UTC) - age).timestamp())


def _is_made(conn: Connection) -> bool:
    return conn.execute("SELECT to_regclass('public.buildsets')").fetchone() != (None,)
