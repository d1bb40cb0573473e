# SPDX-License-Identifier: GPL-2.0-only
"""A job on a lab from beginning to end, and why one waits."""

import gzip
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.unit.labs import JOB, KEY, Answer, Fake, begun, board, listed, row, served
from vlag.errors import InfrastructureError
from vlag.lava import lab as follow
from vlag.lava.job import JobResult, Log
from vlag.lava.lab_settings import Lab
from vlag.lava.server import Client, Worker


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    with served(monkeypatch) as fake:
        yield fake


@pytest.fixture
def lab(said: Fake, tmp_path: Path) -> Lab:
    return said.lab(tmp_path)


def test_why_a_job_waits(lab: Lab, said: Fake) -> None:
    said.says["GET jobs/"] = listed(
        row(1, "Running"), row(2, "Submitted"), row(3, "Submitted"), row(4, "Submitted", tags=[7])
    )
    said.says["GET devices/"] = listed(
        board("g1"), board("g2", health="Bad", tags=()), board("g3", tags=()), board("x", kind="x")
    )
    client = Client(lab)
    queue, devices = client.queue(), client.devices()
    there = Worker(
        name="d1", online=True, health="Active", version=None, pinged_at=queue[0].submitted_at
    )
    text = follow.waits_for(queue[2], queue, devices, [there])
    assert text == (
        f"place 2 of 3 for board type guest; g1 is busy with job 1 (vlag {KEY}: hackbench);"
        " g2 is in health Bad; g3 is idle"
    )
    pinned = follow.waits_for(queue[3], queue, devices, [there])
    assert "g3" not in pinned
    away = follow.waits_for(queue[2], queue, devices, [evolve(there, online=False)])
    assert "g3's dispatcher d1 is offline" in away


LOG = (
    '- {"lvl": "info", "msg": "lava-dispatcher, installed at version: 2023.01"}\n'
    '- {"lvl": "target", "msg": "Linux version 6.12"}\n'
    '- {"lvl": "target", "msg": "\\e[1mbold\\a"}\n'
    '- {"lvl": "info", "msg": "start: 4 finalize (timeout 00:01:00) [common]"}\n'
    '- {"lvl": "input", "msg": "poweroff\\n"}\n'
    '- {"lvl": "target", "msg": "poweroff"}\n'
    '- {"lvl": "results", "msg": {"case": "job", "definition": "lava", "result": "pass"}}\n'
)


def run(
    lab: Lab, folder: Path, heard: Callable[[str], None] = lambda _: None, **more: float
) -> JobResult:
    limits = {"queue_limit_s": 60.0, "limit_s": 60.0, **more}
    return follow.run(lab, JOB, KEY, folder=folder, on_line=heard, **limits)


@pytest.fixture
def alive(said: Fake) -> Fake:
    """A job 5 that runs, ends well and can be cancelled."""
    lines = LOG.splitlines(keepends=True)

    def log(query: dict[str, str], _: Any) -> Answer:
        rest_of_it = "".join(lines[int(query["start"]) :])
        if not rest_of_it:
            return Answer(status=404, body={"detail": "Not found."})
        return Answer(body=rest_of_it, type="application/yaml")

    said.says |= {
        "POST jobs/": Answer(status=201, body={"job_ids": [5]}),
        "GET jobs/5/": [
            Answer(body=row(5, state, health))
            for state, health in [
                ("Submitted", "Unknown"),
                ("Running", "Unknown"),
                ("Running", "Unknown"),
                ("Finished", "Complete"),
            ]
        ],
        "GET jobs/5/logs/": log,
        "GET jobs/5/cancel/": Answer(body={"message": "Job cancel signal sent."}),
    }
    return said


