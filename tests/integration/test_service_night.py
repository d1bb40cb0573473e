# SPDX-License-Identifier: GPL-2.0-only
"""The service as a whole: real PostgreSQL, real Buildbot, a stand-in for the stages."""

from __future__ import annotations

import datetime
import io
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import attrs
import psycopg
import pytest
import requests
from attrs import frozen

from master.schedulers import LOG_DAYS
from tests.integration.installation import PACKAGES, Installation
from tests.processes import running
from tests.waiting import DEADLINE_S, until
from vlag import config
from vlag.buildbot import PAGES
from vlag.errors import InfrastructureError
from vlag.kernel import upstream
from vlag.operate import service
from vlag.operate.service import health
from vlag.operate.service.processes import marked

NOW = datetime.datetime.now(datetime.UTC)
EVENTS = [
    upstream.Event(at=(NOW - ago).isoformat(), kind=upstream.VANISHED, branch=name, text=name)
    for ago, name in (
        (datetime.timedelta(days=3), "long ago"), (datetime.timedelta(hours=3), "linux-6.9"),
    )
]  # fmt: skip


def overlap(entries: list[tuple[float, float]]) -> int:
    edges = sorted([(b, 1) for b, _ in entries] + [(e, -1) for _, e in entries])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def spans(made: Installation, verb: str) -> list[tuple[float, float, str]]:
    """Begin, end and board (or ref) of each call, in the order of their ends."""
    begun: dict[str, float] = {}
    found = []
    for line in (made.fake / "log").read_text().splitlines():
        e = json.loads(line)
        if e["verb"] != verb:
            continue
        key = e.get("--board") or e["--ref"]
        if e["what"] == "begin":
            begun[key] = e["at"]
        else:
            found.append((begun.pop(key), e["at"], key))
    return found


@frozen(kw_only=True)
class Night:
    """An installation after its first night, which its first start has made."""

    made: Installation
    status: int
    said: str


