# SPDX-License-Identifier: GPL-2.0-only
"""schbench: captures bent on purpose."""

from __future__ import annotations

import json

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

TEXT = "schbench/git-text.txt"
EARLY_2023 = ("schbench/bad164c-2023.txt", "schbench/ab22f3f-2023.txt")
JSON = "schbench/git-json.json"


@pytest.mark.parametrize("name", [TEXT, JSON])
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    _, data = read(name)
    untold = (b"\nrc=0\n", b"rc=0\n", b"c=0\n", b"=0\n", b"0\n", b"\n")
    told = [data[end:] not in untold for end in range(len(data))]
    assert refusals(name, cuts(data)) == told


def test_a_line_left_out_or_doubled_is_refused() -> None:
    head = b"".join(lines(TEXT)[:-1])
    assert all(refusals(TEXT, [*less_each_line(head), *each_line_twice(head)]))


@pytest.mark.parametrize("name", EARLY_2023)
def test_a_layout_without_rates_in_between_is_read_whole_or_not_at_all(name: str) -> None:
    assert sum(refusals(name, less_each_line(read(name)[1]))) > len(lines(name)) - 4


@pytest.mark.parametrize("name", [TEXT, JSON])
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 500) > 100


@pytest.mark.parametrize("name", [TEXT, JSON])
def test_it_is_recognised(name: str) -> None:
    assert recognise(read(name)[1], path=name) == "schbench"


def test_text_and_json_give_the_same_for_the_same_figures() -> None:
    text = parsed(TEXT)
    whole = json.loads(read(JSON)[1])
    for sample in text.samples:
        prefix, _, key = sample.metric.rpartition("-")
        key = f"pct{float(key[1:])}" if key.startswith("p") else key
        if f"{prefix.replace('-', '_')}_{key}" in whole["int"]:
            whole["int"][f"{prefix.replace('-', '_')}_{key}"] = int(sample.values[0])
    whole["int"]["runtime"] = 3
    output = parse("schbench", json.dumps(whole).encode(), path="raw")
    assert len(output.samples) == 17
    assert output.samples == text.samples[:17]
    assert output.defaults == text.defaults
    assert {s.metric for s in text.samples[17:]} == {
        "rps-mean", "sched-delay-message", "sched-delay-worker",
    }  # fmt: skip


def test_without_an_interval_there_are_no_delays() -> None:
    last = lines(TEXT)[-20:]
    assert last[0].startswith(b"Wakeup Latencies")
    output = parse("schbench", b"".join(last), path="raw")
    assert output.samples == parsed(TEXT).samples[:18]


def test_the_number_of_workers_is_a_setting_where_schbench_chose_it() -> None:
    output = bend(TEXT, "Wakeup", "setting worker threads to 2\nWakeup")
    assert output.defaults == {"runtime": "3", "workers": "2"}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("average rps: 88.33", "average rps: 0.00", "schbench took no sample"),
        ("average rps: 88.33", "average rps: nan", ":75: 'average rps: nan' is cut off"),
        ("average rps: 88.33", "final rps goal was 88", ":75: this is the end of a run with"),
        ("average rps: 88.33", "avg worker transfer: 88 ops/sec 1MB/s", ":75: this is the end"),
        ("(265 total", "(0 total", "schbench took no sample"),
        ("max=209056", "max=109056", "the percentiles of request-latency contradict"),
        ("79232  ", "209999 ", "the percentiles of request-latency contradict"),
        ("min=74, max=99", "min=100, max=99", "rps-min is larger than the maximum"),
        ("max=99", "max=-1", "'min=74, max=-1' is cut off or of an unknown layout"),
        (
            "Request Latencies percentiles (usec)",
            "Request Latencies percentiles (msec)",
            "does not",
        ),
        ("99.9th", "99.0th", "does not stand where it must"),
        ("runtime 3", "runtime 4", "does not stand where it must"),
    ],
)
def test_schbench_text_refuses(old: str, new: str, why: str) -> None:
    tool, data = read(TEXT)
    head, mark, end = data.decode().rpartition("current rps: 99.20\n")
    assert old in end
    with pytest.raises(ParseError) as caught:
        parse(tool, (head + mark + end.replace(old, new, 1)).encode(), path="bent")
    assert why in str(caught.value)
