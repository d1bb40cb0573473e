# SPDX-License-Identifier: GPL-2.0-only
"""sysbench: captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    bend,
    cuts,
    damage_refused,
    each_line_twice,
    less_each_line,
    lines,
    parsed,
    read,
    refusals,
)
from vlag.errors import ParseError
from vlag.parsers import parse, recognise

CPU = "sysbench/1.0.20-cpu.txt"
THREADS = "sysbench/1.0.20-threads.txt"
MUTEX = "sysbench/1.0.20-mutex.txt"
INTERIM = "sysbench/1.0.20-report-interval.txt"
ALL = [CPU, THREADS, MUTEX]

# What carries no figure.
IDLE = (b"\n", b"Running the", b"Initializing", b"Threads started")


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    _, data = read(name)
    told = [bool(data[end:].strip()) for end in range(len(data))]
    assert refusals(name, cuts(data)) == told


@pytest.mark.parametrize("name", ALL)
def test_a_line_left_out_or_doubled_never_changes_a_figure(name: str) -> None:
    _, data = read(name)
    told = [not line.startswith(IDLE) for line in lines(name)]
    assert refusals(name, less_each_line(data)) == told
    assert refusals(name, each_line_twice(data)) == told


def test_damaged_bytes_never_raise_anything_else() -> None:
    assert damage_refused(CPU, 500) > 100


@pytest.mark.parametrize("name", [*ALL, INTERIM])
def test_it_is_recognised(name: str) -> None:
    assert recognise(read(name)[1], path=name) == "sysbench"


def test_interim_lines_before_the_report_are_passed_over() -> None:
    interim = read(INTERIM)[1].decode()
    assert bend(CPU, "CPU speed:", f"{interim}\nCPU speed:") == parsed(CPU)


def test_a_percentile_that_was_asked_for_is_named_so() -> None:
    samples = {s.metric: s.values for s in bend(CPU, "95th", "99th").samples}
    assert samples["latency-p99"] == (4.41,)
    assert "latency-p95" not in samples


def test_a_target_rate_is_another_setting() -> None:
    output = bend(CPU, "threads: 2\n", "threads: 2\nTarget transaction rate: 100/sec\n")
    assert output.defaults == {"threads": "2", "rate": "100", "prime-limit": "10000"}


def test_the_report_of_an_old_version_is_refused_as_that() -> None:
    text = b"sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\nNumber of threads: 4\n"
    assert recognise(text, path="raw") == "sysbench"
    with pytest.raises(ParseError, match=r"raw:1: 'sysbench 0\.4\.12' prints a report of another"):
        parse("sysbench", text, path="raw")
