# SPDX-License-Identifier: GPL-2.0-only
"""Parsers of probes (perf c2c, return probes, wake-up traces) against bent captures."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    bend,
    cuts,
    damage_refused,
    less_each_line,
    lines,
    read,
    refusals,
)
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse

C2C = "perf-c2c/6.12-root-domain-made.txt"
PROBE = "return-probe/7.0-lag-made.txt"
TRACE = "wakeup-trace/6.18-kworkers.txt"
ALL = [C2C, PROBE, TRACE]

BEGIN = "== threads\nkworker/*\n== trace\n# entries-in-buffer/entries-written: {0}/{0}   #P:2\n#\n"
WAKEUP = (
    "            bash-7123    [001] d..4. {}: sched_wakeup: comm={} pid={} prio=120"
    " target_cpu=000\n"
)
SWITCH = (
    "            bash-7123    [001] d..2. {}: sched_switch: prev_comm={} prev_pid={} prev_prio=120"
    " prev_state=R ==> next_comm={} next_pid={} next_prio=120\n"
)


def trace(*events: str) -> ParsedOutput:
    text = BEGIN.format(len(events)) + "".join(events)
    return parse("wakeup-trace", text.encode(), path="raw")


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    _, data = read(name)
    copies = cuts(data) if len(data) < 3000 else [*cuts(data, 37), data[:-1]]
    assert sum(refusals(name, copies)) > 100


@pytest.mark.parametrize("name", ALL)
def test_a_line_left_out_never_changes_a_figure(name: str) -> None:
    # A row that is gone from the table of accesses cannot be told from one that never was.
    copies = [
        copy
        for line, copy in zip(lines(name), less_each_line(read(name)[1]), strict=True)
        if b"[kernel.kallsyms]" not in line
    ]
    # What is no longer watched is no longer said; all other figures stay.
    found = refusals(
        name, copies, same=lambda left, full: left == full or left.defaults != full.defaults
    )
    assert sum(found) > 5


@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 200, most=8) > 50


def test_perf_c2c_needs_something_to_watch() -> None:
    report = b"".join(x for x in lines(C2C) if not x.startswith(b"watch "))
    with pytest.raises(ParseError, match="nothing is watched: print a line 'watch LABEL"):
        parse("perf-c2c", report, path="raw")


def test_perf_c2c_looks_at_addresses_within_what_is_watched() -> None:
    old = "watch root_domain/line3 0xff110001035ea8c0 64"
    high, low = bend(C2C, old, "watch root_domain/line3 0xff110001035ea8d8 8").samples
    assert high.values == (44012.0, 31870.0)
    assert low.values == (2815.0, 12101.0)
    # Stores only: there is no load to say anything about.
    high, _ = bend(C2C, old, "watch root_domain/line3 0xff110001035ea8e0 4").samples
    assert high.instances == ("root_domain/line1",)
    assert "root_domain/line3" in high.absent


def test_perf_c2c_without_any_shared_line_says_that_all_are_absent() -> None:
    rows = lines(C2C)
    head = next(k for k, x in enumerate(rows) if x.startswith(b"      0  0xff"))
    pareto = next(k for k, x in enumerate(rows) if b"Distribution Pareto" in x)
    text = b"".join([*rows[:head], *rows[head + 3 : pareto + 2], b"#\n", b"end of report\n"])
    for sample in parse("perf-c2c", text, path="raw").samples:
        assert sample.values == ()
        assert len(sample.absent) == 4


def test_return_probe_counts_none_where_the_filter_let_none_pass() -> None:
    share, returned, calls, _ = bend(PROBE, "67/67", "0/0").samples
    assert (share.values, returned.values, calls.values) == ((0.0,), (0.0,), (48213.0,))


def test_wakeup_trace_does_not_count_a_thread_that_was_woken_before_it_slept() -> None:
    (histogram,) = trace(
        WAKEUP.format("1.000000", "kworker/0:1", 7),
        SWITCH.format("1.000004", "bash", 9, "kworker/0:1", 7),
        WAKEUP.format("1.000005", "kworker/0:1", 7),  # while it runs
        SWITCH.format("1.000006", "kworker/0:1", 7, "bash", 9),
        SWITCH.format("1.000900", "bash", 9, "kworker/0:1", 7),
    ).histograms
    assert histogram.bounds == (4,)
    assert histogram.achieved == 1
    assert (histogram.limit, histogram.maximum) == (5, (4.0,))


def test_wakeup_trace_crosses_a_full_second_and_keeps_threads_apart() -> None:
    (histogram,) = trace(
        WAKEUP.format("1.999999", "kworker/0:1", 7),
        WAKEUP.format("1.999999", "kworker/u4:0", 8),
        SWITCH.format("2.000001", "bash", 9, "kworker/u4:0", 8),
        SWITCH.format("2.000009", "kworker/u4:0", 8, "kworker/0:1", 7),
    ).histograms
    assert histogram.instances == ("kworker/0:1", "kworker/u4:0")
    assert histogram.bounds == (2, 10)
    assert histogram.counts.tolist() == [[0, 1], [1, 0]]


def test_wakeup_trace_needs_a_wake_up_that_was_followed_by_a_run() -> None:
    with pytest.raises(ParseError, match="was woken and ran; trace for a longer time"):
        trace(WAKEUP.format("1.000000", "kworker/0:1", 7))
    with pytest.raises(ParseError, match="was woken and ran; trace for a longer time"):
        trace()
