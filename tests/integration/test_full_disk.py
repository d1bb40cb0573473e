# SPDX-License-Identifier: GPL-2.0-only
"""A disk that is full for a while: a real master and PostgreSQL go on when there is room."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from tests import full_disk
from tests.integration import bundles
from tests.integration.installation import free_ports
from tests.integration.masters import PROGRAMS, TAC, answers
from tests.waiting import until
from vlag import ROOT
from vlag.buildbot import SUCCESS, Web
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import WAITS, InfrastructureError
from vlag.store import database
from vlag.store.migrate import migrate

KERNEL = bundles.kernel("6.12")
#: Runs of a night: more than the free part of a page of each table holds.
RUNS = 60
#: Builds that are asked for.
BUILDS = 8
#: Lines that each prints, so that what needs room is its log, or its beginning.
PRINTED = {"logs": 3000, "beginnings": 1}
#: Each second row of these needs room.
ROWS = "ALTER TABLE {} SET (fillfactor = 10)"
BEGINNING = ("builds", "steps", "build_properties", "logs")

CONFIGURATION = """
import sys
sys.path.insert(0, {root!r})
from buildbot.plugins import schedulers, steps, util, worker
from master import patience
patience.mend()
words = [{python!r}, "-c", "import os, time, random\\nwhile not os.path.exists({go!r}):"
         " time.sleep(0.1)\\nfor _ in range({lines}): print(random.randbytes(50).hex())"]
BuildmasterConfig = {{
    "title": "vlag", "titleURL": "http://127.0.0.1/", "buildbotURL": "http://127.0.0.1:{web}/",
    "buildbotNetUsageData": None, "collapseRequests": False,
    "db": {{"db_url": {url!r}, "engine_kwargs": {{"max_overflow": 0}}}},
    "www": {{"port": "tcp:{web}:interface=127.0.0.1"}},
    "protocols": {{"pb": {{"port": "tcp:0:interface=127.0.0.1"}}}},
    "workers": [worker.LocalWorker("one", max_builds=1)],
    "builders": [
        util.BuilderConfig(name="board", workernames=["one"],
                           factory=util.BuildFactory([steps.ShellCommand(command=words)]))
    ],
    "schedulers": [schedulers.ForceScheduler(name="board-now", builderNames=["board"],
                                             codebases=[""])],
}}
"""


@pytest.fixture
def small(cluster: str) -> Iterator[tuple[str, Path]]:
    """A database on a disk of its own, of 40 MB, and the folder of the disk."""
    # Not below pytest's folder, which each start of pytest closes to other users.
    disk = Path(tempfile.mkdtemp(prefix="vlag-disk-"))
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40m,mode=0711", "tmpfs", str(disk)], check=True
    )
    try:
        (disk / "tables").mkdir()
        shutil.chown(disk / "tables", "postgres", "postgres")
        with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
            conn.execute(f"CREATE TABLESPACE small LOCATION '{disk}/tables'".encode())
            conn.execute("CREATE DATABASE small TABLESPACE small")
        yield f"{cluster} dbname=small", disk
        with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
            conn.execute("DROP DATABASE small WITH (FORCE)")
            conn.execute("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
        disk.rmdir()


def test_a_command_names_the_full_disk(small: tuple[str, Path]) -> None:
    dsn, disk = small
    with database.connect(dsn) as conn:
        conn.execute("CREATE TABLE t AS SELECT 1 AS x")
    said = r"could not extend file .*\); its disk is full: make room$"
    with (
        full_disk.full(disk),
        pytest.raises(InfrastructureError, match=said) as e,
        database.connect(dsn) as conn,
    ):
        conn.execute("INSERT INTO t SELECT generate_series(1, 100000)")
    assert e.value.retry


def test_a_session_that_cannot_begin_for_want_of_room_is_waited_for(
    small: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends such a session with a sentence, and without an SQLSTATE."""
    dsn, disk = small
    migrate(dsn)
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def listed() -> tuple[int, str, str]:
        done = CliRunner().invoke(main, ["alerts", "list", "--format", "json"])
        return done.exit_code, done.stdout, done.stderr

    # The first session of a database writes it, and all sessions after a change of the system's.
    for path in (disk / "tables").rglob("pg_internal.init"):
        path.unlink()
    with full_disk.full(disk):
        status, answer, said = listed()
        assert (status, json.loads(answer)) == (75, {WAITS: True})
        assert "could not write init file" in said
        assert said.endswith("; its disk is full: make room\n")
    status, answer, said = listed()
    assert (status, json.loads(answer)["alerts"]) == (0, [])
    # Negative control: a name that somebody wrote wrongly is not waited for.
    monkeypatch.setenv("VLAG_DATABASE", f"{dsn} user=nobody-of-ours")
    status, answer, said = listed()
    assert (status, answer) == (75, "")
    assert "nobody-of-ours" in said


