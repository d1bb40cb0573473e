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


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("174625", "0", ":3: pi_stress counted 0 inversions, so it measured nothing"),
        ("174625", "-1", ":2: 'Total inversion performed: -1' is cut off or of an unknown"),
        ("174625", "nan", ":2: 'Total inversion performed: nan' is cut off"),
        ("174625", "9999999999999999", ":3: pi_stress counted 9999999999999999"),
        ("3 seconds", "0 seconds", ":3: the run took 0 s by the tool's clock"),
        ("3 seconds", "3 second", ":3: 'Test Duration: 0 days, 0 hours, 0 minutes, 3 second' is"),
        ("0 minutes", "60 minutes", ":3: 'Test Duration: 0 days, 0 hours, 60 min"),
        ("0 hours", "24 hours", ":3: 'Test Duration: 0 days, 24 hours"),
        (
            "Total",
            "WATCHDOG triggered: group 0 is deadlocked!\nTotal",
            ":2: pi_stress did not end well: 'WATCHDOG triggered: group 0",
        ),
        (
            "Total",
            "reporter stopping due to watchdog event\nTotal",
            ":2: pi_stress did not end well: 'reporter stopping",
        ),
        ("Total", "INFO: Keyboard Interrupt!\nTotal", ":2: pi_stress did not end well"),
        ("rc=0", "rc=1", ":4: pi_stress did not end well: its status is 1"),
        ("Total", "Test Duration: \nTotal", ":4: 'Test Duration:' begins a second line"),
        ("rc=0", "Total inversion performed: 1", ":4: 'Total inversion performed:' begins"),
    ],
)
def test_pi_stress_refuses(old: str, new: str, why: str) -> None:
    assert f"bent{why}" in refused(PI, old, new)


def test_pi_stress_adds_up_days_hours_and_minutes() -> None:
    output = bend(
        PI, "0 days, 0 hours, 0 minutes, 3 seconds", "1 days, 1 hours, 1 minutes, 40 seconds"
    )
    assert output.samples[1].values == (174625 / 90_100,)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"inversion": 179033', '"inversion": 0', ":16: pi_stress counted 0 inversions"),
        ('"inversion": 179033', '"inversion": 1.5', ":16: 'inversion' must be a whole number"),
        ('"inversion": 179033', '"inversions": 1', "'inversion' must be a whole number"),
        ("14:31:58", "14:31:55", "the run took 0 s by the tool's clock"),
        ("14:31:58", "14:31:54", "the run took -1 s by the tool's clock"),
        ("14:31:58 +0000", "14:31:58", ":6: 'end_time' is missing or no time"),
        ("14:31:58", "14:31:60", ":6: 'end_time' is missing or no time"),
        ('"start_time"', '"begin_time"', "'start_time' is missing or no time"),
        ('"return_code": 0', '"return_code": 1', "pi_stress did not end well"),
        ('"pi_stress -D', '" ", "was": "', "'cmdline:' must be a text"),
    ],
)
def test_pi_stress_refuses_json(old: str, new: str, why: str) -> None:
    assert why in refused(PI_JSON, old, new)