def test_a_job_is_followed_to_its_end(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    heard: list[str] = []
    result = run(lab, tmp_path, heard.append)
    assert result.console == ("Linux version 6.12", "\x1b[1mbold\a")
    assert heard == list(result.console)
    assert (result.version, result.device, result.error) == ("2023.01", "g1", None)
    kept = gzip.decompress((tmp_path / "lava.log.gz").read_bytes()).decode()
    assert kept == LOG.replace("- {", "{")
    assert alive.count("GET jobs/5/cancel/") == 0
    assert follow.collect(lab, 5, folder=tmp_path) == result


def test_a_line_that_is_no_json_is_not_lost() -> None:
    """LAVA writes YAML: as JSON the console would lack its lines with control characters."""
    line = '{"lvl": "target", "msg": "\\e[1mbold\\a"}'
    with pytest.raises(ValueError, match="Invalid"):
        json.loads(line)
    log = Log(lambda _: None)
    log.add(line)
    log.add("no record {at all")
    assert log.console == ["\x1b[1mbold\a"]


def test_a_lab_that_goes_away_for_a_while(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    states = alive.says["GET jobs/5/"]
    assert isinstance(states, list)
    alive.says["GET jobs/5/"] = [*states[:2], *[Answer(status=500, body="")] * 5, *states[2:]]
    assert run(lab, tmp_path).error is None
    assert not isinstance(alive.says["GET jobs/5/"], Answer)


def test_a_lab_that_does_not_come_back(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    """Negative control: patience has an end, and the job is left to itself."""
    states = alive.says["GET jobs/5/"]
    assert isinstance(states, list)
    alive.says["GET jobs/5/"] = [*states[:2], Answer(status=500, body="")]
    with pytest.raises(InfrastructureError, match="Job 5 may go on: the same command") as caught:
        run(lab, tmp_path, patience_s=0.2)
    assert caught.value.retry
    assert alive.count("GET jobs/5/cancel/") == 0


def test_a_job_that_gets_no_board_is_cancelled(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    alive.says["GET jobs/5/"] = Answer(body=row(5, "Submitted"))
    alive.says["GET workers/"] = listed()
    alive.says["GET jobs/"] = [
        listed(),
        listed(row(1, "Submitted"), row(5, "Submitted")),
    ]
    words = "had no board after 0 s and is cancelled: place 2 of 2 for board type guest; g1's disp"
    with pytest.raises(InfrastructureError, match=words) as caught:
        run(lab, tmp_path, queue_limit_s=0.1)
    assert caught.value.retry
    assert alive.count("GET jobs/5/cancel/") == 1


def test_a_job_that_does_not_end_is_cancelled(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    alive.says["GET jobs/5/"] = Answer(body=row(5))
    with pytest.raises(InfrastructureError, match="did not end within 0 s on g1 and is cancelled"):
        run(lab, tmp_path, limit_s=0.1)
    assert alive.count("GET jobs/5/cancel/") == 1


@pytest.mark.parametrize("ahead_h", [-12, 12])
def test_a_lab_whose_clock_is_half_a_day_off(
    lab: Lab, alive: Fake, tmp_path: Path, ahead_h: float
) -> None:
    times = begun(ahead_h)
    states = alive.says["GET jobs/5/"]
    assert isinstance(states, list)
    alive.says["GET jobs/5/"] = [evolve(s, body=s.body | times) for s in states]
    assert run(lab, tmp_path).error is None
    assert alive.count("GET jobs/5/cancel/") == 0
    # Negative control: one that does not end.
    alive.says["GET jobs/5/"] = Answer(body=row(5, **times))
    with pytest.raises(InfrastructureError, match="did not end within 0 s on g1 and is cancelled"):
        run(lab, tmp_path, limit_s=0.1)
    # And one that does not begin.
    alive.says["GET jobs/5/"] = Answer(body=row(5, "Submitted", **times))
    alive.says["GET workers/"] = listed()
    with pytest.raises(InfrastructureError, match="had no board after 0 s and is cancelled"):
        run(lab, tmp_path, queue_limit_s=0.1)
    assert alive.count("GET jobs/5/cancel/") == 2


def test_a_job_that_somebody_cancelled(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    alive.says["GET jobs/5/"] = Answer(body=row(5, "Finished", "Canceled"))
    words = "job 5 of lab home was cancelled by somebody on g1"
    with pytest.raises(InfrastructureError, match=words) as caught:
        run(lab, tmp_path)
    assert not caught.value.retry


def test_a_job_whose_dispatcher_died(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    comment = "Traceback: no space left on device"
    alive.says["GET jobs/5/"] = Answer(
        body=row(5, "Finished", "Incomplete", failure_comment=comment)
    )
    with pytest.raises(InfrastructureError, match=r"job 5 of lab home failed .* no space left"):
        run(lab, tmp_path)


def test_whoever_is_stopped_leaves_no_job_behind(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    alive.says["GET jobs/"] = [listed(), listed(row(5))]

    def stop(_: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(SystemExit):
        run(lab, tmp_path, stop)
    assert alive.count("GET jobs/5/cancel/") == 1
    assert (tmp_path / "lava.log.gz").exists()


def test_a_job_that_has_not_ended_is_not_collected(lab: Lab, alive: Fake, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"job 5 .* has not ended yet; it is Submitted"):
        follow.collect(lab, 5, folder=tmp_path)
