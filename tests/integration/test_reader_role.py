# SPDX-License-Identifier: GPL-2.0-only
"""The role that reads, with any SQL: it reads views, and nobody else notices it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from master.reader_guard import ReaderGuard
from tests.integration.server import Server
from vlag.operate.backup.dumps import Database, dump
from vlag.store import database, views
from vlag.store.database import Connection
from vlag.store.migrate import migrate


class Place:
    """A server that an administrator has set up, with the addresses of owner and reader."""

    def __init__(self, server: Server):
        self.server = server
        done = self.server.make(**self.server.files)
        assert done.returncode == 0, done.stderr
        where = f"host=127.0.0.1 port={self.server.port} dbname=vlag"
        words = {name: (self.server.secrets / name).read_text().strip()
                 for name in ("database", "reader")}  # fmt: skip
        self.owner = make_conninfo(where, user="vlag", password=words["database"])
        self.reader = make_conninfo(where, user=views.READER, password=words["reader"])
        migrate(self.owner)

    def keep(self, most: str = "60 s") -> list[str]:
        """Return what the guard says and does."""
        with database.connect(self.owner) as conn:
            return [w for (w,) in conn.execute("SELECT reader_guard.keep(%s::interval)", (most,))]


@pytest.fixture(scope="module")
def place(server: Server) -> Place:
    return Place(server)


@pytest.fixture
def reader(place: Place) -> Iterator[Connection]:
    """A session that has lifted all that a session may lift."""
    with psycopg.connect(place.reader, autocommit=True) as conn:
        conn.execute("SET default_transaction_read_only = off")
        conn.execute("SET statement_timeout = 0")
        yield conn


def test_it_reads_the_views(reader: Connection) -> None:
    """Negative control of all that follows."""
    assert reader.execute("SELECT count(*) FROM read_model.kernel").fetchone() == (0,)


def test_it_cannot_shut_the_owner_out(place: Place) -> None:
    with contextlib.ExitStack() as held:
        for _ in range(40):
            held.enter_context(psycopg.connect(place.reader))
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            psycopg.connect(place.reader)
        for _ in range(20):
            held.enter_context(psycopg.connect(place.owner))


def test_it_opens_no_other_database(place: Place, reader: Connection) -> None:
    rows = reader.execute("SELECT datname FROM pg_database WHERE datallowconn").fetchall()
    names = {name for (name,) in rows}
    assert {"vlag", "buildbot", "postgres", "template1"} <= names
    for name in names - {"vlag"}:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(make_conninfo(place.reader, dbname=name))


@pytest.mark.parametrize("call", [
    "pg_advisory_lock(1)", "pg_advisory_lock(1, 2)", "pg_try_advisory_lock(1)",
    "pg_advisory_lock_shared(1)", "pg_advisory_xact_lock(1)", "pg_try_advisory_xact_lock(1)",
    "pg_try_advisory_lock_shared(1, 2)", "pg_advisory_unlock_all()",
    "lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, 'x')",
    "pg_logical_emit_message(false, 'x', 'x')", "pg_export_snapshot()", "reader_guard.keep()",
])  # fmt: skip
def test_it_holds_no_lock_and_leaves_no_object(reader: Connection, place: Place, call: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(f"SELECT {call}".encode())
    # Negative control: the owner may; each call in a transaction that is not kept.
    with psycopg.connect(place.owner) as conn:
        conn.execute(f"SELECT {call}".encode())
        conn.rollback()


@pytest.mark.parametrize("statement", [
    "DO $$BEGIN PERFORM 1; END$$", "CREATE TEMP TABLE t (i int)", "CREATE TABLE public.t (i int)",
    "CREATE SCHEMA s", "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "SELECT * FROM reader_guard.kept", "SELECT * FROM pg_authid", "COPY (SELECT 1) TO '/tmp/x'",
    "SET ROLE vlag", "SET SESSION AUTHORIZATION vlag", "CREATE EXTENSION dblink",
    "ALTER ROLE vlag_reader CONNECTION LIMIT 1000", "ALTER ROLE vlag_reader SUPERUSER",
    "ALTER SYSTEM SET max_connections = 1", "SELECT * FROM public.kernel",
    "DELETE FROM public.alert", "SELECT pg_reload_conf()", "SELECT pg_read_file('/etc/passwd')",
])  # fmt: skip
def test_it_does_nothing_else(reader: Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(statement.encode())


@pytest.mark.parametrize("statement", [
    "BEGIN; LOCK TABLE read_model.kernel IN ACCESS EXCLUSIVE MODE",
    "SELECT * FROM read_model.kernel FOR UPDATE", "SET temp_file_limit = -1",
    "ALTER ROLE vlag_reader SET temp_file_limit = -1", "SELECT pg_stat_reset()",
    "ALTER ROLE vlag_reader VALID UNTIL 'infinity'", "COMMENT ON ROLE vlag_reader IS 'x'",
    "SELECT pg_create_logical_replication_slot('a', 'b')", "SELECT pg_switch_wal()",
    "SELECT pg_cancel_backend(pid), pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE usename = 'vlag'", "SELECT pg_ls_dir('.')", "SELECT lo_unlink(1)", "VACUUM FULL",
])  # fmt: skip
def test_it_takes_nothing_from_the_owner(place: Place, reader: Connection, statement: str) -> None:
    with psycopg.connect(place.owner):
        if statement == "VACUUM FULL":  # it skips what is not its own
            reader.execute(b"VACUUM FULL")
            assert reader.execute("SELECT 1").fetchone() == (1,)
            return
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement.encode())


def test_no_prepared_transaction_outlives_its_session(reader: Connection) -> None:
    """It would hold its locks where nothing ends it; the server's default allows none."""
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM read_model.kernel")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        reader.execute("PREPARE TRANSACTION 'x'")


