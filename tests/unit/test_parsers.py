"""Parsers against raw captures found by glob, and against captures bent on purpose."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import PARSERS, parse

DATA = Path(__file__).parents[1] / "data" / "parsers"
EXPECTED = ".expected.json"
CAPTURES = sorted(p for p in DATA.glob("*/*") if not p.name.endswith(EXPECTED))

SWITCH = "stress-ng/0.15.06-switch-pipe.txt"
SWITCH_NEW = "stress-ng/0.19.02-switch.txt"
HISTOGRAM = "cyclictest/2.4-hist.json"
HACKBENCH = "hackbench/2.4-socket.txt"


def read(name: str) -> tuple[str, bytes]:
    return name.partition("/")[0], (DATA / name).read_bytes()


def bend(name: str, old: str, new: str, count: int = 1) -> ParsedOutput:
    """Parse a capture with `old` replaced by `new`; `old` must be in it."""
    tool, data = read(name)
    assert old.encode() in data
    return parse(tool, data.replace(old.encode(), new.encode(), count), path="bent")


def refused(name: str, old: str, new: str, count: int = 1) -> str:
    with pytest.raises(ParseError) as caught:
        bend(name, old, new, count)
    return str(caught.value)


def plain(output: ParsedOutput) -> Any:
    """Return what stands in an expectation file; numbers in arrays as lists."""
    return json.loads(json.dumps(attrs.asdict(output), default=lambda table: table.tolist()))


def test_every_tool_has_captures_that_parse_and_captures_that_are_refused() -> None:
    for tool in PARSERS:
        mine = [p for p in CAPTURES if p.parent.name == tool]
        refusals = [p for p in mine if "refused" in json.loads(expectation(p).read_text())]
        assert refusals
        assert len(mine) > len(refusals)


def expectation(capture: Path) -> Path:
    return capture.with_name(capture.name.removesuffix(capture.suffix) + EXPECTED)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_capture_gives_what_stands_beside_it(capture: Path) -> None:
    expected = json.loads(expectation(capture).read_text())
    path = str(capture)
    if set(expected) == {"refused"}:
        with pytest.raises(ParseError) as caught:
            parse(capture.parent.name, capture.read_bytes(), path=path)
        assert path in str(caught.value)
        assert expected["refused"] in str(caught.value)
    else:
        assert plain(parse(capture.parent.name, capture.read_bytes(), path=path)) == expected


def test_unknown_tool_is_refused_and_known_ones_are_named() -> None:
    with pytest.raises(ParseError, match=r"'lmbench'.*cyclictest, hackbench, stress-ng"):
        parse("lmbench", b"", path="raw")


@pytest.mark.parametrize("name", [SWITCH, SWITCH_NEW, HISTOGRAM, HACKBENCH])
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    tool, data = read(name)
    full = parse(tool, data, path=name)
    whole = 0
    for end in range(len(data)):  # every line's end is among them
        try:
            assert parse(tool, data[:end], path=name) == full
            whole += 1
        except ParseError:
            pass
    # Only what follows the tool's last word may be missing.
    assert whole <= len("c\nrc=0\n") + len("s")


# Not for cyclictest: a bucket that is gone cannot be told from an overflow.
@pytest.mark.parametrize("name", [SWITCH, SWITCH_NEW, HACKBENCH])
def test_a_line_left_out_never_changes_a_figure(name: str) -> None:
    tool, data = read(name)
    full = parse(tool, data, path=name)
    lines = data.splitlines(keepends=True)
    errors = 0
    for k in range(len(lines)):
        try:
            assert parse(tool, b"".join(lines[:k] + lines[k + 1 :]), path=name) == full
        except ParseError:
            errors += 1
    assert errors >= 3


@pytest.mark.parametrize("tool", sorted(PARSERS))
@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\xff\xfe\x00garbage", b"\x00" * 64, b"[" * 100_000, b"{}", b"null"]
)
def test_garbage_is_refused(tool: str, data: bytes) -> None:
    with pytest.raises(ParseError, match="raw"):
        parse(tool, data, path="raw")


@pytest.mark.parametrize("name", [SWITCH, HISTOGRAM, HACKBENCH])
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    tool, data = read(name)
    rng = random.Random(1)
    errors = 0
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            assert parse(tool, bytes(damaged), path=name).tool == tool
        except ParseError:
            errors += 1
    assert errors > 100


def test_not_utf8_names_the_line() -> None:
    tool, data = read(SWITCH)
    with pytest.raises(ParseError, match=r"^raw:2: .*not UTF-8"):
        parse(tool, data.replace(b"setting", b"s\xe9tting"), path="raw")


# stress-ng


def test_stress_ng_reads_a_serial_console_with_kernel_messages_between() -> None:
    tool, data = read(SWITCH)
    noisy = data.replace(b"\n", b"\r\n[    3.141592] random: crng init done\r\n")
    assert parse(tool, noisy, path="raw") == parse(tool, data, path="raw")


def test_stress_ng_refuses_a_row_broken_by_a_kernel_message() -> None:
    message = refused(SWITCH, "switch           886409", "switch       8[ 3.1] random: 86409")
    assert message.startswith("bent:6: this row does not fit the header")


def test_stress_ng_refuses_several_rows() -> None:
    tool, data = read(SWITCH)
    row = next(line for line in data.splitlines(keepends=True) if b"443124.79" in line)
    for extra in (row, row.replace(b"switch", b"pipe  ")):
        with pytest.raises(ParseError, match=r"^raw:7: there are 2 rows of metrics \("):
            parse(tool, data.replace(row, row + extra), path="raw")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("failed: 0", "failed: 2: switch (2)", ":12: stress-ng reports 'failed: 2"),
        ("skipped: 0", "skipped: 1: switch (1)", ":10: stress-ng reports 'skipped: 1"),
        ("untrustworthy: 0", "untrustworthy: 1", ":13: stress-ng reports 'metrics untrustworthy"),
        ("] successful", "] unsuccessful", ":14: stress-ng's run was not successful"),
        ("346055.67", "     0.00", ":7: bogo-ops-rate is 0.00"),
        ("346055.67", "      nan", ":7: bogo-ops-rate is nan"),
        ("2886.92", "    inf", ":9: time-per-switch is inf"),
        ("2886.92", "2.89e+03", ":9: time-per-switch is 2.89e+03, which has too few digits"),
        ("(pipe method)", "(quantum computer)", ":9: 'nanosecs per context switch (quantum"),
        ("harmonic mean", "median", ":9: 'median' is an unknown way"),
        (
            "switch              2886",
            "pipe                2886",
            ":9: this miscellaneous metric is",
        ),
        ("nanosecs per context switch (pipe method) (h", "(h", ":9: this miscellaneous metric has"),
        (" CPU used per ", " instructions ", ":5: the metrics table has columns"),
        ("        88.28          3560", "", ":7: this row does not fit the header"),
        ("stressor    ", "nothing here", "there is no row of metrics"),
        ("miscellaneous metrics:", "stressor ", ":8: the metrics table has columns"),
    ],
)
def test_stress_ng_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(SWITCH_NEW, old, new)


def test_stress_ng_refuses_a_warning_that_metrics_are_untrustworthy() -> None:
    warning = (
        "stress-ng: warn:  [23274] metrics-check: stressor was terminated prematurely, "
        "metrics are untrustworthy\nstress-ng: info:  [23274] successful"
    )
    message = refused(SWITCH, "stress-ng: info:  [23274] successful", warning)
    assert message.startswith("bent:9: stress-ng itself calls its metrics untrustworthy")


def test_stress_ng_switch_needs_its_miscellaneous_line_once() -> None:
    tool, data = read(SWITCH)
    line = next(x for x in data.splitlines(keepends=True) if b"nanosecs" in x)
    with pytest.raises(ParseError, match="gives time-per-switch is missing"):
        parse(tool, data.replace(line, b""), path="raw")
    with pytest.raises(ParseError, match="raw:9: time-per-switch is given twice"):
        parse(tool, data.replace(line, line + line), path="raw")


@pytest.mark.parametrize("end", ["1 min, 2.00 secs", "2.00 secs", "62.00s (1 min, 2.00 secs)"])
def test_stress_ng_reads_each_form_of_the_run_time(end: str) -> None:
    tool, data = read(SWITCH)
    assert bend(SWITCH, "completed in 2.00s", f"completed in {end}") == parse(tool, data, path="r")


# cyclictest


def settings(cmdline: str) -> Callable[[], ParsedOutput]:
    return lambda: bend(HISTOGRAM, "cyclictest -q -p 90 -t 2 -a -l 500 -h 40 --json=", cmdline)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-h 40 -l 500", 1000),
        ("-h40 -l500 -t2 -a0-1 -qm", 1000),
        ("--histogram 40 --loops 500", 1000),
        ("-h 40 -D 2", 4000),
        ("-h 40 -D 2s -i 300", 2 * 6666),
        ("-h 40 -D 1m", 120_000),
        ("-h 40 -D 2h", 14_400_000),
        ("-h 40 --duration=1d --interval=10000", 17_280_000),
        ("-h 40 -D 2 -l 500", 1000),  # whichever ends first
        ("-h 40 -D 2 --distance 500", 4000),  # a histogram turns the distance off
        ("-h 40 -D 2 --dist 0 --int 500", 8000),
        ("-h 40 -b 5 -F -l -l 500", 1000),  # "-l" is the word of -F
        ("-h 40", None),
        ("-h 40 -l 0", None),
        ("-h 40 -- -l 500", None),
    ],
)
def test_cyclictest_works_out_the_expected_samples(options: str, expected: int | None) -> None:
    (histogram,) = settings(f"cyclictest {options} --json=")().histograms
    assert histogram.expected == expected
    assert histogram.limit == 40


def test_cyclictest_reads_the_catalogue_s_command_line() -> None:
    cmdline = (
        "cyclictest --quiet --affinity --threads --distance 0 --interval 1000 --duration 6 "
        "--histogram 30000 --json=/tmp/"
    )
    # Samples beyond 40 us have no place in a histogram that goes to 30000 us.
    message = refused(HISTOGRAM, "cyclictest -q -p 90 -t 2 -a -l 500 -h 40 --json=", cmdline)
    assert "thread 0 lacks 1 samples in its histogram" in message
    tool, data = read(HISTOGRAM)
    whole = json.loads(data)
    whole["cmdline:"] = cmdline
    for thread in whole["thread"].values():
        thread["cycles"] = sum(thread["histogram"].values())
    output = parse(tool, json.dumps(whole).encode(), path="raw")
    assert output.defaults == {"policy": "other", "priority": "0"}
    (histogram,) = output.histograms
    assert (histogram.limit, histogram.expected, histogram.overflow) == (30000, 12000, (0, 0))


@pytest.mark.parametrize(
    ("options", "policy", "priority"),
    [
        ("", "other", "0"),
        ("-p 80", "fifo", "80"),
        ("--policy=rr -p 80", "rr", "80"),
        ("-p 80 --policy=rr", "rr", "80"),
        ("-p 80 --policy=other", "fifo", "80"),
        ("--policy=FIFO", "fifo", "3"),
        ("--policy normal", "other", "0"),
        ("--policy=batch", "batch", "0"),
        ("--policy=fair", "other", "0"),
        ("--priospread", "fifo", "3"),
    ],
)
def test_cyclictest_gives_the_policy_it_applies(options: str, policy: str, priority: str) -> None:
    output = settings(f"cyclictest -h 40 {options} --json=")()
    assert output.defaults == {"policy": policy, "priority": priority}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("-l 500", "run cyclictest with --histogram"),
        ("-h 0", "run cyclictest with --histogram"),
        ("-h many", "bent:3: --histogram is 'many'"),
        ("-h 40 -D soon", "bent:3: --duration is 'soon'"),
        ("-h 40 -i 0", "bent:3: --interval is 0"),
        ("-h 40 -l", "bent:3: --loops is '--json="),
        ("-h 40 -p high", "bent:3: --priority is 'high'"),
        ("-h 40 -N", "bent:3: latencies are in nanoseconds"),
        ("-h 30", "thread 0 has samples of 33 us, where the histogram ends at 30"),
        ("-h 60", "thread 0 lacks 1 samples in its histogram"),
    ],
)
def test_cyclictest_refuses_the_command_line(options: str, why: str) -> None:
    with pytest.raises(ParseError) as caught:
        settings(f"cyclictest {options} --json=")()
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"file_version": 1', '"file_version": 2', "bent:2: the layout's version is 2"),
        ('"file_version": 1', '"file_version": true', "bent:2: 'file_version' must be a whole"),
        ('"cmdline:": "', '"cmdline": "', "'cmdline:' must be a text"),
        ('"2.40"', "2.40", "bent:4: 'rt_test_version:' must be a text"),
        ('"return_code": 0', '"return_code": 1', "bent:7: cyclictest did not end well"),
        ('"return_code": 0', '"return_code": -1', "bent:7: cyclictest did not end well"),
        ('"return_code": 0', '"return_code": "0"', "bent:7: cyclictest did not end well"),
        ('"num_threads": 2', '"num_threads": 3', "bent:16: 'num_threads' is 3, the table has"),
        ('"num_threads": 2', '"num_threads": 2.0', "bent:16: 'num_threads' must be a whole"),
        ('"resolution_in_ns": 0', '"resolution_in_ns": 1', "bent:17: latencies are in nanosec"),
        ('"thread": {', '"thread": [], "more": {', "bent:18: the table 'thread' is missing"),
        ('    "1": {', '    "2": {', "'num_threads' is 2, the table has the threads 0, 2"),
        ('    "1": {', '    "0": {', "the key '0' stands twice in one object"),
        ('"18": 16', '"18": 16, "18": 16', "the key '18' stands twice in one object"),
        ('"18": 16', '"18": 18', "bent:35: thread 0 has 1 more samples in its histogram"),
        ('"18": 16', '"18": -16', "bent:21: '18' must be a whole number"),
        ('"18": 16', '"18": 16.0', "bent:21: '18' must be a whole number"),
        ('"18": 16', '"018": 16', "bent:21: the bucket '018' is no whole number"),
        ('"18": 16', '"18": NaN', "NaN is no number"),
        ('"33": 1', '"43": 1', "bent:33: thread 0 has samples of 43 us"),
        ('"max": 46', '"max": 30', "thread 0 has samples of 33 us"),
        ('"max": 46', '"max": 39', "bent:35: thread 0 lacks 1 samples"),
        ('"cycles": 500', '"cycles": "500"', "bent:35: 'cycles' must be a whole number"),
        ('"cycles": 500', '"cycles": 0', "bent:35: thread 0 took no sample"),
        ('"max": 46', '"most": 46', "'max' must be a whole number"),
        ('"histogram": {', '"histogram": 0, "more": {', "bent:19: thread 0 has no histogram"),
        ('"avg": 20.33', '"avg": -nan', "bent:38: the output is cut off or no JSON"),
    ],
)
def test_cyclictest_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(HISTOGRAM, old, new)


def test_cyclictest_keeps_a_thread_whose_samples_all_overflowed() -> None:
    tool, data = read(HISTOGRAM)
    whole = json.loads(data)
    whole["thread"]["1"]["histogram"] = {}
    (histogram,) = parse(tool, json.dumps(whole).encode(), path="raw").histograms
    assert histogram.overflow == (1, 500)
    assert set(histogram.counts[1].tolist()) == {0}
    assert histogram.achieved == 1000
    assert 39 not in histogram.bounds  # only thread 1 had hit it


# hackbench


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Time: 0.506\n", "", ":4: the output is cut off: no line begins with 'Time:'"),
        ("Time: 0.506", "Time: 0.506\nTime: 0.506", ":5: 'Time:' begins a second line"),
        ("Time: 0.506", "Time: 0.000", ":4: the time is 0.000, where a number above 0"),
        ("Time: 0.506", "Time: -0.506", ":4: 'Time: -0.506' is cut off or of an unknown layout"),
        ("Time: 0.506", "Time: nan", ":4: 'Time: nan' is cut off"),
        ("Time: 0.506", "Time: 0.50", ":4: 'Time: 0.50' is cut off"),
        ("Time: 0.506", "Time:", ":4: 'Time:' is cut off"),
        # A clock that was set back: the tool prints the difference unsigned.
        ("Time: 0.506", "Time: 18446744073709551615.506", ":4: 'Time: 18446744"),
        ("Running in process", "Running in", ":2: 'Running in mode with 4 groups"),
        ("== 160", "== 161", ":2: 4 groups of 40 cannot be 161 tasks"),
        ("with 4 groups", "with 0 groups", ":2: 'Running in process mode with 0 groups"),
        ("rc=0", "Running in ", ":5: 'Running in ' is cut off"),
        ("$ hackbench", "Time: 0.506\n$ hackbench", ":1: the line before this one"),
        ("Each", "SENDER: write (error: Broken pipe)\nEach", ":3: hackbench did not end well"),
        ("Each", "3 children started.  Expected 40\nEach", ":3: hackbench did not end well"),
    ],
)
def test_hackbench_refuses(old: str, new: str, why: str) -> None:
    assert f"bent{why}" in refused(HACKBENCH, old, new)


def test_hackbench_reads_what_a_serial_console_and_the_kernel_add() -> None:
    tool, data = read(HACKBENCH)
    full = parse(tool, data, path="raw")
    assert parse(tool, data.replace(b"\n", b"\r\n"), path="raw") == full
    noise = b"[    1.000000] sched: RT throttling activated\nTime: "
    assert parse(tool, data.replace(b"Time: ", noise), path="raw") == full
