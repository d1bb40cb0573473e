"""Migrate a database to `schemas/migrations/` and `schemas/views/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from yoyo import get_backend, read_migrations

from vlag import ROOT
from vlag.errors import InfrastructureError
from vlag.store import database, views

MIGRATIONS = ROOT / "schemas" / "migrations"

# Any constant that nothing else in the database uses.
ADVISORY_LOCK = 0x766C6167


def url(dsn: str) -> str:
    """Return a libpq connection string as the URL that yoyo reads, for psycopg 3."""
    p = database.parts(dsn)
    name = quote(str(p.pop("dbname", "")), safe="")
    return f"postgresql+psycopg:///{name}?{urlencode(p)}"


def migrate(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """Apply missing migrations and return their ids, oldest first; [] if there were none.

    Views whose files have changed are replaced.  Before a migration, which may change a
    column that they show, the views are dropped: they are missing for a moment.  If two
    processes migrate at once, the second waits, then finds nothing to do.  Raises
    InfrastructureError if the database cannot be reached, a migration fails, the database
    is newer than this code, or the reader role is missing and may not be made.
    """
    with database.connect(dsn) as conn:
        # yoyo's own lock is a row that outlives a killed process.  This lock ends with its
        # connection, so its holder knows that such a row is stale.
        conn.execute("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        backend = _backend(dsn)
        with backend:
            backend.break_lock()
            with backend.lock():
                migrations = read_migrations(str(folder))
                _refuse_newer(backend, {m.id for m in migrations})
                views.make_reader(conn)  # before anything is changed: it may be refused
                missing = backend.to_apply(migrations)
                ids = [str(m.id) for m in missing]
                if ids:
                    views.drop(conn)
                backend.apply_migrations(missing)
        views.apply(conn)
    return ids


def rollback(dsn: str, folder: Path = MIGRATIONS) -> list[str]:
    """Undo every migration, newest first, with all data; return their ids.  For tests."""
    with database.connect(dsn) as conn, _backend(dsn) as backend, backend.lock():
        views.drop(conn)
        applied = backend.to_rollback(read_migrations(str(folder)))
        ids = [str(m.id) for m in applied]
        backend.rollback_migrations(applied)
    return ids


def _backend(dsn: str) -> Any:  # yoyo has no types
    try:
        return get_backend(url(dsn))
    except psycopg.Error as e:
        raise database.explain(e, dsn) from None


def _refuse_newer(backend: Any, known: set[str]) -> None:
    backend.ensure_internal_schema_updated()
    rows = backend.execute("SELECT migration_id FROM _yoyo_migration").fetchall()
    newer = sorted({str(row[0]) for row in rows} - known)
    if newer:
        raise InfrastructureError(
            f"the database is newer than this code (it has {', '.join(newer)}); "
            "update the checkout, or name another database",
            retry=False,
        )
