# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf stat --json-output` and `perf stat --field-separator ,`, perf 6.1.

Both go to stderr, so other programs' lines may be in between.  The output has no end mark:
if a capture begins with its command line (`$ perf stat -e EVENTS ...`), each of those
events must be there.  The output names
neither a version nor the program that was watched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.jsonfile import load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "perf-stat"

_SHARE = "kernel-share"
_COUNT = Quantity(unit="count", direction=Direction.LOWER)

_CLOCK = Quantity(unit="ms", direction=Direction.LOWER)
_EVENTS = {
    **dict.fromkeys(("context-switches", "cpu-migrations", "page-faults"), _COUNT),
    **dict.fromkeys(("minor-faults", "major-faults", "cycles", "instructions"), _COUNT),
    **dict.fromkeys(("cache-references", "cache-misses", "branches", "branch-misses"), _COUNT),
    **dict.fromkeys(("task-clock", "cpu-clock"), _CLOCK),
}
# Other names of events.
_ALIASES = {
    "cpu-cycles": "cycles", "cs": "context-switches", "migrations": "cpu-migrations",
    "faults": "page-faults", "branch-instructions": "branches",
}  # fmt: skip
# Kinds of processors in one machine, which count by themselves: cpu_core/cpu-cycles/
_KINDS = ("", "-core", "-atom")
# cpu_core/cpu-cycles/u, cycles:u
_EVENT = re.compile(
    r"(?:cpu_(?P<kind>core|atom)/(?P<inner>[a-z-]+)/|(?P<event>[a-z-]+))(?::?(?P<mode>u|k|uk))?"
)

QUANTITIES: Mapping[str, Quantity] = {
    # :u counts in user space only, :k in the kernel only
    **{
        f"{event}{kind}{mode}": quantity
        for event, quantity in _EVENTS.items()
        for kind in _KINDS
        for mode in ("", ":u", ":k", ":uk")
    },
    _SHARE: Quantity(unit="%", direction=Direction.LOWER),
}

SETTINGS: Mapping[str, Setting] = {
    # $ perf stat -x, -e task-clock hackbench -g 4
    "command": Setting(r"^\$ (?:\S*/)?perf stat (.+)$"),
}

# Event -> its unit as perf prints it.
_UNITS = {
    event: "msec" if quantity.unit == "ms" else ""
    for event, quantity in QUANTITIES.items()
    if event != _SHARE
}

# In full it says "scaled", that it counted an event for less of the time than this.
_LEAST_RUNNING = 50.0

# Keys of a figure that is not the whole run's.
_SPLIT = (
    "cpu",
    "core",
    "cache",
    "cluster",
    "die",
    "socket",
    "node",
    "thread",
    "cgroup",
    "interval",
)

# 2,,context-switches,1420940,100.00,1.408,K/sec
# 1,,context-switches,50.00%,664987,100.00,1.431,K/sec
# <not supported>,,cycles,0,100.00,,
_ROW = re.compile(
    r"(?P<value>[^,]*),(?P<unit>[^,]*),(?P<event>[^,]+),(?:(?P<spread>\d+\.\d\d)%,)?"
    r"\d+,(?P<running>\d{1,3}\.\d\d),[^,]*,[^,]*"
)

# How a row begins, one with a CPU or a time before the figure included:
# CPU0,197,,context-switches,105161303,100.00,,
#      0.100557199,1,,context-switches,829431,100.00,,
_ROW_BEGIN = re.compile(r" *(?:<not |\d+(?:\.\d+)?,|CPU\d+,|S\d+(?:-D\d+)?(?:-C\d+)?,)")

# 2.000000 in JSON, 1.42 and 75 otherwise
_VALUE = re.compile(r"\d{1,18}(?:\.\d{1,6})?")

# Workload failed: No such file or directory
# event syntax error: 'no-such-event'
# Access to performance monitoring and observability operations is limited.
_FAULT = re.compile(
    r"Workload failed: |event syntax error: |Access to performance monitoring and observability"
)


@frozen
class _Counter:
    line: int
    event: str
    unit: str
    value: str  # as printed, "<not supported>" included
    running: float  # percent of the time in which the event was counted
    averaged: bool  # over the runs of --repeat


def recognise(data: bytes) -> bool:
    """Return whether this looks like a line of figures from `perf stat`."""
    return (
        re.search(
            rb'^\{(?:"\w+" : [^,]{1,40}, )*"counter-value" : "'
            rb"|^(?:<not (?:supported|counted)>|\d+(?:\.\d+)?),[a-zA-Z]*,[a-z][\w:-]*,"
            rb"(?:\d+\.\d\d%,)?\d+,\d+\.\d\d,",
            data,
            re.M,
        )
        is not None
    )


