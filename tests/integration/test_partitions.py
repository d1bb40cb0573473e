# SPDX-License-Identifier: GPL-2.0-only
"""Raw samples by month: every row is where it was, and everything works as before."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration import bundles, saved
from vlag import ROOT
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.backup import dumps
from vlag.pipeline.ingest import Ingested, ingest_all
from vlag.store import database, partitions, runs, views
from vlag.store.database import MIGRATIONS, Connection
from vlag.store.kernels import KernelRef
from vlag.store.migrate import migrate
from vlag.store.partition import partition

# Locks are waited for in earnest: CI has an hour for all.
pytestmark = pytest.mark.long

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
TODAY = date(2026, 11, 22)
MADE = [f"{t}_{m}" for t in partitions.TABLES for m in ("first", "2026_11")]
BOUNDS = (
    "SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits i"
    " JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relkind = 'r' ORDER BY 1"
)
Fill = Callable[..., None]


@pytest.fixture
def fill(dsn: str, catalogue: Catalogue, tmp_path: Path) -> Fill:
    """Enter so many boots of two benchmarks that ended on a day; ids go on from the last."""

    def work(of: dict[str, Any], day: str, boots: int) -> None:
        paths = bundles.side(
            tmp_path, of, catalogue, factors=[1 + n / 1000 for n in range(boots)],
            shifts=range(boots), started_at=f"{day}T10:00:00Z", finished_at=f"{day}T10:05:00Z",
        )  # fmt: skip
        with database.connect(dsn) as conn:
            found = list(ingest_all(paths, conn=conn, catalogue=catalogue))
        assert all(isinstance(f, Ingested) for f in found), found

    return work


@pytest.fixture
def months(dsn: str, fill: Fill) -> str:
    """Fourteen runs: of September and October, of September that came late, of November."""
    fill(BASE, "2026-09-10", 2)
    fill(NEW, "2026-10-10", 2)
    fill(BASE, "2026-09-20", 1)
    fill(NEW, "2026-11-10", 2)
    return dsn


def cut(dsn: str, today: date = TODAY, **options: Any) -> list[str]:
    return partition(dsn, today=today, **options)


def ask(dsn: str, words: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        return conn.execute(words.encode()).fetchall()


def contents(dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of both tables and of every view."""
    views = ask(dsn, "SELECT viewname FROM pg_views WHERE schemaname = 'read_model'")
    assert len(views) > 20
    names = ["public.sample", "public.histogram", *(f"read_model.{v}" for (v,) in views)]
    return {n: sorted(ask(dsn, f"SELECT t::text FROM {n} t")) for n in names}  # noqa: S608


FORM = {
    "columns": "SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod),"
    " attnotnull, col_description(attrelid, attnum), attacl::text FROM pg_attribute"
    " WHERE attrelid IN (SELECT oid FROM two) AND attnum > 0 AND NOT attisdropped"
    " ORDER BY 1, attnum",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid),"
    " convalidated FROM pg_constraint WHERE conrelid IN (SELECT oid FROM two) ORDER BY 1, 2",
    "indexes": "SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON '), indisvalid"
    " FROM pg_index WHERE indrelid IN (SELECT oid FROM two) ORDER BY 1",
    "tables": "SELECT oid::regclass::text, obj_description(oid), relacl::text,"
    " pg_get_userbyid(relowner) FROM pg_class WHERE oid IN (SELECT oid FROM two) ORDER BY 1",
}
TWO = (
    "WITH two AS (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " AND relname IN ('sample', 'histogram')) "
)


