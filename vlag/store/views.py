"""The read model: a schema for Grafana, pages and reports, made from `schemas/views/`."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import psycopg
from psycopg import sql

from vlag import ROOT
from vlag.errors import InfrastructureError
from vlag.store import database
from vlag.store.database import Connection

VIEWS = ROOT / "schemas" / "views"
SCHEMA = "read_model"
READER = "vlag_reader"

# Default settings of the reader's sessions.
_LIMITS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "30s",
    **database.PLANNING,
}
CREATE_READER = f"CREATE ROLE {READER} LOGIN"
LIMIT_READER = tuple(f"ALTER ROLE {READER} SET {k} = '{v}'" for k, v in _LIMITS.items())

#: Name of the schema while the next one is made.
OLD = "read_model_old"
# Shorter than PostgreSQL's deadlock_timeout of 1 s, so that we give way to a reader that is
# about to open the views.
_LOCK_TIMEOUT = "200ms"
# Longer than a reader's statement_timeout.
_PATIENCE_S = 60.0


def apply(conn: Connection, folder: Path = VIEWS) -> bool:
    """Replace the schema if its files have changed; return whether they had.

    Sessions read the old views until the new ones replace them, all at once.  Other
    people's views on ours are dropped with the old ones.  Raises InfrastructureError
    if the reader role is missing and may not be made, and if a session holds the old
    views for more than a minute.
    """
    make_reader(conn)
    _drop(conn, OLD)  # left by a killed process
    files = sorted(folder.glob("*.sql"))
    comment = f"schemas/views, sha256 {_digest(files)}"
    found = conn.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s",
        (SCHEMA,),
    ).fetchone()
    if found is not None and found[0] == comment:
        return False
    with conn.transaction():
        # Renaming a schema locks no view: running readers keep the old views.
        if found is not None:
            conn.execute(f"ALTER SCHEMA {SCHEMA} RENAME TO {OLD}")
        conn.execute(f"CREATE SCHEMA {SCHEMA}")
        conn.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        for path in files:
            conn.execute(path.read_bytes())
        conn.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {READER}")
        conn.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {READER}")
        conn.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(SCHEMA), comment))
    _drop(conn, OLD)
    return True


def drop(conn: Connection) -> None:
    """Drop the schema: a migration may then change the tables under it."""
    _drop(conn, OLD)
    _drop(conn, SCHEMA)


def make_reader(conn: Connection) -> None:
    """Make the reader role, or add its missing limits; roles belong to the whole server.

    It has no password, so nobody can log in with one until the administrator sets it.
    Raises InfrastructureError with the statements if this user may not make it.
    """
    row = conn.execute("SELECT rolconfig FROM pg_roles WHERE rolname = %s", (READER,)).fetchone()
    if row is not None and {f"{k}={v}" for k, v in _LIMITS.items()} <= set(row[0] or ()):
        return
    statements = [CREATE_READER, *LIMIT_READER] if row is None else LIMIT_READER
    try:
        with conn.transaction():
            for statement in statements:
                conn.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        raise InfrastructureError(
            f"the database has no role {READER} that is limited to reading, and this user may"
            f" not make it: run as the server's administrator: {'; '.join(statements)}; give it"
            " a password, and run `vlag db migrate` again",
            retry=False,
        ) from None
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        pass  # another database of this server was faster
    except psycopg.errors.InternalError_ as e:
        if "concurrently updated" not in str(e):
            raise


def _drop(conn: Connection, schema: str) -> None:
    """Drop a schema of views once nobody reads them; new readers do not wait for it."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with conn.transaction():
                conn.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
                conn.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if time.monotonic() > deadline:
                raise InfrastructureError(
                    f"somebody has been reading the views of schema {schema} for more than"
                    f" {_PATIENCE_S:.0f} s; end that session and run `vlag db migrate` again"
                ) from None
            time.sleep(0.1)


def _digest(files: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()
