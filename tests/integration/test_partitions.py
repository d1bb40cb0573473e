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
from vlag.store import database, partitions, runs
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.migrate import MIGRATIONS, migrate
from vlag.store.partition import partition
from vlag.store.partitions import Part, plan

# Locks are waited for in earnest: CI has an hour for all.
pytestmark = pytest.mark.long

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
TODAY = date(2026, 11, 22)
MADE = [f"{t}_2026_{m}" for t in ("sample", "histogram") for m in ("09", "10", "11")]
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
    """Runs 1-4 of September, 5-8 of October, 9-10 of September that came late, 11-14."""
    fill(BASE, "2026-09-10", 2)
    fill(NEW, "2026-10-10", 2)
    fill(BASE, "2026-09-20", 1)
    fill(NEW, "2026-11-10", 2)
    return dsn


def quiet(text: str) -> None:
    """Say nothing."""


def cut(dsn: str, today: date = TODAY, **options: Any) -> list[str]:
    return partition(dsn, options.pop("say", quiet), today=today, **options)


def ask(dsn: str, words: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn, autocommit=True) as conn:
        return conn.execute(words.encode()).fetchall()


def contents(dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of both tables and of every view."""
    views = ask(dsn, "SELECT viewname FROM pg_views WHERE schemaname = 'shown'")
    assert len(views) > 20
    names = ["public.sample", "public.histogram", *(f"shown.{v}" for (v,) in views)]
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
    assert rows["shown.histogram_bucket"]
    said: list[str] = []
    assert cut(months, say=said.append) == MADE
    assert "sample_2026_09: 4 rows" in said
    assert contents(months) == rows
    assert form(months) == made
    low, high = "FROM (MINVALUE) TO ('5')", "FROM ('11') TO (MAXVALUE)"
    expected = {"09": low, "10": "FROM ('5') TO ('11')", "11": high}
    assert dict(ask(months, BOUNDS)) == {n: f"FOR VALUES {expected[n[-2:]]}" for n in MADE}
    # The late runs are where their ids are.
    assert ask(months, "SELECT DISTINCT run FROM sample_2026_10 ORDER BY 1") == [(5,), (6,), (9,)]
    left = "SELECT nspname FROM pg_namespace WHERE nspname ~ 'partition|shown_old'"
    assert ask(months, left) == []


def test_reader_sees_only_what_is_shown(months: str) -> None:
    cut(months)
    reader = database.as_user(months, "vlag_reader")
    assert ask(reader, "SELECT count(*) FROM shown.histogram_bucket") != [(0,)]
    for table in ("sample", "sample_2026_09", "histogram"):
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
    assert ask(dsn, "SELECT count(DISTINCT run) FROM sample_2026_11") == [(6,)]
    assert answer().new
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        conn.execute("INSERT INTO sample SELECT 999, series, values, instances FROM sample LIMIT 1")
    with pytest.raises(psycopg.errors.UniqueViolation):
        conn.execute("INSERT INTO sample SELECT * FROM sample LIMIT 1")


def test_a_month_that_has_begun_is_split_off(months: str, fill: Fill) -> None:
    cut(months)
    fill(NEW, "2026-12-02", 2)  # 15-18, entered before the call
    fill(BASE, "2026-11-29", 1)  # 19-20, late
    rows, made = contents(months), form(months)
    assert cut(months, date(2026, 12, 5)) == ["sample_2026_12", "histogram_2026_12"]
    assert contents(months) == rows
    assert form(months) == made
    bounds = dict(ask(months, BOUNDS))
    assert bounds["sample_2026_11"] == "FOR VALUES FROM ('11') TO ('15')"
    assert bounds["sample_2026_12"] == "FOR VALUES FROM ('15') TO (MAXVALUE)"
    assert len(bounds) == 8
    assert ask(months, "SELECT DISTINCT run FROM sample_2026_12 ORDER BY 1") == [
        (15,),
        (16,),
        (19,),
    ]
    # Nothing has run yet on the first of the month; then a month without a run.
    cut(months, date(2027, 1, 1))
    assert dict(ask(months, BOUNDS))["sample_2027_01"] == "FOR VALUES FROM ('21') TO (MAXVALUE)"
    cut(months, date(2027, 2, 1))
    bounds = dict(ask(months, BOUNDS))
    assert bounds["sample_2027_02"] == "FOR VALUES FROM ('21') TO (MAXVALUE)"
    assert "sample_2027_01" not in bounds
    # Months in which nobody called it.
    fill(NEW, "2027-03-03", 1)
    fill(NEW, "2027-04-04", 1)
    assert cut(months, date(2027, 5, 5))[:3] == [
        "sample_2027_04",
        "sample_2027_05",
        "histogram_2027_04",
    ]
    assert form(months) == made


@pytest.mark.parametrize(
    ("first_ids", "expected"),
    [
        ({}, [(11, None)]),
        ({9: 1, 10: 5, 11: 8}, [(9, None), (10, 5), (11, 8)]),
        ({9: 1}, [(9, None), (11, 100)]),
        ({8: 7, 9: 1, 10: 5}, [(9, None), (10, 5), (11, 100)]),  # August only came late
        ({12: 3, 9: 1}, [(9, None), (11, 100)]),  # a clock that was wrong
    ],
)
def test_plan(first_ids: dict[int, int], expected: list[tuple[int, int | None]]) -> None:
    given = [(date(2026, month, 1), id_) for month, id_ in first_ids.items()]
    parts = plan(given, following=100, present=TODAY, floor=None)
    assert parts == [Part(month=date(2026, month, 1), start=start) for month, start in expected]


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


def test_a_reader_of_the_views_is_said(months: str) -> None:
    with psycopg.connect(database.as_user(months, "vlag_reader")) as reader:
        reader.execute("SELECT count(*) FROM shown.histogram_bucket")
        with pytest.raises(InfrastructureError, match="table histogram for more than 0 s"):
            cut(months, patience_s=0.2)
        # It goes on reading; the table that it does not read is done.
        assert reader.execute("SELECT count(*) > 0 FROM shown.histogram_bucket").fetchone() == (
            True,
        )
    assert [name for name, _ in ask(months, BOUNDS)] == MADE[:3]
    assert cut(months) == MADE[3:]


def test_killed_leaves_the_old_table(months: str) -> None:
    rows, made = contents(months), form(months)

    def kill(text: str) -> None:
        if text == "sample: comparing both":
            ask(
                months,
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )

    with pytest.raises(InfrastructureError, match="cannot use database"):
        cut(months, say=kill)
    assert ask(months, BOUNDS) == []
    assert (contents(months), form(months)) == (rows, made)
    assert cut(months) == MADE


def test_an_ingest_meanwhile_waits_and_loses_nothing(months: str, fill: Fill) -> None:
    thread = threading.Thread(target=fill, args=(BASE, "2026-11-21", 1))
    waits = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO%'"
    )

    def enter(text: str) -> None:
        if text.startswith("sample: ") and "become" in text:
            thread.start()
            while ask(months, waits) == [(0,)]:
                assert thread.is_alive()

    assert cut(months, say=enter) == MADE
    thread.join(60)
    assert not thread.is_alive()
    assert ask(months, "SELECT count(*) FROM sample") == [(16,)]
    assert ask(months, "SELECT count(*) FROM sample_2026_11 WHERE run > 14") == [(2,)]


def test_what_a_killed_call_has_left_is_dropped(months: str) -> None:
    """The old table is dropped after the new one is there: here the call ends between the two."""
    with psycopg.connect(months) as reader:
        reader.execute("SELECT count(*) FROM series")
        with pytest.raises(InfrastructureError, match="table run for more than 0 s"):
            cut(months, patience_s=0.2)
        rows = contents(months)
    left = "SELECT count(*) FROM pg_tables WHERE schemaname = 'partitions_before'"
    assert ask(months, left) == [(1,)]
    assert len(ask(months, BOUNDS)) == 3
    assert cut(months) == MADE[3:]
    assert ask(months, left) == [(0,)]
    assert contents(months) == rows


def test_a_copy_that_lacks_a_row_is_refused(months: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = partitions._equal

    def lose(conn: Connection, old: str, new: str) -> None:
        conn.execute(f"DELETE FROM {new} WHERE run = 7".encode())  # noqa: S608
        conn.execute(f"DELETE FROM {new} WHERE run = 5".encode())  # noqa: S608
        real(conn, old, new)

    rows = contents(months)
    monkeypatch.setattr(partitions, "_equal", lose)
    with pytest.raises(InfrastructureError, match="is not equal to it"):
        cut(months)
    assert contents(months) == rows
    assert ask(months, BOUNDS) == []


def test_what_others_built_on_it_is_named(months: str) -> None:
    with psycopg.connect(months, autocommit=True) as conn:
        conn.execute("CREATE VIEW mine AS SELECT run FROM sample")
        with pytest.raises(UsageError, match=r"view public.mine stands on table sample"):
            cut(months)
        conn.execute("DROP VIEW mine")
    assert cut(months) == MADE


def test_one_run_touches_one_partition(months: str) -> None:
    cut(months)
    for table in partitions.TABLES:
        lines = ask(months, f"EXPLAIN SELECT * FROM {table} WHERE run = ANY('{{5,6}}')")  # noqa: S608
        touched = set(re.findall(rf"{table}_\d+_\d+\b(?!_)", " ".join(row[0] for row in lines)))
        assert touched == {f"{table}_2026_10"}


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
    typed = script[1].replace("sample_2026_03", "sample_2026_09").replace("archive", "slow")
    subprocess.run(
        ["psql", "-X", "-v", "ON_ERROR_STOP=1", months], input=typed, text=True, check=True
    )
    moved = "SELECT relname FROM pg_class c JOIN pg_tablespace t ON t.oid = reltablespace WHERE spcname = 'slow' AND relname LIKE 'sample%' ORDER BY 1"  # noqa: E501
    assert ask(months, moved) == [
        ("sample_2026_09",),
        ("sample_2026_09_pkey",),
        ("sample_2026_09_series_idx",),
    ]
    source = dumps.Database(name="vlag", dsn=months)
    into = dumps.Database(name="vlag", dsn=f"{cluster} dbname=restored")
    path = tmp_path / "vlag.dump"
    said = dumps.dump(source, path, quiet)
    assert "0001_kernels_and_runs" in said["revisions"]
    dumps.load(path, into, quiet)
    migrate(into.dsn)
    assert ask(into.dsn, BOUNDS) == ask(months, BOUNDS)
    assert contents(into.dsn) == contents(months)
    assert ask(into.dsn, moved) == [], "a server need not have the tablespaces of another"
    assert dumps.data_of(into) is not None
    dumps.clear(into)
    assert dumps.data_of(into) is None
    assert ask(into.dsn, "SELECT count(*) FROM pg_class WHERE relname ~ '^sample'") == [(0,)]
    # Negative control: rows that have gone since do not come back.
    assert len(ask(months, "DELETE FROM sample_2026_09 WHERE run = 1 RETURNING run")) == 2
    dumps.dump(source, tmp_path / "less.dump", quiet)
    dumps.load(tmp_path / "less.dump", into, quiet)
    migrate(into.dsn)
    assert ask(into.dsn, "SELECT count(*) FROM sample_2026_09") == [(2,)]


def test_the_command(tmp_path: Path, catalogue: Catalogue) -> None:
    made = saved.settings(tmp_path / "made")
    with saved.running(made):
        none = saved.vlag(made, "partition")
        assert none.returncode == 75
        assert none.stderr.count("\n") == 1
        assert saved.vlag(made, "migrate").returncode == 0
        saved.enter(made, catalogue)
        done = saved.vlag(made, "partition")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == "sample_2026_03"
        assert saved.vlag(made, "partition").stdout == ""
