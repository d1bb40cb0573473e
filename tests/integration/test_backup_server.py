# SPDX-License-Identifier: GPL-2.0-only
"""Backup and restore where somebody else runs the database server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.integration import bundles, saved
from tests.waiting import DEADLINE_S
from vlag import config
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.backup import dumps, restore, save
from vlag.operate.backup.repository import Repository
from vlag.pipeline.ingest import Ingested, ingest_all
from vlag.store import database

OWNERS = {"vlag": "keeper", "buildbot": "keeper", "lavaserver": "lavaserver"}
LAVA = (
    "CREATE TABLE django_migrations (id serial PRIMARY KEY, name text);"
    "CREATE TABLE lava_job (id serial PRIMARY KEY, definition text)"
)


def make_databases(cluster: str) -> None:
    """Make the databases anew, empty, owned by roles that may do nothing else."""
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        for role in sorted(set(OWNERS.values())):
            there = conn.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
            if there is None:
                conn.execute(f"CREATE ROLE {role} LOGIN".encode())
        for name, owner in OWNERS.items():
            conn.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            conn.execute(f"CREATE DATABASE {name} OWNER {owner}".encode())


@pytest.fixture
def databases(cluster: str, template: str) -> Iterator[str]:
    """Connection string of the server; the template has made the role that reads."""
    make_databases(cluster)
    yield cluster
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        for name in OWNERS:
            conn.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def settings(folder: Path, cluster: str) -> Settings:
    made = saved.settings(folder)
    at = conninfo_to_dict(cluster)
    table = f'\n[database]\nhost = "{at["host"]}"\nport = {at["port"]}\nuser = "keeper"\n'
    if "[database]\nhost" not in made.path.read_text():
        made.path.write_text(made.path.read_text() + table)
    return config.load(made.path)


def lava(cluster: str) -> str:
    at = conninfo_to_dict(cluster)
    return f"host={at['host']} port={at['port']} user=lavaserver dbname=lavaserver"


def test_three_databases_come_back(databases: str, catalogue: Catalogue, tmp_path: Path) -> None:
    made, other = settings(tmp_path / "old", databases), f"lavaserver={lava(databases)}"
    made.state.mkdir()
    saved.fill(made, catalogue)
    with psycopg.connect(lava(databases)) as conn:
        conn.execute(LAVA.encode())
        conn.execute("INSERT INTO lava_job (definition) VALUES ('a job'), ('another')")
    before = saved.rows_of(made.dsn(), made.dsn("buildbot"), lava(databases))
    done = saved.vlag(made, "backup", str(tmp_path / "backups"), "--database", other)
    assert done.returncode == 0, done.stderr

    new = settings(tmp_path / "new", databases)
    one = dumps.Database(name="vlag", dsn=new.dsn())
    dumps.refuse_older(one, {"server": 150000})
    with pytest.raises(UsageError, match="made by PostgreSQL 99, this server is"):
        dumps.refuse_older(one, {"server": 990000})
    done = saved.vlag(new, "restore", str(tmp_path / "backups"))
    assert done.returncode == 2
    assert "has a database lavaserver too: say where it goes with" in done.stderr
    done = saved.vlag(new, "restore", str(tmp_path / "backups"), "--database", other)
    assert done.returncode == 2
    assert "has data (rows in " in done.stderr
    assert saved.rows_of(made.dsn(), made.dsn("buildbot"), lava(databases)) == before

    make_databases(databases)
    done = saved.vlag(new, "restore", str(tmp_path / "backups"), "--database", other)
    assert done.returncode == 0, done.stderr
    after = saved.rows_of(new.dsn(), new.dsn("buildbot"), lava(databases))
    assert after == before
    with psycopg.connect(lava(databases)) as conn:
        row = conn.execute("INSERT INTO lava_job (definition) VALUES ('x') RETURNING id").fetchone()
    assert row == (3,)
    with psycopg.connect(database.as_user(new.dsn(), "vlag_reader")) as conn:
        assert conn.execute("SELECT count(*) FROM read_model.run").fetchone() == (10,)

    # Without it, into databases that a first start has made tables in.
    make_databases(databases)
    last = settings(tmp_path / "last", databases)
    last.state.mkdir()
    assert saved.vlag(last, "db", "migrate").returncode == 0
    done = saved.vlag(last, "restore", str(tmp_path / "backups"), "--without", "lavaserver")
    assert done.returncode == 0, done.stderr
    assert saved.rows_of(last.dsn())["vlag.public.run"]["rows"] == 10


class Writer(threading.Thread):
    """Goes on as stages do: a bundle, its row, and then Buildbot's word that it is done."""

    def __init__(self, made: Settings, catalogue: Catalogue):
        super().__init__()
        self.made, self.catalogue = made, catalogue
        self.stop, self.begun = threading.Event(), threading.Event()
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            with (
                database.connect(self.made.dsn()) as conn,
                psycopg.connect(self.made.dsn("buildbot"), autocommit=True) as buildbot,
            ):
                for seed in range(1001, 100_000):
                    if self.stop.is_set():
                        return
                    number = self.enter(conn, seed)
                    buildbot.execute("INSERT INTO builds (number) VALUES (%s)", (1000 + number,))
                    self.begun.set()
        except Exception as e:
            self.fault = e
            raise
        finally:
            self.begun.set()

    def enter(self, conn: database.Connection, seed: int) -> int:
        folder = self.made.runs / str(seed)
        bundles.run(folder / "one.partial", bundles.kernel("6.12"), self.catalogue, seed=seed)
        (folder / "one.partial").rename(folder / "one")
        [found] = ingest_all([folder / "one"], conn=conn, catalogue=self.catalogue)
        assert isinstance(found, Ingested), found
        return found.id


