"""A database as a file: dumped at one moment, counted, checked, loaded again.

A table's checksum is the sum of the digests of its rows, as `COPY` writes them: it does
not depend on their order, and is the same in the server and in a dump.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, frozen
from psycopg.conninfo import make_conninfo

from vlag.errors import InfrastructureError, RefusedError, UsageError
from vlag.operate.backup.archive import naming
from vlag.operate.backup.ticker import Ticker
from vlag.operate.service import revisions
from vlag.store import database, views
from vlag.store.database import Connection
from vlag.store.migrate import ADVISORY_LOCK

#: Made anew from `schemas/views/` wherever they are missing.
_DERIVED = (views.SCHEMA, views.OLD)

# How values are written, whatever a server's own settings are.
_SESSION = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres';"
    " SET bytea_output = 'hex'; SET extra_float_digits = 3; SET statement_timeout = 0;"
    " SET idle_in_transaction_session_timeout = 0"
)
_TABLES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('information_schema')
AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1
"""

_MODULUS = 1 << 256

#: Tables that a service fills by itself when it first starts: what else has rows is data.
_BOOKKEEPING: Mapping[str, Sequence[str]] = {
    "vlag": ("_yoyo_", "yoyo_"),
    "lavaserver": ("django_migrations", "django_content_type", "auth_permission"),
}
#: Where all but these is made at each start.
_DATA: Mapping[str, Sequence[str]] = {"buildbot": ("builds", "buildsets", "changes")}

_CLEAR = """
DO $$
DECLARE one record;
BEGIN
  FOR one IN SELECT format('DROP %s IF EXISTS %I.%I CASCADE', CASE c.relkind
      WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
      ELSE 'TABLE' END, n.nspname, c.relname) AS words
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND n.nspname = 'public'
    ORDER BY array_position(ARRAY['v', 'm', 'r', 'p', 'S'], c.relkind::text)
  LOOP EXECUTE one.words; END LOOP;
  FOR one IN SELECT format('DROP TYPE IF EXISTS %I.%I CASCADE', n.nspname, t.typname) AS words
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE n.nspname = 'public' AND (t.typtype IN ('e', 'd') OR EXISTS (
      SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
  LOOP EXECUTE one.words; END LOOP;
  FOR one IN SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure) AS words
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP EXECUTE one.words; END LOOP;
END $$
"""


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


@frozen(kw_only=True)
class Moment:
    """A database as it is at one moment, for as long as its connection is open."""

    database: Database
    conn: Connection
    snapshot: str
    at: str  # RFC 3339
    tables: tuple[str, ...]


@define
class Count:
    """Rows of a table, and the sum of their digests."""

    rows: int = 0
    total: int = 0

    def add(self, row: bytes) -> None:
        """Count a row, written as COPY does and without its newline."""
        self.rows += 1
        self.total += int.from_bytes(hashlib.sha256(row).digest())

    def said(self) -> dict[str, Any]:
        """Return what a manifest says of the table."""
        return {"rows": self.rows, "sha256": f"{self.total % _MODULUS:064x}"}


@contextmanager
def moment(of: Database) -> Iterator[Moment]:
    """Yield a database as it is now; nobody who reads or writes has to wait for it.

    Raises InfrastructureError where it cannot be reached, or its tables are just being
    changed.
    """
    with database.connect(of.dsn) as conn:
        conn.execute(_SESSION)
        # No table must change between the moment and the lock on it.
        row = conn.execute("SELECT pg_try_advisory_lock_shared(%s)", (ADVISORY_LOCK,)).fetchone()
        if row is None or not row[0]:
            raise InfrastructureError(
                f"the tables of database {of.name} are being brought up to date; try again in a"
                " minute"
            )
        conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        snapshot, at = conn.execute("SELECT pg_export_snapshot(), now()").fetchone() or ("", None)
        tables = tuple(t for t in _tables(conn) if t.partition(".")[0] not in _DERIVED)
        if tables:
            # `_tables` has quoted them.
            conn.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS SHARE MODE".encode())
        conn.execute("SELECT pg_advisory_unlock_shared(%s)", (ADVISORY_LOCK,))
        assert at is not None  # noqa: S101 - now() is never NULL
        yield Moment(
            database=of,
            conn=conn,
            snapshot=str(snapshot),
            at=at.isoformat(timespec="milliseconds"),
            tables=tables,
        )


