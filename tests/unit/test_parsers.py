# SPDX-License-Identifier: GPL-2.0-only
"""Parsers against raw captures found by glob, and against captures bent on purpose."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.captures import (
    CAPTURES,
    KERNEL,
    bend,
    cuts,
    damage_refused,
    expected,
    less_each_line,
    lines,
    plain,
    read,
    refusals,
    refused,
)
from vlag import ROOT
from vlag.errors import ParseError
from vlag.parsers import PARSERS, parse, recognise

SWITCH = "stress-ng/0.15.06-switch-pipe.txt"
SWITCH_NEW = "stress-ng/0.19.02-switch.txt"
HISTOGRAM = "cyclictest/2.4-hist.json"
HACKBENCH = "hackbench/2.4-socket.txt"
READ_BY_LINE = [
    f"{p.parent.name}/{p.name}"
    for p in CAPTURES
    if p.suffix != ".json" and "refused" not in expected(p)
]

# What a serial console does to the output, and the kernel that prints to the same one.
THROTTLING = b"[    3.141592] sched: RT throttling activated"
CONSOLE: list[Callable[[bytes], bytes]] = [
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: data.replace(b"\n", b"\r\n" + KERNEL + b"\r\n"),
    lambda data: data.replace(b"\n", b"\x1b[0m\n"),
    lambda data: b"\x1b[0m" + data.replace(b"\n", b"\r\n" + THROTTLING + b"\r\n"),
]

# A lone number does not say whose it is.
NAMELESS = {
    "perf-bench/6.1-messaging-simple.txt",
    "perf-bench/6.1-pipe-repeat.txt",
    "perf-bench/6.1-pipe-simple.txt",
}


def test_every_tool_has_captures_that_parse_and_captures_that_are_refused() -> None:
    for tool in PARSERS:
        mine = [p for p in CAPTURES if p.parent.name == tool]
        bad = [p for p in mine if "refused" in expected(p)]
        assert bad
        assert len(mine) > len(bad)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_capture_gives_what_stands_beside_it(capture: Path) -> None:
    wanted = expected(capture)
    path = str(capture)
    if set(wanted) == {"refused"}:
        with pytest.raises(ParseError) as caught:
            parse(capture.parent.name, capture.read_bytes(), path=path)
        assert path in str(caught.value)
        assert wanted["refused"] in str(caught.value)
    else:
        assert plain(parse(capture.parent.name, capture.read_bytes(), path=path)) == wanted


def test_every_module_with_a_tool_is_its_parser_and_bears_its_name() -> None:
    """`recognise` asks in this order; nothing lists the tools by hand."""
    folder = ROOT / "vlag" / "parsers"
    named = {
        p.stem: re.search(r"^TOOL = \"(.+)\"$", p.read_text(), re.M) for p in folder.glob("*.py")
    }
    assert list(PARSERS) == [tool[1] for _, tool in sorted(named.items()) if tool]
    assert [tool.replace("-", "_") for tool in PARSERS] == sorted(n for n, t in named.items() if t)
    assert "rt_tests" in named  # shared by parsers, and none itself
    for parser in PARSERS.values():
        assert parser.QUANTITIES
        assert callable(parser.recognise)
        assert callable(parser.parse)


def test_unknown_tool_is_refused_and_known_ones_are_named() -> None:
    with pytest.raises(ParseError, match=r"'lmbench'.*cyclictest, .*hackbench, .*stress-ng"):
        parse("lmbench", b"", path="raw")


def test_every_capture_that_parses_is_recognised_by_its_own_parser_only() -> None:
    nameless = set()
    for capture in CAPTURES:
        if "refused" in expected(capture):
            continue
        data = capture.read_bytes()
        found = [tool for tool, parser in PARSERS.items() if parser.recognise(data)]
        if found:
            assert found == [capture.parent.name], capture
            assert recognise(data, path=str(capture)) == capture.parent.name
        else:
            nameless.add(f"{capture.parent.name}/{capture.name}")
    assert nameless == NAMELESS


def test_what_no_tool_printed_is_refused() -> None:
    with pytest.raises(ParseError, match=r"raw: the output looks like no tool's; name the tool"):
        recognise(b"hello\n", path="raw")


@pytest.mark.parametrize("name", [SWITCH, SWITCH_NEW, HISTOGRAM, HACKBENCH])
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    # Only what follows the tool's last word may be missing.
    found = refusals(name, cuts(read(name)[1]))  # every line's end is among them
    assert found.count(False) <= len("c\nrc=0\n") + len("s")


# Not for cyclictest: a bucket that is gone cannot be told from an overflow.
@pytest.mark.parametrize("name", [SWITCH, SWITCH_NEW, HACKBENCH])
def test_a_line_left_out_never_changes_a_figure(name: str) -> None:
    assert sum(refusals(name, less_each_line(read(name)[1]))) >= 3


@pytest.mark.parametrize("tool", sorted(PARSERS))
@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\xff\xfe\x00garbage", b"\x00" * 64, b"[" * 100_000, b"{}", b"null"]
)
def test_garbage_is_refused(tool: str, data: bytes) -> None:
    with pytest.raises(ParseError, match="raw"):
        parse(tool, data, path="raw")


@pytest.mark.parametrize("name", [SWITCH, HISTOGRAM, HACKBENCH])
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 500) > 100


# Not for JSON files: the kernel prints nothing into them.
@pytest.mark.parametrize("name", READ_BY_LINE)
def test_what_a_serial_console_and_the_kernel_add_does_no_harm(name: str) -> None:
    tool, data = read(name)
    noisy = [noise(data) for noise in CONSOLE]
    assert not any(refusals(name, noisy))
    if name not in NAMELESS:
        assert {recognise(bent, path="raw") for bent in noisy} == {tool}


def test_not_utf8_names_the_line() -> None:
    tool, data = read(SWITCH)
    with pytest.raises(ParseError, match=r"^raw:2: .*not UTF-8"):
        parse(tool, data.replace(b"setting", b"s\xe9tting"), path="raw")


# stress-ng


def test_stress_ng_refuses_a_row_broken_by_a_kernel_message() -> None:
    message = refused(SWITCH, "switch           886409", "switch       8[ 3.1] random: 86409")
    assert message.startswith("bent:6: this row does not fit the header")


def test_stress_ng_refuses_several_rows() -> None:
    tool, data = read(SWITCH)
    row = next(line for line in lines(SWITCH) if b"443124.79" in line)
    for extra in (row, row.replace(b"switch", b"pipe  ")):
        with pytest.raises(ParseError, match=r"^raw:7: there are 2 rows of metrics \("):
            parse(tool, data.replace(row, row + extra), path="raw")


def test_stress_ng_refuses_a_warning_that_metrics_are_untrustworthy() -> None:
    warning = (
        "stress-ng: warn:  [23274] metrics-check: stressor was terminated prematurely, "
        "metrics are untrustworthy\nstress-ng: info:  [23274] successful"
    )
    message = refused(SWITCH, "stress-ng: info:  [23274] successful", warning)
    assert message.startswith("bent:9: stress-ng itself calls its metrics untrustworthy")


def test_stress_ng_switch_needs_its_miscellaneous_line_once() -> None:
    tool, data = read(SWITCH)
    line = next(x for x in lines(SWITCH) if b"nanosecs" in x)
    with pytest.raises(ParseError, match="gives time-per-switch is missing"):
        parse(tool, data.replace(line, b""), path="raw")
    with pytest.raises(ParseError, match="raw:9: time-per-switch is given twice"):
        parse(tool, data.replace(line, line + line), path="raw")


@pytest.mark.parametrize("end", ["1 min, 2.00 secs", "2.00 secs", "62.00s (1 min, 2.00 secs)"])
def test_stress_ng_reads_each_form_of_the_run_time(end: str) -> None:
    tool, data = read(SWITCH)
    assert bend(SWITCH, "completed in 2.00s", f"completed in {end}") == parse(tool, data, path="r")


# hackbench


def test_hackbench_s_runs_of_one_boot_are_read_one_after_the_other() -> None:
    tool, data = read(HACKBENCH)
    (one,) = parse(tool, data, path="r").samples
    (several,) = parse(tool, data + data.replace(b"0.506", b"0.498") + data, path="r").samples
    assert (one.values, one.instances) == ((0.506,), ("",))
    assert (several.values, several.instances) == ((0.506, 0.498, 0.506), ("1", "2", "3"))
    with pytest.raises(ParseError, match=r"mode is threaded here and process in the run before"):
        parse(tool, data + data.replace(b"process mode", b"threaded mode"), path="r")
    with pytest.raises(ParseError, match="cut off: no line begins with 'Time:'"):
        parse(tool, data + data[: data.index(b"Time:")], path="r")


def test_hackbench_reads_what_a_serial_console_and_the_kernel_add() -> None:
    tool, data = read(HACKBENCH)
    full = parse(tool, data, path="raw")
    assert parse(tool, data.replace(b"\n", b"\r\n"), path="raw") == full
    noise = b"[    1.000000] sched: RT throttling activated\nTime: "
    assert parse(tool, data.replace(b"Time: ", noise), path="raw") == full
