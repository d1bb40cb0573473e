# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What Buildbot's own pages call builders, builds and steps."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from buildbot.process.properties import Properties
from buildbot.process.results import FAILURE, SUCCESS

from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import titles

KERNEL = {
    "kernel_name": "linux-6.12",
    "label": "linux-6.12 on qemu-sim-4",
    "board_types": ["qemu-sim-4"],
    "plan": "nightly",
}


def properties(**values):
    return Properties(**values)


@pytest.mark.parametrize(
    ("builder", "values", "said"),
    [
        ("kernel", KERNEL, "linux-6.12 on qemu-sim-4: nightly"),
        ("kernel", KERNEL | {"release": "6.12.117"}, "linux-6.12 6.12.117 on qemu-sim-4: nightly"),
        ("board", {"label": "linux-6.12 stress-ng seed 2"}, "linux-6.12 stress-ng seed 2"),
        ("nightly", {}, "the night: all watched branches"),
        ("push", {"branch": "main", "revision": "a" * 40}, f"push of main {'a' * 12}"),
        ("push", {"ref": "v6.12"}, "v6.12 by hand"),
        ("check", {}, "check of all boards"),
    ],
)
def test_a_running_build_has_a_title(builder, values, said):
    assert titles.title(builder, properties(**values)) == said


def test_an_ended_kernel_says_what_became_of_it_once():
    known = properties(**KERNEL, release="6.12.117")
    texts = ["linux-6.12 (6.12.117): built in 4 min"]
    said = "linux-6.12 6.12.117 on qemu-sim-4: nightly, built in 4 min"
    assert titles.ended("kernel", known, texts, SUCCESS) == said
    failed = ["linux-6.12: build failed: fair.c:1: error"]
    said = "linux-6.12 on qemu-sim-4: nightly, build failed: fair.c:1: error"
    assert titles.ended("kernel", properties(**KERNEL), failed, FAILURE) == said


def test_an_ended_build_says_nothing_twice_and_not_too_much():
    run = properties(label="linux-6.12 stress-ng seed 2")
    assert titles.ended("board", run, ["a: done", "a: done"], SUCCESS) == "a: done"
    assert titles.ended("board", run, [], FAILURE) == "linux-6.12 stress-ng seed 2: failure"
    notes = properties(notes=["The night: 2 kernels built, 12 runs"])
    said = titles.ended("nightly", notes, [f"comparison {n}" for n in range(5)], SUCCESS)
    assert said == "The night: 2 kernels built, 12 runs; comparison 0; 4 more"
    assert titles.ended("check", properties(), [], SUCCESS) == "check of all boards: done"


def test_the_verdict_of_a_push_is_the_end_of_its_title():
    texts = ["kernels: 1 failure", "a: b", "c: d", "main abc: REGRESSION confirmed: x"]
    said = titles.ended("push", properties(verdict=texts[-1]), texts, FAILURE)
    assert said == "main abc: REGRESSION confirmed: x"
    # Stopped before its verdict.
    assert titles.ended("push", properties(), texts[:1], FAILURE) == "kernels: 1 failure"


def test_names_of_steps_differ_where_they_are_cut():
    kernels = [
        f"{branch} + {patches}"
        for branch in ("linux-6.12", "users/somebody/linux-6.1")
        for n in range(1, 22)
        for patches in (f"{n:02}-placement-of-wakeups", f"known-regressions prefix({n})")
    ]
    names = {
        titles.step_name("compare", kernel, board)
        for kernel in kernels
        for board in ("qemu-sim-2", "qemu-sim-4")
    }
    assert len(names) == 2 * len(kernels)
    assert max(map(len, names)) <= 46  # Buildbot stores 50, and "_12" of equal names
    assert (
        titles.step_name("compare", "linux-6.12", "qemu-sim-2") == "compare linux-6.12 qemu-sim-2"
    )


def test_every_builder_is_described():
    names = {"kernel", "board", "nightly", "first", "push", "profile", "try", "check", "lanes"}
    assert titles.DESCRIPTIONS.keys() == names


def test_a_build_is_titled_once_and_ends_with_what_its_steps_said():
    said, over = [], []
    build = titles.TitledBuild.__new__(titles.TitledBuild)
    build.builder = SimpleNamespace(name="kernel")
    build.properties = properties(**KERNEL)
    updates = SimpleNamespace(setBuildStateString=lambda _build, text: said.append(text))
    build.master = SimpleNamespace(data=SimpleNamespace(updates=updates))
    build.buildid, build.results, build.stopped_reason = 1, SUCCESS, None
    build.executedSteps, build.text, build.currentStep = [], [], None
    steps = ["build", "record", None]
    build.getNextStep = lambda: steps.pop(0)
    build._start_next_step_impl = lambda _step: None
    build.buildFinished = lambda texts, results: over.append((texts, results))
    for _ in range(3):
        build.currentStep = None  # as Buildbot does between steps
        build.startNextStep()
        build.text = ["linux-6.12: built in 4 min"]
    assert said == ["linux-6.12 on qemu-sim-4: nightly"]
    assert over == [(["linux-6.12 on qemu-sim-4: nightly, built in 4 min"], SUCCESS)]