def dump(now: Moment, path: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Write a moment of a database to a file; return what the manifest says of it."""
    name = now.database.name
    ticker = Ticker(say)
    counts = {}
    for number, table in enumerate(now.tables, 1):
        counts[table] = count(now.conn, table).said()
        ticker.tick(f"database {name}: {number} of {len(now.tables)} tables counted")
    server = now.conn.info.server_version
    size, whole = 0, hashlib.sha256()
    argv = [
        *("--format=custom", "--no-owner", "--no-privileges", f"--snapshot={now.snapshot}"),
        *(f"--exclude-schema={schema}" for schema in _DERIVED),
    ]
    with (
        naming(path),
        open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out,
        _program("pg_dump", server, argv, now.database) as blocks,
    ):
        for block in blocks:
            out.write(block)
            whole.update(block)
            size += len(block)
            ticker.tick(f"database {name}: {size / 1e6:.0f} MB dumped")
    rows = sum(c["rows"] for c in counts.values())
    say(f"database {name}: {len(counts)} tables, {rows} rows, {size / 1e6:.1f} MB")
    return {
        "at": now.at,
        "server": server,
        "revisions": revisions.of(now.conn),
        "bytes": size,
        "sha256": whole.hexdigest(),
        "tables": counts,
    }


def check(path: Path, said: Mapping[str, Any]) -> None:
    """Read a whole dump; RefusedError unless all tables and rows of the manifest are in it."""
    found: dict[str, Count] = {}
    try:
        with _program("pg_restore", said["server"], ["--data-only", "--file=-", str(path)]) as out:
            table: Count | None = None
            for line in _lines(out):
                if table is None:
                    if line.startswith(b"COPY ") and line.endswith(b" FROM stdin;"):
                        name = line[5:].split(b" (")[0].removesuffix(b" FROM stdin;").decode()
                        table = found[name] = Count()
                elif line == b"\\.":
                    table = None
                else:
                    table.add(line)
    except InfrastructureError as e:
        raise RefusedError(f"the dump cannot be read ({e})", path=path) from e
    _compare({name: c.said() for name, c in found.items()}, said["tables"], str(path))


def load(path: Path, into: Database, said: Mapping[str, Any]) -> None:
    """Load a dump into an empty database, all of it or nothing, and count what came.

    Raises InfrastructureError with PostgreSQL's words, RefusedError where a table is not
    what the manifest says.
    """
    with database.connect(into.dsn) as conn:
        server = conn.info.server_version
    argv = [
        *("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"),
        "--no-tablespaces",  # which this server may not have
        *("--dbname", _plain(into.dsn)[0], str(path)),
    ]
    with _program("pg_restore", server, argv, into) as out:
        for _ in out:
            pass
    with database.connect(into.dsn) as conn:
        conn.execute(_SESSION)
        there = {t: count(conn, t).said() for t in _tables(conn)}
    _compare(there, said["tables"], f"database {into.name} after loading {path}")


def refuse_older(into: Database, said: Mapping[str, Any]) -> None:
    """Raise UsageError for a server that is older than the one a dump was made of."""
    with database.connect(into.dsn) as conn:
        server = conn.info.server_version // 10000
    if said["server"] // 10000 > server:
        raise UsageError(
            f"the backup of database {into.name} was made by PostgreSQL {said['server'] // 10000},"
            f" this server is {server}: restore it to a server that is no older"
        )


def count(conn: Connection, table: str) -> Count:
    """Count the rows of a table, named and quoted as in SQL."""
    counted = Count()
    with conn.cursor() as cursor, cursor.copy(f"COPY {table} TO STDOUT".encode()) as rows:
        for line in _lines(bytes(block) for block in rows):
            counted.add(line)
    return counted


def data_of(of: Database) -> str | None:
    """Return a table that would lose something if the database were cleared, or None."""
    only, apart = _DATA.get(of.name), tuple(_BOOKKEEPING.get(of.name, ()))
    with database.connect(of.dsn) as conn:
        for table in _tables(conn):
            plain = table.partition(".")[2].strip('"')
            if plain.startswith(apart) or (only is not None and plain not in only):
                continue
            there = f"SELECT EXISTS (SELECT FROM {table})"  # noqa: S608 - quoted by _TABLES
            row = conn.execute(there.encode()).fetchone()
            if row is not None and row[0]:
                return plain
    return None


def clear(of: Database) -> None:
    """Drop all that stands in a database, as its owner, who need not be a superuser."""
    with database.connect(of.dsn) as conn, conn.transaction():
        for schema in _DERIVED:
            conn.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
        conn.execute(_CLEAR.encode())


def _tables(conn: Connection) -> list[str]:
    return [str(row[0]) for row in conn.execute(_TABLES).fetchall()]


def _compare(
    found: Mapping[str, Mapping[str, Any]], wanted: Mapping[str, Mapping[str, Any]], where: str
) -> None:
    for table, said in wanted.items():
        there = found.get(table)
        if there is None:
            raise RefusedError(f"table {table} is missing; the backup is damaged", path=where)
        if there["rows"] != said["rows"]:
            raise RefusedError(
                f"table {table} has {there['rows']} rows, not {said['rows']}; the backup is"
                " damaged",
                path=where,
            )
        if there["sha256"] != said["sha256"]:
            raise RefusedError(
                f"the rows of table {table} are not those that were saved; the backup is damaged",
                path=where,
            )
    more = sorted(set(found) - set(wanted))
    if more:
        raise RefusedError(f"table {more[0]} is not in the manifest", path=where)


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Cut a stream into lines; the last one ends with a newline too."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _plain(dsn: str) -> tuple[str, dict[str, str]]:
    """Return a connection string without its password, and the environment that has it."""
    p = database.parts(dsn)
    password = p.pop("password", None)
    return make_conninfo(**p), {} if password is None else {"PGPASSWORD": str(password)}


@contextmanager
def _program(
    name: str, server: int, argv: Sequence[str], of: Database | None = None
) -> Iterator[Iterator[bytes]]:
    """Run a program of PostgreSQL's client; yield what it prints, in blocks.

    Raises InfrastructureError with the first line of what it said if it fails.
    """
    dsn, secret = ("", {}) if of is None else _plain(of.dsn)
    given = [f"--dbname={dsn}"] if of is not None and name == "pg_dump" else []
    with subprocess.Popen(
        [str(program(name, server // 10000)), *given, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PGTZ": "UTC", **secret},
    ) as child:
        assert child.stdout is not None and child.stderr is not None  # noqa: S101, PT018 - pipes
        out = child.stdout.fileno()
        try:
            yield iter(lambda: os.read(out, 1 << 20), b"")
            said = child.stderr.read().decode(errors="replace").strip().splitlines()
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        first = said[0] if said else f"status {child.returncode}"
        raise InfrastructureError(f"{name} failed: {first}", retry=False)


def program(name: str, server: int, root: Path = Path("/usr/lib/postgresql")) -> Path:
    """Return a program of Debian's PostgreSQL client that suits a server's major version."""
    found = {int(p.parent.parent.name): p for p in root.glob(f"[0-9]*/bin/{name}")}
    fitting = [v for v in found if v >= server]
    if not fitting:
        raise UsageError(
            f"no {name} for PostgreSQL {server} under {root}: install the Debian package"
            f" postgresql-client-{server}"
        )
    return found[min(fitting)]