@pytest.fixture(scope="module")
def night(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    made = Installation(tmp_path_factory.mktemp("night"), checkout, new=True)
    mirrors = made.state / "mirrors"
    mirrors.mkdir(parents=True)
    lines = "".join(f"{json.dumps(attrs.asdict(event))}\n" for event in EVENTS)
    (mirrors / "debian.git.upstream.jsonl").write_text(lines)
    made.behave(run_s=1.0)
    try:
        status, said = made.finish(made.start())
        yield Night(made=made, status=status, said=said)
    finally:
        made.end()


def test_a_night_builds_runs_compares_and_reports(night: Night) -> None:
    made, said = night.made, night.said
    assert night.status == 0, said
    assert "REPORT of 1, 2" in said
    assert "the night: expected until 03:12 UTC (2 kernels to build, 12 runs" in said
    assert "1 of 12 runs, about " in said
    assert "12 of 12 runs" in said
    assert "The night: 2 kernels built, 12 runs; 7 min were expected, it took " in said
    assert said.count("The night: 2 kernels built") == 2, "in the report and beside it"
    # The terminal has the short report, the file has the whole below it.
    [report] = (made.state / "reports").glob("*.txt")
    assert report.read_text().endswith("REPORT of 1, 2\n\n\nWHOLE with origins\n")
    assert f"in full, the night's report is {report}" in said
    assert "WHOLE" not in said
    # Both are asked for at once; whichever worker is quicker goes first.
    built_refs = sorted(e["--ref"] for e in made.log(verb="build"))
    assert built_refs == ["debian/6.1.*", "linux-6.12"]
    assert {e["--board-type"] for e in made.log(verb="build")} == {"qemu-sim-2"}
    runs = made.log(verb="run")
    asked = {(e["places"][0], e["--benchmark"], e["--board"][:4], e["--seed"]) for e in runs}
    assert len(asked) == len(runs) == 12
    assert {e["--board"] for e in runs} == {"sim2-1", "sim2-2", "sim4-1"}
    compared = made.log(verb="compare")
    assert {tuple(e["places"]) for e in compared} == {("debian/6.1.*", "linux-6.12")}
    assert [e["--board-type"] for e in compared] == ["qemu-sim-2", "qemu-sim-4"]
    assert len(made.log(verb="ingest")) == 14

    ran, built = spans(made, "run"), spans(made, "build")
    assert overlap([(b, e) for b, e, _ in ran]) == min(2, os.cpu_count() or 1)
    for board in ("sim2-1", "sim2-2", "sim4-1"):
        assert overlap([(b, e) for b, e, name in ran if name == board]) == 1
    for b, e, _ in built:
        assert not any(rb < e and b < re for rb, re, _ in ran), "a run beside a compile"


def test_the_report_of_a_night_has_what_happened_upstream(night: Night) -> None:
    assert EVENTS[1].sentence() in night.said
    assert "long ago" not in night.said


def test_a_night_that_is_there_is_not_made_again(night: Night) -> None:
    status, said = night.made.finish(night.made.start())
    assert status == 0
    assert "the last night's report is" in said
    assert "REPORT of 1, 2" in said
    assert "WHOLE" not in said
    assert "starting" not in said


def count(conn: psycopg.Connection, what: str) -> int:
    row = conn.execute(what.encode()).fetchone()
    return int(row[0]) if row else 0


def test_old_logs_leave_the_database_and_the_builds_stay(night: Night) -> None:
    made = night.made
    with made.database() as conn:
        builds = count(conn, "SELECT count(*) FROM builds")
        newest = count(conn, "SELECT max(stepid) FROM logs")
        # All steps but the last are of a day that is long past; its logs stay.
        conn.execute(
            "UPDATE steps SET started_at = started_at - %s WHERE id < %s",
            [(LOG_DAYS + 1) * 86400, newest],
        )
        # Nor has the janitor come at its hour since: it comes with the start.
        conn.execute(
            "INSERT INTO object_state (objectid, name, value_json) SELECT id, 'last_build', '1'"
            " FROM objects WHERE name = '__Janitor' AND class_name LIKE '%%Nightly'"
            " ON CONFLICT (objectid, name) DO UPDATE SET value_json = '1'"
        )
    example = made.state / "master" / "master.cfg.sample"
    example.unlink()  # made by Buildbot's upgrade
    process = made.start(once=False)
    until(made.is_up, made.said)
    with psycopg.connect(config.load(made.settings).dsn("buildbot"), autocommit=True) as conn:

        def chunks(which: str) -> int:
            logs = f"(SELECT id FROM logs WHERE stepid {which} {newest})"  # noqa: S608
            return count(conn, f"SELECT count(*) FROM logchunks WHERE logid IN {logs}")  # noqa: S608

        until(lambda: chunks("<") == 0, made.said)
        assert chunks("=") > 0
        assert count(conn, "SELECT count(*) FROM builds") >= builds
    process.send_signal(signal.SIGTERM)
    assert made.finish(process)[0] == 0
    assert not example.exists(), "tables that are up to date were upgraded"


@pytest.fixture
def short(installation: Installation) -> Installation:
    """A service whose nights have four runs."""
    installation.configure(PACKAGES, nights="short")
    return installation


def test_what_fails_is_told_and_the_service_goes_on(
    short: Installation,
) -> None:
    key = "debian linux-6.12 short qemu-sim-2,qemu-sim-4"
    short.behave(panics=["linux-6.12"], runs=4, runs_of={key: 2})
    process = short.start(once=False)
    until(lambda: "REPORT of 1, 2" in short.said(), short.said)
    said = short.said()
    assert "first run: panic; the other 1 runs are not started" in said
    assert "panic: Kernel panic - not syncing: stand-in" in said
    assert "3 of 3 runs" in said
    # The stand-ins compare nothing.
    until(lambda: "\nNot known yet" in short.said(), short.said)

    # The infrastructure's fault is tried again, once.
    short.behave(power_fails=["linux-6.12"], runs=4)
    built = len(short.log(verb="build"))
    short.web().control("/forceschedulers/nightly-now", "force", reason="another night")
    until(lambda: "the night ended without a report" in short.said(), short.said)
    assert "the mirror went away (twice: given up)" in short.said()
    assert [e["--ref"] for e in short.log(verb="build")[built:]].count("linux-6.12") == 2

    status, said = short.finish(short.start())
    assert status == 2
    assert said.strip() == (
        f"another service already runs on {short.state}: stop it, or give this one another "
        "state folder in its settings"
    )

    # A part after the other ends, the last one in the start that follows.
    def said_now() -> str:
        return short.said(0)

    def ups() -> int:
        return said_now().count("the service is up")

    def kill(pids: list[int]) -> bool:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def masters() -> list[int]:
        return running("buildbot.tac", str(short.state / "master"))

    def healthz() -> tuple[int, str]:
        answer = requests.get(f"http://127.0.0.1:{short.ports['web']}/healthz", timeout=60)
        return answer.status_code, answer.text

    assert kill(masters())
    assert healthz() == (200, "ok\n")
    until(lambda: ups() == 2, said_now)
    assert kill(running("master.front", str(short.state)))
    until(lambda: "Pages is started again" in said_now(), said_now)
    old = masters()
    assert "the master process ended unexpectedly (status -9); the end of" in said_now()
    assert kill(running("-D", str(short.state / "postgres" / "data")))
    until(lambda: "the postgresql process ended unexpectedly (status -9)" in said_now(), short.said)
    until(lambda: kill([pid for pid in masters() if pid not in old]), said_now)
    assert ups() == 2
    until(lambda: ups() == 3, said_now)
    assert healthz() == (200, "ok\n")
    assert said_now().count("the master process ended unexpectedly (status -9)") == 2
    process.send_signal(signal.SIGTERM)
    status, said = short.finish(process)
    assert status == 0, said
    assert short.left() == []


def test_edited_settings_are_taken_up_by_a_reload_or_not_at_all(short: Installation) -> None:
    process = short.start(once=False)
    until(short.is_up, short.said)
    [master] = running("buildbot.tac", str(short.state / "master"))
    said = "the master answers"
    assert health.check(config.load(short.settings), "master", None) == said
    whole = short.settings.read_text()
    short.settings.write_text(whole + "[nightly")  # an editor is about to write the rest
    process.send_signal(signal.SIGHUP)
    until(
        lambda: "; the service goes on with the settings of its start" in short.said(), short.said
    )
    assert "not taken up: " in short.said()

    short.settings.write_text(whole.replace("minute = 30", "minute = 31"))
    edited = health.check(config.load(short.settings), "master", None)
    assert edited.startswith(f"{said} with the settings of its start, and not yet with what was")
    assert str(short.settings) in edited
    page = requests.get(f"http://127.0.0.1:{short.ports['web']}/{PAGES}", timeout=60)
    assert "Edited since and not taken up: vlag.toml." in page.text
    assert running("buildbot.tac", str(short.state / "master")) == [master]
    # A secret that is gone breaks steps, and health is not silent about it.
    for name in ("control", "worker", "pgpass"):
        secret = short.state / "secrets" / name
        aside = secret.rename(secret.with_name(f"{name}.aside"))
        with pytest.raises(InfrastructureError, match=f"{name}: this secret is missing; restart"):
            health.check(config.load(short.settings), "master", None)
        aside.rename(secret)
    # Nor about one that the master has read and that was renewed since.
    assert health.check(config.load(short.settings), "master", None) == edited
    secret = short.state / "secrets" / "worker"
    secret.write_text("renewed\n")
    with pytest.raises(InfrastructureError, match="worker: this secret was renewed, and the mas"):
        health.check(config.load(short.settings), "master", None)
    process.send_signal(signal.SIGHUP)
    until(lambda: short.said().count("the service is up") == 2, short.said)
    assert health.check(config.load(short.settings), "master", None) == said
    page = requests.get(page.url, timeout=60)
    assert (page.status_code, "Edited since" in page.text) == (200, False)
    process.send_signal(signal.SIGTERM)
    assert short.finish(process)[0] == 0
    assert short.left() == []


def test_whatever_ends_the_service_or_its_worker_the_night_goes_on(short: Installation) -> None:
    def started(*, once: bool) -> subprocess.Popen[str]:
        """Start the service; return when a run of this start has begun."""
        before = len(short.log(verb="run"))
        process = short.start(once=once)
        until(lambda: len(short.log(verb="run")) > before, short.said)
        return process

    short.behave(endless="run", runs=4)
    for how in (signal.SIGTERM, signal.SIGKILL):
        process = started(once=False)
        process.send_signal(how)
        process.wait(DEADLINE_S)
        if how == signal.SIGTERM:
            assert process.returncode == 0, short.said()
            assert short.left() == []

    process = started(once=True)
    of_worker = set(marked(short.state, name="worker"))
    [worker] = [pid for pid in of_worker if b"twistd" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert of_worker - {worker}, "the endless run"
    short.behave(runs=4)
    os.kill(worker, signal.SIGKILL)
    status, said = short.finish(process)
    assert status == 0, said
    assert "the worker process ended unexpectedly (status -9)" in said
    assert "Worker is started again" in said
    assert "REPORT of 1, 2" in said
    assert "4 of 4 runs" in said
    # Nothing of the first worker's went on beside the second one.
    assert not [pid for pid in of_worker if Path(f"/proc/{pid}").exists()]


def test_a_wrong_list_of_boards_is_one_sentence_before_anything_starts(
    installation: Installation,
) -> None:
    boards = installation.folder / "boards.yml"
    boards.write_text("all: {children: {boards: {hosts: {x: {board_type: none-such}}}}}\n")
    with installation.settings.open("a") as settings:
        settings.write('[inventory]\nboards = "boards.yml"\n')
    status, said = installation.finish(installation.start(once=False))
    assert status == 2, said
    [sentence] = said.splitlines()
    assert sentence.startswith(f"{boards}: x.board_type: no board type 'none-such'")


def test_a_configuration_that_buildbot_refuses_is_one_sentence(installation: Installation) -> None:
    """Its tables are up to date, so no upgrade reads it before the master does."""
    with installation.settings.open("a") as settings:
        settings.write('[people]\npassword_file = "nowhere"\ntriage = []\n')
    status, said = installation.finish(installation.start(once=False))
    assert status == 2, said
    last = said.splitlines()[-1]
    assert last.startswith("Buildbot refuses its configuration: ")
    assert "nowhere" in last
    assert "Traceback" not in said


@pytest.mark.parametrize("key", ["postgresql", "web", "worker"])
def test_a_port_in_use_is_one_sentence(new_installation: Installation, key: str) -> None:
    made, said = new_installation, io.StringIO()
    port = made.ports[key]
    with socket.create_server(("127.0.0.1", port)):
        status = service.serve(config.load(made.settings), until=None, out=said)
    assert status == 2
    assert said.getvalue().strip() == (
        f"port {port} on 127.0.0.1 cannot be used (Address already in use): stop what uses it, "
        f"or change {key} under [ports] in {made.settings}"
    )
