# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf stat`: its text, `--json-output` and `--field-separator`, perf 5.10 to 7.2.

All go to stderr, so other programs' lines may be in between.  Only the text has an end mark:
if another capture begins with its command line (`$ perf stat -e EVENTS ...`), each of those
events must be there.  The output names no version, and only the text the program that was
watched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.perf_stat_events import EVENTS, KINDS, metric_of
from vlag.parsers.perf_stat_lines import (
    MEANS,
    TOTALS,
    Counter,
    begins,
    figure,
    from_json,
    from_row,
    from_text,
    intervals_sum,
    is_row,
)
from vlag.parsers.settings import Setting

TOOL = "perf-stat"

_SHARE = "kernel-share"
_ELAPSED = "elapsed"
QUANTITIES: Mapping[str, Quantity] = {
    # :u counts in user space only, :k in the kernel only
    **{
        f"{event}{kind}{mode}": quantity
        for event, quantity in EVENTS.items()
        for kind in dict.fromkeys(("", *KINDS.values()))
        for mode in ("", ":u", ":k", ":uk")
    },
    _SHARE: Quantity(unit="%", direction=Direction.LOWER),
    _ELAPSED: Quantity(unit="s", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("repeated",)

SETTINGS: Mapping[str, Setting] = {
    # $ perf stat -x, -e task-clock hackbench -g 4
    "command": Setting(r"^\$ (?:\S*/)?perf stat (.+)$"),
    #  Performance counter stats for 'sleep 1.2' (2 runs):
    #  Performance counter stats for 'system wide':
    "watched": Setting(r"^ *Performance counter stats for (.+?)(?: \(\d+ runs\))?:$"),
    "runs": Setting(r"^ *Performance counter stats for .+ \((\d+) runs\):$"),
}

# Event -> its unit as perf prints it.
_UNITS = {
    event: "msec" if quantity.unit == "ms" else ""
    for event, quantity in QUANTITIES.items()
    if event not in (_SHARE, _ELAPSED)
}

# In full it says "scaled", that it counted an event for less of the time than this.
_LEAST_RUNNING = 50.0

# Workload failed: No such file or directory
# event syntax error: 'no-such-event'
# Access to performance monitoring and observability operations is limited.
_FAULT = re.compile(
    r"Workload failed: |event syntax error: |Access to performance monitoring and observability"
)
# event syntax error: 'topdown-retiring/metric-id=topdown!1retiring/,TOPDOWN.SL..'
_OWN_EVENT = "event syntax error: 'topdown-"
#  Usage: perf stat [<options>] [<command>]
_GIVEN_UP = re.compile(r" *Usage: perf |rc=|\$ ")


# 1.217621581 seconds time elapsed
# 1.21551 +- 0.00231 seconds time elapsed  ( +-  0.19% )
_ELAPSED_LINE = re.compile(
    r" *(?P<seconds>\d{1,9}[.,]\d{1,12})(?: \+- \d+[.,]\d+)? seconds time elapsed(?: +\(.+\))?"
)


@frozen
class _Output:
    """What perf printed of one run."""

    counters: Sequence[Counter]
    elapsed: float | None  # s; only the text has it
    asked: Sequence[str]  # events on the command line


def recognise(data: bytes) -> bool:
    """Return whether this looks like a line of figures from `perf stat`."""
    return (
        re.search(
            rb'^\{(?:"\w+" : [^,]{1,40}, )*"counter-value" : "'
            rb"|^ *(?:\d+\.\d{9}[,;\t])?(?:<not (?:supported|counted)>|\d+(?:[.,]\d+)?)"
            rb"(?P<sep>[,;\t])[a-zA-Z]*(?P=sep)[a-zL][\w/:-]*(?P=sep)"
            rb"(?:\d+\.\d\d%(?P=sep))?\d+(?P=sep)\d+[.,]\d\d(?P=sep)"
            rb"|^ *Performance counter stats for .+:\r?$"
            rb"|^# +time +counts unit events",
            data,
            re.M,
        )
        is not None
    )


def _asked(command: str) -> list[str]:
    """Return the events of the first -e on a command line; none where it has no -e."""
    words = command.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "--":
            break
        if word in ("-e", "--event"):
            return following.strip("{}").split(",")
        if word.startswith("--event="):
            return word.partition("=")[2].strip("{}").split(",")
    return []


def _counts_on(rest: Sequence[Line]) -> bool:
    """Return whether perf counted all the same after the fault that these lines begin with.

    Of the events that nobody asked for, 6.12 leaves out what the machine lacks, and says so.
    """
    if not rest[0].text.startswith(_OWN_EVENT):
        return False
    for line in rest[1:]:
        if begins(line.text) in (TOTALS, MEANS):
            return True
        if _GIVEN_UP.match(line.text):
            return False
    return False


def _read(text: Sequence[Line], path: str) -> _Output:
    """Return the figures in the order of the output."""
    counters: list[Counter] = []
    asked: list[str] = []
    elapsed: float | None = None
    table = ""  # of which kind the lines are, where they are for people to read
    for number, line in enumerate(text):
        counter = None
        end = _ELAPSED_LINE.fullmatch(line.text) if table else None
        if line.text.startswith("$ "):
            asked = asked or _asked(line.text)
        elif _FAULT.match(line.text):
            if _counts_on(text[number:]):
                continue
            raise line.refuse(f"perf stat did not count: '{line.text[:120]}'")
        elif line.text.startswith("{"):
            counter = from_json(line, path)
        elif end is not None:
            if elapsed is not None:
                raise line.refuse("this is the end of another run; keep each in a file of its own")
            elapsed, table = float(end["seconds"].replace(",", ".")), ""
        elif kind := begins(line.text):
            table = kind
        elif table:
            counter = from_text(line, table)
        elif is_row(line.text):
            counter = from_row(line)
        if counter is not None:
            counters.append(_known(counter, path))
    if table in (TOTALS, MEANS):
        raise text[-1].refuse("the output is cut off: the line with the time elapsed is missing")
    return _Output(counters, elapsed, asked)


def _known(counter: Counter, path: str) -> Counter:
    """Return the figure under its event's name here; raise for an unknown event."""
    event = metric_of(counter.event)
    if event not in _UNITS:
        raise ParseError(
            f"'{event[:80]}' is an event that this parser does not know; it knows:"
            f" {', '.join(EVENTS)}, each also with :u or :k, and of one kind of processors, as"
            " cpu_core/EVENT/ or armv8_pmuv3_0/EVENT/",
            path=path,
            line=counter.line,
        )
    return evolve(counter, event=event)


def _once(counters: Sequence[Counter], path: str) -> dict[str, Counter]:
    """Return event -> figure; raise for an event that is there twice."""
    named: dict[str, Counter] = {}
    for counter in counters:
        if counter.event in named:
            raise ParseError(
                f"'{counter.event}' is counted twice, where the output of one run is expected",
                path=path,
                line=counter.line,
            )
        named[counter.event] = counter
    return named


def _of_run(counters: Sequence[Counter], path: str) -> tuple[dict[str, Counter], str]:
    """Return event -> figure of the whole run, and what is to be noted of them."""
    totals = [c for c in counters if c.interval is None]
    parts = [c for c in counters if c.interval is not None]
    if not parts:
        return _once(totals, path), ""
    times = list(dict.fromkeys(c.interval for c in parts))
    if totals:
        later = all(c.line > parts[-1].line for c in totals)
        if not later or {c.event for c in totals} != {c.event for c in parts}:
            raise ParseError(
                "this figure is that of one interval, others are not; run perf stat again",
                path=path,
                line=parts[0].line,
            )
        return _once(totals, path), f"the summary after {len(times)} intervals"
    intervals = [_once([c for c in parts if c.interval == time], path) for time in times]
    count = f"{len(times)} interval{'s' if len(times) > 1 else ''}"
    return intervals_sum(intervals, path), f"sums of {count}, {times[-1]} s"


def _value(counter: Counter, path: str) -> float:
    """Return the figure in the metric's unit; raise for one that was not counted in full."""
    if counter.value.startswith("<not "):
        raise ParseError(
            f"perf could not count '{counter.event}' here: {counter.value}; leave the event out,"
            " or use a board whose processor counts it",
            path=path,
            line=counter.line,
        )
    value = figure(counter, path)
    # Without a unit it is in nanoseconds.
    nanoseconds = _UNITS[counter.event] == "msec" and counter.unit == ""
    if counter.unit != _UNITS[counter.event] and not nanoseconds:
        raise ParseError(
            f"the unit of '{counter.event}' is '{counter.unit[:40]}',"
            f" where '{_UNITS[counter.event]}' must stand",
            path=path,
            line=counter.line,
        )
    if counter.running < _LEAST_RUNNING:
        raise ParseError(
            f"'{counter.event}' was counted {counter.running:g} % of the time and scaled up, so"
            " its figure is a guess; count fewer events at once",
            path=path,
            line=counter.line,
        )
    if not (counter.unit or counter.averaged or value.is_integer()):
        raise ParseError(
            f"'{counter.event}' is {counter.value}, where one run gives a whole number",
            path=path,
            line=counter.line,
        )
    return value / 1e6 if nanoseconds else value


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return what perf counted while one program ran.

    A sample an event, of one value: a count, or milliseconds for `task-clock`.  With
    --repeat it is the mean of the runs, which `defaults` then records.  If both `cycles:k`
    and `cycles:u` were counted, `kernel-share` is the share of the cycles in the kernel, in
    percent.

    Of intervals (-I) it is the sum, or perf's own summary after them.  The text also has
    `elapsed`, in seconds.

    An event that the processor cannot count is `absent`, as long as another one was counted.

    Of a machine with several kinds of processors `cycles-core` and `cycles-atom`, or
    `cycles-cortex-a53` and `cycles-cortex-a72`, are apart.

    Raises ParseError where no event was counted, or one for less than half the time, for an
    event that is unknown or appears twice, and for output that is cut off.
    """
    text = lines(data, path)
    output = _read(text, path)
    if not output.counters:
        raise ParseError(
            "there is no figure in the output; run perf stat with -j, or with '-x,'",
            path=path,
            line=text[-1].number if text else 1,
        )
    counters, of_intervals = _of_run(output.counters, path)
    # An event with another spelling on the command line cannot be checked.
    missing = [e for e in map(metric_of, output.asked) if e in _UNITS and e not in counters]
    if missing:
        raise text[-1].refuse(
            f"the output is cut off: there is no line for the event '{missing[0]}'"
        )
    if output.elapsed is None and not data.endswith(b"\n"):
        raise text[-1].refuse("the output is cut off: its last line has no end")
    # The others were counted; if all are missing, the error of _value has the remedy.
    absent = [event for event, c in counters.items() if c.value.startswith("<not ")]
    counted = {event: c for event, c in counters.items() if event not in absent} or counters
    values = {event: _value(counter, path) for event, counter in counted.items()}
    scaled = [f"{e} {c.running:g} %" for e, c in counted.items() if c.running < 100]
    if len({counter.averaged for counter in counted.values()}) > 1:
        raise text[-1].refuse(
            "some figures are the mean of several runs and others are not; keep each run of perf"
            " in a file of its own"
        )
    if {"cycles:k", "cycles:u"} <= {e for e in values if counted[e].running == 100}:
        cycles = values["cycles:k"] + values["cycles:u"]
        if cycles == 0:
            raise ParseError(
                "no cycle was counted, neither in the kernel nor outside of it",
                path=path,
                line=counters["cycles:k"].line,
            )
        values[_SHARE] = 100 * values["cycles:k"] / cycles
    if output.elapsed is not None:
        values[_ELAPSED] = output.elapsed
    notes = []
    if of_intervals:
        notes.append(of_intervals)
    if scaled:
        notes.append(f"estimates, counted for a part of the time: {', '.join(scaled)}")
    return ParsedOutput(
        tool=TOOL,
        benchmark="perf stat",
        tool_version=None,
        defaults={"repeated": "yes"} if next(iter(counted.values())).averaged else {},
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        )
        + tuple(Sample(metric=event, values=(), instances=(), absent=("",)) for event in absent),
        histograms=(),
        notes=tuple(notes),
    )
