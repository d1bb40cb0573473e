# SPDX-License-Identifier: GPL-2.0-only
"""The tables: up, down and up again; and the same words as in the code."""

from __future__ import annotations

import enum
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from vlag.errors import InfrastructureError
from vlag.model import Direction, Outcome, Verdict
from vlag.store import database
from vlag.store.database import MIGRATIONS, Connection
from vlag.store.migrate import migrate, rollback

IDS = sorted(p.stem for p in MIGRATIONS.glob("*.sql") if not p.name.endswith(".rollback.sql"))
TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    " AND table_name NOT LIKE '%yoyo%' ORDER BY 1"
)
COLUMNS = (
    "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " WHERE table_schema = 'public' ORDER BY 1, 2"
)


@pytest.fixture
def empty(cluster: str) -> str:
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS empty")
        conn.execute("CREATE DATABASE empty")
    return f"{cluster} dbname=empty"


def rows(dsn: str, sql: str) -> list[tuple[object, ...]]:
    with database.connect(dsn) as conn:
        return conn.execute(sql).fetchall()


def test_up_down_up(empty: str) -> None:
    assert migrate(empty) == IDS
    first = rows(empty, COLUMNS)
    assert migrate(empty) == []
    assert rollback(empty) == IDS[::-1]
    assert rows(empty, TABLES) == []
    assert rows(empty, "SELECT typname FROM pg_type WHERE typname LIKE '%_kind'") == []
    assert migrate(empty) == IDS
    assert rows(empty, COLUMNS) == first


def test_every_migration_has_its_rollback() -> None:
    assert all((MIGRATIONS / f"{id_}.rollback.sql").is_file() for id_ in IDS)


def test_two_at_once_apply_each_migration_once(empty: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        applied = list(pool.map(migrate, (empty, empty)))
    assert sorted(applied) == [[], IDS]


def test_newer_database_is_refused(dsn: str, tmp_path: Path) -> None:
    older = tmp_path / "migrations"
    older.mkdir()
    for path in MIGRATIONS.glob("0001*"):
        (older / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InfrastructureError, match=r"newer than this code \(it has 0002_"):
        migrate(dsn, older)


@pytest.mark.parametrize(
    ("name", "words"),
    [("direction_kind", Direction), ("outcome_kind", Outcome), ("verdict_kind", Verdict)],
)
def test_words_equal_those_of_the_code(conn: Connection, name: str, words: type[enum.Enum]) -> None:
    sql = "SELECT enumlabel FROM pg_enum WHERE enumtypid = %s::regtype ORDER BY enumsortorder"
    assert [r[0] for r in conn.execute(sql, (name,))] == [w.value for w in words]


def test_no_server_is_said_in_one_sentence_without_the_password() -> None:
    dsn = "host=127.0.0.1 port=1 user=vlag password=hunter2 dbname=vlag connect_timeout=2"
    with pytest.raises(InfrastructureError, match="make run") as caught:
        migrate(dsn)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.retry


def test_malformed_connection_string_is_not_shown() -> None:
    with (
        pytest.raises(InfrastructureError, match="not valid") as caught,
        database.connect("password=hunter2 nonsense"),
    ):
        pass
    assert "hunter2" not in str(caught.value)


def test_passfile_is_used(empty: str, tmp_path: Path) -> None:
    passfile = tmp_path / "pass file"
    passfile.write_text("*:*:*:*:secret\n")
    passfile.chmod(0o600)
    assert migrate(f"{empty} passfile='{passfile}' connect_timeout=10") == IDS
