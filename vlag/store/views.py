# SPDX-License-Identifier: GPL-2.0-only
"""The read model: a schema for Grafana, pages and reports, made from `schemas/views/`."""

from __future__ import annotations

import hashlib
import re
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

#: Schema of the function that ends what the reader may not do, and the statements that make it.
GUARD = "reader_guard"
BOUNDS = ROOT / "schemas" / "reader.sql"

#: Name of the schema while the next one is made.
OLD = "read_model_old"
# Shorter than PostgreSQL's deadlock_timeout of 1 s, so that we give way to a reader that is
# about to open the views.
_LOCK_TIMEOUT = "200ms"
# Times that the reader is bounded while other databases of the server do the same.
_ATTEMPTS = 20
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
    row = conn.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s",
        (SCHEMA,),
    ).fetchone()
    if row is not None and row[0] == comment:
        return False
    with conn.transaction():
        # Renaming a schema locks no view: running readers keep the old views.
        if row is not None:
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
        _bound(conn)
        return
    statements = [CREATE_READER, *LIMIT_READER] if row is None else LIMIT_READER
    try:
        with conn.transaction():
            for statement in statements:
                conn.execute(statement)
        _bound(conn)
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


def bounds() -> list[str]:
    """Return the statements of `BOUNDS`, each in one line."""
    text = re.sub(r"^--.*\n", "", BOUNDS.read_text(encoding="utf-8"), flags=re.M)
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def is_bounded(conn: Connection) -> bool:
    """Return whether a superuser has run `BOUNDS` in this database."""
    row = conn.execute(
        "SELECT to_regprocedure(%s) IS NOT NULL AND rolconnlimit >= 0"
        " FROM pg_roles WHERE rolname = %s",
        (f"{GUARD}.keep(interval)", READER),
    ).fetchone()
    return row is not None and bool(row[0])


def keep(conn: Connection) -> list[str]:
    """End what the reader has no right to and put back its settings; return sentences on that.

    Where no superuser has bounded the reader yet, the sentence says what to run.
    """
    if not is_bounded(conn):
        what = f"the role {READER} is not bounded"
        return [f"{what}: run schemas/server.sql as the server's administrator"]
    return [line for (line,) in conn.execute(f"SELECT {GUARD}.keep()".encode())]


def _bound(conn: Connection) -> None:
    """Bound the reader if this user may and nobody has."""
    row = conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    if row is None or not row[0]:
        return
    for _ in range(_ATTEMPTS):
        if is_bounded(conn):
            return
        try:
            with conn.transaction():
                for statement in bounds():
                    conn.execute(statement.encode())
        except psycopg.errors.InternalError_ as e:
            if "concurrently updated" not in str(e):  # by another database of this server
                raise
            time.sleep(0.2)


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
