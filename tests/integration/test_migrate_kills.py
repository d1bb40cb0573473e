# SPDX-License-Identifier: GPL-2.0-only
"""A migration that is killed anywhere: the next start goes on and reaches the same schema."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import psycopg
import pytest

from tests.conftest import drop_database, fresh_database
from tests.integration.old_database import DATABASES, RENAMED, columns_of, contents, renamed
from tests.integration.server import Server
from tests.integration.table_file import TABLES, tables
from tests.waiting import until
from vlag.errors import InfrastructureError
from vlag.operate.service import revisions
from vlag.store import database, half_way
from vlag.store.database import MIGRATIONS, Connection
from vlag.store.migrate import migrate

IDS = sorted(p.stem for p in MIGRATIONS.glob("*.sql") if not p.name.endswith(".rollback.sql"))

#: Ends the session, or lets it wait for us, at the n-th statement that defines something and at
#: the n-th mark, both counted together; n is the database's setting kill.at.
KILLER = """
CREATE SCHEMA kill;
CREATE FUNCTION kill.maybe() RETURNS void LANGUAGE plpgsql AS $$
DECLARE seen integer := coalesce(nullif(current_setting('kill.seen', true), ''), '0')::integer + 1;
BEGIN
  PERFORM set_config('kill.seen', seen::text, false);
  IF seen = nullif(current_setting('kill.at', true), '')::integer THEN
    IF current_setting('kill.how') = 'wait' THEN
      PERFORM pg_advisory_lock(1);
    ELSE
      PERFORM pg_terminate_backend(pg_backend_pid());
    END IF;
  END IF;
END $$;
CREATE FUNCTION kill.statement() RETURNS event_trigger LANGUAGE plpgsql AS
  'BEGIN PERFORM kill.maybe(); END';
CREATE FUNCTION kill.mark() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN PERFORM kill.maybe(); RETURN NULL; END';
CREATE EVENT TRIGGER kill_statement ON ddl_command_end EXECUTE FUNCTION kill.statement();
"""
#: What a migration changes, without the marks.
STATE = """
WITH ours AS (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace
  AND relname NOT LIKE '\\_yoyo%')
