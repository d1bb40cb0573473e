# SPDX-License-Identifier: GPL-2.0-only
"""The schema of views: made anew when its files change, read by a role that can do no more."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from vlag import config
from vlag.errors import InfrastructureError
from vlag.store import database, views
from vlag.store.database import MIGRATIONS, Connection
from vlag.store.migrate import migrate

NAMES = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = 'read_model' AND c.relkind = 'v' ORDER BY 1"
)


@pytest.fixture
def reader(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(database.as_user(dsn, views.READER), autocommit=True) as conn:
        yield conn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the files, with one view more."""
    made = tmp_path / "views"
    shutil.copytree(views.VIEWS, made)
    (made / "99-more.sql").write_text("CREATE VIEW more AS SELECT 1 AS one FROM kernel LIMIT 1;\n")
    return made


def shown(conn: Connection) -> list[str]:
    return [row[0] for row in conn.execute(NAMES)]


def test_every_view_says_what_it_is(conn: Connection) -> None:
    rows = conn.execute(
        "SELECT c.relname, obj_description(c.oid) FROM pg_class c"
        " WHERE c.relnamespace = 'read_model'::regnamespace AND c.relkind = 'v'"
    ).fetchall()
    assert rows
    assert [name for name, said in rows if not said] == []


def test_made_anew_only_when_a_file_changes(conn: Connection, folder: Path) -> None:
    before = shown(conn)
    assert not views.apply(conn)
    assert views.apply(conn, folder)
    assert shown(conn) == sorted([*before, "more"])
    assert not views.apply(conn, folder)
    (folder / "99-more.sql").unlink()
    assert views.apply(conn, folder)
    assert shown(conn) == before


def test_a_file_that_is_wrong_changes_nothing(conn: Connection, folder: Path) -> None:
    before = shown(conn)
    (folder / "99-more.sql").write_text("CREATE VIEW more AS SELECT nothing FROM kernel;\n")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        views.apply(conn, folder)
    assert shown(conn) == before


def test_a_reader_keeps_its_views_while_others_have_the_new_ones(
    conn: Connection, dsn: str, reader: Connection, folder: Path
) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(database.as_user(dsn, views.READER)) as slow,
    ):
        slow.execute("SELECT * FROM read_model.comparison_summary")  # its transaction goes on
        done = pool.submit(views.apply, conn, folder)
        # The new ones are there while the old ones are held; a missing view would raise.
        while reader.execute("SELECT to_regclass('read_model.more')").fetchone() == (None,):
            reader.execute("SELECT * FROM read_model.comparison_summary")
        reader.execute("SELECT * FROM read_model.more")
        assert not done.done()
        slow.rollback()
        assert done.result(timeout=60)
    assert conn.execute("SELECT to_regnamespace('read_model_old')").fetchone() == (None,)


def test_what_a_killed_process_left_is_cleared(conn: Connection, folder: Path) -> None:
    conn.execute("CREATE SCHEMA read_model_old")
    conn.execute("CREATE VIEW read_model_old.kernel AS SELECT * FROM read_model.kernel")
    assert views.apply(conn, folder)
    assert conn.execute("SELECT to_regnamespace('read_model_old')").fetchone() == (None,)


def test_a_migration_may_change_a_column_that_a_view_shows(
    dsn: str, conn: Connection, tmp_path: Path
) -> None:
    change = "ALTER TABLE kernel ALTER COLUMN subject TYPE varchar(500)"
    with pytest.raises(psycopg.errors.FeatureNotSupported):  # negative control
        conn.execute(change)
    later = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, later)
    last = max(p.stem for p in later.glob("*.sql") if not p.stem.endswith(".rollback"))
    (later / "9999_wider.sql").write_text(f"-- depends: {last}\n{change};\n")
    (later / "9999_wider.rollback.sql").write_text("SELECT 1;\n")
    before = shown(conn)
    assert migrate(dsn, later) == ["9999_wider"]
    assert shown(conn) == before
    width = (
        "SELECT atttypmod - 4 FROM pg_attribute"
        " WHERE attname = 'subject' AND attrelid = to_regclass(%s)"
    )
    for table in ("public.kernel", "read_model.kernel"):
        assert conn.execute(width, (table,)).fetchone() == (500,)


def test_the_reader_reads_every_view_and_nothing_else(conn: Connection, reader: Connection) -> None:
    for name in shown(conn):
        reader.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier("read_model", name)))
    tables = conn.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('r', 'v')"
    ).fetchall()
    assert tables
    for (name,) in tables:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier("public", name)))


def test_the_reader_writes_nothing(reader: Connection) -> None:
    said = [
        reader.execute(f"SHOW {name}").fetchone()
        for name in ("default_transaction_read_only", "statement_timeout")
    ]
    assert said == [("on",), ("30s",)]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        reader.execute("CREATE TEMP TABLE t (i int)")
    # It may turn that off for itself, and still has no right to anything.
    reader.execute("SET default_transaction_read_only = off")
    for statement in (
        "CREATE TABLE public.t (i int)",
        "CREATE VIEW read_model.t AS SELECT 1",
        "DELETE FROM read_model.alert_event",
        "UPDATE public.alert SET triage = 'fixed'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement)


@pytest.fixture
def owned(cluster: str) -> Iterator[str]:
    """An empty database whose owner may make no roles, with a reader that has no limits."""
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute("CREATE ROLE plain LOGIN")
        conn.execute("CREATE DATABASE owned OWNER plain")
        conn.execute(f"ALTER ROLE {views.READER} RESET ALL")
        try:
            yield f"{cluster.replace('user=vlag', 'user=plain')} dbname=owned"
        finally:
            for statement in views.LIMIT_READER:
                conn.execute(statement)
            conn.execute("DROP DATABASE owned")
            conn.execute("DROP ROLE plain")


def test_an_owner_who_may_make_no_role_is_told_what_to_run(
    owned: str, template: str, cluster: str
) -> None:
    with pytest.raises(InfrastructureError) as caught:
        migrate(owned)
    said = str(caught.value)
    assert f"ALTER ROLE {views.READER} SET statement_timeout = '30s'" in said
    assert "\n" not in said
    assert not caught.value.retry
    with database.connect(owned) as conn:  # nothing was done by halves
        assert conn.execute("SELECT to_regclass('kernel')").fetchone() == (None,)
    with psycopg.connect(f"{cluster} dbname={template}", autocommit=True) as administrator:
        for statement in views.LIMIT_READER:
            administrator.execute(statement)
    assert migrate(owned)
    with psycopg.connect(database.as_user(owned, views.READER)) as reader:
        assert reader.execute("SELECT count(*) FROM read_model.kernel").fetchone() == (0,)


def test_the_readers_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLAG_READER_DATABASE", raising=False)
    monkeypatch.setenv("VLAG_DATABASE", "postgresql://vlag:secret@db.example:5433/vlag")
    found = database.parts(config.load().reader_dsn())
    assert found == {
        "user": "vlag_reader", "host": "db.example", "port": "5433", "dbname": "vlag",
        "options": f"-c vlag.state={config.load().state}",
    }  # fmt: skip
    monkeypatch.delenv("VLAG_DATABASE")
    own = config.load()
    assert database.parts(own.reader_dsn())["passfile"] == str(own.passfile)
    monkeypatch.setenv("VLAG_READER_DATABASE", "host=replica user=grafana")
    found = database.parts(own.reader_dsn())
    assert (found["host"], found["user"]) == ("replica", "grafana")
