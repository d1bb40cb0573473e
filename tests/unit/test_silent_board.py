# SPDX-License-Identifier: GPL-2.0-only
"""A board that goes down without a word: the kernel's doing, or that of who killed the emulator."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from attrs import evolve

from tests.waiting import until
from vlag import progress_log
from vlag.errors import InfrastructureError
from vlag.lava import console, processor_time
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge, went_silent
from vlag.model import Outcome
from vlag.pipeline import run

BOOT = ("Linux version 6.12.0", "[    0.1] one", "[    0.2] two")
WHOLE = (*BOOT, "@vlag:start", "@vlag:status 0", "@vlag:done")


def job(*lines: str, error: str | None = "Connection closed") -> JobResult:
    return JobResult(console=lines, error_type="Job", error=error, version="1")


def booted(
    *ends: JobResult, deterministic: bool = True
) -> tuple[tuple[JobResult, bool], list[str]]:
    """Boot a board that ends like this, one time after the other; the board is a stand-in."""
    left, said = list(ends), list[str]()
    with progress_log.diverted(said.append):
        made = run._booted(lambda: left.pop(0), deterministic)
    assert left == []
    return made, said


def test_a_kernel_that_goes_down_twice_the_same_way_did_it() -> None:
    cut = (BOOT[0], BOOT[1][:5], BOOT[1][5:], BOOT[2])  # the same, in other pieces
    (made, repeated), said = booted(job(*BOOT), job(*cut))
    assert judge(console.read(made.console), made, 9, repeated=repeated)[0] is Outcome.PANIC
    # Negative control: one boot says nothing of a kernel.
    with pytest.raises(InfrastructureError, match="went down while booting without a word"):
        judge(console.read(made.console), made, 9)
    assert said == [
        "the board went down without a word; booted again, to know whether the kernel did it"
    ]


def test_an_emulator_that_was_killed_is_no_panic() -> None:
    whole = job(*WHOLE, error=None)
    made, _ = booted(job(*BOOT[:2]), whole)
    assert made == (whole, False)
    with pytest.raises(InfrastructureError, match="at another place: its host kills the emulator"):
        booted(job(*BOOT[:2]), job(*BOOT))


@pytest.mark.parametrize(
    "end",
    [
        job(*WHOLE, error=None),
        job(*BOOT, "Kernel panic - not syncing: x"),
        job(*BOOT, "qemu-system-x86_64: terminating on signal 15"),
        job("SeaBIOS"),
    ],
)
def test_every_other_end_is_told_by_one_boot(end: JobResult) -> None:
    assert not went_silent(console.read(end.console), end)
    assert booted(end) == ((end, False), [])


def test_a_slow_host_makes_no_kernel_hang() -> None:
    late = job(*BOOT[:2], error="lava-test-monitor timed out")
    (made, _), said = booted(late)
    assert said == []
    with pytest.raises(InfrastructureError, match="before 9 s were over on the board's own: the"):
        judge(console.read(made.console), made, 9, deterministic=True)
    # Negative control: time was over on the board's own clock, and one boot is enough.
    hangs = evolve(job(*BOOT[:2]), instructions=4_500_000_000)
    (made, _), said = booted(hangs)
    assert said == []
    assert judge(console.read(made.console), made, 9, deterministic=True) == (
        Outcome.HANG,
        "no end within 9 s of the board's own clock, while booting, after 4,500,000,000"
        f" instructions; last line: {BOOT[1]}",
    )
    # What the board has said goes before: it panicked, or it was done.
    for lines, outcome in (
        ((*BOOT, "Kernel panic - not syncing: x"), Outcome.PANIC), (WHOLE, Outcome.COMPLETE),
    ):  # fmt: skip
        made = evolve(job(*lines), instructions=1)
        assert judge(console.read(made.console), made, 9, deterministic=True)[0] is outcome


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_host_that_gives_no_processor_makes_no_kernel_hang(deterministic: bool) -> None:
    late = job(*BOOT[:2], error="lava-test-monitor timed out")
    with pytest.raises(InfrastructureError, match="gave its emulator a processor in 10% of the"):
        booted(evolve(late, waited=0.9), deterministic=deterministic)
    # Negative controls: it had enough, and a panic is one on any host.
    enough = evolve(late, waited=0.5)
    assert booted(enough, deterministic=deterministic)[0] == (enough, False)
    panic = evolve(job(*BOOT, "Kernel panic - not syncing: x"), waited=0.9)
    (made, _), _ = booted(panic, deterministic=deterministic)
    assert judge(console.read(made.console), made, 9)[0] is Outcome.PANIC


def test_the_time_without_a_processor_is_that_of_all_processes() -> None:
    """A busy process below a shell that runs where nobody else does, and one that is ahead."""
    core = str(min(os.sched_getaffinity(0)))
    busy = "while :; do :; done"
    ahead = subprocess.Popen(["taskset", "-c", core, "sh", "-c", busy], process_group=0)
    starved = subprocess.Popen(
        ["taskset", "-c", core, "chrt", "--idle", "0", "sh", "-c", f"sh -c '{busy}' & wait"],
        process_group=0,
    )

    def ran(seen: processor_time.ProcessorTime) -> float:
        return 0.0 if seen.waited is None else 1 - seen.waited

    def total(seen: processor_time.ProcessorTime, *pids: int) -> int:
        return sum(sum(t) for (pid, _), t in seen.threads.items() if not pids or pid in pids)

    try:
        with (
            processor_time.watched(starved.pid) as last,
            processor_time.watched(ahead.pid) as first,
        ):
            # Whatever else the core does, it goes to both by their weights.
            until(
                lambda: total(last) > 3e9 < total(first) and ran(first) > 2 * ran(last),
                lambda: f"{ran(first):.1%} and {ran(last):.1%}",
            )
            # Negative control: once the shell itself has begun, it asks for no processor.
            until(
                lambda: total(last, starved.pid) < total(last) / 2,
                lambda: f"{total(last, starved.pid)} of {total(last)}",
            )
    finally:
        for process in (ahead, starved):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_a_board_that_does_not_repeat_is_booted_once() -> None:
    end = job(*BOOT)
    assert booted(end, deterministic=False) == ((end, False), [])
    with pytest.raises(InfrastructureError, match="without a word of its kernel"):
        judge(console.read(end.console), end, 9)
