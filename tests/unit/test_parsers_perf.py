# SPDX-License-Identifier: GPL-2.0-only
"""perf bench and perf stat: captures bent on purpose."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    KERNEL,
    bend,
    cuts,
    damage_refused,
    each_line_twice,
    figures,
    less_each_line,
    lines,
    read,
    refusals,
    refused,
)
from vlag.errors import ParseError
from vlag.parsers import parse, recognise

MESSAGING = "perf-bench/6.1-messaging.txt"
PIPE = "perf-bench/6.1-pipe.txt"
SIMPLE = "perf-bench/6.1-messaging-simple.txt"
JSON = "perf-stat/6.1-software-j.txt"
ROWS = "perf-stat/6.1-software-csv.txt"
REPEAT = "perf-stat/6.1-repeat-j.txt"
REPEAT_ROWS = "perf-stat/6.1-repeat-csv.txt"
CYCLES = "perf-stat/6.1-cycles-j.txt"

ALL = [MESSAGING, PIPE, SIMPLE, JSON, ROWS, REPEAT, REPEAT_ROWS]


def counted(user: str, kernel: str, running: str = "100.00") -> bytes:
    """Return the capture of a board without a PMU as one with a PMU would give it."""
    data = read(CYCLES)[1].replace(b"100.00", running.encode())
    for value in (user, kernel):
        data = data.replace(b"<not supported>", value.encode(), 1)
    return data


@pytest.mark.parametrize("name", ALL)
def test_cut_anywhere_gives_an_error_or_the_full_result(name: str) -> None:
    found = refusals(name, cuts(read(name)[1]))
    assert found.count(False) <= len("TPUs utilized\nrc=0\n")


@pytest.mark.parametrize("name", ALL)
def test_a_line_left_out_never_changes_a_figure(name: str) -> None:
    # Without the command line the simple format has no name.
    told = [bool(line.strip()) and not line.startswith(b"rc=") for line in lines(name)[1:]]
    assert refusals(name, less_each_line(read(name)[1])[1:]) == told


@pytest.mark.parametrize("name", ALL)
def test_a_line_that_stands_twice_is_refused(name: str) -> None:
    copies = zip(lines(name), each_line_twice(read(name)[1]), strict=True)
    told = [c for line, c in copies if line.strip() and not line.startswith((b"$ ", b"rc="))]
    assert all(refusals(name, told))


@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_never_raise_anything_else(name: str) -> None:
    assert damage_refused(name, 500) > 100


@pytest.mark.parametrize("tool", ["perf-bench", "perf-stat"])
def test_only_kernel_messages_are_refused(tool: str) -> None:
    with pytest.raises(ParseError, match=r"^raw:1: "):
        parse(tool, KERNEL, path="raw")


@pytest.mark.parametrize("name", [*ALL, CYCLES])
def test_the_tool_is_recognised_unless_a_lone_number_is_all_there_is(name: str) -> None:
    tool, data = read(name)
    if name == SIMPLE:
        with pytest.raises(ParseError, match="looks like no tool's; name the tool with --tool"):
            recognise(data, path=name)
    else:
        assert recognise(data, path=name) == tool


# perf bench


def test_simple_format_without_its_command_line_has_no_name() -> None:
    output = parse("perf-bench", b"0.145\n", path="raw")
    assert (output.benchmark, output.samples[0].values) == ("perf bench", (0.145,))


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (MESSAGING, "'sched/messaging'", "'mem/memcpy'", ":2: '# Running 'mem/memcpy' benchmark:'"),
        (MESSAGING, "80 processes", "81 processes", ":6: 2 groups of 20 senders and as many"),
        (MESSAGING, "80 processes", "80 threads", ":6: 2 groups of 20 senders and as many"),
        (MESSAGING, "0.150", "0.000", ":6: time is 0, where a number above 0"),
        (MESSAGING, "0.150", "-0.150", ":6: '     Total time: -0.150 [sec]' is cut off"),
        (MESSAGING, "0.150", "nan", ":6: '     Total time: nan [sec]' is cut off"),
        (PIPE, "0.054", "0.540", ":8: 20000 operations in 0.540 s, 2.741250 us each and 364797"),
        (PIPE, "2.741250", "2.941250", ":8: 20000 operations in 0.054 s, 2.941250 us each"),
        (PIPE, "364797", "364790", ":8: 20000 operations in 0.054 s"),
        (PIPE, "2.741250", "inf", ":7: '       inf usecs/op' is cut off"),
        (PIPE, "2.741250", "0.000000", ":8: 20000 operations in 0.054 s"),
        (PIPE, "20000 pipe", "0 pipe", ":3: '# Executed 0 pipe operations"),
        (PIPE, "rc=0", "# Running 'sched/pipe' benchmark:", ":9: the output is cut off: 4 of 5"),
        (PIPE, "rc=0", "     365000 ops/sec", ":9: perf prints more after the end"),
        (SIMPLE, "0.145", "0.145\n0.146", ":3: 2 times stand in the output"),
        (SIMPLE, "0.145", "0.000", ":3: time is 0"),
        (SIMPLE, "0.145", "1e-3", ":2: '1e-3' is cut off or no output of"),
        (SIMPLE, "0.145", "", ":1: 0 times stand in the output"),
    ],
)
def test_perf_bench_refuses(name: str, old: str, new: str, why: str) -> None:
    assert f"bent{why}" in refused(name, old, new)


# perf stat


def test_kernel_share_is_that_of_the_cycles() -> None:
    output = parse("perf-stat", counted("3000000.000000", "1000000.000000"), path="raw")
    assert {s.metric: s.values for s in output.samples} == {
        "cycles:u": (3e6,),
        "cycles:k": (1e6,),
        "kernel-share": (25.0,),
    }


def test_an_estimate_is_said_and_gives_no_share() -> None:
    output = parse("perf-stat", counted("3.000000", "1.000000", "83.72"), path="raw")
    assert "kernel-share" not in {s.metric for s in output.samples}
    assert output.notes[0].startswith("estimates, counted for a part of the time: cycles:u 83.72 %")
    # Negative control.
    whole = parse("perf-stat", counted("3.000000", "1.000000", "100.00"), path="raw")
    assert "kernel-share" in {s.metric for s in whole.samples}
    assert whole.notes == ()


def test_an_event_that_was_not_counted_is_absent() -> None:
    output = parse("perf-stat", counted("3.000000", "<not counted>", "100.00"), path="raw")
    samples = {s.metric: (s.values, s.absent) for s in output.samples}
    assert samples["cycles:k"] == ((), ("",))
    assert "kernel-share" not in samples


def test_two_kinds_of_processors_count_apart() -> None:
    text = (
        "340060,,cpu_atom/cpu-cycles/,10031900423,100.00,,\n"
        "13478657,,cpu_core/cpu-cycles/u,12033722986,100.00,,\n"
        "22065603430,,cpu-clock,22065611881,100.00,22.066,CPUs utilized\n"
        "24829,,cs,22065640244,100.00,1.125,K/sec\n"
    )
    output = parse("perf-stat", text.encode(), path="raw")
    assert {s.metric: s.values for s in output.samples} == {
        "cycles-atom": (340060.0,), "cycles-core:u": (13478657.0,), "cpu-clock": (22065.60343,),
        "context-switches": (24829.0,),
    }  # fmt: skip
    with pytest.raises(ParseError, match="is an event that this parser does not know"):
        parse("perf-stat", text.replace("cpu_atom", "cpu_low").encode(), path="raw")


#: Of a machine with two kinds of Arm's cores, and of one whose firmware names none.
ARM = """\
$ perf stat -e armv8_pmuv3_0/cycles/u,armv8_cortex_a72/cpu_cycles/:k,armv8_pmuv3/inst_retired/ ./x

 Performance counter stats for './x':

           340,060      armv8_pmuv3_0/cycles/u           #    2.100 GHz                  (83.31%)
        13,478,657      armv8_cortex_a72/cpu_cycles/:k
               651      armv8_pmuv3/inst_retired/
               100      cpu/instructions/
   <not supported>      armv8_cortex_a53/stall_backend/

       1.217621581 seconds time elapsed
