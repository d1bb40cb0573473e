# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the service that end: what is started again, when, and what is given up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import until
from vlag import ROOT, config
from vlag.errors import InfrastructureError
from vlag.operate.service import processes
from vlag.operate.service.again import PAUSES_S, STEADY_S
from vlag.operate.service.processes import EXEC_S, OPEN_FILES, Processes, marked

pytestmark = pytest.mark.slow


class Service:
    """Processes of an installation, with a clock of their own."""

    def __init__(self, folder: Path, *, tireless: bool = False):
        settings = folder / "vlag.toml"
        settings.write_text((ROOT / "vlag.toml").read_text())
        self.now = 0.0
        self.processes = Processes(
            settings=config.load(settings), tireless=tireless, clock=lambda: self.now
        )
        self.folder = folder
        self.state = self.processes.settings.state
        (self.state / "log").mkdir(parents=True)

    def keep(self, script: str) -> None:
        def start() -> None:
            self.processes.start("worker", self.folder, ["sh", "-c", script], "TERM")

        self.processes.keep("worker", start)

    def ends(self) -> None:
        """Wait until the worker has ended, and look."""
        self.processes.running["worker"].wait(60)
        self.processes.watch()

    def runs(self) -> bool:
        return "worker" in self.processes.running


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.processes.stop("worker")


def test_a_program_that_ends_is_started_again_after_a_pause(
    service: Service, progress_lines: list[str]
) -> None:
    service.keep("echo out of memory; exit 9")
    service.now = 1000
    service.ends()
    assert not service.runs()
    assert progress_lines == [
        "the worker process ended unexpectedly (status 9); next start in 1 s; the end of "
        f"{service.state}/log/worker.log: out of memory"
    ]
    service.now += 0.5
    service.processes.watch()
    assert not service.runs()
    service.now += 0.5
    service.processes.watch()
    assert service.runs()
    assert progress_lines[1:] == ["Worker is started again"]
    # The log with the reason is beside the new one.
    assert (service.state / "log" / "worker.log.1").read_text() == "out of memory\n"


def test_the_pauses_grow_and_a_program_that_always_ends_at_once_is_given_up(
    service: Service, progress_lines: list[str]
) -> None:
    service.keep("echo no disk; exit 1")
    for n, pause in enumerate(PAUSES_S[:-1], 1):
        service.ends()
        assert (
            f", {n} in a row within 60 s of the start; next start in {pause} s"
            in (progress_lines[-1])
        )
        service.now += pause
        service.processes.watch()
        assert service.runs()
    with pytest.raises(InfrastructureError, match=r"5 in a row .* given up; .*: no disk$"):
        service.ends()


def test_a_program_that_ran_for_a_while_begins_anew_with_short_pauses(
    service: Service, progress_lines: list[str]
) -> None:
    service.keep("exit 1")
    for _ in range(len(PAUSES_S) + 2):
        service.now += STEADY_S
        service.ends()
        assert "next start in 1 s" in progress_lines[-1]
        service.now += 1
        service.processes.watch()


def test_a_service_that_goes_on_without_it_tries_for_ever(
    tmp_path: Path, progress_lines: list[str]
) -> None:
    service = Service(tmp_path, tireless=True)
    service.keep("exit 1")
    for _ in range(len(PAUSES_S) + 3):
        service.ends()
        service.now += PAUSES_S[-1]
        service.processes.watch()
        assert service.runs()
    assert "8 in a row within 60 s of the start; next start in 300 s" in progress_lines[-2]


def test_what_the_program_had_started_does_not_go_on(service: Service) -> None:
    # In a session of its own, as an emulator is.
    service.keep("setsid sleep 600 & echo $! > pid; wait")
    path = service.folder / "pid"
    until(lambda: path.exists() and path.read_text())
    other = service.processes
    other.start("other", service.folder, ["sleep", "600"], "TERM")
    assert len(marked(service.state, name="worker")) >= 2
    os.kill(other.running["worker"].pid, 9)
    service.ends()
    assert marked(service.state, name="worker") == []
    assert marked(service.state, name="other") == [other.running["other"].pid]
    other.stop("other")


def test_a_process_that_becomes_another_program_is_found(service: Service) -> None:
    again = 'exec sh -c "$0" "$0"'
    service.processes.start("worker", service.folder, ["sh", "-c", again, again], "KILL")
    pid = service.processes.running["worker"].pid
    found = [marked(service.state, name="worker") for _ in range(400)]
    assert found == [[pid]] * 400


def test_kernel_threads_and_what_has_no_environment_keep_nobody_waiting(service: Service) -> None:
    with subprocess.Popen(["sleep", "600"], env={}) as bare, subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        try:
            before = time.monotonic()
            assert marked(service.state) == []
            assert time.monotonic() - before < EXEC_S
        finally:
            bare.kill()


def test_what_a_process_starts_before_it_ends_is_found(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A child in a session of its own, by the time the parent is looked at: then that has ended.
    script = (
        "trap 'setsid sleep 600 & echo $! > pid; exit' TERM; touch ready;"
        " while :; do sleep 0.1; done"
    )
    service.processes.start("worker", service.folder, ["sh", "-c", script], "KILL")
    parent = service.processes.running["worker"]
    while not (service.folder / "ready").exists():
        assert parent.poll() is None
    look = processes.environment_of

    def look_late(pid: int) -> set[bytes]:
        if pid == parent.pid:
            parent.terminate()
            parent.wait(60)
        return look(pid)

    monkeypatch.setattr(processes, "environment_of", look_late)
    found = marked(service.state, name="worker")
    assert parent.pid not in found
    assert int((service.folder / "pid").read_text()) in found


def test_a_program_that_is_not_kept_ends_the_service(service: Service) -> None:
    service.processes.start("worker", service.folder, ["false"], "TERM")
    with pytest.raises(InfrastructureError, match=r"the worker process ended .*\(status 1\)"):
        service.ends()


@pytest.mark.parametrize(
    ("before", "after"), [((1024, 1 << 14), OPEN_FILES), ((1024, 2048), 2048), ((9000, 9000), 9000)]
)
def test_a_process_of_ours_may_have_more_files_open_than_a_terminal(
    before: tuple[int, int], after: int
) -> None:
    code = (
        "import resource as r, sys; from vlag.operate.service.processes import permit_files;"
        f"r.setrlimit(r.RLIMIT_NOFILE, {before}); permit_files();"
        "print(*r.getrlimit(r.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(after), str(before[1])]
