# SPDX-License-Identifier: GPL-2.0-only
"""rt-tests beside cyclictest: two forms of one run, and captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    CAPTURES,
    KERNEL,
    bend,
    cuts,
    damage_refused,
    each_line_twice,
    figures,
    less_each_line,
    parsed,
    read,
    refusals,
    refused,
)
from vlag.errors import ParseError
from vlag.parsers import PARSERS, parse, recognise

PI = "pi_stress/2.4-quiet.txt"
PI_JSON = "pi_stress/2.4-json.json"
SIGNAL = "signaltest/2.4-text.txt"
SIGNAL_JSON = "signaltest/2.4-json.json"
PAIRS = "rt-tests-pairs/2.4-pmqtest-two-text.txt"
PAIRS_JSON = "rt-tests-pairs/2.4-pmqtest-two-json.json"
OSLAT = "oslat/2.4-two-cores-text.txt"
OSLAT_OMIT = "oslat/2.4-omit-text.txt"
OSLAT_BIAS = "oslat/2.4-bias-text.txt"
OSLAT_JSON = "oslat/2.4-two-cores-json.json"
TEXTS = [PI, SIGNAL, PAIRS, OSLAT, OSLAT_OMIT, OSLAT_BIAS]
ALL = [*TEXTS, PI_JSON, SIGNAL_JSON, PAIRS_JSON, OSLAT_JSON]


@pytest.mark.parametrize(
    ("text", "json"),
    [
        ("pi_stress/2.4-text.txt", PI_JSON),
        ("pi_stress/2.4-groups.txt", "pi_stress/2.4-groups-json.json"),
        ("pi_stress/2.6-quiet.txt", "pi_stress/2.6-json.json"),
        ("oslat/2.4-text.txt", "oslat/2.4-json.json"),
        ("oslat/2.6-text.txt", "oslat/2.6-json.json"),
        (OSLAT, OSLAT_JSON),
        (OSLAT_OMIT, "oslat/2.4-omit-json.json"),
    ],
)
def test_text_and_json_of_one_run_agree(text: str, json: str) -> None:
    assert parsed(text).samples == parsed(json).samples
    assert parsed(text).histograms == parsed(json).histograms


@pytest.mark.parametrize(
    ("text", "json", "error_us"),
    [
        (SIGNAL, SIGNAL_JSON, 1.0),  # cut off
        (PAIRS, PAIRS_JSON, 0.5),  # rounded
        *(
            (f"rt-tests-pairs/2.4-{p}-text.txt", f"rt-tests-pairs/2.4-{p}-json.json", 0.5)
            for p in ("pmqtest", "ptsematest", "sigwaittest", "svsematest")
        ),
    ],
)
def test_text_and_json_of_one_run_agree_but_for_the_mean_s_decimals(
    text: str, json: str, error_us: float
) -> None:
    assert parsed(text).defaults == parsed(json).defaults
    low, mean, high = parsed(text).samples
    json_low, json_mean, json_high = parsed(json).samples
    assert (low, high) == (json_low, json_high)
    assert mean.values != json_mean.values
    assert mean.values == pytest.approx(json_mean.values, abs=error_us)


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    # Only what follows the tool's last word may be missing.
    assert refusals(name, cuts(read(name)[1])).count(False) <= len("\n\nrc=0\n")


# Not for signaltest: nothing says how many threads there were.  Not for oslat that omits
# empty buckets: one that is gone cannot be told from an empty one.
@pytest.mark.parametrize("name", [PI, PAIRS, OSLAT, OSLAT_BIAS])
def test_a_line_left_out_or_doubled_never_changes_a_figure(name: str) -> None:
    _, data = read(name)
    assert sum(refusals(name, [*less_each_line(data), *each_line_twice(data)])) >= 4


@pytest.mark.parametrize("name", TEXTS)
def test_the_tool_is_recognised_between_the_kernel_s_messages(name: str) -> None:
    tool, data = read(name)
    assert recognise(data.replace(b"\n", b"\r\n" + KERNEL + b"\r\n"), path=name) == tool


@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 300) > 50


def test_each_capture_is_recognised_as_its_own_tool_s_or_nobody_s() -> None:
    mine = ("hackbench", "oslat", "pi_stress", "rt-tests-pairs", "signaltest")
    found = 0
    for capture in CAPTURES:
        for tool in mine:
            if PARSERS[tool].recognise(capture.read_bytes()):
                assert capture.parent.name == tool
                found += 1
    assert found >= 35


@pytest.mark.parametrize(
    "data",
    [
        b"$ rt-migrate-test -l 5 -q\n\nIter:      0       1       2  \n   0:    20048      37\n",
        b"FATAL: For less than 2ms run times, you need to\nUsing all CPUS\nrc=1\n",
        b"ssdd V 2.60\nUsage:\nssdd <options>\n",
        b'{\n  "file_version": 1,\n  "cmdline:": "cyclicdeadline -D 2 -q",\n  "thread": {}\n}\n',
        b'{\n  "file_version": 1,\n  "cmdline:": "ssdd --json=oslat .json",\n}\n',
        b"T: 0 (14271) P:90 I:1000 C:   2000 Min:     11 Act:   21 Avg:   22 Max:     170\n",
    ],
)
def test_other_programs_output_is_not_claimed(data: bytes) -> None:
    for tool in ("hackbench", "oslat", "pi_stress", "rt-tests-pairs", "signaltest"):
        assert not PARSERS[tool].recognise(data)


# pi_stress


def test_pi_stress_adds_up_days_hours_and_minutes() -> None:
    output = bend(
        PI, "0 days, 0 hours, 0 minutes, 3 seconds", "1 days, 1 hours, 1 minutes, 40 seconds"
    )
    assert output.samples[1].values == (174625 / 90_100,)


# ptsematest, svsematest, sigwaittest, pmqtest


def test_pairs_read_bare_text_that_ends_with_a_line_feed() -> None:
    tool, data = read(PAIRS)
    bare = data.partition(b"\n")[2].removesuffix(b"rc=0\n")
    assert parse(tool, bare, path="raw") == parsed(PAIRS)
    for end in range(len(bare)):
        with pytest.raises(ParseError, match=r"^raw:"):
            parse(tool, bare[:end], path="raw")


# oslat


def test_oslat_s_last_bucket_is_not_taken_for_an_empty_one() -> None:
    """Without its row, which damage may hide, the bucket before it is not the last one."""
    text = read(OSLAT_OMIT)[1].decode()
    row = "    064 (us):\t 101 (including overflows)\n"
    why = "'    ...' appears instead of a bucket"
    assert f":42: {why}" in refused(OSLAT_OMIT, row, "")
    rows = text[text.index("    001") : text.index(row)] + row
    assert why in refused(OSLAT_OMIT, rows, "    ...\n")


@pytest.mark.parametrize(("name", "row"), [(OSLAT, "    003 (us)"), (OSLAT_OMIT, "    012 (us)")])
def test_oslat_never_loses_a_row_broken_by_a_kernel_message(name: str, row: str) -> None:
    message = "[    3.141592] random: crng init done\n"
    for at in range(5):
        assert bend(name, row, row[:at] + message + row[at:]) == parsed(name)
    for at in range(5, len(row)):
        refused(name, row, row[:at] + message + row[at:])


def test_oslat_reads_abbreviated_options() -> None:
    abbreviated = bend(OSLAT_JSON, "-D 1 -c 0-1 -b 8", "--dur=1 --bucket-s 8 -qzc0-1")
    assert figures(abbreviated) == figures(parsed(OSLAT_JSON))


# hackbench


def test_hackbench_is_recognised_behind_a_console_s_codes() -> None:
    _, data = read("hackbench/2.4-socket.txt")
    coded = data.replace(b"Running", b"\x1b[0mRunning").replace(b"\n", b"\r\n")
    assert recognise(coded, path="raw") == "hackbench"
    assert parse("hackbench", coded, path="raw") == parsed("hackbench/2.4-socket.txt")
    assert not PARSERS["hackbench"].recognise(b"# Running 'sched/messaging' benchmark:\n")


def test_hackbench_refuses_numbers_of_any_length() -> None:
    digits = "4" + 5000 * "0"
    assert "is cut off or of an unknown layout" in refused(
        "hackbench/2.4-socket.txt", "with 4 groups", f"with {digits} groups"
    )
