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
    refused,
)
from vlag.parsers import recognise

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


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("1776.74", "17767.4", ":15: '    events per second:  17767.4' is cut off"),
        ("1776.74", "1376.74", ":15: 1376.74 events a second contradict 3564 in 2.0046 s"),
        ("1776.74", "nan", ":15: '    events per second:  nan' is cut off"),
        ("3564", "3565", ":29: 1782.0000 events a thread do not make 3565"),
        ("3564", "0", ":19: '    total number of events:              0' is cut off"),
        ("2.0046s", "0.0000s", ":18: the time or the rate is 0"),
        ("2.0046s", "2.0046", "2.0046' is cut off"),
        ("4006.63", "4106.63", ":26: the latencies' sum contradicts"),
        ("152.50", "  1.10", ":23: the latencies' mean does not lie between"),
        ("152.50", "-inf", "max:                                  -inf' is cut off"),
        ("  4.41", "204.41", ":25: latency-p95 does not lie between"),
        ("95th", "90th", "there is no percentile of the latencies; run sysbench with --perc"),
        ("Latency (ms):", "Latency (us):", ": no line begins with 'Latency (ms)'"),
        ("CPU speed:", "SQL statistics:", ":14: 'SQL statistics:' is not part of the report"),
        ("CPU speed:", "FATAL: no", ":14: sysbench did not end well: 'FATAL: no'"),
        ("threads: 2", "threads: 0", ":4: 'Number of threads: 0' is cut off"),
        ("sysbench 1.0.20", "sysbench 1.0.20\nsysbench 1.0.20", ":1: 'sysbench 1.0.20' is cut"),
    ],
)
def test_sysbench_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(CPU, old, new)