def test_it_fills_no_disk(place: Place, reader: Connection) -> None:
    """Not by what it sorts, whatever a session sets."""
    assert reader.execute("SHOW temp_file_limit").fetchone() == ("1GB",)
    lower = "ALTER ROLE vlag_reader SET temp_file_limit = '1MB'"  # 1 GB takes a while to write
    assert place.server.psql("-c", lower).returncode == 0
    sort = "SELECT count(DISTINCT repeat(i::text, 2000)) FROM generate_series(1, 2000) AS i"
    with psycopg.connect(place.reader) as conn:
        conn.execute("SET work_mem = '64kB'")
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temporary file size"):
            conn.execute(sort)
    assert place.keep() == ["the settings of vlag_reader were changed and are put back"]
    with psycopg.connect(place.reader) as conn:  # control
        assert conn.execute(sort).fetchone() == (2000,)


def test_what_postgresql_itself_cannot_forbid(place: Place, reader: Connection) -> None:
    """A session's own settings and its role's password; docs/threat-model.md says so.

    Where one of these is refused some day, the guard and that page have less to do.
    """
    for name, value in (("statement_timeout", "0"), ("work_mem", "'1GB'"), ("jit", "on")):
        reader.execute(f"SET {name} = {value}".encode())
    reader.execute("NOTIFY x")
    reader.execute("ALTER ROLE vlag_reader PASSWORD 'mine'")
    # No trigger sees it.
    trigger = "CREATE EVENT TRIGGER e ON ddl_command_start WHEN TAG IN ('ALTER ROLE')"
    done = place.server.psql("-c", f"{trigger} EXECUTE FUNCTION f()")
    assert "event triggers are not supported for ALTER ROLE" in done.stderr
    assert place.keep() != []


def test_what_it_lifts_for_a_session_ends_with_it(place: Place, reader: Connection) -> None:
    assert place.keep() == []  # negative control
    with psycopg.connect(place.reader) as waiting:
        waiting.execute("SELECT count(*) FROM read_model.kernel")  # its transaction goes on
        reader.execute("SELECT 1")
        said = "a session of vlag_reader lasted longer than 00:00:00 (idle in transaction)"
        assert [s for s in place.keep("0 s") if "idle in" in s] == [f"{said} and was ended"]
        with pytest.raises(psycopg.OperationalError):
            waiting.execute("SELECT 1")
    # One that is only open, as a pool keeps it, goes on.
    assert reader.execute("SELECT 1").fetchone() == (1,)


def test_its_password_and_settings_are_put_back(place: Place, reader: Connection) -> None:
    reader.execute("ALTER ROLE vlag_reader PASSWORD 'mine'")
    reader.execute("ALTER ROLE vlag_reader SET statement_timeout = 0")
    reader.execute("ALTER ROLE vlag_reader IN DATABASE vlag SET jit = 'on'")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(place.reader)  # negative control: it is changed
    assert sorted(place.keep()) == [
        "the password of vlag_reader was changed and is put back: schemas/server.sql sets it",
        "the settings of vlag_reader were changed and are put back",
    ]
    with psycopg.connect(place.reader) as conn:
        shown = [
            conn.execute(f"SHOW {n}".encode()).fetchone() for n in ("statement_timeout", "jit")
        ]
    assert shown == [("30s",), ("off",)]
    assert place.keep() == []


def test_the_master_looks_after_it(place: Place, reader: Connection) -> None:
    reader.execute("ALTER ROLE vlag_reader PASSWORD 'mine'")
    assert len(ReaderGuard(place.owner)._keep()) == 1
    psycopg.connect(place.reader).close()


def test_a_server_without_the_bounds_is_said(place: Place) -> None:
    with psycopg.connect(make_conninfo(place.owner, dbname="buildbot"), autocommit=True) as conn:
        assert views.keep(conn) == [
            "the role vlag_reader is not bounded: run schemas/server.sql as the server's"
            " administrator"
        ]


def test_a_dump_of_the_owner_leaves_the_guard_out(place: Place, tmp_path: Path) -> None:
    assert dump(Database(name="vlag", dsn=place.owner), tmp_path / "dump")
    assert b"reader_guard" not in (tmp_path / "dump").read_bytes()


def test_both_homes_of_the_limits_agree() -> None:
    text = " ".join(views.bounds())
    for statement in views.LIMIT_READER:
        assert statement in text
