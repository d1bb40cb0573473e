# SPDX-License-Identifier: GPL-2.0-only
"""perf bench futex and epoll, and tbench: what is cut off or contradicts itself is refused."""

from __future__ import annotations

import re

import pytest

from tests.unit.captures import (
    CAPTURES,
    cuts,
    damage_refused,
    each_line_twice,
    expected,
    less_each_line,
    parsed,
    read,
    refusals,
    refused,
)

NUMA, QUIET = (f"perf-bench/6.1-numa-{name}.txt" for name in ("plain", "mem"))
WAKE, WAIT, CTL = (
    f"perf-bench/6.1-{name}.txt" for name in ("futex-wake", "epoll-wait", "epoll-ctl")
)
TBENCH = "tbench/4.00.txt"
OURS = [
    f"{c.parent.name}/{c.name}"
    for c in CAPTURES
    if "refused" not in expected(c)
    and (c.parent.name == "tbench" or re.search("-(?:futex|epoll|numa)-", c.name))
]


def values(name: str) -> dict[str, tuple[float, ...]]:
    return {sample.metric: sample.values for sample in parsed(name).samples}


def test_rates_are_of_all_threads_together() -> None:
    assert values(WAIT) == {"throughput": (118069 + 178814,)}
    assert values("perf-bench/6.12-futex-lock-pi.txt") == {"throughput": (1515 + 1506,)}
    assert values(CTL)["delete-rate"] == (82752 + 209152,)


def test_each_run_has_a_value() -> None:
    [sample] = parsed(WAKE).samples
    assert sample.values[:3] == (0.022, 0.108, 0.046)
    assert sample.instances == tuple(map(str, range(1, 11)))


def test_the_simple_format_is_the_same_without_a_name() -> None:
    assert parsed("perf-bench/6.1-futex-wake-simple.txt").benchmark == "perf bench futex wake"
    assert b"# Running" not in read("perf-bench/6.1-futex-wake-simple.txt")[1]


def test_memory_is_read_in_both_layouts() -> None:
    assert values(NUMA) == {"memory-speed": (7.492,), "runtime-max": (0.078,)}
    assert values(QUIET) == {
        "memory-speed": (5.468,), "runtime-max": (0.029,), "converge-time": (0.029,),
    }  # fmt: skip
    # What says only how much is printed is no setting.
    assert parsed("perf-bench/6.1-numa-quiet.txt").defaults == {
        "options": "-p 1 -t 2 -P 16 -l 5 -Z"
    }
    simple = parsed("perf-bench/6.1-numa-simple.txt")
    assert simple.benchmark == "perf bench numa mem"
    assert simple.defaults == parsed("perf-bench/6.1-numa-quiet.txt").defaults


@pytest.mark.parametrize("name", OURS)
def test_an_output_that_lost_its_end_or_a_line_is_refused_or_the_same(name: str) -> None:
    data = read(name)[1]
    assert sum(refusals(name, cuts(data, 7))) > len(data) // 7 * 3 // 4
    assert sum(refusals(name, less_each_line(data))) >= 3
    assert sum(refusals(name, each_line_twice(data))) >= 3


@pytest.mark.parametrize("name", [WAKE, WAIT, CTL, NUMA, QUIET, TBENCH])
def test_damage_gives_no_other_tool_and_no_traceback(name: str) -> None:
    assert damage_refused(name, 150) > 50


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (WAKE, "4 of 4 threads in 0.1080", "3 of 4 threads in 0.1080", "3 of 4 threads were woken"),
        (WAKE, "[Run 3]", "[Run 4]", "this is number 4, where 3 is expected"),
        (WAKE, "in 0.0517 ms", "in 0.0617 ms", "the mean is 0.0517 by the lines before it"),
        (WAKE, "'futex/wake'", "'futex/requeue'", "no line of futex/requeue, but of futex/wake"),
        (WAIT, "Averaged 148441", "Averaged 158441", "the mean is 148442 by the lines"),
        (WAIT, "2 threads monitoring", "3 threads monitoring", "lines of 2 threads, where 3 ran"),
        (WAIT, "threads monitoring", "threads watching", "no summary of a benchmark that this"),
        (
            "perf-bench/7.2-futex-wake.txt",
            "auto resized to 16 buckets",
            "auto",
            "is cut off, of an",
        ),
        (
            "perf-bench/7.2-epoll-wait.txt",
            "secs = 1",
            "secs = 1\nFutex hashing: global hash",
            "cut",
        ),
        (NUMA, "7.492, GB/sec,", "6.492, GB/sec,", "contradicts that of each of 4 tasks"),
        (NUMA, "0.051, secs,", "0.151, secs,", "smallest, mean and largest times contradict"),
        (NUMA, "0.078, secs,", "0.078, msec,", "is cut off, of an unknown layout, or of another"),
        (QUIET, "0.029 secs slowest", "0.010 secs slowest", "largest times contradict each other"),
        (QUIET, "0.029 secs latency", "0.000 secs latency", "converge-time is 0; let perf run"),
        (QUIET, "GB/sec total speed", "GB/sec total", "is cut off, of an unknown layout, or of"),
        (QUIET, "numa-mem --nr", "numa-other --nr", "0 runs of perf bench numa mem stand here"),
        (CTL, "mod: 82752 ops;", "mod: 82752;", "cut off, of an unknown layout"),
        (TBENCH, "2 of 2 processes", "1 of 2 processes", "2 processes ran, and there is no line"),
        (TBENCH, "Throughput 169.575", "Throughput 0", "throughput is 0"),
        (TBENCH, "MB/sec  2 clients", "MB/sec (sync open)  2 clients", "dbench with files"),
        (TBENCH, " Close           6553", " Close           -553", "is no row of the table"),
        (TBENCH, "AvgLat", "Average", "the table of operations is missing"),
    ],
)
def test_what_contradicts_itself_is_refused(name: str, old: str, new: str, why: str) -> None:
    assert why in refused(name, old, new)
