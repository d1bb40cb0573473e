# SPDX-License-Identifier: GPL-2.0-only
"""The parser of iperf3's JSON against captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    bend,
    cuts,
    damage_refused,
    each_line_twice,
    figures,
    less_each_line,
    parsed,
    read,
    refusals,
    replaced,
)
from vlag.errors import ParseError
from vlag.parsers import parse

FOUR = "iperf3/3.12-4-streams.json"
NEW = "iperf3/3.22-4-streams.json"
ONE = "iperf3/3.22-intervals.json"


def value(name: str, metric: str) -> float:
    return next(s.values[0] for s in parsed(name).samples if s.metric == metric)


def test_the_figures_are_those_that_reached_the_server() -> None:
    # 2197422080 bytes in 2.001012 s of sum_received; sum_sent has 2217869312.
    assert value(FOUR, "throughput") == pytest.approx(2197422080 * 8 / 2.001012 / 1e6)
    assert value(FOUR, "retransmissions") == 3 + 1 + 276 + 1


def test_each_version_is_a_tool_of_its_own() -> None:
    assert [parsed(n).tool_version for n in (FOUR, "iperf3/3.18-4-streams.json", NEW)] == [
        "3.12", "3.18", "3.22",
    ]  # fmt: skip
    assert bend(NEW, "iperf 3.22", "iperf 3.22+") == parsed(NEW)


def test_effective_settings_are_on_record() -> None:
    assert parsed(FOUR).defaults == {
        "streams": "4",
        "block": "131072",
        "mss": "1448",
        "omit": "0",
        "bitrate": "0",
        "congestion": "bbr bbr",
    }
    other = bend(FOUR, '"receiver_tcp_congestion":\t"bbr"', '"receiver_tcp_congestion":\t"cubic"')
    assert other.defaults["congestion"] == "bbr cubic"


def test_what_3_12_repeats_is_let_pass_and_nothing_else() -> None:
    assert read(FOUR)[1].count(b'"sndbuf_actual"') == 4
    data = replaced(read(FOUR)[1], '"omit":\t0,', '"omit":\t0,\n\t\t\t"omit":\t0,')
    with pytest.raises(ParseError, match="the key 'omit' appears twice"):
        parse("iperf3", data, path="raw")


@pytest.mark.parametrize("name", [FOUR, NEW, ONE])
def test_cut_anywhere_it_is_refused(name: str) -> None:
    found = refusals(name, cuts(read(name)[1].rstrip(), step=7))
    assert all(found)


@pytest.mark.parametrize("name", [FOUR, ONE])
def test_a_line_left_out_or_doubled_never_changes_a_figure(name: str) -> None:
    # Old versions do not name the rate that was asked for.
    data = read(name)[1]
    rates = data.count(b'"target_bitrate"')
    told = [c for c in less_each_line(data) if c.count(b'"target_bitrate"') == rates]
    assert sum(refusals(name, told)) > 40
    assert sum(refusals(name, each_line_twice(read(name)[1]))) > 40


def test_damaged_bytes_never_raise_anything_else() -> None:
    assert damage_refused(FOUR, 300) > 50


def test_retransmits_that_the_streams_do_not_bear_out_are_refused() -> None:
    _, data = read(FOUR)
    at = data.index(b'"sum_sent"')
    bent = data[:at] + replaced(data[at:], '"retransmits":\t281', '"retransmits":\t0')
    with pytest.raises(ParseError, match="retransmits are not those of the sum"):
        parse("iperf3", bent, path="raw")


def test_an_error_beside_figures_counts_more_than_they_do() -> None:
    """A client that was stopped prints sums as well, and 3.12 may end with status 0."""
    assert "sum_received" in read("iperf3/3.12-terminated.json")[1].decode()
    with pytest.raises(ParseError, match="the client has terminated"):
        parsed("iperf3/3.12-terminated.json")


def test_a_test_by_bytes_has_no_duration_to_keep() -> None:
    by_bytes = bend(FOUR, '"duration":\t2,', '"duration":\t0,')
    assert figures(by_bytes) == figures(parsed(FOUR))
    assert by_bytes.settings == {}
