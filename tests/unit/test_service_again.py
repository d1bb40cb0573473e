# SPDX-License-Identifier: GPL-2.0-only
"""A service that loses a part comes back, later each time, and tells systemd that it lives."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vlag import ROOT, config, progress_log
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.service import master, unit
from vlag.operate.service.again import PAUSES_S, STEADY_S, live
from vlag.operate.service.processes import Processes


class Life:
    """A service whose starts end as told, with a clock that only its pauses and work move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ends: Exception | int, work_s: float = 0):
        self.ends = iter(ends)
        self.work_s = work_s
        self.now = 0.0
        self.starts: list[float] = []
        self.lost = 0
        self.watched: list[float] = []
        self.said: list[str] = []
        monkeypatch.setattr(time, "sleep", self.pass_time)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    def attempt(self) -> int:
        self.starts.append(self.now)
        self.now += self.work_s
        end = next(self.ends)
        if isinstance(end, Exception):
            raise end
        return end

    def lose(self) -> None:
        self.lost += 1

    def live(self) -> int:
        with progress_log.diverted(self.said.append):
            return live(
                self.attempt,
                lose=self.lose,
                watch=lambda: self.watched.append(self.now),
                clock=lambda: self.now,
            )


def test_it_comes_back_later_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    away = InfrastructureError("the master process ended")
    life = Life(monkeypatch, *[away] * 6, 0)
    assert life.live() == 0
    pauses = [round(b - a) for a, b in zip(life.starts, life.starts[1:], strict=False)]
    assert pauses == [*PAUSES_S, PAUSES_S[-1]]
    assert life.lost == 6
    assert life.said[0] == (
        "the master process ended, 1 in a row within 60 s of the start; next start in 1 s"
    )
    # What runs on is looked after meanwhile.
    assert any(life.starts[4] < at < life.starts[5] for at in life.watched)


def test_what_ran_for_a_while_comes_back_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    life = Life(monkeypatch, *[InfrastructureError("gone")] * 3, 0, work_s=STEADY_S)
    assert life.live() == 0
    assert life.said == ["gone; next start in 1 s"] * 3


@pytest.mark.parametrize(
    "end", [UsageError("a wrong setting"), InfrastructureError("for good", retry=False)]
)
def test_what_no_other_start_mends_ends_it(monkeypatch: pytest.MonkeyPatch, end: Exception) -> None:
    life = Life(monkeypatch, end)
    with pytest.raises(type(end), match=str(end)):
        life.live()
    assert (life.lost, life.said) == (0, [])


def test_a_disk_without_room_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, manager: socket.socket
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/lib/vlag/master")
    life = Life(monkeypatch, full, full, 0)
    assert life.live() == 0
    said = "/var/lib/vlag/master: No space left on device"
    assert life.said[1] == (
        f"{said}, 2 in a row within 60 s of the start; next start in {PAUSES_S[1]} s"
    )
    assert manager.recv(1000).decode() == f"STATUS={said}; next start in {PAUSES_S[0]} s"
    # Negative control: a folder of somebody else is not.
    foreign = OSError(errno.EACCES, os.strerror(errno.EACCES), "/var/lib/vlag/master")
    with pytest.raises(PermissionError):
        Life(monkeypatch, foreign).live()


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The end of the line at which systemd listens."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(path))
        line.setblocking(False)
        monkeypatch.setenv(unit.ADDRESS, str(path))
        yield line


def test_a_unit_says_that_it_is_ready_and_alive(manager: socket.socket, tmp_path: Path) -> None:
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    processes = Processes(settings=config.load(tmp_path / "vlag.toml"))
    unit.ready()
    unit.status("waiting for the database: it starts\nmore")
    processes.watch()
    said = [manager.recv(200) for _ in range(3)]
    assert said == [b"READY=1", b"STATUS=waiting for the database: it starts", b"WATCHDOG=1"]
    # A program that it starts cannot speak for it.
    assert not set(unit.OWN) & set(processes.environment())


def test_outside_of_systemd_nothing_is_said(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""
    monkeypatch.delenv(unit.ADDRESS)
    unit.ready()
    with pytest.raises(BlockingIOError):
        manager.recv(200)
    monkeypatch.setenv(unit.ADDRESS, "/nowhere/at/all")
    unit.ready()  # a service manager that is away ends nothing


def test_each_master_that_does_not_answer_leaves_the_next_one_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that is busy all day would else start masters that are never done."""
    monkeypatch.setattr(master, "MASTER_START_S", 0.25)
    monkeypatch.setattr(master, "MASTER_START_MOST_S", 0.75)
    settings = tmp_path / "vlag.toml"
    settings.write_text((ROOT / "vlag.toml").read_text())
    processes = Processes(settings=config.load(settings))
    processes.log_of("master").parent.mkdir(parents=True)
    processes.start("master", tmp_path, ["sleep", "600"], "KILL")
    try:
        for limit in ("0.25", "0.5", "0.75", "0.75"):
            with pytest.raises(InfrastructureError, match=f"did not answer within {limit} s"):
                master.await_answer(processes, lambda: False)
        master.await_answer(processes, lambda: True)
        with pytest.raises(InfrastructureError, match=r"did not answer within 0\.25 s"):
            master.await_answer(processes, lambda: False)
    finally:
        processes.lose("master")