def test_an_ingest_without_room_says_so_and_the_next_one_completes(
    small: tuple[str, Path], catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn, disk = small
    migrate(dsn)
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    night = tmp_path / "night"
    bundles.build(night / "build", KERNEL)
    for seed in range(RUNS):
        bundles.run(night / f"run-{seed}", KERNEL, catalogue, seed=seed)

    def ingested() -> tuple[int, dict[str, Any], str]:
        done = CliRunner().invoke(main, ["ingest", str(night), "--format", "json"])
        return done.exit_code, json.loads(done.stdout), done.stderr

    def on_record() -> list[tuple[int]]:
        with psycopg.connect(dsn) as conn:
            return conn.execute(
                "SELECT count(*) FROM run UNION ALL SELECT count(DISTINCT bundle_digest) FROM run"
            ).fetchall()

    with full_disk.full(disk):
        status, answer, said = ingested()
        assert (status, answer) == (75, {WAITS: True})
        [sentence] = said.splitlines()
        assert sentence.endswith("; its disk is full: make room")
        [(stored,), (different,)] = on_record()
        assert stored == different < RUNS
    status, answer, said = ingested()
    assert (status, said, answer["refused"]) == (0, "", [])
    assert sum(one["new"] for one in answer["stored"] if one["kind"] == "run") == RUNS - stored
    assert on_record() == [(RUNS,), (RUNS,)]
    # Negative control: a bundle that lacks its file is refused, and not waited for.
    (night / "run-0" / "console.log").unlink()
    status, answer, said = ingested()
    assert (status, len(answer["refused"])) == (3, 1)


@pytest.mark.parametrize("what", ["logs", "beginnings"])
def test_builds_go_on_when_there_is_room_again(
    small: tuple[str, Path], tmp_path: Path, what: str
) -> None:
    dsn, disk = small
    [port], basedir, go = free_ports(1), tmp_path / "master", tmp_path / "go"
    basedir.mkdir()
    (basedir / "master.cfg").write_text(
        CONFIGURATION.format(
            root=str(ROOT), python=sys.executable, go=str(go), lines=PRINTED[what], web=port,
            url=database.url(dsn),
        )
    )  # fmt: skip
    (basedir / "buildbot.tac").write_text(TAC.format(basedir=str(basedir)))
    argv = [str(PROGRAMS / "buildbot"), "upgrade-master", "--quiet", str(basedir)]
    subprocess.run(argv, cwd=basedir, check=True)
    if what == "beginnings":
        with psycopg.connect(dsn, autocommit=True) as conn:
            for table in BEGINNING:
                conn.execute(ROWS.format(table).encode())
    argv = [str(PROGRAMS / "twistd"), "--nodaemon", "--no_save", "--pidfile="]
    log = basedir / "log"
    web = Web(port)

    def said() -> str:
        return log.read_text(errors="replace")[-3000:]

    with (
        log.open("wb") as out,
        subprocess.Popen(
            [*argv, "--python=buildbot.tac"], cwd=basedir, stdout=out, stderr=out,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        ) as process,
    ):  # fmt: skip
        try:
            until(lambda: answers(f"http://127.0.0.1:{port}/"), said)
            until(lambda: web.get("/builders"), said)
            number = web.get("/builders", name="board")[0]["builderid"]
            for _ in range(BUILDS):
                web.control("/forceschedulers/board-now", "force", builderid=number)
            until(lambda: web.get("/builds"), said)
            with full_disk.full(disk):
                go.touch()
                until(lambda: b"DiskFull" in log.read_bytes(), said)
                before = log.stat().st_size
                until(lambda: b"DiskFull" in log.read_bytes()[before:], said)
            until(
                lambda: (
                    len(web.get("/buildrequests", complete="true")) == BUILDS
                    or process.poll() is not None
                ),
                said,
            )
            found = web.get("/builds")
            assert [b["results"] for b in found] == [SUCCESS] * BUILDS
            with psycopg.connect(dsn) as conn:
                lines = conn.execute(
                    "SELECT num_lines FROM logs WHERE slug = 'stdio' ORDER BY id"
                ).fetchall()
            assert len(lines) == BUILDS
            assert len({n for (n,) in lines}) == 1  # nothing is lost of any, and nothing doubled
        finally:
            process.send_signal(signal.SIGKILL)
