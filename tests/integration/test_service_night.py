"""The service as a whole: real PostgreSQL, real Buildbot, a stand-in for the stages."""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import socket
from pathlib import Path

import attrs
import psycopg
import pytest

from master.schedulers import LOG_DAYS
from tests.integration.installation import Installation, until
from vlag import config
from vlag.kernel import upstream
from vlag.operate.service.processes import marked


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


def test_a_night_builds_runs_compares_and_reports(installation: Installation) -> None:
    installation.behave(run_s=1.0)
    status, said = installation.finish(installation.start())

    assert status == 0, said
    assert "REPORT of 1, 2" in said
    assert "the night: expected until 03:12 UTC (2 kernels to build, 12 runs" in said
    assert "1 of 12 runs, about " in said
    assert "12 of 12 runs" in said
    assert "The night: 2 kernels built, 12 runs; 7 min were expected, it took " in said
    assert said.count("The night: 2 kernels built") == 2, "in the report and beside it"
    # The terminal has the short report, the file has the whole below it.
    [report] = (installation.state / "reports").glob("*.txt")
    assert report.read_text().endswith("REPORT of 1, 2\n\n\nWHOLE with origins\n")
    assert f"in full, the night's report is {report}" in said
    assert "WHOLE" not in said
    # Both are asked for at once; whichever worker is quicker goes first.
    built_refs = sorted(e["--ref"] for e in installation.log(verb="build"))
    assert built_refs == ["debian/6.1.*", "linux-6.12"]
    assert {e["--board-type"] for e in installation.log(verb="build")} == {"qemu-sim-2"}
    runs = installation.log(verb="run")
    asked = {(e["places"][0], e["--benchmark"], e["--board"][:4], e["--seed"]) for e in runs}
    assert len(asked) == len(runs) == 12
    assert {e["--board"] for e in runs} == {"sim2-1", "sim2-2", "sim4-1"}
    compared = installation.log(verb="compare")
    assert {tuple(e["places"]) for e in compared} == {("debian/6.1.*", "linux-6.12")}
    assert [e["--board-type"] for e in compared] == ["qemu-sim-2", "qemu-sim-4"]
    assert len(installation.log(verb="ingest")) == 14

    ran, built = spans(installation, "run"), spans(installation, "build")
    assert overlap([(b, e) for b, e, _ in ran]) == min(2, os.cpu_count() or 1)
    for board in ("sim2-1", "sim2-2", "sim4-1"):
        assert overlap([(b, e) for b, e, name in ran if name == board]) == 1
    for b, e, _ in built:
        assert not any(rb < e and b < re for rb, re, _ in ran), "a run beside a compile"

    # Once more: the night is there, nothing is started.
    status, said = installation.finish(installation.start())
    assert status == 0
    assert "the last night's report is" in said
    assert "REPORT of 1, 2" in said
    assert "WHOLE" not in said
    assert "starting" not in said


def test_a_failed_proof_ends_the_night_with_its_own_status(installation: Installation) -> None:
    installation.behave(proof="20 of 21 as predicted; 05-placement on qemu-sim-2 NOT")
    status, said = installation.finish(installation.start())
    assert status == 30, said
    assert "\nPROOF FAILED: 20 of 21 as predicted; 05-placement on qemu-sim-2 NOT\n" in said
    # Asked again, the night that is there has the same answer.
    status, said = installation.finish(installation.start())
    assert status == 30, said
    assert "starting" not in said


def test_the_report_of_a_night_has_what_happened_upstream(installation: Installation) -> None:
    mirrors = installation.state / "mirrors"
    mirrors.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.UTC)
    events = [
        upstream.Event(at=(now - ago).isoformat(), kind=upstream.VANISHED, branch=name, text=name)
        for ago, name in (
            (datetime.timedelta(days=3), "long ago"), (datetime.timedelta(hours=3), "linux-6.9"),
        )
    ]  # fmt: skip
    lines = "".join(f"{json.dumps(attrs.asdict(event))}\n" for event in events)
    (mirrors / "debian.git.upstream.jsonl").write_text(lines)
    status, said = installation.finish(installation.start())
    assert status == 0, said
    assert events[1].sentence() in said
    assert "long ago" not in said


def test_kernels_that_fail_do_not_stop_the_night(installation: Installation) -> None:
    key = "debian linux-6.12 nightly qemu-sim-2,qemu-sim-4"
    installation.behave(panics=["linux-6.12"], runs_of={key: 6})
    status, said = installation.finish(installation.start())

    assert status == 0, said
    assert "first run: panic; the other 5 runs are not started" in said
    assert "panic: Kernel panic - not syncing: stand-in" in said
    assert "7 of 7 runs" in said
    assert "REPORT of 1, 2" in said


