# SPDX-License-Identifier: GPL-2.0-only
"""Boots without LAVA's dispatcher: the same words as in its job, and ends of all kinds.

The emulator is a deterministic board's, the kernels are of some bytes.  `tests/night` does the same
with Linux.
"""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from attrs import define, evolve

from tests.emulated_guest import own_lockstep
from tests.integration.local_dispatcher import BOARD_TYPE, Dispatcher
from tests.long.tiny_kernel import PANICS, image
from tests.processes import commands
from tests.waiting import until
from vlag.errors import InfrastructureError
from vlag.lava import console, emulator
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge, went_silent
from vlag.lava.snapshots import Start
from vlag.model import Outcome

EMULATOR, COMMAND = str(BOARD_TYPE.emulator), str(BOARD_TYPE.command)
SPEAKS = "Linux version 6.12.0"
MARKS = (
    SPEAKS,
    "@vlag:start",
    "@vlag:run",
    "café \x1b[0m{",
    "@vlag:status 0",
    "@vlag:done",
    "more",
)
WHOLE = image("".join(f"{mark}\r\n" for mark in MARKS).encode(), ends=False)
#: Host seconds of a boot; only one that is stopped comes to their end.
LIMIT_S = 600


@pytest.fixture(autouse=True, scope="module")
def lockstep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_lockstep(tmp_path_factory.mktemp("lockstep"), EMULATOR):
        yield


@define
class Bare:
    """A folder in which kernels boot."""

    folder: Path

    def run(
        self,
        kernel: bytes,
        limit_s: int = LIMIT_S,
        on_line: Callable[[str], None] = lambda _: None,
        own_limit_s: int = 300,
    ) -> JobResult:
        """Boot a kernel that has `limit_s` seconds of the host, and `own_limit_s` of its clock."""
        (self.folder / "kernel").write_bytes(kernel)
        (self.folder / "ramdisk").write_bytes(b"ramdisk")
        options = [word for option in BOARD_TYPE.options for word in option.split()]
        start = Start(
            command=[COMMAND, *options], kernel=self.folder / "kernel",
            cmdline=str(BOARD_TYPE.cmdline), ramdisk=self.folder / "ramdisk", seed=1, identity=None,
        )  # fmt: skip
        argv = start.argv("-name", f"vlag-limit-{own_limit_s}")
        return emulator.run(self.folder, argv, limit_s, "10.0", on_line)

    def left(self) -> list[int]:
        """Return the emulators of this folder that go on."""
        return [
            pid
            for pid, line in commands()
            if str(self.folder / "kernel") in line and pid != os.getpid()
        ]


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    (tmp_path / "bare").mkdir()
    return Bare(tmp_path / "bare")


def test_a_whole_boot_is_what_it_is_in_lavas_job(bare: Bare, tmp_path: Path) -> None:
    job = bare.run(WHOLE)
    assert (job.error, job.error_type, job.lockstep, job.version) == (None, None, "1", "10.0")
    assert bare.left() == []
    in_lava = Dispatcher(tmp_path / "lava")
    in_lava.scratch.mkdir()
    other = in_lava.run(WHOLE, BOARD_TYPE)
    assert job.lockstep == other.lockstep
    # From the kernel's first word on: what a BIOS prints, LAVA cuts where it likes.
    mine, theirs = ("\n".join(each.console).partition(SPEAKS)[2] for each in (job, other))
    assert mine.split("\n")[1:] == [mark.replace("\x1b", "") for mark in MARKS[1:-1]]
    # LAVA leaves out what begins an escape sequence, and so does this.
    assert mine == theirs[: theirs.index("@vlag:done") + len("@vlag:done")]
    assert judge(console.read(job.console), job, 1, deterministic=True)[0] is Outcome.COMPLETE
    # The words that LAVA's job gives the emulator are those of the start without it.
    definition = yaml.safe_load((in_lava.scratch / "work/job.yaml").read_text())
    images = definition["actions"][0]["deploy"]["images"]
    assert images["kernel"]["image_arg"].startswith(
        f'-kernel {{kernel}} -append "{BOARD_TYPE.cmdline}" -name vlag-limit-'
    )
    log = gzip.decompress((bare.folder / "lava.log.gz").read_bytes()).decode()
    assert [word in log for word in (emulator.BEGINS, emulator.ENDS, '"pass"')] == [True] * 3


def test_a_last_word_counts_only_after_the_first(bare: Bare) -> None:
    """Negative control: a kernel that prints it ends nothing."""
    job = bare.run(image(f"{SPEAKS}\r\n@vlag:done\r\nand on\r\n".encode()))
    assert "and on" in job.console
    assert job.error == "Connection closed"


def test_a_kernel_that_fails_is_a_result(bare: Bare) -> None:
    job = bare.run(image(PANICS))
    assert judge(console.read(job.console), job, 1, deterministic=True) == (
        Outcome.PANIC, "Kernel panic - not syncing: there is nothing in it",
    )  # fmt: skip
    silent = bare.run(image(f"{SPEAKS}\r\n".encode()))
    assert went_silent(console.read(silent.console), silent)
    hangs = bare.run(image(f"{SPEAKS}\r\n".encode(), ends=False), own_limit_s=1)
    assert hangs.instructions is not None
    outcome, reason = judge(console.read(hangs.console), hangs, 1, deterministic=True)
    assert outcome is Outcome.HANG
    assert str(reason).startswith("no end within 1 s of the board's own clock, while booting")


def test_a_slow_host_makes_no_kernel_hang(bare: Bare) -> None:
    """Its emulator is stopped, as by a host that has no time for it."""

    def stop(line: str) -> None:
        if SPEAKS in line:
            for pid in until(bare.left):
                os.kill(pid, signal.SIGSTOP)

    job = bare.run(image(f"{SPEAKS}\r\n".encode(), ends=False), 5, stop, own_limit_s=3600)
    assert job.error == "the emulator timed out after 5 s"
    with pytest.raises(InfrastructureError, match="the host is too slow for it"):
        judge(console.read(job.console), evolve(job), 1, deterministic=True)
    assert bare.left() == []


def test_an_emulator_that_does_not_start_is_no_result(bare: Bare) -> None:
    with pytest.raises(
        InfrastructureError, match=r"the emulator failed \(Infrastructure\): Connection closed"
    ):
        emulator.run(bare.folder, ["true"], LIMIT_S, "10.0", lambda _: None)
    job = emulator.run(bare.folder, [COMMAND, "-no-such-option"], LIMIT_S, "10.0", lambda _: None)
    with pytest.raises(InfrastructureError, match=r"the emulator gave up: .*no-such-option"):
        judge(console.read(job.console), job, 1, deterministic=True)