def test_each_row_has_its_bundle_while_others_write(
    databases: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    made = settings(tmp_path / "old", databases)
    made.state.mkdir()
    saved.fill(made, catalogue)
    backups, snapshots = Repository.at(str(tmp_path / "backups"), None), list[str]()
    writer = Writer(made, catalogue)
    writer.start()
    try:
        assert writer.begun.wait(DEADLINE_S)
        for _ in range(3):
            snapshots.append(save.backup(made, backups, {}))
    finally:
        writer.stop.set()
        writer.join()
    assert writer.fault is None
    found = set()
    for snapshot in snapshots:
        make_databases(databases)
        new = settings(tmp_path / snapshot, databases)
        restore.restore(new, backups, snapshot, {}, ())
        found.add(named_rows_have_bundles(new))
    assert len(found) > 1, "nobody wrote meanwhile"
    # All that is there can be entered again, and nothing is twice.
    with database.connect(new.dsn()) as connection:
        again = list(ingest_all([new.runs], conn=connection, catalogue=catalogue))
    assert sum(not getattr(one, "new", True) for one in again) == max(found)
    # Negative control: a bundle that somebody has removed is a loss, and all else is saved.
    gone = next(iter(sorted((new.state / "runs").glob("1*/one"))))
    (gone / "run.json").unlink()
    more = Repository.at(str(tmp_path / "more"), None)
    with pytest.raises(InfrastructureError, match="1 bundles that the database names are") as lost:
        save.backup(new, more, {})
    assert str(gone) in str(lost.value)
    assert more.snapshot(None)["short_id"] in str(lost.value)
    # With one that vlag gc has removed it is whole.
    with database.connect(new.dsn()) as connection:
        connection.execute(
            "INSERT INTO removal (run, bytes, why) SELECT id, 1, 'old' FROM run"
            " WHERE in_state(location) = %s",
            (str(gone),),
        )
    save.backup(new, more, {})


def named_rows_have_bundles(new: Settings) -> int:
    """Check what names what in a restored installation; return its number of runs."""
    with psycopg.connect(new.dsn()) as conn, psycopg.connect(new.dsn("buildbot")) as other:
        pairs = conn.execute("SELECT id, in_state(location) FROM run").fetchall()
        rows: dict[int, str] = {row[0]: row[1] for row in pairs}
        named = [
            r[0] - 1000 for r in other.execute("SELECT number FROM builds WHERE number > 1000")
        ]
    assert named
    assert set(named) <= set(rows)
    assert all((Path(location) / "run.json").is_file() for location in rows.values())
    return len(rows)
