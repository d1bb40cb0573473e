# SPDX-License-Identifier: GPL-2.0-only
"""The documented table of kernel alarms: each line gives the alarm that stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from vlag import ROOT
from vlag.lava import console, kernel_alarms

PAGE = (ROOT / "docs" / "kernel-alarms.md").read_text(encoding="utf-8")
PROJECTS = 3


def rows() -> Iterator[list[str]]:
    """Yield the cells of each row of the table, without its head."""
    for line in PAGE.splitlines():
        if re.match(r"\| (?!what happened)", line):
            yield [cell.strip() for cell in line.split("|")[1:-1]]


ROWS = list(rows())


def kinds(line: str) -> list[str]:
    return [alarm.kind for alarm in console.read(["fine", line]).health]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_line_gives_the_alarm_of_its_row(row: list[str]) -> None:
    what, printed, *others, here = row
    assert what
    assert len(others) == PROJECTS
    assert set(others) <= {"yes", "no", "cut"}
    kind = re.fullmatch("`([a-z_]+)`", here)
    assert kinds(printed.strip("`")) == ([kind[1]] if kind else [])
    assert kind or here.startswith(("no: ", "by its "))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_same_words_in_a_command_are_no_alarm(row: list[str]) -> None:
    """Negative control."""
    line = row[1].strip("`")
    assert kinds(f"root@board:~# dmesg | grep '{line}'") == []
    assert kinds(f"Kernel command line: console=ttyS0 note='{line}'") == []


def test_every_kind_has_a_row() -> None:
    documented = {row[-1].strip("`") for row in ROWS}
    assert {kind for kind, _ in kernel_alarms._KINDS} <= documented


@pytest.mark.parametrize(
    "line",
    [
        "sched: CPU 1 is isolated",
        "psi: inconsistent settings",
        "irq 16: Affinity broken due to vector space exhaustion.",
        "pagealloc: enabled",
        "INFO: task hackbench:71 died after 143 seconds.",
        "INFO: trying to register a clocksource",
        "PANIC: none of this is the kernel's",
    ],
)
def test_lines_that_only_sound_like_it_are_none(line: str) -> None:
    assert kinds(line) == []


def test_a_call_that_is_sent_again_is_one_event() -> None:
    lines = [
        "smp: csd: Detected non-responsive CSD lock (#1) on CPU#3, waiting 5000000003 ns",
        "smp: csd: Re-sending CSD lock (#1) IPI from CPU#01 to CPU#03",
    ]
    [alarm] = console.read(lines).health
    assert (alarm.kind, len(alarm.detail)) == ("csd_lock", 1)


def test_a_double_fault_and_its_number_are_one_event() -> None:
    lines = ["traps: PANIC: double fault, error_code: 0x0", "double fault: 0000 [#1] PREEMPT SMP"]
    assert [alarm.kind for alarm in console.read(lines).health] == ["bug"]
