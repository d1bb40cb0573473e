# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that Debian has built, in guests that observe: counters, perf's events, rtla timerlat.

An ordinary emulated guest counts; one whose clock counts instructions watches the worst wake-ups,
so that a busy host changes nothing of what rtla finds.  Debian's real-time kernel has the tracer,
its cloud kernel does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.emulated import Emulated, board_of, emulated
from tests.night.clone import environment
from vlag.errors import ExitCode
from vlag.lava import kernel_events, worst_wakeups
from vlag.parsers import perf_stat, schedstat, timerlat

pytestmark = pytest.mark.long

TREES = """
[trees.observed.images]
"6.12" = "linux-image-6.12.*-cloud-amd64"
[trees.observed-rt.images]
"6.12" = "linux-image-6.12.*-rt-amd64"
"""
SWITCH = ("--benchmark", "stress-ng-switch", "--param", "duration_s=2", "--timeout", 900)
LATENCY = ("--benchmark", "cyclictest-hackbench", "--param", "duration_s=8", "--timeout", 300)


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        settings = made.folder / "vlag.toml"
        if "trees.observed" not in settings.read_text():
            settings.write_text(settings.read_text() + TREES)
        yield made


def kernel(place: Emulated, tree: str, board_type: str) -> Path:
    built = place.vlag("build", "--tree", tree, "--ref", "6.12", "--board-type", board_type)
    return Path(built["bundle"])


def ran(place: Emulated, tree: str, board_type: str, *words: object) -> Path:
    """Boot and measure; return the folder of what the board kept."""
    build = kernel(place, tree, board_type)
    answer = place.vlag("run", build, "--board", board_of(board_type), *words)
    assert answer["outcome"] == "complete", answer
    return Path(answer["bundle"]) / "raw"


def counted(raw: Path) -> schedstat.Interval:
    before, after = (
        schedstat.read((raw / name).read_bytes(), path=name)
        for name in (schedstat.BEFORE, schedstat.AFTER)
    )
    return schedstat.between(before, after)


def test_counters_and_events_of_an_ordinary_guest_are_there_by_name(place: Emulated) -> None:
    observed = ran(place, "observed", "qemu", *SWITCH, "--observe", "schedstats")
    interval = counted(observed)
    assert not interval.switched_off
    assert min(interval.cpu[name] for name in ("sched_count", "ttwu_count", "pcount")) > 0
    data = (observed / kernel_events.FILE).read_bytes()
    events = {s.metric: s.values[0] for s in perf_stat.parse(data, path="raw").samples}
    assert min(events[name] for name in ("context-switches", "page-faults")) > 0
    assert "cpu-migrations" in events
    # A switch is a call of schedule() that took another task.
    assert events["context-switches"] <= interval.cpu["sched_count"] * 1.05
    diff = place.vlag("schedstat", "diff", observed.parent, observed.parent)
    named = {row["field"] for section in diff["sections"] for row in section["rows"]}
    assert {"sched_count", "sched_goidle", "ttwu_local"} <= named


def test_a_scored_boot_counts_none_of_it(place: Emulated) -> None:
    """Negative control: the same kernel, board and benchmark."""
    scored = ran(place, "observed", "qemu", *SWITCH)
    assert counted(scored).switched_off
    assert not (scored / kernel_events.FILE).exists()


def test_rtla_names_who_blocks_the_worst_wakeups(place: Emulated) -> None:
    raw = ran(place, "observed-rt", "qemu-sim-2", *LATENCY, "--observe", "timerlat")
    found = timerlat.wakeups((raw / worst_wakeups.FILE).read_bytes(), path="raw")
    assert found
    # Each was above the first threshold, and some thread took a part of it.
    assert min(w.us for w in found) > worst_wakeups.LEAST_US
    blamed = {name for w in found for name in w.blockers()}
    assert any(name.startswith("thread ") for name in blamed), blamed
    # The benchmark beside it was measured as ever.
    assert json.loads((raw / "cyclictest.json").read_text())["thread"]


def test_a_kernel_without_the_tracer_says_so_in_one_sentence(place: Emulated) -> None:
    """Negative control: its other boots are as they were, see above."""
    build = kernel(place, "observed", "qemu-sim-2")
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "run", build, "--board", "sim2-1",
         *map(str, LATENCY), "--observe", "timerlat"],
        capture_output=True, text=True, check=False, env=environment(place.folder / "vlag.toml"),
    )  # fmt: skip
    assert done.returncode == ExitCode.USAGE
    said = done.stderr.strip().splitlines()
    assert len(said) == 1, said
    assert "cyclictest-hackbench observing timerlat needs CONFIG_TIMERLAT_TRACER, which " in said[0]
