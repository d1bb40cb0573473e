"""Parsers of probes (perf c2c, return probes, wake-up traces) against bent captures."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse

DATA = Path(__file__).parents[1] / "data" / "parsers"

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


def read(name: str) -> tuple[str, bytes]:
    return name.partition("/")[0], (DATA / name).read_bytes()


def bend(name: str, old: str, new: str) -> ParsedOutput:
    """Parse a capture with the first `old` replaced by `new`; `old` must be in it."""
    tool, data = read(name)
    assert old.encode() in data
    return parse(tool, data.replace(old.encode(), new.encode(), 1), path="bent")


def refused(name: str, old: str, new: str) -> str:
    with pytest.raises(ParseError) as caught:
        bend(name, old, new)
    return str(caught.value)


def trace(*events: str) -> ParsedOutput:
    text = BEGIN.format(len(events)) + "".join(events)
    return parse("wakeup-trace", text.encode(), path="raw")


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    tool, data = read(name)
    full = parse(tool, data, path=name)
    errors = 0
    ends = range(len(data)) if len(data) < 3000 else [*range(0, len(data), 37), len(data) - 1]
    for end in ends:
        try:
            assert parse(tool, data[:end], path=name) == full
        except ParseError:
            errors += 1
    assert errors > 100


@pytest.mark.parametrize("name", ALL)
def test_a_line_left_out_never_changes_a_figure(name: str) -> None:
    tool, data = read(name)
    full = parse(tool, data, path=name)
    lines = data.splitlines(keepends=True)
    # A row that is gone from the table of accesses cannot be told from one that never was.
    kept = [k for k, line in enumerate(lines) if b"[kernel.kallsyms]" not in line]
    errors = 0
    for k in kept:
        try:
            left = parse(tool, b"".join(lines[:k] + lines[k + 1 :]), path=name)
        except ParseError:
            errors += 1
            continue
        # What is no longer watched is no longer said; all other figures stay.
        assert left == full or left.defaults != full.defaults
    assert errors > 5


@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    tool, data = read(name)
    rng = random.Random(1)
    errors = 0
    for _ in range(200):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 8)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            assert parse(tool, bytes(damaged), path=name).tool == tool
        except ParseError:
            errors += 1
    assert errors > 50


@pytest.mark.parametrize("name", ALL)
def test_a_serial_console_and_the_kernel_s_messages_change_nothing(name: str) -> None:
    tool, data = read(name)
    noisy = data.replace(b"\n", b"\r\n[    3.141592] random: crng init done\r\n")
    assert parse(tool, noisy, path="raw") == parse(tool, data, path="raw")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("watch root_domain/line3", "watch root_domain/line1", "its label stands there twice"),
        ("watch root_domain/line1 0xff110001035ea840 64", "watch line1 0x", "is cut off, or its"),
        ("end of report", "end of", "one last line 'end of report', it has 0"),
        ("Load Operations                   :      23310", "", "it has 0; it is cut off"),
        (":      23310", ":          0", "perf c2c sampled no load"),
        ("offset,iaddr", "offset,pid", "with offset,iaddr, it has 0"),
        ("lcl hitm      load", "lcl hitm      peer", "with columns that are known, it has 0"),
        ("     59104     22017", "       nan     22017", "does not fit the table of accesses"),
        ("     59104     22017", "     -9104     22017", "does not fit the table of accesses"),
        ("      1      201", "      3      201", "3 shared cache lines, and the accesses of 3 or"),
        ("      1  0xff11", "      0  0xff11", "does not fit the table of cache lines"),
        ("Cache Line Distribution", "Lines", "one table of accesses, it has 0"),
        ("[ perf record: W", "No permission to enable x event.\n[ perf", "could not sample loads"),
    ],
)
def test_perf_c2c_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(C2C, old, new)


def test_perf_c2c_needs_something_to_watch() -> None:
    tool, data = read(C2C)
    report = b"".join(x for x in data.splitlines(keepends=True) if not x.startswith(b"watch "))
    with pytest.raises(ParseError, match="nothing is watched: print a line 'watch LABEL"):
        parse(tool, report, path="raw")


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
    tool, data = read(C2C)
    lines = data.decode().splitlines(keepends=True)
    head = next(k for k, x in enumerate(lines) if x.startswith("      0  0xff"))
    pareto = next(k for k, x in enumerate(lines) if "Distribution Pareto" in x)
    text = "".join([*lines[:head], *lines[head + 3 : pareto + 2], "#\n", "end of report\n"])
    for sample in parse(tool, text.encode(), path="raw").samples:
        assert sample.values == ()
        assert len(sample.absent) == 4


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "t update_entity_lag\n",
            "t update_entity_lag.isra.0\n",
            "only has update_entity_lag.isra",
        ),
        ("ffffffff810c1f30 t update_entity_lag\n", "", "the compiler inlined it away or"),
        ("r:vlag/returned update_entity_lag", "r:vlag/returned update_load_avg", "the probe is on"),
        ("ret=$retval:u8", "ret=$retval:s32", "the probe is on"),
        ("ret=$retval:u8", "", "the kernel did not take the probe"),
        ("          48213               0", "              0               0", "was never called"),
        (
            "          48213               0",
            "             66               0",
            "cannot be among 66",
        ),
        ("          48213               0", "          48213", "the probe's counts are missing"),
        ("67/67", "68/67", "cannot be among 48213 calls"),
        ("67/67", "67", "the trace's counts are missing"),
        ("== profile", "== trace", "the section 'trace' stands where another is expected"),
        ("== end", "", "the output is cut off: the section 'end' is missing"),
        ("update_entity_lag u8", "update_entity_lag", "no function is named"),
    ],
)
def test_return_probe_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(PROBE, old, new)


def test_return_probe_counts_none_where_the_filter_let_none_pass() -> None:
    share, returned, calls, _ = bend(PROBE, "67/67", "0/0").samples
    assert (share.values, returned.values, calls.values) == ((0.0,), (0.0,), (48213.0,))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("== threads\n", "", "sections 'threads' and 'trace' must stand there"),
        ("kworker/*\n", "kworker/*\nksoftirqd/*\n", "one pattern of threads' names"),
        ("kworker/*\n", "ksoftirqd/*\n", "this event is of no thread that fits 'ksoftirqd/*'"),
        ("148/148", "149/149", "the trace has 148 of 149 events"),
        ("148/148", "many", "the trace has 0 heads with a number of entries"),
        ("sched_wakeup: comm", "sched_waking: comm", "is no wake-up and no switch of the trace"),
        ("prio=120 target_cpu", "prio=none target_cpu", "is no wake-up and no switch of the trace"),
        ("#              | |", "CPU:1 [LOST 12 EVENTS]\n#  | |", "or events were lost"),
        ("27305.173441", "27306.173441", "the trace goes back in time; trace with the clock mono"),
    ],
)
def test_wakeup_trace_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(TRACE, old, new)


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