def test_an_infrastructure_fault_is_tried_again_once(installation: Installation) -> None:
    installation.behave(power_fails=["linux-6.12"])
    status, said = installation.finish(installation.start())

    assert status == 75, said
    assert [e["--ref"] for e in installation.log(verb="build")].count("linux-6.12") == 2
    assert "the mirror went away (twice: given up)" in said
    assert "the night ended without a report" in said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stop_leaves_nothing_and_the_next_start_goes_on(
    installation: Installation, how: signal.Signals
) -> None:
    installation.behave(endless="run")
    process = installation.start(once=False)
    until(lambda: installation.log(verb="run"), installation.said)
    process.send_signal(how)
    process.wait(60)
    if how != signal.SIGKILL:
        assert process.returncode == 0, installation.said()
        assert installation.left() == []

    installation.behave()
    status, said = installation.finish(installation.start())
    assert status == 0, said
    assert "REPORT of 1, 2" in said
    assert "12 of 12 runs" in said


def test_a_second_service_on_the_same_state_is_refused(installation: Installation) -> None:
    installation.behave(endless="build")
    installation.start(once=False)
    until(lambda: installation.log(verb="build"), installation.said)
    status, said = installation.finish(installation.start())
    assert status == 2
    assert said.strip() == (
        f"another service already runs on {installation.state}: stop it, or give this one another "
        "state folder in its settings"
    )


def test_a_part_that_dies_ends_the_service_in_one_sentence(installation: Installation) -> None:
    installation.behave(endless="build")
    process = installation.start(once=False)
    until(lambda: installation.log(verb="build"), installation.said)
    os.kill(installation.master(), signal.SIGKILL)
    status, said = installation.finish(process)
    assert status == 75
    assert "the master process ended unexpectedly (status -9); the end of" in said


def test_a_worker_that_dies_is_started_again_and_its_night_ends(
    installation: Installation,
) -> None:
    installation.behave(endless="run")
    process = installation.start()
    until(lambda: installation.log(verb="run"), installation.said)
    of_worker = set(marked(installation.state, name="worker"))
    [worker] = [pid for pid in of_worker if b"twistd" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert of_worker - {worker}, "the endless run"
    installation.behave()
    os.kill(worker, signal.SIGKILL)
    status, said = installation.finish(process)
    assert status == 0, said
    assert "the worker process ended unexpectedly (status -9)" in said
    assert "Worker is started again" in said
    assert "REPORT of 1, 2" in said
    assert "12 of 12 runs" in said
    # Nothing of the first worker's went on beside the second one.
    assert not [pid for pid in of_worker if Path(f"/proc/{pid}").exists()]


def test_old_logs_leave_the_database_and_the_builds_stay(installation: Installation) -> None:
    # Half a day from the night: in two to three minutes, when the first night is over.
    due = datetime.datetime.now() + datetime.timedelta(minutes=3)  # noqa: DTZ005 - as Buildbot does
    text = installation.settings.read_text()
    text, found = re.subn(
        r"(?m)^hour = \d+\nminute = 30$",
        f"hour = {(due.hour + 12) % 24}\nminute = {due.minute}",
        text,
    )
    assert found == 1
    installation.settings.write_text(text)
    process = installation.start(once=False)
    until(lambda: "REPORT of 1, 2" in installation.said(), installation.said)
    here = config.load(installation.settings)
    with psycopg.connect(here.dsn("buildbot"), autocommit=True) as conn:

        def count(what: str) -> int:
            row = conn.execute(what).fetchone()
            return int(row[0]) if row else 0

        # The report is said before the last lines of its step's log are stored.
        pending = "SELECT count(*) FROM buildrequests WHERE complete = 0"
        until(lambda: count(pending) == 0, installation.said)
        builds = count("SELECT count(*) FROM builds")
        # All steps but the last are of a day that is long past; its logs stay.
        conn.execute(
            "UPDATE steps SET started_at = started_at - %s WHERE id <"
            " (SELECT max(stepid) FROM logs)",
            [(LOG_DAYS + 1) * 86400],
        )
        newest = count("SELECT max(stepid) FROM logs")

        def chunks(which: str) -> int:
            logs = f"(SELECT id FROM logs WHERE stepid {which} {newest})"  # noqa: S608
            return count(f"SELECT count(*) FROM logchunks WHERE logid IN {logs}")  # noqa: S608

        assert chunks("<") > 0
        kept = chunks("=")
        assert datetime.datetime.now() < due.replace(second=0)  # noqa: DTZ005
        until(lambda: chunks("<") == 0, installation.said)
        assert kept == chunks("=") > 0
        assert count("SELECT count(*) FROM builds") >= builds
    process.send_signal(signal.SIGTERM)
    assert installation.finish(process)[0] == 0


def test_a_port_in_use_is_one_sentence(installation: Installation) -> None:
    for key, port in installation.ports.items():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            status, said = installation.finish(installation.start())
        assert status == 2
        assert said.strip() == (
            f"port {port} on 127.0.0.1 cannot be used (Address already in use): stop what uses it, "
            f"or change {key} under [ports] in {installation.settings}"
        )
