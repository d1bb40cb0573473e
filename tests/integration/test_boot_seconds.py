# SPDX-License-Identifier: GPL-2.0-only
"""Where the seconds of a boot went: the log is that of LAVA's dispatcher."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from bench.seconds import LAST, STEPS, main, steps
from tests.integration.local_dispatcher import BOARD_TYPE, Dispatcher
from tests.long.tiny_kernel import image

MARKS = (
    "Linux version 6.12.0", "@vlag:start", "@vlag:run", "@vlag:status 0",
    "@vlag:case benchmark pass 0 status", "@vlag:done",
)  # fmt: skip


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a boot whose guest printed every mark, and ended."""
    dispatcher = Dispatcher(tmp_path_factory.mktemp("boot"))
    started = now()
    ended = dispatcher.run(image("".join(f"{mark}\r\n" for mark in MARKS).encode()), BOARD_TYPE)
    assert ended.error is None
    folder = dispatcher.scratch / "work"
    times = {"started_at": started, "finished_at": now()}
    (folder / "run.json").write_text(json.dumps(times))
    return folder


def test_the_steps_are_all_of_a_boot(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = steps(run)
    assert list(seconds) == [*STEPS, LAST]
    assert all(each >= 0 for each in seconds.values())
    times = json.loads((run / "run.json").read_text())
    read = datetime.datetime.fromisoformat
    begun, ended = read(times["started_at"]), read(times["finished_at"])
    assert sum(seconds.values()) == pytest.approx((ended - begun).total_seconds(), abs=0.001)
    main([str(run), str(run)])
    said = capsys.readouterr().out
    assert said.startswith("2 boots from power on\n")
    # As if it had gone on from a snapshot: a table of its own.
    job = run / "job.yaml"
    before = job.read_text()
    job.write_text(f"{before}# -name vlag-restore-1-0\n")
    main([str(run)])
    assert capsys.readouterr().out.startswith("1 boot from a snapshot\n")
    job.write_text(before)


def test_a_run_without_a_step_gets_a_sentence(run: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no run that was booted on this machine"):
        main([str(tmp_path)])
    dispatcher = Dispatcher(tmp_path / "boot")
    dispatcher.scratch.mkdir()
    text = "".join(f"{mark}\r\n" for mark in MARKS if mark != "@vlag:run")
    dispatcher.run(image(text.encode()), BOARD_TYPE)
    folder = dispatcher.scratch / "work"
    (folder / "run.json").write_bytes((run / "run.json").read_bytes())
    with pytest.raises(SystemExit, match="LAVA's log has no '@vlag:run', or not in its place"):
        main([str(folder)])