def _from_json(line: Line, path: str) -> _Counter | None:
    """Return the line's figure; None for a line that only holds one more derived metric."""
    # {"counter-value" : "2.000000", "unit" : "", "event" : "context-switches",
    #  "event-runtime" : 1077806, "pcnt-running" : 100.00, "metric-value" : 1.855622,
    #  "metric-unit" : "K/sec"}
    # The empty lines let an error name the line of the capture.
    padded = b"\n" * (line.number - 1) + line.text.encode()
    _, whole = load(padded, path=path, remedy="run perf stat again")
    if "event" not in whole and "counter-value" not in whole and "metric-value" in whole:
        return None
    split = next((key for key in _SPLIT if key in whole), None)
    texts = {key: whole.get(key) for key in ("counter-value", "unit", "event")}
    odd = next((key for key, value in texts.items() if not isinstance(value, str)), None)
    running = whole.get("pcnt-running")
    message = ""
    if split is not None:
        message = f"this figure is that of one {split}; run perf stat without -A, -I and --per-..."
    elif odd is not None:
        message = f"'{odd}' must be a text"
    elif type(running) not in (int, float) or not 0 <= running <= 100:  # type: ignore[operator]
        message = "'pcnt-running' must be a number from 0 to 100"
    if message:
        raise line.refuse(message)
    return _Counter(
        line=line.number,
        event=str(texts["event"]),
        unit=str(texts["unit"]),
        value=str(texts["counter-value"]),
        running=float(running),  # type: ignore[arg-type]
        averaged="variance" in whole,
    )


def _from_row(line: Line) -> _Counter:
    match = _ROW.fullmatch(line.text)
    if match is None:
        raise line.refuse(
            f"'{line.text[:80]}' is cut off, or a row of an unknown layout; run perf stat with"
            " '-x,' and without -A, -I and --per-..."
        )
    return _Counter(
        line=line.number,
        event=match["event"],
        unit=match["unit"],
        value=match["value"],
        running=float(match["running"]),
        averaged=match["spread"] is not None,
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


def _name(event: str) -> str:
    """Return the metric of an event; what is unknown is left as it is."""
    match = _EVENT.fullmatch(event)
    if match is None:
        return event
    own = match["inner"] or match["event"]
    kind = f"-{match['kind']}" if match["kind"] else ""
    mode = f":{match['mode']}" if match["mode"] else ""
    return f"{_ALIASES.get(own, own)}{kind}{mode}"


def _counters(text: Sequence[Line], path: str) -> dict[str, _Counter]:
    """Return event -> figure, in the order of the output."""
    counters: dict[str, _Counter] = {}
    asked: list[str] = []
    for line in text:
        counter = None
        if line.text.startswith("$ "):
            asked = asked or _asked(line.text)
        elif _FAULT.match(line.text):
            raise line.refuse(f"perf stat did not count: '{line.text[:120]}'")
        elif line.text.startswith("{"):
            counter = _from_json(line, path)
        elif _ROW_BEGIN.match(line.text):
            counter = _from_row(line)
        if counter is None:
            continue
        counter = evolve(counter, event=_name(counter.event))
        if counter.event not in _UNITS:
            raise line.refuse(
                f"'{counter.event[:80]}' is an event that this parser does not know; it knows:"
                f" {', '.join(_UNITS)}"
            )
        if counter.event in counters:
            raise line.refuse(
                f"'{counter.event}' is counted twice, where the output of one run is expected"
            )
        counters[counter.event] = counter
    # An event with another spelling on the command line cannot be checked.
    missing = [e for e in map(_name, asked) if e in _UNITS and e not in counters]
    if counters and missing:
        raise text[-1].refuse(
            f"the output is cut off: there is no line for the event '{missing[0]}'"
        )
    return counters


def _value(counter: _Counter, path: str) -> float:
    """Return the figure in the metric's unit; raise for one that was not counted in full."""
    if counter.value.startswith("<not "):
        raise ParseError(
            f"perf could not count '{counter.event}' here: {counter.value}; leave the event out,"
            " or use a board whose processor counts it",
            path=path,
            line=counter.line,
        )
    if _VALUE.fullmatch(counter.value) is None:
        raise ParseError(
            f"the figure of '{counter.event}' is '{counter.value[:40]}', where a number must stand",
            path=path,
            line=counter.line,
        )
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
    value = float(counter.value)
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

    An event that the processor cannot count is `absent`, as long as another one was counted.

    Of a machine with two kinds of processors `cycles-core` and `cycles-atom` are apart.

    Raises ParseError where no event was counted, or one for less than half the time, for an
    event that is unknown or appears twice, and for output that is cut off.
    """
    text = lines(data, path)
    counters = _counters(text, path)
    if not counters:
        raise ParseError(
            "there is no figure in the output; run perf stat with -j, or with '-x,'",
            path=path,
            line=text[-1].number if text else 1,
        )
    if not data.endswith(b"\n"):
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
        notes=(f"estimates, counted for a part of the time: {', '.join(scaled)}",)
        if scaled
        else (),
    )
