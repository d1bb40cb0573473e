# SPDX-License-Identifier: GPL-2.0-only
"""cyclictest's JSON and text: the command line, and captures bent on purpose."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
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
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import PARSERS, parse, recognise

HISTOGRAM = "cyclictest/2.4-hist.json"
TEXT = "cyclictest/2.4-hist-q.txt"  # thread 0 overflowed, thread 1 did not
OVERFLOWS = "cyclictest/2.4-text.txt"  # more overflows than rows
LINES = "cyclictest/2.4-q.txt"
STATES = "cyclictest/2.4-nonquiet.txt"
LAYOUTS = (TEXT, OVERFLOWS, LINES, STATES, "cyclictest/2.4-file.hist")


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


def test_cyclictest_keeps_a_thread_whose_samples_all_overflowed() -> None:
    tool, data = read(HISTOGRAM)
    whole = json.loads(data)
    whole["thread"]["1"]["histogram"] = {}
    (histogram,) = parse(tool, json.dumps(whole).encode(), path="raw").histograms
    assert histogram.overflow == (1, 500)
    assert set(histogram.counts[1].tolist()) == {0}
    assert histogram.achieved == 1000
    assert 39 not in histogram.bounds  # only thread 1 had hit it


def test_json_and_text_of_one_run_agree() -> None:
    for version in ("2.4", "2.6"):
        (of_json,) = parse(*read(f"cyclictest/{version}-hist.json"), path="raw").histograms
        name = "2.4-json-hist-stdout.txt" if version == "2.4" else "2.6-hist-stdout.txt"
        (of_text,) = parse(*read(f"cyclictest/{name}"), path="raw").histograms
        assert of_text.bounds == of_json.bounds
        assert np.array_equal(of_text.counts, of_json.counts)
        assert (of_text.overflow, of_text.limit) == (of_json.overflow, of_json.limit)
        assert of_text.maximum == of_json.maximum
        assert of_text.expected is None


def test_json_refuses_a_count_too_large_for_a_table() -> None:
    assert "'18' is 1000000000" in refused(HISTOGRAM, '"18": 16', f'"18": {10**30}')


def test_rows_that_nothing_hit_may_be_left_out_where_the_total_is_printed() -> None:
    without = bend(OVERFLOWS, "000000 000000\t000000\n000001 000000\t000000\n", "")
    assert without.histograms == parsed(OVERFLOWS).histograms
    assert without.notes == (
        "rows are left out; samples of 20 us or more are beyond the histogram",
    )
    assert parsed(OVERFLOWS).notes == ()
    # Negative control: one that was hit is missed in the total.
    message = refused(OVERFLOWS, "000013 000001\t000000\n", "")
    assert "samples in its rows, its total is" in message


def test_a_pasted_histogram_has_spaces_for_tabs() -> None:
    tool, data = read(OVERFLOWS)
    assert parse(tool, data.expandtabs(8), path="raw") == parsed(OVERFLOWS)


def test_histogram_needs_all_its_rows_where_it_lists_so_many_overflows() -> None:
    tool, data = read(OVERFLOWS)
    # The tool lists as many overflows as there are rows: the last one is missing.
    less = data.replace(b"000019 000051\t000019\n", b"").replace(
        b"000000052 000000019", b"000000001 000000000"
    )
    with pytest.raises(ParseError, match=r"thread 0 lists 20 overflows .* the histogram 19 rows"):
        parse(tool, less, path="raw")


def test_histogram_of_a_thread_without_a_sample_is_refused() -> None:
    tool, data = read(TEXT)
    text = re.sub(rb"(?m)^(\d{6} \d{6}\t)\d{6}$", rb"\g<1>000000", data)
    text = text.replace(b"000002000", b"000000000")
    with pytest.raises(ParseError, match=r"^raw:104: thread 1 took no sample"):
        parse(tool, text, path="raw")


def test_histogram_keeps_a_thread_whose_samples_all_overflowed() -> None:
    tool, data = read(OVERFLOWS)
    text = data.replace(b"000051\t000019", b"000051\t000000").replace(b"000000019", b"000000000")
    with pytest.raises(ParseError, match="thread 1 has a minimum of 19 and a maximum of 43 us"):
        parse(tool, text, path="raw")
    text = text.replace(b"00013 00019", b"00013 00020")
    (histogram,) = parse(tool, text, path="raw").histograms
    assert histogram.counts[1].tolist() == [0, 0]
    assert histogram.overflow == (948, 981)


def test_histogram_with_no_sample_in_it_is_refused() -> None:
    tool, data = read(OVERFLOWS)
    text = data.replace(b"000051\t000019", b"000000\t000000").replace(b"000001\t", b"000000\t")
    with pytest.raises(ParseError, match="run cyclictest with a larger --histogram"):
        parse(tool, text, path="raw")


def test_histogram_reads_counts_of_more_than_six_digits() -> None:
    """Such rows are longer than the others; any row may stand beside them."""
    tool, data = read(TEXT)
    text = data.replace(b"000021 000702\t000898", b"000021 12000702\t000898")
    text = text.replace(b"# Total: 000001989", b"# Total: 012001989")
    text = text.replace(b"00025 00022", b"00021 00022")
    (histogram,) = parse(tool, text, path="raw").histograms
    (plain,) = parse(*read(TEXT), path="raw").histograms
    place = plain.bounds.index(21)
    assert histogram.counts[:, place].tolist() == [12000702, 898]
    assert np.array_equal(
        np.delete(histogram.counts, place, axis=1), np.delete(plain.counts, place, axis=1)
    )


def test_histogram_of_many_threads_is_read_in_blocks() -> None:
    """More rows than a block, of which one is longer and one is damaged at equal length."""
    threads, limit = 300, 200
    counts = np.random.default_rng(3).integers(0, 4, (threads, limit))
    counts[:, 0] = counts[:, -1] = 1
    counts[7, 150] = 1_234_567
    counts[:, 40:60] = 0
    (histogram,) = parse("cyclictest", text_of(counts), path="raw").histograms
    hit = counts.any(axis=0)
    assert np.array_equal(histogram.counts, counts[:, hit])
    assert histogram.bounds == tuple(np.flatnonzero(hit).tolist())
    assert (histogram.limit, histogram.instances[-1]) == (limit, "299")
    clean = text_of(counts)
    for old, new in ((b"\t000003\t", b"\t00003x\t"), (b"\t000003\t", b"\t0000033")):
        row = clean.index(b"\n000170 ") + 1
        at = clean.index(old, row)
        with pytest.raises(ParseError, match=r"^raw:172: '000170 .*' is not a row"):
            parse("cyclictest", clean[:at] + new + clean[at + len(old) :], path="raw")


def text_of(counts: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> bytes:
    """Return a histogram without overflows, as the tool prints it."""
    bounds = np.arange(counts.shape[1])
    rows = [
        f"{bound:06d} " + "\t".join(f"{cell:06d}" for cell in column)
        for bound, column in enumerate(counts.T.tolist())
    ]
    footer = [
        "# Total: " + " ".join(f"{total:09d}" for total in counts.sum(axis=1)),
        "# Min Latencies: " + " ".join(f"{bounds[row > 0].min():05d}" for row in counts),
        "# Avg Latencies: " + " ".join(f"{row @ bounds // row.sum():05d}" for row in counts),
        "# Max Latencies: " + " ".join(f"{bounds[row > 0].max():05d}" for row in counts),
        "# Histogram Overflows: " + " ".join("00000" for _ in counts),
        "# Histogram Overflow at cycle number:",
        *(f"# Thread {k}:" for k in range(len(counts))),
    ]
    return "\n".join(["# Histogram", *rows, *footer, "", ""]).encode()


def test_lines_of_threads_in_nanoseconds_are_refused() -> None:
    message = refused(LINES, "Act:   21 Avg:   22", "Act:   21345 Avg:   22345")
    assert message.startswith("bent:3: latencies are in nanoseconds; run cyclictest without")


def test_lines_of_threads_need_no_transcript() -> None:
    tool, data = read(LINES)
    plain = data.split(b"\n", 1)[1].removesuffix(b"rc=0\n")
    assert parse(tool, plain, path="raw") == parse(tool, data, path="raw")
    with pytest.raises(ParseError, match=r"^raw:3: the output is cut off"):
        parse(tool, plain.removesuffix(b"\n"), path="raw")


def test_lines_of_threads_with_several_priorities_name_each() -> None:
    assert bend(LINES, "(14272) P:90", "(14272) P:89").defaults == {"priority": "90,89"}


def test_a_run_that_is_not_quiet_must_say_that_it_ended() -> None:
    tool, data = read(STATES)
    for end in (b"rc=0\n", b"T: 0 (14591) P:90 I:1000 C:    100 "):
        head = data.split(b"\n", 1)[1].split(end)[0]
        with pytest.raises(ParseError, match=r"run cyclictest with --quiet|is cut off"):
            parse(tool, head, path="raw")
    last = data[data.rindex(b"\nT: 0") + 1 :]
    with pytest.raises(ParseError, match="its last state has 0 of 1 threads"):
        parse(tool, data.replace(last, b"rc=0\n"), path="raw")


def test_a_run_that_is_not_quiet_tells_policy_and_priority_of_its_histogram() -> None:
    states = read(STATES)[1].removesuffix(b"rc=0\n")
    tool, histogram = read("cyclictest/2.4-file.hist")
    both = parse(tool, states + histogram, path="raw")
    assert both.defaults == {"policy": "fifo", "priority": "90"}
    assert both.histograms == parse(tool, histogram, path="raw").histograms
    assert both.samples == ()


@pytest.mark.parametrize("name", LAYOUTS)
def test_text_is_read_through_a_console_s_codes_and_messages(name: str) -> None:
    tool, data = read(name)
    noise = b"\r\n[    3.141592] hrtimer: interrupt took 31415 ns #1\r\n\x1b[0m"
    assert parse(tool, data.replace(b"\n", noise), path="raw") == parsed(name)


@pytest.mark.parametrize("name", LAYOUTS)
def test_text_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    assert refusals(name, cuts(read(name)[1])).count(False) <= len("\n\nrc=0\n")


@pytest.mark.parametrize("name", LAYOUTS)
def test_text_with_a_line_left_out_or_twice_never_changes_a_figure(name: str) -> None:
    _, data = read(name)
    end = next((k for k, line in enumerate(lines(name)) if line.startswith(b"# Total:")), 0)
    untold = {
        TEXT: end - 1,  # a last row of zeros: the histogram would only end earlier
        "cyclictest/2.4-file.hist": end - 1,
        LINES: 3,  # the last thread: nothing says how many there are
    }
    less = less_each_line(data)
    if name in untold:
        del less[untold[name]]
    assert sum(refusals(name, [*less, *each_line_twice(data)])) >= 4


@pytest.mark.parametrize("name", LAYOUTS)
def test_damaged_text_never_raises_anything_else(name: str) -> None:
    assert damage_refused(name, 300) > 100


@pytest.mark.parametrize("name", [HISTOGRAM, *LAYOUTS, "cyclictest/2.4-nohist.json"])
def test_every_form_is_recognised_and_claimed_by_no_other_tool(name: str) -> None:
    assert recognise(read(name)[1], path="raw") == "cyclictest"


@pytest.mark.parametrize(
    "line",
    [
        b"T: 0 (15082) P:80 C:    500 Min:     39 Act:   52 Avg:   59 Max:     255",
        b"#0: ID15086, P80, CPU0, I1000; #1: ID15087, P80, CPU1, Cycles 1838",
        b"Unable to change scheduling policy!",
        b"# Histogram Overflows: 00000",
        b"",
    ],
)
def test_what_other_programs_print_is_not_claimed(line: bytes) -> None:
    assert not PARSERS["cyclictest"].recognise(line + b"\nrc=0\n")