def form(dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return what describes both tables: columns, constraints, indexes, comments, rights."""
    return {what: ask(dsn, TWO + words) for what, words in FORM.items()}


def test_everything_is_as_before(months: str) -> None:
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("GRANT SELECT, INSERT ON sample TO vlag_reader WITH GRANT OPTION")
        conn.execute("GRANT UPDATE (expected) ON histogram TO PUBLIC")
    rows, made = contents(months), form(months)
    assert len(rows["public.sample"]) == 14
    assert len(rows["public.histogram"]) == 7
    assert rows["read_model.histogram_bucket"]
    assert cut(months) == MADE
    assert contents(months) == rows
    assert form(months) == made
    bounds = {"first": "FROM (MINVALUE) TO ('15')", "2026_11": "FROM ('15') TO (MAXVALUE)"}
    assert dict(ask(months, BOUNDS)) == {
        f"{t}_{m}": f"FOR VALUES {of}" for t in partitions.TABLES for m, of in bounds.items()
    }
    left = "SELECT nspname FROM pg_namespace WHERE nspname ~ 'partition|read_model_old'"
    assert ask(months, left) == []


def test_reader_sees_only_what_is_shown(months: str) -> None:
    cut(months)
    reader = database.as_user(months, "vlag_reader")
    assert ask(reader, "SELECT count(*) FROM read_model.histogram_bucket") != [(0,)]
    for table in ("sample", "sample_first", "histogram"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(reader, f"SELECT count(*) FROM public.{table}")  # noqa: S608


def test_again_changes_nothing(months: str) -> None:
    cut(months)
    oids = "SELECT oid, relname, xmin::text FROM pg_class WHERE relname ~ '^(sample|histogram)'"
    before, rows = ask(months, oids), contents(months)
    assert cut(months) == []
    assert cut(months, date(2026, 11, 30)) == []
    assert ask(months, oids) == before
    assert contents(months) == rows


def test_ingest_and_compare_work_after(
    conn: Connection, catalogue: Catalogue, fill: Fill, dsn: str
) -> None:
    def answer() -> StoredComparison:
        return compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
            base=KernelRef(text="linux-6.1", knobs={}), new=KernelRef(text="linux-6.12", knobs={}),
        )  # fmt: skip

    fill(BASE, "2026-10-10", 5)
    fill(NEW, "2026-11-10", 5)
    ids = [r[0] for r in ask(dsn, "SELECT id FROM run ORDER BY 1")]
    figures, first = runs.figures_of(conn, ids), answer()
    cut(dsn)
    assert len(ids) == 20
    assert str(runs.figures_of(conn, ids)) == str(figures)
    again = answer()
    assert (again.id, again.new) == (first.id, False)
    assert again.verdicts == first.verdicts
    fill(NEW, "2026-11-10", 6)  # ten are on record: two are added
    assert ask(dsn, "SELECT count(DISTINCT run) FROM sample_2026_11") == [(1,)]
    assert answer().new
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        conn.execute("INSERT INTO sample SELECT 999, series, values, instances FROM sample LIMIT 1")
    with pytest.raises(psycopg.errors.UniqueViolation):
        conn.execute("INSERT INTO sample SELECT * FROM sample LIMIT 1")


def test_a_month_that_has_begun_gets_a_partition(months: str, fill: Fill) -> None:
    cut(months)
    fill(NEW, "2026-12-02", 2)  # 15-18, entered before the call
    rows, made = contents(months), form(months)
    assert cut(months, date(2026, 12, 5)) == ["sample_2026_12", "histogram_2026_12"]
    assert (contents(months), form(months)) == (rows, made)
    bounds = dict(ask(months, BOUNDS))
    assert bounds["sample_2026_11"] == "FOR VALUES FROM ('15') TO ('19')"
    assert bounds["sample_2026_12"] == "FOR VALUES FROM ('19') TO (MAXVALUE)"
    fill(BASE, "2026-11-29", 1)  # 19-20, late: they are in the month in which they came
    assert ask(months, "SELECT DISTINCT run FROM sample_2026_12") == [(19,)]
    # A month in which no run came has no partition.
    cut(months, date(2027, 1, 1))
    assert cut(months, date(2027, 2, 1)) == ["sample_2027_02", "histogram_2027_02"]
    bounds = dict(ask(months, BOUNDS))
    assert bounds["sample_2027_02"] == "FOR VALUES FROM ('21') TO (MAXVALUE)"
    assert "sample_2027_01" not in bounds
    assert form(months) == made


def test_partitions_by_the_month_of_an_older_version_go_on(months: str, fill: Fill) -> None:
    cut(months)
    for table in partitions.TABLES:
        with psycopg.connect(months, autocommit=True) as conn:
            conn.execute(f"ALTER TABLE {table}_first RENAME TO {table}_2026_10".encode())
    fill(NEW, "2026-12-02", 1)
    assert cut(months, date(2026, 12, 5)) == ["sample_2026_12", "histogram_2026_12"]
    assert len(ask(months, BOUNDS)) == 6


def test_a_partition_of_others_that_is_open_is_named(months: str) -> None:
    cut(months)
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("ALTER TABLE sample_2026_11 RENAME TO sample_mine")
    with pytest.raises(UsageError, match="partition sample_mine of table sample is open"):
        cut(months)
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("ALTER TABLE sample DETACH PARTITION sample_mine")
    with pytest.raises(UsageError, match="no partition that is open"):
        cut(months)


@pytest.mark.parametrize("first", [True, False], ids=["convert", "split"])
def test_a_reader_that_holds_the_table_is_said(months: str, first: bool) -> None:
    if not first:
        cut(months)
    before = ask(months, BOUNDS), contents(months)
    with psycopg.connect(months) as reader:
        reader.execute("SELECT count(*) FROM histogram; SELECT count(*) FROM sample")
        with pytest.raises(InfrastructureError, match="table sample for more than 0 s") as caught:
            cut(months, date(2026, 12, 1), patience_s=0.2)
        assert "\n" not in str(caught.value)
    assert (ask(months, BOUNDS), contents(months)) == before
    assert cut(months, date(2026, 12, 1)) != []


def test_a_reader_of_the_views_is_said(months: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_PATIENCE_S", 0.2)
    with psycopg.connect(database.as_user(months, "vlag_reader")) as reader:
        reader.execute("SELECT count(*) FROM read_model.histogram_bucket")
        with pytest.raises(InfrastructureError, match="views of schema read_model_old for more"):
            cut(months)
        # It goes on reading.
        assert reader.execute(
            "SELECT count(*) > 0 FROM read_model.histogram_bucket"
        ).fetchone() == (True,)
    assert ask(months, BOUNDS) == []
    assert cut(months) == MADE


def test_killed_leaves_the_old_table(months: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends the session when all but the views is made."""
    rows, made = contents(months), form(months)

    def kill(conn: Connection) -> None:
        conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patched:
        patched.setattr(partitions, "_renew_views", kill)
        with pytest.raises(InfrastructureError, match="cannot use database"):
            cut(months)
    assert ask(months, BOUNDS) == []
    assert (contents(months), form(months)) == (rows, made)
    assert cut(months) == MADE


def test_killed_between_two_steps_goes_on(months: str) -> None:
    rows = contents(months)
    with database.connect(months) as conn:
        assert partitions.convert(conn, "sample") == MADE[:1]
    assert contents(months) == rows
    assert cut(months) == MADE[1:]
    assert contents(months) == rows


def test_an_ingest_meanwhile_loses_nothing(months: str, fill: Fill) -> None:
    def enter() -> None:
        for day in range(21, 25):
            fill(BASE, f"2026-11-{day}", 1)

    thread = threading.Thread(target=enter)
    thread.start()
    called = [cut(months, date(2026 + n // 12, n % 12 + 1, 1)) for n in range(10, 22)]
    thread.join(60)
    assert not thread.is_alive()
    assert sum(map(len, called)) >= len(MADE)
    assert ask(months, "SELECT count(*), count(DISTINCT run) FROM sample") == [(22, 11)]
    assert ask(months, "SELECT count(*) FROM histogram") == [(11,)]


def test_what_others_built_on_it_is_named(months: str) -> None:
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("CREATE VIEW mine AS SELECT run FROM sample")
        with pytest.raises(UsageError, match=r"view public.mine depends on table sample"):
            cut(months)
        conn.execute("DROP VIEW mine")
    assert cut(months) == MADE


def test_one_run_touches_one_partition(months: str) -> None:
    cut(months)
    for table in partitions.TABLES:
        lines = ask(months, f"EXPLAIN SELECT * FROM {table} WHERE run = ANY('{{5,6}}')")  # noqa: S608
        touched = set(re.findall(rf"on {table}_(\w+)", " ".join(row[0] for row in lines)))
        assert {name for name in touched if not name.endswith("_idx")} <= {"first", "first_pkey"}
        assert touched


def test_later_migrations_work(months: str, tmp_path: Path) -> None:
    cut(months)
    rows = contents(months)
    folder = tmp_path / "migrations"
    folder.mkdir()
    for path in MIGRATIONS.glob("*.sql"):
        (folder / path.name).write_bytes(path.read_bytes())
    last = sorted(p.stem for p in MIGRATIONS.glob("*.sql") if "rollback" not in p.name)[-1]
    (folder / "9999_more.sql").write_text(
        f"-- depends: {last}\n\n"
        "ALTER TABLE sample DROP CONSTRAINT sample_check;\n\n"
        "ALTER TABLE sample ADD CHECK (cardinality(values) = cardinality(instances));\n\n"
        "ALTER TABLE histogram ADD COLUMN note text;\n\n"
        "CREATE INDEX histogram_achieved ON histogram (achieved);\n"
    )
    assert migrate(months, folder) == ["9999_more"]
    after = contents(months)
    assert after.pop("public.histogram") != rows.pop("public.histogram")
    assert after == rows
    # This checkout does not know it, and would refuse the database.
    assert ask(months, "DELETE FROM _yoyo_migration WHERE migration_id = '9999_more' RETURNING 1")
    assert cut(months, date(2026, 12, 1)) == ["sample_2026_12", "histogram_2026_12"]


def test_backup_and_restore_bring_the_partitions_back(
    months: str, cluster: str, tmp_path: Path
) -> None:
    cut(months)
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("SET allow_in_place_tablespaces = on")
        conn.execute("CREATE TABLESPACE slow LOCATION ''")
        conn.execute("CREATE DATABASE restored")
    # What the docs tell an administrator to type.
    text = (ROOT / "docs/growing.md").read_text()
    script = re.search(r"```sql\n(.*?)```", text, re.S)
    assert script is not None
    typed = script[1].replace("sample_2026_03", "sample_first").replace("archive", "slow")
    subprocess.run(
        ["psql", "-X", "-v", "ON_ERROR_STOP=1", months], input=typed, text=True, check=True
    )
    moved = "SELECT relname FROM pg_class c JOIN pg_tablespace t ON t.oid = reltablespace WHERE spcname = 'slow' AND relname LIKE 'sample%' ORDER BY 1"  # noqa: E501
    assert ask(months, moved) == [
        ("sample_first",),
        ("sample_first_pkey",),
        ("sample_first_series",),
    ]
    source = dumps.Database(name="vlag", dsn=months)
    into = dumps.Database(name="vlag", dsn=f"{cluster} dbname=restored")
    path = tmp_path / "vlag.dump"
    said = dumps.dump(source, path)
    assert "0001_kernels_and_runs" in said["revisions"]
    dumps.load(path, into)
    migrate(into.dsn)
    assert ask(into.dsn, BOUNDS) == ask(months, BOUNDS)
    assert contents(into.dsn) == contents(months)
    assert ask(into.dsn, moved) == [], "a server need not have the tablespaces of another"
    assert dumps.data_of(into) is not None
    dumps.clear(into)
    assert dumps.data_of(into) is None
    assert ask(into.dsn, "SELECT count(*) FROM pg_class WHERE relname ~ '^sample'") == [(0,)]
    # Negative control: rows that have gone since do not come back.
    assert len(ask(months, "DELETE FROM sample_first WHERE run = 1 RETURNING run")) == 2
    dumps.dump(source, tmp_path / "less.dump")
    dumps.load(tmp_path / "less.dump", into)
    migrate(into.dsn)
    assert ask(into.dsn, "SELECT count(*) FROM sample_first") == [(12,)]


def test_the_command(tmp_path: Path, catalogue: Catalogue) -> None:
    made = saved.settings(tmp_path / "made")
    with saved.running(made):
        none = saved.vlag(made, "db", "partition")
        assert none.returncode == 75
        assert none.stderr.count("\n") == 1
        assert saved.vlag(made, "db", "migrate").returncode == 0
        saved.enter(made, catalogue)
        done = saved.vlag(made, "db", "partition")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == "sample_first"
        assert saved.vlag(made, "db", "partition").stdout == ""