"""


def test_arms_counters_are_read() -> None:
    output = parse("perf-stat", ARM.encode(), path="raw")
    samples = {s.metric: (*s.values, *s.absent) for s in output.samples}
    assert samples == {
        "cycles-pmuv3-0:u": (340060.0,), "cycles-cortex-a72:k": (13478657.0,),
        "instructions-pmuv3": (651.0,), "instructions": (100.0,), "elapsed": (1.217621581,),
        "stalled-cycles-backend-cortex-a53": ("",),
    }  # fmt: skip
    rows = [
        f"{n},,armv8_pmuv3_0/{e}/,1000,100.00,," for n, e in ((5, "cycles"), (7, "br_mis_pred"))
    ]
    counted_rows = parse("perf-stat", "\n".join([*rows, ""]).encode(), path="raw")
    assert {s.metric: s.values for s in counted_rows.samples} == {
        "cycles-pmuv3-0": (5.0,), "branch-misses-pmuv3-0": (7.0,),
    }  # fmt: skip


def test_an_event_of_the_command_line_that_arms_counters_lack_is_cut_off() -> None:
    cut = "\n".join(line for line in ARM.splitlines() if not line.endswith("/:k"))
    with pytest.raises(ParseError, match="no line for the event 'cycles-cortex-a72:k'"):
        parse("perf-stat", f"{cut}\n".encode(), path="raw")


@pytest.mark.parametrize("unit", ["armv8_cortex", "armv8_pmuv3_9", "armv6_cortex_a72", "hisi_l3c0"])
def test_counters_of_unknown_units_are_refused(unit: str) -> None:
    text = ARM.replace("armv8_cortex_a53/", f"{unit}/")
    with pytest.raises(ParseError, match=rf"'{unit}/stall_backend/' is an event .* as cpu_core/"):
        parse("perf-stat", text.encode(), path="raw")


@pytest.mark.parametrize(
    ("user", "kernel", "running", "why"),
    [
        ("3.000000", "1.000000", "49.98", ":2: 'cycles:u' was counted 49.98 % of the time"),
        ("<not counted>", "<not counted>", "100.00", ":2: perf could not count 'cycles:u' here"),
        ("0.000000", "0.000000", "100.00", ":3: no cycle was counted"),
        ("3.500000", "1.000000", "100.00", ":2: 'cycles:u' is 3.500000, where one run"),
        ("-3.000000", "1.000000", "100.00", ":2: the figure of 'cycles:u' is '-3.000000'"),
        ("nan", "1.000000", "100.00", ":2: the figure of 'cycles:u' is 'nan'"),
        ("9" * 400, "1.000000", "100.00", ":2: the figure of 'cycles:u' is '9999"),
        ("3.000000", "1.000000", "101.00", ":2: 'pcnt-running' must be a number from 0 to 100"),
    ],
)
def test_kernel_share_is_refused(user: str, kernel: str, running: str, why: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse("perf-stat", counted(user, kernel, running), path="raw")
    assert f"raw{why}" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (JSON, '"2.000000"', "2.0", ":2: 'counter-value' must be a text"),
        (JSON, '"msec"', '"sec"', ":4: the unit of 'task-clock' is 'sec', where 'msec' must"),
        (JSON, '"context-switches",', '"context-", ', ":2: 'context-' is an event that this"),
        (JSON, '"event" : "context-switches"', '"event" : 1', ":2: 'event' must be a text"),
        (JSON, '"event" : "page-faults", ', "", ":5: 'event' must be a text"),
        (JSON, '"pcnt-running" : 100.00', '"pcnt-running" : NaN', "NaN is not a number"),
        (JSON, '"pcnt-running" : 100.00', '"pcnt-running" : true', ":2: 'pcnt-running' must"),
        (JSON, '"page-faults"', '"cpu-migrations"', ":5: 'cpu-migrations' is counted twice"),
        (JSON, '{"counter', '{"interval" : 0.1, "counter', ":2: this figure is that of one inter"),
        (JSON, "task-clock,page-faults --", "task-clock,cycles:k --", "the event 'cycles:k'"),
        (JSON, "-e ", "--event=cycles:k,", "there is no line for the event 'cycles:k'"),
        (REPEAT, '"variance" : 50.00, ', "", ":4: some figures are the mean of several runs"),
        (ROWS, "0.81,msec", "0.81,sec", ":4: the unit of 'task-clock' is 'sec'"),
        (ROWS, "75,,page", "75.5,,page", ":5: 'page-faults' is 75.5, where one run"),
        (ROWS, ",92.882,K/sec", "", ":5: '75,,page-faults,807477,100.00' is cut off"),
        (ROWS, "807477,100.00", "807477,37.00", ":2: 'context-switches' was counted 37 %"),
        (REPEAT_ROWS, "33.33%,", "", ":4: some figures are the mean of several runs"),
    ],
)
def test_perf_stat_refuses(name: str, old: str, new: str, why: str) -> None:
    assert why in refused(name, old, new)


def test_perf_stat_needs_its_last_line_feed_where_no_command_line_tells_the_events() -> None:
    data = read(ROWS)[1].split(b"\n", 1)[1].removesuffix(b"\nrc=0\n")
    with pytest.raises(ParseError, match=r"raw:4: the output is cut off: its last line has no end"):
        parse("perf-stat", data, path="raw")
    whole = parse("perf-stat", data + b"\n", path="raw")
    assert figures(whole) == figures(parse(*read(ROWS), path="raw"))


def test_perf_stat_refuses_a_run_without_privilege() -> None:
    text = b"Error:\nAccess to performance monitoring and observability operations is limited.\n"
    with pytest.raises(ParseError, match=r"raw:2: perf stat did not count: 'Access to perf"):
        parse("perf-stat", text, path="raw")


def test_an_event_of_perf_s_own_choice_is_left_out_and_one_of_a_person_s_is_not() -> None:
    """perf 6.12 on a machine without counters says first that it has no topdown."""
    name = "perf-stat/6.12-text.txt"
    fault = ":2: perf stat did not count: 'event syntax error"
    assert fault in refused(name, "'topdown-retiring", "'no-such-event")
    # It gave up, and what follows is another run.
    begin = " Performance counter stats for 'sleep 0.1':"
    assert fault in refused(name, begin, f" Usage: perf stat\n{begin}")


DETAILED = "perf-stat/6.1-detailed-text.txt"
INTERVALS = "perf-stat/6.1-interval-text.txt"
PEOPLE = [DETAILED, "perf-stat/6.1-repeat-text.txt", "perf-stat/6.1-decimal-comma-made.txt"]


@pytest.mark.parametrize("name", PEOPLE)
def test_perf_stat_s_text_is_whole_up_to_the_time_elapsed(name: str) -> None:
    _, data = read(name)
    whole = data.index(b" seconds time elapsed")
    found = refusals(name, cuts(data))
    assert all(found[:whole])
    assert not any(found[data.index(b"\n", whole) :])


@pytest.mark.parametrize("mark", [".", ",", "'", "\u202f", "\u00a0", ""])
def test_perf_stat_s_text_has_the_separators_of_its_reader(mark: str) -> None:
    decimal = "," if mark == "." else "."
    text = (
        " Performance counter stats for 'x':\n\n"
        f"    12{mark}345{decimal}67 msec task-clock   #    3{decimal}900 CPUs utilized\n"
        f"    1{mark}234{mark}567      cycles:u        #    2{decimal}1 GHz   (83{decimal}31%)\n\n"
        f"    1{decimal}217621581 seconds time elapsed\n"
    )
    output = parse("perf-stat", text.encode(), path="raw")
    assert {s.metric: s.values for s in output.samples} == {
        "task-clock": (12345.67,), "cycles:u": (1234567.0,), "elapsed": (1.217621581,),
    }  # fmt: skip
    if mark in {".", ","}:
        with pytest.raises(ParseError, match="is no number as perf prints it"):
            parse("perf-stat", text.replace(f"{mark}567", f"{mark}56").encode(), path="raw")


def test_intervals_are_added_up() -> None:
    output = parse(*read(INTERVALS), path="raw")
    assert {s.metric: s.values for s in output.samples} == {
        "task-clock": (1.72,), "context-switches": (1.0,), "page-faults": (76.0,), "cycles:u": (),
    }  # fmt: skip
    assert output.notes == ("sums of 3 intervals, 1.210421527 s",)


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (INTERVALS, "1.210421527                  0      page-faults", "", "1.210421527 s has not"),
        (
            INTERVALS,
            "<not counted>      page-faults",
            "4    page-faults",
            ":6: 'task-clock' was not",
        ),
        (INTERVALS, "     1.210421527                  0 ", "     0 ", "does not fit the header"),
        (DETAILED, "                74 ", "CPU0            74 ", "or the figure of one CPU"),
        (DETAILED, "cpu-migrations", "context-switches", "'context-switches' is counted twice"),
        (DETAILED, "cpu-migrations", "cpu-switches", "'cpu-switches' is an event that this"),
        ("perf-stat/6.1-semicolon.txt", "1.34;", "1.34,", "is cut off, or a row of an unknown"),
    ],
)
def test_perf_stat_s_tables_refuse(name: str, old: str, new: str, why: str) -> None:
    _, data = read(name)
    assert old.encode() in data
    with pytest.raises(ParseError) as caught:
        parse("perf-stat", data.replace(old.encode(), new.encode()), path="raw")
    assert why in str(caught.value)


def test_a_separator_leaves_the_decimal_comma_its_meaning() -> None:
    name = "perf-stat/6.1-semicolon.txt"
    assert bend(name, "1.34;msec", "1,34;msec") == parse(*read(name), path="raw")
    # Negative control: where both are commas nobody can tell.
    assert "is cut off, or a row of an unknown layout" in refused(ROWS, "0.81,msec", "0,81,msec")


def test_perf_stat_passes_over_other_programs_and_derived_metrics() -> None:
    full = parse(*read(JSON), path="raw")
    derived = '{"metric-value" : 0.5, "metric-unit" : "stalled cycles per insn"}\nTime: 0.506\nrc'
    assert bend(JSON, "rc", derived) == full
