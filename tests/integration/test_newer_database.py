# SPDX-License-Identifier: GPL-2.0-only
"""Commands of an old checkout on the database of a newer one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import Result
from psycopg import sql

from tests.integration import bundles, saved
from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.store import database
from vlag.store.database import Connection, explain

#: Commands that write, that read, and that the service calls.
COMMANDS = (
    "ingest {bundle}",
    "compare linux-6.1 linux-6.12",
    "report",
    "kernels",
    "alerts list",
    "alerts list --refresh",
    "notify list",
    "notify night --key n1 --started 2026-03-01T01:30:00Z",
    "db migrate",
    "db partition",
)

#: Our own, without the marks of migrations and those whose rows come after one of `run`.
TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
AND relname NOT LIKE '%yoyo%' AND relname NOT IN ('sample', 'histogram')
"""


@pytest.fixture
def bundle(tmp_path: Path, catalogue: Catalogue) -> Path:
    return bundles.side(tmp_path, bundles.kernel("6.1"), catalogue)[0]


def test_every_command_refuses_it_and_changes_nothing(
    vlag: Callable[..., Result], conn: Connection, dsn: str, bundle: Path
) -> None:
    conn.execute("INSERT INTO _yoyo_migration VALUES ('x', '9999_later')")
    before = saved.rows_of(dsn)
    for line in COMMANDS:
        done = vlag(*line.format(bundle=bundle).split())
        said = done.output.strip().splitlines()
        assert done.exit_code == ExitCode.INFRASTRUCTURE, (line, done.output)
        assert "newer than this code (it has 9999_later)" in said[-1], line
    assert saved.rows_of(dsn) == before
    # Negative control: with the marks that this code knows, the bundle is entered.
    conn.execute("DELETE FROM _yoyo_migration WHERE migration_id = '9999_later'")
    done = vlag("ingest", str(bundle))
    assert done.exit_code == ExitCode.OK, done.output
    assert saved.rows_of(dsn) != before


def test_commands_reach_the_database_by_one_road() -> None:
    callers = {
        str(path.relative_to(ROOT / "vlag"))
        for path in (ROOT / "vlag").rglob("*.py")
        if "psycopg.connect(" in path.read_text(encoding="utf-8")
    }
    # The others only ask whether a server answers.
    waiting = {"operate/service/parts.py", "operate/service/postgres.py"}
    assert callers == {"store/database.py", *waiting}


def older(dsn: str) -> Connection:
    """Return a session as the code had it that did not ask whether a database is newer."""
    conn: Connection = psycopg.connect(dsn, autocommit=True)
    for name, value in database.PLANNING.items():
        conn.execute(f"SET {name} = '{value}'".encode())
    return conn


def test_the_tables_refuse_rows_of_code_that_does_not_ask(dsn: str) -> None:
    with older(dsn) as conn:
        tables = [name for (name,) in conn.execute(TABLES)]
        assert {"run", "night", "alert"} < set(tables)
        for table in tables:
            for line in ("INSERT INTO {} DEFAULT VALUES", "DELETE FROM {}"):
                statement = sql.SQL(line).format(sql.Identifier(table))
                with pytest.raises(psycopg.errors.RaiseException) as refused:
                    conn.execute(statement)
                assert str(explain(refused.value, dsn)).startswith("database "), table
                assert "(the database is newer than this code: update" in str(
                    explain(refused.value, dsn)
                )
    # Negative control: our own sessions, and a person's with psql, may write.
    with database.connect(dsn) as ours:
        ours.execute("DELETE FROM night")
    with psycopg.connect(dsn) as persons:
        persons.execute("SET jit = off")
        persons.execute("DELETE FROM night")
