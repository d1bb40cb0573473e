"""Databases of older versions of vlag are brought up to date; those of newer ones refused."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.integration import saved
from tests.integration.old_database import DATABASES
from vlag.errors import InfrastructureError
from vlag.operate.service import revisions
from vlag.store import database, run_values

OLD = sorted(path.stem for path in DATABASES.glob("*.sql"))
_NUMBERS = count()


def empty(cluster: str) -> str:
    name = f"upgrade_{next(_NUMBERS)}"
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name}".encode())
    return f"{cluster} dbname={name}"


def load(cluster: str, number: str) -> str:
    """Make a database as an older version has left it."""
    dsn = empty(cluster)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute((DATABASES / f"{number}.sql").read_bytes())
    return dsn


def contents(dsn: str, columns: dict[str, list[str]] | None = None) -> dict[str, object]:
    """Return count and digest of the rows of each table, of these columns or of all."""
    found: dict[str, object] = {}
    with database.connect(dsn) as conn:
        for table, names in (columns or columns_of(dsn)).items():
            chosen = ", ".join(f'"{name}"' for name in names)
            rows = conn.execute(f"SELECT {chosen} FROM {table}".encode())  # noqa: S608
            text = sorted(repr(row) for row in rows.fetchall())
            found[table] = (len(text), hashlib.sha256("\n".join(text).encode()).hexdigest())
    return found


def columns_of(dsn: str) -> dict[str, list[str]]:
    """Return the columns of our own tables; yoyo's are its own."""
    found: dict[str, list[str]] = {}
    with database.connect(dsn) as conn:
        for table, column in conn.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
            " AND table_name NOT LIKE '%yoyo%' ORDER BY 1, ordinal_position"
        ):
            found.setdefault(table, []).append(column)
    return found


@pytest.mark.parametrize("number", OLD)
def test_old_rows_are_kept(number: str, cluster: str) -> None:
    dsn = load(cluster, number)
    columns = columns_of(dsn)
    before = contents(dsn, columns)
    assert before["run"][0] == 16  # type: ignore[index]
    assert before["verdict"][0] > 5  # type: ignore[index]
    steps = sorted(revisions.known("vlag") or ())
    said: list[str] = []
    assert run_values.migrate(dsn, said.append) == [s for s in steps if s[:4] > number]
    assert contents(dsn, columns) == before
    with database.connect(dsn) as conn:
        # What the new tables are filled with comes of the old rows.
        shown = conn.execute("SELECT count(*) FROM shown.run_value").fetchone()
        assert shown is not None
        assert shown[0] > 16
        assert conn.execute("SELECT count(*) FROM shown.verdict").fetchone() == (
            before["verdict"][0],  # type: ignore[index]
        )
    assert run_values.migrate(dsn, said.append) == []
    # Negative control: a row that is lost is seen.
    with database.connect(dsn) as conn:
        conn.execute("DELETE FROM verdict WHERE verdict = 'REGRESSION'")
    assert contents(dsn, columns) != before


def test_the_upgraded_tables_are_those_of_a_new_database(cluster: str, dsn: str) -> None:
    old = load(cluster, OLD[0])
    run_values.migrate(old, lambda text: None)
    assert {t: sorted(c) for t, c in columns_of(old).items()} == {
        t: sorted(c) for t, c in columns_of(dsn).items()
    }


def test_a_newer_database_is_refused_and_unchanged(cluster: str, dsn: str) -> None:
    other = empty(cluster)
    with psycopg.connect(other) as conn:
        conn.execute("CREATE TABLE alembic_version (version_num varchar(32))")
        conn.execute("INSERT INTO alembic_version VALUES ('067')")
    dsns = {"vlag": dsn, "buildbot": other}
    revisions.refuse_newer(dsns)
    with psycopg.connect(other) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '999'")
    with pytest.raises(InfrastructureError, match=r"buildbot is newer than the Buildbot that is"):
        revisions.refuse_newer(dsns)
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "INSERT INTO _yoyo_migration (migration_hash, migration_id) VALUES ('x', '9999_later')"
        )
    before = saved.rows_of(dsn)
    for refused in (
        lambda: revisions.refuse_newer(dsns),
        lambda: run_values.migrate(dsn, lambda text: None),
    ):
        with pytest.raises(InfrastructureError, match=r"newer than this code .*9999_later") as e:
            refused()
        assert "\n" not in str(e.value)
    assert saved.rows_of(dsn) == before


def test_buildbots_own_revisions_are_known() -> None:
    known = revisions.known("buildbot")
    assert known is not None
    # Asked of Buildbot itself, in a program of its own.
    done = subprocess.run(
        [sys.executable, "-c", "from pathlib import Path; from alembic.script import"
         " ScriptDirectory; from buildbot.db.model import Model;"
         "folder = ScriptDirectory(str(Path(Model.config_path).parent));"
         "print(*(r.revision for r in folder.walk_revisions()))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert known == set(done.stdout.split())


def test_a_backup_of_an_older_version_is_restored_and_brought_up_to_date(tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "old")
    with saved.held(made), saved.running(made):
        with psycopg.connect(made.dsn(), autocommit=True) as conn:
            conn.execute((DATABASES / f"{OLD[0]}.sql").read_bytes())
        with psycopg.connect(made.dsn("buildbot"), autocommit=True) as conn:
            conn.execute(saved.BUILDBOT.encode())
        columns = columns_of(made.dsn())
        before = contents(made.dsn(), columns)
        done = saved.vlag(made, "backup", str(tmp_path / "backups"))
        assert done.returncode == 0, done.stderr
    assert "18 bundles that the database names are not below" in done.stderr
    new = saved.settings(tmp_path / "new")
    done = saved.vlag(new, "restore", str(tmp_path / "backups"))
    assert done.returncode == 0, done.stderr
    with saved.running(new):
        assert contents(new.dsn(), columns) == before
        with database.connect(new.dsn()) as conn:
            there = revisions.of(conn)
    assert there == sorted(revisions.known("vlag") or ())
