# SPDX-License-Identifier: GPL-2.0-only
"""Reader of sysbench's report at the end of `cpu`, `threads` and `mutex`, sysbench 1.0.20.

The output does not name the test.  `cpu` has lines of its own; `threads` and `mutex` print
the same, so only the command line distinguishes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "sysbench"

_LATENCY = Quantity(unit="ms", direction=Direction.LOWER)

QUANTITIES: Mapping[str, Quantity] = {
    "throughput": Quantity(unit="1/s", direction=Direction.HIGHER),
    "latency-min": _LATENCY,
    "latency-mean": _LATENCY,
    "latency-max": _LATENCY,
    "latency-p95": _LATENCY,
    "latency-p99": _LATENCY,
}

DEFAULTS: Sequence[str] = ("prime-limit", "rate", "threads")

SETTINGS: Mapping[str, Setting] = {}

_COUNT = r"(?P<value>[1-9]\d{0,17})"
_MS = r"(?P<value>\d{1,12}\.\d\d)"

# Key -> start of its line, and the whole line, in the order of the output.
_LINES: Mapping[str, tuple[str, re.Pattern[str]]] = {
    # sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
    "version": ("sysbench ", re.compile(r"sysbench (?P<value>\d+\.\d+\S*) \(using .+\)")),
    # Number of threads: 2
    "threads": ("Number of threads:", re.compile(rf"Number of threads: {_COUNT}")),
    # Target transaction rate: 100/sec
    "rate": ("Target transaction", re.compile(rf"Target transaction rate: {_COUNT}/sec")),
    # Prime numbers limit: 10000
    "prime-limit": ("Prime numbers", re.compile(rf"Prime numbers limit: {_COUNT}")),
    # CPU speed:
    "cpu": ("CPU speed", re.compile(r"CPU speed:(?P<value>)")),
    #     events per second:  1776.74
    "events-per-second": (
        "    events per",
        re.compile(r"    events per second: +(?P<value>\d{1,15}\.\d\d)"),
    ),
    # General statistics:
    "general": ("General", re.compile(r"General statistics:(?P<value>)")),
    #     total time:                          2.0046s
    "time": ("    total time", re.compile(r"    total time: +(?P<value>\d{1,9}\.\d{4})s")),
    #     total number of events:              3564
    "events": ("    total number", re.compile(rf"    total number of events: +{_COUNT}")),
    # Latency (ms):
    "latency": ("Latency (ms)", re.compile(r"Latency \(ms\):(?P<value>)")),
    #          min:                                    0.38
    "min": ("         min", re.compile(rf"         min: +{_MS}")),
    #          avg:                                    1.12
    "mean": ("         avg", re.compile(rf"         avg: +{_MS}")),
    #          max:                                  152.50
    "max": ("         max", re.compile(rf"         max: +{_MS}")),
    #         95th percentile:                        4.41
    "p95": ("         95th", re.compile(rf"         95th percentile: +{_MS}")),
    "p99": ("         99th", re.compile(rf"         99th percentile: +{_MS}")),
    #          sum:                                 4006.63
    "sum": ("         sum", re.compile(rf"         sum: +{_MS}")),
    # Threads fairness:
    "fairness": ("Threads fairness", re.compile(r"Threads fairness:(?P<value>)")),
    #     events (avg/stddev):           1782.0000/144.00
    "events-mean": (
        "    events (avg",
        re.compile(r"    events \(avg/stddev\): +(?P<value>\d{1,15}\.\d{4})/\d+\.\d\d"),
    ),
    #     execution time (avg/stddev):   2.0033/0.00
    "end": (
        "    execution time",
        re.compile(r"    execution time \(avg/stddev\): +(?P<value>\d{1,15}\.\d{4})/\d+\.\d\d"),
    ),
}

_BEGIN = re.compile(
    rb"^sysbench \d+\.\d+\S*(?: \(using |: +multi-threaded )|^\[ *\d+s \] thds: \d+ eps: ", re.M
)

# sysbench 0.4.12:  multi-threaded system evaluation benchmark
_OLD = re.compile(r"sysbench 0\.\d")

# Optional lines.
_CPU_ONLY = {"prime-limit", "cpu", "events-per-second"}
_OPTIONAL = {"rate", "p95", "p99"} | _CPU_ONLY

# FATAL: The --max-time limit has expired, forcing shutdown...
_FAULT = re.compile(r"(?:FATAL|ALERT): ")

# Another test's part of the report, such as "SQL statistics:" or "File operations:".
_SECTION = re.compile(r"[A-Z][A-Za-z]*(?: [A-Za-z]+)*:")
_SECTIONS = ("Running the test with following options:",)

# [ 1s ] thds: 2 eps: 470.00 lat (ms,95%): 8.90
_INTERIM = re.compile(r"\[ *\d+s \] thds: ")

# The latency histogram has 1024 steps from 0.001 to 100,000 ms, each 1.8 % wide.
_STEP = 1.02

_Found = dict[str, tuple[Line, str]]


def recognise(data: bytes) -> bool:
    """Return whether this looks like sysbench's output, interim lines included."""
    return _BEGIN.search(data) is not None


