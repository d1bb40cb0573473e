# SPDX-License-Identifier: GPL-2.0-only
"""Tools that no Debian package has: what is cut off or contradicts itself is refused."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    CAPTURES,
    bend,
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

BOARD, YIELD = (f"will-it-scale/2024-{name}.txt" for name in ("board", "yield"))
REPORT, PROGRAM, TWO = (
    f"unixbench/6.0.0-{name}.txt" for name in ("report", "context1-board", "context1-two")
)
TABLE, BOUND, KEYS = (f"netperf/2.7.1-{name}.txt" for name in ("table", "bound", "udp-keys"))
BUILDS, LOG = "kernbench/6.1-builds.txt", "kernbench/0.42-optimal.txt"
TOOLS = ("kernbench", "netperf", "unixbench", "will-it-scale")
OURS = [
    f"{c.parent.name}/{c.name}"
    for c in CAPTURES
    if "refused" not in expected(c) and c.parent.name in TOOLS
]


def values(name: str) -> dict[str, tuple[float, ...]]:
    return {sample.metric: sample.values for sample in parsed(name).samples}


def test_each_measured_second_has_a_value_and_those_before_have_none() -> None:
    assert values(BOARD) == {
        "throughput": (123324, 123302),
        "task-rate-min": (54902, 55558),
        "task-rate-max": (68422, 67744),
    }


def test_tasks_are_known_where_each_has_a_line() -> None:
    assert parsed(BOARD).defaults["tasks"] == "2"
    assert "tasks" not in parsed(YIELD).defaults


def test_a_report_and_its_programs_give_the_same_metrics() -> None:
    assert values(REPORT) == {
        "execl-rate": (1085.7,), "pipe-rate": (942342.0,),
        "context1-rate": (102092.5,), "spawn-rate": (3438.7,),
    }  # fmt: skip
    assert parsed(REPORT).defaults == {"copies": "2", "samples": "1,1,1,1"}
    # context1's child prints its count as well, which is no second copy.
    assert values(PROGRAM) == {"context1-rate": (79159 / 2.003066,)}
    assert parsed(PROGRAM).defaults == {"copies": "1", "seconds": "2"}
    [rate] = values(TWO)["context1-rate"]
    assert rate == pytest.approx((59701 + 56688) / ((1.020044 + 1.017930) / 2))


def test_transactions_are_those_of_a_table_or_of_keys() -> None:
    assert values(KEYS)["latency-p99"][0] > 0
    assert parsed(BOUND).defaults["options"] == "cpu bind"
    assert "options" not in parsed(TABLE).defaults
    # netperf 2.6 has another first word.
    assert bend(TABLE, "MIGRATED TCP", "TCP").samples == parsed(TABLE).samples


def test_each_build_has_a_value_and_the_first_has_none() -> None:
    assert values(BUILDS) == {
        "elapsed-time": (43.19, 34.59), "user-time": (0.89, 0.82), "system-time": (0.17, 0.16),
        "cpu-usage": (2, 2), "context-switches": (1392, 764), "sleeps": (43, 43),
    }  # fmt: skip
    assert parsed(BUILDS).defaults == {
        "jobs": "2", "files": "4", "runs": "2", "source": "6.1.192 x86_64 tinyconfig",
        "compiler": "gcc (Debian 12.2.0-14+deb12u1) 12.2.0",
    }  # fmt: skip


def test_a_log_of_means_says_what_it_does_not_tell() -> None:
    assert parsed(LOG).defaults == {"load": "Optimal load", "jobs": "2"}
    assert parsed(LOG).notes == ("means of kernbench, which does not say of how many builds",)
    assert values(LOG)["sleeps"] == (24,)
    # Of a single build, and of more switches than awk prints with all digits.
    alone = bend(LOG, "Elapsed Time 3.42 (0.947523)", "Elapsed Time 3.42")
    assert alone.samples == parsed(LOG).samples
    many = bend(LOG, "Sleeps 24 (0)", "Sleeps 1.8781e+06 (5310.33)")
    assert many.samples[-1].values == (1878100,)


def test_rows_of_other_tests_are_named() -> None:
    output = bend(REPORT, "Execl Throughput       ", "File Copy 1024 bufsize ", 2)
    assert output.notes == ("not read: File Copy 1024 bufsize",)
    assert "execl-rate" not in {sample.metric for sample in output.samples}


@pytest.mark.parametrize("name", OURS)
def test_an_output_that_lost_its_end_or_a_line_is_refused_or_the_same(name: str) -> None:
    data = read(name)[1]
    assert sum(refusals(name, cuts(data, 7))) > len(data) // 7 * 3 // 4
    assert sum(refusals(name, less_each_line(data))) >= 3
    assert sum(refusals(name, each_line_twice(data))) >= 3


@pytest.mark.parametrize("name", OURS)
def test_damage_gives_no_other_tool_and_no_traceback(name: str) -> None:
    assert damage_refused(name, 150) > 50


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (BOARD, "   1 -> 54902", "   2 -> 54902", "is cut off, of an unknown layout, or not what"),
        (BOARD, "   1 -> 54902\n", "", "1 tasks have a line here, and 2 before"),
        (BOARD, "   1 -> 54902", "   1 -> 54901", "smallest, largest and sum contradict each"),
        (BOARD, "average:123313", "average:123314", "the average is 123313 by the seconds before"),
        (BOARD, "average:123313", "", "its last line must be 'average:' and a number"),
        (BOARD, "measurement\n", "", "'measurement' must stand there once, and stands there 0"),
        (BOARD, "warmup\n", "", "'warmup' must follow the name of the test"),
        (YIELD, "max:302 total:824", "max:302 total:300", "smallest, largest and sum contradict"),
        (YIELD, "min:154 max:235 total:622", "min:0 max:0 total:0", "nothing was done in this"),
        (
            REPORT,
            "12440.0     942342.0",
            "12440.0     942341.0",
            "Pipe Throughput is not in the index",
        ),
        (REPORT, "(29.9 s, 1 samples)", "(29.9 s, 1 sam", "is no row of a test, or cut off"),
        (REPORT, "942342.0 lps", "942342.0 KBps", "stands there twice or is in KBps"),
        (REPORT, "running 2 parallel", "running two parallel", "0 runs stand in the report"),
        (REPORT, "1085.7 lps", "0.0 lps", "0 stands where a number above 0 must stand"),
        (REPORT, "System Benchmarks Partial Index", "Index", "the table of the index is"),
        (
            REPORT,
            "Execl Throughput      ",
            "Excel Throughput      ",
            "Execl Throughput is not in the",
        ),
        (TWO, "copies|2", "copies|3", "of 3 copies are expected, and there are 2"),
        (TWO, "copies|2", "", "of 1 copies are expected, and there are 2"),
        (PROGRAM, "79158", "79150", "[79150, 79159] are not the counts of one"),
        (PROGRAM, "status|0", "status|2", "is not what comes next of a program that ended"),
        (PROGRAM, "elapsed|2.003066", "elapsed|0.003066", "it took 0.003066 s, and was told to"),
        (PROGRAM, "elapsed|2.003066\n", "", "counts and times of 1 copies are expected, and"),
        (PROGRAM, "$ unixbench-context1 2\n", "", "0 lines say which program of UnixBench ran"),
        (TABLE, "secs.    per sec", "secs.    10^6bits/s", "has columns that are not known"),
        (TABLE, "16384  131072\n", "", "a row of both ends is expected"),
        (TABLE, "16384  131072\n", "16384  131072\nAlignment\n", "more stands below the table"),
        (KEYS, "=Trans/s", "=10^6bits/s", "the throughput is in 10^6bits/s, not in Trans/s"),
        (KEYS, "P99_LATENCY=1", "P98_LATENCY=1", "P99_LATENCY is missing; the output is cut off"),
        (KEYS, "BURST_SIZE=0", "PROTOCOL=UDP", "is cut off, no key, or stands there twice"),
        (KEYS, 'COMMAND_LINE"\n', "COMMAND_LINE\n", "COMMAND_LINE is missing or cut off"),
        (BUILDS, "status 0", "status 2", "stands where a build must say 'status 0'"),
        (BUILDS, "run 2", "run 3", "is not the next build, or cut off"),
        (BUILDS, "end of 2 runs", "end of 3 runs", "3 runs and one before are expected, each with"),
        (BUILDS, "end of 2 runs\n", "", "the output is cut off: it must end by 'end of'"),
        (BUILDS, "run 1: 43.19", "run 1: 0.00", "0 s stand where a time above 0 must stand"),
        (BUILDS, "x86_64 tinyconfig", "tinyconfig", "stands where its configuration must stand"),
        (BUILDS, "6.1.192", "v6.1.192", "stands where the kernel's version must stand"),
        (BUILDS, "gcc (", "clang (", "stands where the compiler's version must stand"),
        (LOG, "System Time", "Sys Time", "stands where System Time must stand"),
        (LOG, "Sleeps 24 (0)\n", "", "the log is cut off: Sleeps is missing"),
        (LOG, "Elapsed Time 3.42", "Elapsed Time 0", "0 s stand where a time above 0 must stand"),
        (YIELD, "testcase:", "test case:", "the first line must be 'testcase:' and its name"),
    ],
)
def test_what_contradicts_itself_is_refused(name: str, old: str, new: str, why: str) -> None:
    assert why in refused(name, old, new)
