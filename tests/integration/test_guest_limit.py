# SPDX-License-Identifier: GPL-2.0-only
"""A guest without an end hangs by its own clock, however slow its host is.

The emulator is a deterministic board's, LAVA's dispatcher starts it, and the kernel is one of some
bytes that prints a line and then does nothing for ever.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from tests.emulated_guest import argv, boot, load, own_lockstep, rom
from tests.integration.local_dispatcher import BOARD_TYPE, Dispatcher
from tests.long.tiny_kernel import image
from vlag.errors import InfrastructureError
from vlag.lava import console
from vlag.lava.outcome import judge
from vlag.model import Outcome

EMULATOR, COMMAND = str(BOARD_TYPE.emulator), str(BOARD_TYPE.command)
SPEAKS = "Linux version 6.12.0"
#: Instructions that the board executes in a second of its clock, if it never sleeps.
EACH_S = 500_000_000


@pytest.fixture(autouse=True, scope="module")
def lockstep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_lockstep(tmp_path_factory.mktemp("lockstep"), EMULATOR):
        yield


def limited(image: Path, limit_s: int) -> list[str]:
    return [*argv(COMMAND, BOARD_TYPE, image), "-name", f"vlag-limit-{limit_s}"]


def ended(guest: Path, limit_s: int) -> tuple[int, str, str]:
    """Return status, output and last line of an emulator, with its token named so."""
    done = subprocess.run(
        limited(guest, limit_s), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    token = lines[0].removeprefix("lockstep 1 ")
    assert len(token) == 16
    return done.returncode, done.stdout, lines[-1].replace(token, "TOKEN")


def test_a_guest_that_never_sleeps_ends_at_one_instruction(tmp_path: Path) -> None:
    busy = rom(tmp_path, "busy")
    at_limit = (124, "", f"lockstep TOKEN limit {EACH_S}")
    assert ended(busy, 1) == at_limit
    with load():
        assert ended(busy, 1) == at_limit
    # Negative control: it is the limit that ends it.
    assert ended(busy, 2) == (124, "", f"lockstep TOKEN limit {2 * EACH_S}")


def test_a_guest_that_nothing_wakes_ends_at_once(tmp_path: Path) -> None:
    """Its clock goes on to the limit without it."""
    still = rom(tmp_path, "still")
    status, said, last = ended(still, 3600)
    assert (status, said) == (124, "")
    assert int(last.removeprefix("lockstep TOKEN limit ")) < 10
    # Negative control: without a limit it stays.
    with subprocess.Popen(
        argv(COMMAND, BOARD_TYPE, still), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as child:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(3)
        child.kill()


def test_a_guest_that_ends_in_time_does_not_notice_its_limit(tmp_path: Path) -> None:
    guest = rom(tmp_path)
    prints = boot(COMMAND, BOARD_TYPE, guest)
    for limit_s in (5, 300):
        status, said, last = ended(guest, limit_s)
        assert (status, said, last) == (0, prints, "lockstep 1 TOKEN")
    # Negative control: one that needs longer is cut off.
    status, said, _ = ended(guest, 1)
    assert status == 124
    assert prints.startswith(said)
    assert said != prints


def spins(text: str) -> bytes:
    """Return a kernel that prints a line and goes on for ever."""
    return image(f"{text}\r\n".encode(), ends=False).replace(b"\xf4\xeb\xfd", b"\xeb\xfe\x90")


@pytest.fixture
def dispatcher(tmp_path: Path) -> Dispatcher:
    return Dispatcher(tmp_path)


def test_a_kernel_that_loops_hangs_at_the_same_instruction_each_time(
    dispatcher: Dispatcher,
) -> None:
    # The guard on the host's clock is far away: a busy host takes minutes for two seconds.
    kind = evolve(BOARD_TYPE, boot_timeout_s=1, seconds_per_virtual_s=100)
    job = dispatcher.run(spins(SPEAKS), kind)
    assert SPEAKS in "".join(job.console)
    assert "limit" not in "".join(job.console)
    outcome, reason = judge(console.read(job.console), job, 2, deterministic=True)
    assert outcome is Outcome.HANG
    assert str(reason).startswith(
        "no end within 2 s of the board's own clock, while booting, after"
    )
    with load():
        again = dispatcher.run(spins(SPEAKS), kind)
    assert (again.instructions, again.console) == (job.instructions, job.console)
    # What the guest prints of a limit ends nothing.
    forged = dispatcher.run(spins(f"{SPEAKS}\r\nlockstep 0123456789abcdef limit 7"), kind)
    assert forged.instructions not in (None, 7)
    assert "limit 7" in "".join(forged.console)


def test_a_host_that_stops_the_emulator_makes_no_kernel_hang(
    dispatcher: Dispatcher,
) -> None:
    """Time is over on the host's clock, and has not gone on on the board's."""
    kind = evolve(BOARD_TYPE, boot_timeout_s=600, seconds_per_virtual_s=0.01)

    def stop(line: str) -> None:
        if SPEAKS in line:
            dispatcher.stop()

    job = dispatcher.run(spins(SPEAKS), kind, stop)
    assert SPEAKS in "".join(job.console)
    assert job.instructions is None
    with pytest.raises(InfrastructureError, match="the host is too slow for it"):
        judge(console.read(job.console), job, kind.limit_s(1), deterministic=True)