def _find(data: bytes, path: str) -> _Found:
    """Return key of `_LINES` -> line and value, in the order of the output."""
    figures: _Found = {}
    order = list(_LINES)
    interim = False
    number = 1
    for line in lines(data, path):
        number = line.number
        if _FAULT.match(line.text):
            raise ParseError(
                f"sysbench did not end well: '{line.text[:120]}'", path=path, line=number
            )
        if _OLD.match(line.text):
            raise line.refuse(
                f"'{line.text.split(':')[0]}' prints a report of another layout and other figures;"
                " run sysbench 1.0 or later"
            )
        interim = interim or _INTERIM.match(line.text) is not None
        key = next((k for k, (begin, _) in _LINES.items() if line.text.startswith(begin)), None)
        if key is None:
            if _SECTION.fullmatch(line.text) and line.text not in _SECTIONS:
                raise ParseError(
                    f"'{line.text[:80]}' is not part of the report of cpu, threads and mutex, and"
                    " another test's is not known",
                    path=path,
                    line=number,
                )
            continue
        match = _LINES[key][1].fullmatch(line.text)
        if match is None:
            raise ParseError(
                f"'{line.text[:80]}' is cut off or of an unknown layout", path=path, line=number
            )
        if figures and order.index(key) <= order.index(next(reversed(figures))):
            raise ParseError(
                f"'{line.text.strip()}' does not stand where it must: the output of one run is"
                " expected, without checkpoint reports",
                path=path,
                line=number,
            )
        figures[key] = (line, match["value"])
    if interim and "general" not in figures:
        raise ParseError(
            "there are only interim figures (--report-interval); the report at the end is missing",
            path=path,
            line=number,
        )
    optional = _OPTIONAL - _CPU_ONLY if _CPU_ONLY & set(figures) else _OPTIONAL
    missing = [key for key in _LINES if key not in optional and key not in figures]
    if missing:
        raise ParseError(
            f"the output is cut off: no line begins with '{_LINES[missing[0]][0].strip()}'",
            path=path,
            line=number,
        )
    if "p95" not in figures and "p99" not in figures:
        raise figures["max"][0].refuse(
            "there is no percentile of the latencies; run sysbench with --percentile=95 or 99"
        )
    return figures


def _check(figures: _Found) -> None:
    """Raise if figures are 0 or contradict each other."""
    value = {
        key: float(text)
        for key, (_, text) in figures.items()
        if key not in ("version", "cpu", "general", "latency", "fairness")
    }
    events = value["events"]

    def refuse(key: str, message: str) -> ParseError:
        return figures[key][0].refuse(message)

    if value["time"] == 0 or value.get("events-per-second") == 0:
        raise refuse("time", "the time or the rate is 0; let sysbench run longer")
    if value["max"] == 0:
        raise refuse("max", "the largest latency is 0, which no event can have taken")
    # Half a step of the last digit either way.
    if abs(value["events-mean"] * value["threads"] - events) > 0.0001 * value["threads"]:
        raise refuse(
            "events-mean", f"{figures['events-mean'][1]} events a thread do not make {events:.0f}"
        )
    if abs(value["sum"] - value["mean"] * events) > 0.005 * events + 0.01:
        raise refuse("sum", "the latencies' sum contradicts their mean and the number of events")
    if not value["min"] <= value["mean"] <= value["max"]:
        raise refuse("mean", "the latencies' mean does not lie between the smallest and largest")
    for key in ("p95", "p99"):
        high = value["max"] * _STEP + 0.01
        if key in value and not value["min"] / _STEP - 0.01 <= value[key] <= high:
            raise refuse(
                key, f"latency-{key} does not lie between the smallest and largest latency"
            )
    rate = value.get("events-per-second")
    # sysbench takes that time a little later, after it has collected the threads' counters.
    if rate is not None and abs(rate / (events / value["time"]) - 1) > 0.1:
        raise refuse(
            "events-per-second",
            f"{rate} events a second contradict {events:.0f} in {value['time']} s",
        )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the figures of sysbench's report at the end of one run.

    `throughput` is in events a second: as printed by `cpu`, to 0.01; `threads` and `mutex`
    print none, there it is the number of events divided by the total time, so that one
    event more or less is its smallest step.  Latencies of an event are in milliseconds:
    smallest, mean, largest and the 95th or 99th percentile, whichever the run asked for.
    Interim lines of --report-interval are passed over.

    `defaults` holds the number of `threads`, and if printed the `prime-limit` of `cpu` and
    the target `rate`.  `benchmark` is "sysbench cpu", or "sysbench" for the other tests.

    Raises ParseError for output that is cut off, for a run that failed, for a second run,
    for another test and for figures that contradict each other.
    """
    figures = _find(data, path)
    _check(figures)
    texts = {key: text for key, (_, text) in figures.items()}
    rate = texts.get("events-per-second")
    values = {
        "throughput": float(texts["events"]) / float(texts["time"])
        if rate is None
        else float(rate),
        **{
            f"latency-{key}": float(texts[key])
            for key in ("min", "mean", "max", "p95", "p99")
            if key in texts
        },
    }
    return ParsedOutput(
        tool=TOOL,
        benchmark="sysbench cpu" if "cpu" in texts else "sysbench",
        tool_version=texts["version"],
        defaults={key: texts[key] for key in ("threads", "rate", "prime-limit") if key in texts},
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
    )
