# SPDX-License-Identifier: GPL-2.0-only
"""What a report says of the machine, the compiler and the commands of its boots."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vlag.bundle_records import RunRecord
from vlag.report.data import machine
from vlag.store.runs import Run

AMD = "vendor_id: AuthenticAMD\nmodel name: QEMU Virtual CPU version 2.5+\nmicrocode: 0x1000065"
PREEMPT = "/sys/kernel/debug/sched/preempt"


def run(*, cpus: int = 2, argv: Any = None, preempt: str = "", **environment: str) -> Run:
    environment |= {PREEMPT: preempt} if preempt else {}
    document = {"board": {"cpus": cpus}, "environment": environment, "argv": argv or {}}
    return Run(
        id=1, bundle_digest="", run_key="", kernel=1, config_sha256="", board="qemu-1",
        board_type="qemu-sim-2", plan=None, benchmark="stress-ng-switch", parameters={"n": 2},
        seed=1, knobs={}, outcome="complete", reason=None, finished_at=datetime.now(UTC),
        health=[], emulator=None, suspect=None, location="", synthetic=False,
        document=cast("RunRecord", document),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            run(processors=AMD, memory="MemTotal:         759944 kB\nSwapTotal: 0 kB"),
            "2 CPUs, QEMU Virtual CPU version 2.5+, microcode 0x1000065, 0.7 GiB",
        ),
        (run(cpus=80, memory="MemTotal: 263982156 kB"), "80 CPUs, 252 GiB"),
        (run(cpus=1, processors="unreadable: no such file"), "1 CPU"),
        (run(processors="CPU part: 0xd0b"), "2 CPUs, 0xd0b"),
    ],
)
def test_a_machine_is_named_by_what_its_boots_read(given: Any, said: str) -> None:
    assert machine.machine([given, given]) == [said]
    # Negative control: another machine is named beside it.
    assert len(machine.machine([given, run(cpus=3)])) == 2


def test_preemption_is_the_one_that_debugfs_marks() -> None:
    full = run(preempt="none voluntary (full) ")
    assert machine.preemption([full, full]) == ["full"]
    lazy = run(preempt="none voluntary full (lazy)")
    assert machine.preemption([full, lazy]) == ["full", "lazy"]
    assert machine.preemption([run(), run(preempt="unreadable: no file")]) == []


def test_the_compiler_is_that_of_the_image() -> None:
    made: Any = [
        SimpleNamespace(release="6.12", toolchain="gcc 12"),
        SimpleNamespace(release=None, toolchain="gcc 13"),
    ]
    assert machine.toolchain(made) == "gcc 12"
    assert machine.toolchain(made[1:]) is None


def test_commands_are_kept_word_by_word() -> None:
    argv = {"main": ["stress-ng", "--switch", "2"], "load": ["hackbench"]}
    [found] = machine.commands([run(argv=argv), run(argv=argv)])
    assert found["commands"] == argv
    assert (found["benchmark"], found["parameters"]) == ("stress-ng-switch", {"n": 2})


def test_a_temperature_that_nobody_could_read_is_named() -> None:
    known = run(cpus=4)
    known.document["read_back"] = {"temperature_max_mC": "60000"}
    unread = run(cpus=4)
    why = "this kernel's device tree has no sensor"
    unread.document["read_back"] = {"temperature_max_mC": f"not known: {why}"}
    assert machine.machine([known, unread]) == ["4 CPUs", f"4 CPUs, temperature not known ({why})"]
