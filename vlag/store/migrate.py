# SPDX-License-Identifier: GPL-2.0-only
"""Migrate a database to `schemas/migrations/` and `schemas/views/`."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vlag.store import database, half_way, views
from vlag.store.database import MIGRATIONS, Connection

# Any constant that nothing else in the database uses.
ADVISORY_LOCK = 0x766C6167

#: The marks have the names and columns of yoyo, which older versions of vlag migrate with: an
#: older checkout still sees that a database is newer.  Without the version in the second table
#: it would take the first one for one of an old yoyo and make it anew.
_MARKS = """
CREATE TABLE _yoyo_migration (
  migration_hash varchar(64) PRIMARY KEY, migration_id varchar(255), applied_at_utc timestamp);
CREATE TABLE _yoyo_version (version integer PRIMARY KEY, installed_at_utc timestamp);
INSERT INTO _yoyo_version VALUES (2, now() AT TIME ZONE 'utc')
"""


def migrate(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """Apply missing migrations and return their ids, oldest first; [] if there were none.

    Each migration is one transaction with the mark that it is applied, so a process that is
    killed anywhere leaves a database that the next call brings to the end.  So it does with one
    that an older vlag left without the mark of its last migration.

    Views whose files have changed are replaced.  Before a migration, which may change a
    column that they show, the views are dropped: they are missing for a moment.  If two
    processes migrate at once, the second waits, then finds nothing to do.  Raises
    InfrastructureError if the database cannot be reached, a migration fails, the database
    is newer than this code, or the reader role is missing and may not be made.
    """
    files = database.migrations(folder)
    with database.connect(dsn, newer=True) as conn:
        database.refuse_newer(conn, folder)
        conn.execute("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        marked = _marked(conn)
        views.make_reader(conn)  # before anything is changed: it may be refused
        missing = [id_ for id_ in files if id_ not in marked]
        if missing:
            views.drop(conn)
        for id_ in missing:
            with conn.transaction():
                # Only the first may be without its mark: the next one came after the mark.
                if id_ != missing[0] or not half_way.is_applied(conn, id_):
                    conn.execute(files[id_].read_bytes())
                conn.execute(
                    "INSERT INTO _yoyo_migration VALUES (%s, %s, now() AT TIME ZONE 'utc')",
                    (hashlib.sha256(id_.encode()).hexdigest(), id_),
                )
        views.apply(conn)
    return missing


def rollback(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """Undo every migration, newest first, with all data; return their ids.  For tests."""
    with database.connect(dsn, newer=True) as conn:
        views.drop(conn)
        applied = sorted(_marked(conn), reverse=True)
        for id_ in applied:
            with conn.transaction():
                conn.execute((folder / f"{id_}.rollback.sql").read_bytes())
                conn.execute("DELETE FROM _yoyo_migration WHERE migration_id = %s", (id_,))
    return applied


def _marked(conn: Connection) -> set[str]:
    """Return the ids of the migrations that are marked as applied; make the table of marks."""
    with conn.transaction():
        row = conn.execute("SELECT to_regclass('_yoyo_migration')").fetchone()
        if row is not None and row[0] is None:
            conn.execute(_MARKS)
    return {str(r[0]) for r in conn.execute("SELECT migration_id FROM _yoyo_migration")}