SELECT md5(string_agg(x, ',' ORDER BY x)) FROM (
  SELECT format('%s %s %s', attrelid::regclass, attname, atttypid::regtype)
    FROM pg_attribute JOIN ours ON ours.oid = attrelid
  UNION ALL SELECT format('%s %s', enumtypid::regtype, enumlabel) FROM pg_enum
  UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint AS c JOIN ours ON ours.oid = conrelid
  UNION ALL SELECT pg_get_triggerdef(t.oid)
    FROM pg_trigger AS t JOIN ours ON ours.oid = tgrelid WHERE NOT tgisinternal
  UNION ALL SELECT format('%s %s %s', objoid, objsubid, description)
    FROM pg_description JOIN ours ON ours.oid = objoid
) AS t (x)
"""


@pytest.fixture
def empty(cluster: str) -> Iterator[str]:
    dsn = fresh_database(cluster, "template0")
    yield dsn
    drop_database(dsn)


class Killer:
    """Kills whoever migrates a database at the n-th statement or mark."""

    def __init__(self, dsn: str):
        self.conn: Connection = psycopg.connect(dsn, autocommit=True)
        self.conn.execute("SET kill.at = 0")
        self.conn.execute(KILLER.encode())
        self.name = database.parts(dsn)["dbname"]

    def at(self, number: int, how: str = "end") -> None:
        for key, value in (("at", number), ("how", how)):
            self.conn.execute(f"ALTER DATABASE {self.name} SET kill.{key} = '{value}'".encode())
        marks = (
            "SELECT to_regclass('_yoyo_migration') IS NOT NULL AND NOT EXISTS ("
            "SELECT FROM pg_trigger WHERE tgname = 'kill_mark')"
        )
        if self.conn.execute(marks.encode()).fetchone() == (True,):
            self.conn.execute("CREATE TRIGGER kill_mark AFTER INSERT ON _yoyo_migration"
                              " FOR EACH ROW EXECUTE FUNCTION kill.mark()")  # fmt: skip

    def state(self) -> tuple[int, str]:
        """Return the number of marks and a digest of all else that is defined."""
        marks = len(revisions.of(self.conn))
        row = self.conn.execute(STATE).fetchone()
        assert row is not None
        return marks, row[0]

    def leave(self) -> None:
        self.conn.execute("DROP EVENT TRIGGER kill_statement")
        self.conn.execute("DROP SCHEMA kill CASCADE")
        self.conn.execute(f"ALTER DATABASE {self.name} RESET ALL".encode())
        self.conn.close()


def views_of(dsn: str) -> list[tuple[object, ...]]:
    with database.connect(dsn) as conn:
        return conn.execute(
            "SELECT viewname, definition FROM pg_views WHERE schemaname = 'read_model' ORDER BY 1"
        ).fetchall()


def test_a_session_that_ends_at_any_statement_leaves_all_or_nothing(empty: str, dsn: str) -> None:
    killer, number = Killer(empty), 1
    marks, state = killer.state()
    killed_at = []
    while True:
        killer.at(number)
        try:
            migrate(empty)
            break
        except InfrastructureError as e:
            assert "terminating connection" in str(e)  # noqa: PT017
        killed_at.append((marks, number))
        now, after = killer.state()
        # A migration is there with its mark, or neither is.
        assert (after != state) == (now > marks)
        # Each migration is killed at its first statement and at an eighth of the later ones.
        number = 2 if now > marks else number + (8 if now < len(IDS) else 40)
        marks, state = now, after
    killer.leave()
    # Short migrations are passed over at times; after the last one come the views.
    assert {0, len(IDS)} < {n for n, _ in killed_at}
    assert len(killed_at) > 2 * len(IDS)
    assert tables(empty) == tables(dsn)
    assert views_of(empty) == views_of(dsn)
    assert migrate(empty) == []


def waits(conn: Connection) -> int | None:
    """Return the server process that waits for us."""
    row = conn.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                       " AND objid = 1 AND database = (SELECT oid FROM pg_database"
                       " WHERE datname = current_database())").fetchone()  # fmt: skip
    return None if row is None else row[0]


def in_a_process(dsn: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        migrate(dsn)
    finally:
        os._exit(1)


@pytest.mark.parametrize("number", [1, 200])
def test_a_process_that_is_killed_leaves_all_or_nothing(empty: str, dsn: str, number: int) -> None:
    killer = Killer(empty)
    killer.at(number, "wait")
    killer.conn.execute("SELECT pg_advisory_lock(1)")
    pid = in_a_process(empty)
    until(lambda: waits(killer.conn), lambda: "it did not come so far")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    killer.conn.execute("SELECT pg_advisory_unlock(1)")
    killer.at(0)
    marks = len(revisions.of(killer.conn))
    assert migrate(empty) == IDS[marks:]
    killer.leave()
    assert tables(empty) == tables(dsn)


def test_a_server_that_crashes_leaves_all_or_nothing(server: Server, dsn: str) -> None:
    password = (server.secrets / "administrator").read_text().strip()
    there = psycopg.conninfo.make_conninfo(
        host="127.0.0.1", port=server.port, user="postgres", password=password
    )
    with psycopg.connect(f"{there} dbname=postgres", autocommit=True) as conn:
        conn.execute("CREATE DATABASE crashed")
    crashed = f"{there} dbname=crashed"
    killer = Killer(crashed)
    killer.at(300, "wait")  # after the bounds of the reader, between two migrations
    killer.conn.execute("SELECT pg_advisory_lock(1)")
    pid = in_a_process(crashed)
    until(lambda: waits(killer.conn), lambda: "it did not come so far")
    backend = waits(killer.conn)
    assert backend is not None
    os.kill(backend, signal.SIGKILL)  # all sessions end; the server recovers from its log
    os.waitpid(pid, 0)

    def answers() -> bool:
        try:
            killer.conn = psycopg.connect(crashed, autocommit=True)
        except psycopg.OperationalError:
            return False
        return True

    until(answers, lambda: "the server did not recover")
    killer.at(0)
    marks = len(revisions.of(killer.conn))
    assert 0 < marks < len(IDS)
    assert migrate(crashed) == IDS[marks:]
    killer.leave()
    assert tables(crashed) == tables(dsn)


def test_what_an_older_vlag_left_without_its_mark_is_recognised(empty: str) -> None:
    assert migrate(empty)[:1] == IDS[:1]  # the table of marks
    with database.connect(empty) as conn:
        conn.execute("DROP SCHEMA public, read_model CASCADE")
        conn.execute("CREATE SCHEMA public")
        found = {}
        for id_ in IDS:
            before = half_way.is_applied(conn, id_)
            conn.execute((MIGRATIONS / f"{id_}.sql").read_bytes())
            found[id_] = (before, half_way.is_applied(conn, id_))
    # 0011 may be applied twice; later ones have had their mark in their transaction.
    unknown = {id_ for id_, is_ in found.items() if is_ == (False, False)}
    assert all(is_ == (False, True) for id_, is_ in found.items() if id_ not in unknown)
    assert sorted(id_[:4] for id_ in unknown) == ["0011", *(i[:4] for i in IDS if i > "0030")]


@pytest.mark.parametrize("number", ["0008", "0014"])
def test_it_is_mended_by_the_next_start_and_loses_nothing(empty: str, number: str) -> None:
    with database.connect(empty) as conn:
        conn.execute((DATABASES / "0007.sql").read_bytes())
        conn.execute("SET search_path = public")
        [id_] = [i for i in IDS if i.startswith(number)]
        for name in IDS[7 : IDS.index(id_) + 1]:
            conn.execute((MIGRATIONS / f"{name}.sql").read_bytes())
            if name != id_:
                conn.execute("INSERT INTO _yoyo_migration VALUES (%s, %s)", (name, name))
    before = contents(empty)
    assert before["run"][0] == 16  # type: ignore[index]
    columns = {t: list(c) for t, c in columns_of(empty).items()}
    assert migrate(empty) == IDS[IDS.index(id_) :]
    assert contents(empty, renamed(columns)) == {RENAMED.get(t, t): x for t, x in before.items()}


def test_the_file_to_read_has_the_tables_that_the_migrations_make(empty: str, dsn: str) -> None:
    text = TABLES.read_text(encoding="utf-8")
    with database.connect(empty) as conn:
        conn.execute(text.encode())
    made = tables(dsn)
    assert tables(empty) == made, "run python -m tests.integration.table_file"
    # Negative control: another column is seen.
    with database.connect(empty) as conn:
        conn.execute("ALTER TABLE kernel ADD COLUMN more integer")
    assert tables(empty) != made
