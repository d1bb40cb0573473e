# SPDX-License-Identifier: GPL-2.0-only
"""Parsers of whole workloads (uperf, ffmpeg, HammerDB) against captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import bend, cuts, damage_refused, lines, read, refusals
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse

UPERF = "uperf/1.0-a-tcp-joined.txt"
FFMPEG = "ffmpeg/7.1-two-instances-joined.txt"
BENCHMARK = "ffmpeg/7.1-benchmark.txt"
HAMMERDB = "hammerdb/4.4-mysql-made.txt"
HAMMERDB_REAL = "hammerdb/4.12-mariadb-10.11.txt"
ALL = [UPERF, "uperf/1.0-raw.txt", FFMPEG, BENCHMARK, HAMMERDB, HAMMERDB_REAL]


def values(output: ParsedOutput) -> dict[str, tuple[float, ...]]:
    return {sample.metric: sample.values for sample in output.samples}


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    _, data = read(name)
    assert sum(refusals(name, cuts(data, 1 if len(data) < 3000 else 3))) > 100


@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 200, most=8) > 50


def test_uperf_refuses_a_second_run() -> None:
    tool, data = read("uperf/1.0-raw.txt")
    with pytest.raises(ParseError, match="uperf's start appears twice"):
        parse(tool, data + data, path="raw")


def test_uperf_scales_every_prefix_to_megabits() -> None:
    tool, data = read("uperf/1.0-raw.txt")
    row = b"master             5.34s     2.92GB     4.70Gb/s       383203        0.00"
    assert row in data
    for data_bytes, rate, expected in (
        (b"2.92MB", b"4.59Mb/s", 4.59),
        (b"2.92KB", b"4.48Kb/s", 0.00448),
        (b"2.92TB", b"4.81Tb/s", 4_810_000.0),
        (b"650B", b"973.78b/s", 0.00097378),
    ):
        bent = row.replace(b"2.92GB", data_bytes).replace(b"4.70Gb/s", rate)
        output = parse(tool, data.replace(row, bent), path="raw")
        assert values(output)["throughput"] == (expected,)


def test_ffmpeg_takes_the_version_from_the_banner() -> None:
    banner = "ffmpeg version 7.1.1-1+b1 Copyright (c) 2000-2025 the FFmpeg developers\nInput #0"
    assert bend(BENCHMARK, "Input #0", banner).tool_version == "7.1.1-1+b1"


def test_hammerdb_refuses_a_second_result_and_a_success_above_the_result() -> None:
    tool, data = read(HAMMERDB)
    result = next(line for line in lines(HAMMERDB) if b"TEST RESULT" in line)
    with pytest.raises(ParseError, match="there is a second result"):
        parse(tool, data.replace(result, result + result), path="raw")
    end = b"Vuser 1:FINISHED SUCCESS\n"
    with pytest.raises(ParseError, match="FINISHED SUCCESS' below the result"):
        parse(tool, data.replace(end, b"").replace(result, end + result), path="raw")


def test_hammerdb_without_the_profiler_gives_no_latency() -> None:
    tool, data = read("hammerdb/4.4-sql-server-made.txt")
    assert set(values(parse(tool, data, path="raw"))) == {"nopm", "tpm"}
    with pytest.raises(ParseError, match="has 0 summaries"):
        parse(tool, b"time profile follows\n" + data, path="raw")
