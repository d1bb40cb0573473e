# SPDX-License-Identifier: GPL-2.0-only
"""A database as a file: dumped at one moment, loaded again."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from psycopg.conninfo import make_conninfo

from vlag.errors import InfrastructureError, UsageError
from vlag.operate.backup.programs import run
from vlag.operate.service import revisions
from vlag.store import database, views
from vlag.store.migrate import ADVISORY_LOCK

log = logging.getLogger(__name__)

#: Made anew from `schemas/views/` wherever they are missing.
_DERIVED = (views.SCHEMA, views.OLD)
#: Schemas that a dump leaves out: that of the guard is the administrator's.
_LEFT_OUT = (*_DERIVED, views.GUARD)
#: Tables that a service fills by itself when it first starts: what else has rows is data.
_BOOKKEEPING: Mapping[str, Sequence[str]] = {
    "vlag": ("_yoyo_", "yoyo_"),
    "lavaserver": ("django_migrations", "django_content_type", "auth_permission"),
}
#: Where all but these is made at each start.
_DATA: Mapping[str, Sequence[str]] = {"buildbot": ("builds", "buildsets", "changes")}

_TABLES = f"""
SELECT format('%I.%I', n.nspname, c.relname), c.relname FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't'
AND n.nspname NOT IN ('information_schema', '{views.GUARD}')
AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1
"""  # noqa: S608 - constants


@frozen(kw_only=True)
class Database:
    """A database and how it is reached."""

    name: str
    dsn: str

    @property
    def place(self) -> str:
        """Return where it is, without a secret."""
        p = database.parts(self.dsn)
        return f"{p.get('host', '')}:{p.get('port', '')}/{p.get('dbname', '')}"


def dump(db: Database, path: Path) -> dict[str, Any]:
    """Write a database as it is now to a new file; return its server's and tables' versions.

    Nobody who reads or writes waits.  Raises InfrastructureError with PostgreSQL's words.
    """
    with database.connect(db.dsn, newer=True) as conn:
        # A table that is rewritten between the moment and the lock on it would be dumped empty.
        row = conn.execute("SELECT pg_try_advisory_lock_shared(%s)", (ADVISORY_LOCK,)).fetchone()
        if row is None or not row[0]:
            raise InfrastructureError(
                f"the tables of database {db.name} are being brought up to date; try again in a"
                " minute"
            )
        about = {"server": conn.info.server_version, "revisions": revisions.of(conn)}
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        # Plain rows: the repository stores what did not change once, and compresses it.
        options = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges"]
        options += [f"--exclude-schema={schema}" for schema in _LEFT_OUT]
        _client("pg_dump", db, [*options, f"--file={path}"])
    log.info(f"database {db.name}: {path.stat().st_size / 1e6:.1f} MB")
    return about


def load(path: Path, into: Database) -> None:
    """Load a dump into an empty database, all of it or nothing; else InfrastructureError."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    options += ["--no-tablespaces"]  # which this server may not have
    _client("pg_restore", into, [*options, str(path)])


def refuse_older(into: Database, about: Mapping[str, Any]) -> None:
    """Raise UsageError for a server that is older than the one a dump was made of."""
    server = _version(into)
    if about["server"] // 10000 > server:
        raise UsageError(
            f"the backup of database {into.name} was made by PostgreSQL {about['server'] // 10000},"
            f" this server is {server}: restore it to a server that is no older"
        )


def data_of(db: Database) -> str | None:
    """Return a table that would lose something if the database were cleared, or None."""
    only, apart = _DATA.get(db.name), tuple(_BOOKKEEPING.get(db.name, ()))
    with database.connect(db.dsn, newer=True) as conn:
        for quoted, plain in conn.execute(_TABLES.encode()).fetchall():
            if plain.startswith(apart) or (only is not None and plain not in only):
                continue
            there = f"SELECT EXISTS (SELECT FROM {quoted})"  # noqa: S608 - quoted by _TABLES
            row = conn.execute(there.encode()).fetchone()
            if row is not None and row[0]:
                return str(plain)
    return None


def clear(db: Database) -> None:
    """Drop all that is in a database, as its owner, who need not be a superuser."""
    with database.connect(db.dsn, newer=True) as conn, conn.transaction():
        for schema in (*_DERIVED, "public"):
            conn.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
        conn.execute("CREATE SCHEMA public")
        conn.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")


def program(name: str, server: int, root: Path = Path("/usr/lib/postgresql")) -> Path:
    """Return a program of Debian's PostgreSQL client that suits a server's major version."""
    programs = {int(p.parent.parent.name): p for p in root.glob(f"[0-9]*/bin/{name}")}
    fitting = [v for v in programs if v >= server]
    if not fitting:
        raise UsageError(
            f"no {name} for PostgreSQL {server} under {root}: install the Debian package"
            f" postgresql-client-{server}"
        )
    return programs[min(fitting)]


def _version(db: Database) -> int:
    with database.connect(db.dsn, newer=True) as conn:
        return conn.info.server_version // 10000


def _client(name: str, db: Database, options: Sequence[str]) -> None:
    """Run a program of PostgreSQL's client on a database; InfrastructureError with its words."""
    parts = database.parts(db.dsn)
    password = parts.pop("password", None)
    done = run(
        [str(program(name, _version(db))), f"--dbname={make_conninfo(**parts)}", *options],
        environment={"PGTZ": "UTC", **({} if password is None else {"PGPASSWORD": str(password)})},
        progress=lambda _: f"database {db.name}: {name} goes on",
    )
    if done.status:
        raise InfrastructureError(f"{name} failed: {done.error}", retry=False)
