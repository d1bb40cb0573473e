# SPDX-License-Identifier: GPL-2.0-only
"""Rows of finished work in Buildbot's database, which Buildbot keeps for ever by itself.

Its janitor removes the text of old logs alone.  Here go the requests of a buildset with their
builds, steps and properties, a whole buildset at a time.  The newest build of each builder stays:
Buildbot numbers the next one after it.
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
