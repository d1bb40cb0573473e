"""Parsers of whole workloads (uperf, ffmpeg, HammerDB) against captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import bend, cuts, damage_refused, lines, read, refusals, refused
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


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("master             5.31s", "master             0.00s", "uperf sent nothing"),
        ("4.91Gb/s       397678", "0.00b/s       397678", "uperf sent nothing"),
        ("4.91Gb/s       397678", "4.91Mb/s       397678", "3.03GB in 5.31s cannot be 4.91Mb/s"),
        ("4.91Gb/s       397678", "nanGb/s       397678", "does not fit the header of uperf's"),
        ("397123        0.00", "397123        1.00", "counted 1.00 errors at '127.0.0.1'"),
        ("master  ", "mister  ", "the table has 0 rows 'master'"),
        ("127.0.0.1 ", "master ", "the table has 2 rows 'master'"),
        ("Run Statistics\nHostname", "Run Statistics\nHosts", "no table 'Run Statistics'"),
        ("Difference(%)", "Differences", "no row 'Difference(%)' ends it"),
        ("profile:netperf ...", "profile:netperf", "no line names its profile"),
        ("lo          16883", "lo          many", "does not fit the header of uperf's table"),
        ("eth0  ", "lo  ", "is empty or names a card twice"),
        ("tcp after RetransSegs 1334 segments\n", "", "RetransSegs must stand there before and"),
        ("tcp after RetransSegs 1334", "tcp after RetransSegs 1320", "cannot fall"),
        ("tcp after TCPOFOQueue 8 segments", "tcp after TCPOFOQueue", "is cut off, appears twice"),
        ("tcp after TCPOFOQueue", "tcp before TCPOFOQueue", "appears twice"),
        ("tcp after TCPOFOQueue", "tcp after TCPLoss", "not a counter that this parser knows"),
    ],
)
def test_uperf_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(UPERF, old, new)


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


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("instances 2", "instances 3", "must be the instances 0 to 2, there are 0, 1"),
        ("instance 1 frames", "instance 0 frames", "there are 0, 0"),
        ("instance 1 frames 240", "instance 1 frames 239", "made 240 frames by its progress, 239"),
        ("instance 1 frames 240 wall_s 0.960000", "instance 1 ended with status 187", "failed"),
        ("wall_s 0.800000", "wall_s 0.000000", "give no rate"),
        ("wall_s 0.800000", "wall_s -0.80000", "is cut off or says that an instance failed"),
        ("wall_s 0.800000", "wall_s nan", "is cut off or says that an instance failed"),
        ("progress=end\n", "progress=end\nframe=241\n", "goes on after its progress=end"),
        ("progress=end\n", "progress=continue\n", "its progress=end is missing"),
        ("instance 1", "Conversion failed!\ninstance 1", "ffmpeg did not end well: 'Conversion"),
    ],
)
def test_ffmpeg_refuses_instances(old: str, new: str, why: str) -> None:
    assert why in refused(FFMPEG, old, new)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("rtime=0.672s", "rtime=0.000s", "give no rate"),
        ("rtime=0.672s", "rtime=0.67", "ffmpeg says no time"),
        ("frame=  240", "frame=  24O", "the last status line before 'bench:' is missing"),
        ("Lsize=N/A", "size=N/A", "the last status line before 'bench:' is missing"),
        (
            "bench: maxrss",
            "bench: utime=0.654s stime=0.050s rtime=0.672s\nbench: maxrss",
            "appears twice",
        ),
        ("bench: utime", "Error while filtering: Internal bug\nbench: utime", "did not end well"),
    ],
)
def test_ffmpeg_refuses_benchmark_lines(old: str, new: str, why: str) -> None:
    assert why in refused(BENCHMARK, old, new)


def test_ffmpeg_takes_the_version_from_the_banner() -> None:
    banner = "ffmpeg version 7.1.1-1+b1 Copyright (c) 2000-2025 the FFmpeg developers\nInput #0"
    assert bend(BENCHMARK, "Input #0", banner).tool_version == "7.1.1-1+b1"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("achieved 42332 NOPM", "achieved 0 NOPM", "0 NOPM from 97427 TPM cannot be"),
        ("from 97427 MySQL", "from 42331 MySQL", "42332 NOPM from 42331 TPM cannot be"),
        ("achieved 42332 NOPM", "achieved nan NOPM", "did not end well: 'Vuser 1:TEST RESULT"),
        ("Vuser 1:2 Active", "Vuser 1:Two Active", "must say how many virtual users are active"),
        ("Vuser 3:FINISHED SUCCESS", "Vuser 3:FINISHED FAILED", "'Vuser 3:FINISHED FAILED'"),
        (">>>>> SUMMARY", ">>>>> SUM", "has 0 summaries, where one must stand"),
        ("SUMMARY OF 2", "SUMMARY OF two", "has 0 summaries, where one must stand"),
        ("40000\tMIN", "40001.5\tMIN", "does not fit the summary"),
        ("40000\tMIN", "30000\tMIN", "30000 calls in 100000.000 ms cannot take 2.500 ms each"),
        ("PROC: DELIVERY", "PROC: NEWORD", "does not fit the summary"),
    ],
)
def test_hammerdb_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(HAMMERDB, old, new)


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