# signaltest


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("T: 0", "T: 1", ":2: this is thread 1, where 0 is expected"),
        ("T: 1", "T: 0", ":3: thread 0 appears twice"),
        ("C:    500", "C:      0", ":2: thread 0 took no sample"),
        ("Min:     39", "Min:     60", ":2: thread 0 has a minimum of 60, a mean of 59"),
        ("Max:     255", "Max:      25", ":2: thread 0 has a minimum of 39, a mean of 59"),
        ("Max:     255", "Max:     25", ":2: 'T: 0 (15082) P:80 C:    500 Min:     39"),
        ("Max:     255", "Max:     -25", ":2: 'T: 0 (15082)"),
        ("Avg:   59", "Avg:  nan", ":2: 'T: 0 (15082)"),
        ("Min:     39", "Min:    3 9", ":2: 'T: 0 (15082)"),
        ("rc=0\n", "", ":3: nothing says that the output is whole; run signaltest with --json"),
        ("rc=0", "rc=130", ":4: signaltest did not end well: its status is 130"),
    ],
)
def test_signaltest_refuses(old: str, new: str, why: str) -> None:
    assert f"bent{why}" in refused(SIGNAL, old, new)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"cycles": 500', '"cycles": 0', ":19: thread 0 took no sample"),
        ('"cycles": 500', '"cycles": true', ":19: 'cycles' must be a whole number"),
        ('"min": 39', '"min": 60', ":20: 'min', 'avg' and 'max' must be numbers"),
        ('"min": 39', '"min": -1', ":20: 'min', 'avg' and 'max' must be numbers"),
        ('"avg": 59.99', '"avg": "59.99"', ":20: 'min', 'avg' and 'max' must be"),
        ('"avg": 59.99', '"mean": 59.99', ":20: 'min', 'avg' and 'max' must be"),
        ('"avg": 59.99', '"avg": nan', "the output is cut off or no JSON"),
        ('"max": 255', '"max": 1e999', ":20: 'min', 'avg' and 'max' must be"),
        ('"max": 255', '"max": 1' + 400 * "0", ":20: 'min', 'avg' and 'max' must be"),
        ('"num_threads": 2', '"num_threads": 3', "'num_threads' is 3, the table has"),
        ('    "1": {', '    "x": {', "the table has the threads 0, x"),
    ],
)
def test_signaltest_refuses_json(old: str, new: str, why: str) -> None:
    assert why in refused(SIGNAL_JSON, old, new)


# ptsematest, svsematest, sigwaittest, pmqtest


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Cycles 50", "Cycles 0", ":2: pair 0 took no sample"),
        ("TO 0, Cycles 33", "TO 2, Cycles 33", ":3: 2 waits of pair 1 ran into the time-out"),
        ("TO 0, Cycles 33", "Cycles 33", ":2: the pairs are those of two programs"),
        ("#1 -> #0", "#3 -> #2", ":4: pair 0 is expected here"),
        ("#3 -> #2", "#2 -> #3", ":5: pair 1 is expected here"),
        ("Min   12", "Min   22", ":4: pair 0 has a minimum of 22, a mean of 20"),
        ("Max   78", "Max   18", ":5: pair 1 has a minimum of 7, a mean of 19"),
        ("Max   78", "Max  78", ":5: '#3 -> #2, Min    7, Cur   16, Avg   19, Max  78' is cut"),
        ("Max   78", "Max   -8", ":5: '#3 -> #2, Min    7"),
        ("Avg   20", "Avg  2 0", ":4: pair 0 has a minimum of 12, a mean of 2 0"),
        ("rc=0\n", "", ":5: the output is cut off"),
        ("rc=0", "rc=1", ":6: the program did not end well: its status is 1"),
    ],
)
def test_pairs_refuse(old: str, new: str, why: str) -> None:
    assert f"bent{why}" in refused(PAIRS, old, new)


def test_pairs_read_bare_text_that_ends_with_a_line_feed() -> None:
    tool, data = read(PAIRS)
    bare = data.partition(b"\n")[2].removesuffix(b"rc=0\n")
    assert parse(tool, bare, path="raw") == parsed(PAIRS)
    for end in range(len(bare)):
        with pytest.raises(ParseError, match=r"^raw:"):
            parse(tool, bare[:end], path="raw")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"samples": 50', '"samples": 0', ":22: pair 0 took no sample"),
        ('"timeoutcount": 0', '"timeoutcount": 3', ":28: 3 waits of pair 0 ran into the time"),
        ('"timeoutcount": 0,', "", "'timeoutcount' must be a whole number"),
        ('"receiver": {', '"receiver": 0, "more": {', "'receiver' is missing or no object"),
        ('"min": 12', '"min": -1', ":29: 'min', 'avg' and 'max' must be numbers"),
        ('"avg": 19.74', '"avg": 39.74', ":29: 'min', 'avg' and 'max' must be numbers"),
        ('"pmqtest -q', '"oslat -q', ":3: the program is 'oslat'; this parser reads pmqtest,"),
        ('"interval": 1000', '"interval": 1e3', "'interval' must be a whole number"),
    ],
)
def test_pairs_refuse_json(old: str, new: str, why: str) -> None:
    assert why in refused(PAIRS_JSON, old, new)


# oslat


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("003 (us):\t 4 4", "003 (us):\t 4", ":19: '003 (us)' has 1 values for 2 cores"),
        ("003 (us):\t 4 4", "003 (us):\t 4 x", ":19: '    003 (us):\t 4 x' is cut off"),
        ("003 (us):\t 4 4", "003 (us):\t 4 -4", ":19: '    003 (us):\t 4 -4' is cut off"),
        ("    003 (us):\t 4 4\n", "", ":19: bucket 4 follows bucket 2: rows are missing"),
        ("    001 (us)", "    002 (us)", ":17: bucket 2 follows bucket 0: rows are missing"),
        ("(including overflows)", "(us)", ":24: the last bucket must be the one that includes"),
        ("007 (us):\t 0 0", "007 (us):\t 0 0 (including overflows)", ":23: the last bucket"),
        ("Maximum:\t 13797", "Maximum:\t 13798", "minimum, maximum and their distance do not"),
        ("Core:\t 0 1", "Core:\t 1 1", "a core appears twice"),
        ("Minimum", "Lowest", "the summary from 'Core:' to 'Duration:' is not whole"),
        ("Test completed.", "oslat V 2.40", "there must be one line 'oslat V"),
        ("1.013 1.021 (sec)", "1.013 0.121 (sec)", "oslat was stopped after 0.121 of 1 s"),
        ("rc=0", "rc=1", "oslat did not end well: its status is 1"),
    ],
)
def test_oslat_refuses(old: str, new: str, why: str) -> None:
    assert why in refused(OSLAT, old, new)


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


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("-b 8", "-b 9", ":17: core 0 has a maximum of 13797 us, its highest bucket is 8"),
        ("-b 8", "-b 7", ":17: core 0 has samples beyond the last bucket of 7 us"),
        ("-b 8", "-b many", ":3: --bucket-size is 'many'"),
        ("-b 8", "--bucket-width 500", ":3: buckets of 1 us are read, no others"),
        ("-b 8", "-B", ":3: the file does not say how far --bias moved the buckets"),
        ("-b 8", "--smp", ":3: the command line cannot be read"),
        ("-D 1", "-D 2m", ":17: oslat was stopped after 1.013 of 120 s"),
        ("-D 1", "-D soon", ":3: --duration is 'soon'"),
        ('"8": 200', '"8.5": 200', ":32: the bucket '8.5' is not a whole number"),
        ('"8": 200', '"8": 2e2', ":32: '8' must be a whole number"),
        ('"8": 200', '"8": 200, "9": 1', "core 0 has samples beyond the last bucket of 8 us"),
        ('"8": 200', '"8": 1' + 30 * "0", "core 0 has samples beyond the last bucket"),
        ('"min": 1', '"min": 3', "core 0 has a minimum of 3 us, its lowest bucket is 1"),
        ('"max": 13797', '"max": 4', "core 0 has a maximum of 4 us, its highest bucket is 8"),
        ('"histogram": {', '"histogram": {}, "more": {', "core 0 took no sample"),
        ('"duration": 1.013', '"duration": null', ":24: 'duration' must be a number"),
        ('"cpu": 1', '"cpu": 0', "a core appears twice"),
    ],
)
def test_oslat_refuses_json(old: str, new: str, why: str) -> None:
    assert why in refused(OSLAT_JSON, old, new)


def test_oslat_reads_abbreviated_options() -> None:
    assert bend(OSLAT_JSON, "-D 1 -c 0-1 -b 8", "--dur=1 --bucket-s 8 -qzc0-1") == parsed(
        OSLAT_JSON
    )


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
