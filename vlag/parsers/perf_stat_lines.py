# SPDX-License-Identifier: GPL-2.0-only
"""Lines of `perf stat`: a figure each, as JSON, as fields with a separator, or for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve, frozen

from vlag.errors import ParseError
from vlag.parsers.jsonfile import load
from vlag.parsers.lines import Line

#: Kinds of tables for people.
TOTALS, MEANS, INTERVALS = "totals", "means of several runs", "intervals"

# Keys of a figure that is not the whole run's.
_SPLIT = ("cpu", "core", "cache", "cluster", "die", "socket", "node", "thread", "cgroup")

_REMEDY = "run perf stat without -A and --per-..."

# 2,,context-switches,1420940,100.00,1.408,K/sec
# 1,,context-switches,50.00%,664987,100.00,1.431,K/sec
# <not supported>,,cycles,0,100.00,,
#      0.100557199,1,,context-switches,829431,100.00,,
#          summary,2,,context-switches,1716472,100.00,1.165,K/sec
_ROW = re.compile(
    r"(?: *(?:(?P<interval>\d+\.\d{9})|summary)(?P<first>[,;\t]))?"
    r"(?P<value>\d+,\d+(?=[;\t])|[^,;\t]*)(?P<sep>[,;\t])(?P<unit>[^,;\t]*)(?P=sep)"
    r"(?P<event>[^,;\t]+)(?P=sep)(?:(?P<spread>\d+[.,]\d\d)%(?P=sep))?"
    r"\d+(?P=sep)(?P<running>\d{1,3}[.,]\d\d)(?P=sep)"
    r"(?:\d+,\d+(?=[;\t])|[^,;\t]*)(?P=sep)[^,;\t]*"
)

# How a row begins, one with a CPU or a time before the figure included:
# CPU0,197,,context-switches,105161303,100.00,,
_ROW_BEGIN = re.compile(
    r" *(?:<not |\d+(?:[.,]\d+)?[,;\t]|summary[,;\t]|CPU\d+[,;\t]"
    r"|S\d+(?:-D\d+)?(?:-C\d+)?[,;\t])"
)

#  Performance counter stats for 'sleep 1.2' (2 runs):
# #           time             counts unit events
_TOTALS_BEGIN = re.compile(r" *Performance counter stats for .+?(?P<runs> \(\d+ runs\))?:")
_INTERVALS_BEGIN = re.compile(r"# +time +counts unit events.*")

#               1.63 msec task-clock                       #    0.007 CPUs utilized   ( +-  4.88% )
#    <not supported>      cycles:u
#      1,234,567,890      cpu_core/cycles/          #    2.100 GHz                 (83.31%)
#           1.413750      task-clock (msec)         #    0.001 CPUs utilized
#      0.500572362                  1      context-switches          #    0.362 K/sec
_TEXT = re.compile(
    r" *(?:(?P<interval>\d+\.\d{9}) +)?"
    r"(?P<value><not (?:counted|supported)>|\d[\d.,'\u00a0\u202f]*) +"
    r"(?:(?P<unit>msec) +)?(?P<event>[A-Za-z][\w/:.-]*)(?P<old> \(msec\))?(?= |$)"
)
# What may follow: a metric after a number sign, the spread over runs, and the share of the time.
_SPREAD = re.compile(r"\( \+- *\d+[.,]\d+% ?\)")
_RUNNING = re.compile(r"[(\[] *(?P<share>\d{1,3}[.,]\d\d)%[)\]]$")
# A figure in any place of a line.
_FIGURE = re.compile(r"(?:<not (?:counted|supported)>|\d) +(?:msec +)?[a-z][\w/:.-]*(?: |$)")

# 2.000000 in JSON, 1.42 and 75 otherwise
_VALUE = re.compile(r"\d{1,18}(?:\.\d{1,6})?", re.ASCII)

_GROUPS = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")


@frozen
class Counter:
    """A figure of an event."""

    line: int
    event: str
    unit: str
    value: str  # as a plain number, "<not supported>" and "<not counted>" included
    running: float  # percent of the time in which the event was counted
    averaged: bool  # over the runs of --repeat
    interval: str | None  # seconds from the start to its end; None: the whole run's


def begins(text: str) -> str:
    """Return which kind of table for people begins with this line; "" for none."""
    totals = _TOTALS_BEGIN.fullmatch(text)
    if totals is not None:
        return MEANS if totals["runs"] else TOTALS
    return INTERVALS if _INTERVALS_BEGIN.fullmatch(text) else ""


def is_row(text: str) -> bool:
    """Return whether a line begins as one of fields does."""
    return _ROW_BEGIN.match(text) is not None


def from_json(line: Line, path: str) -> Counter | None:
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
    running, interval = whole.get("pcnt-running"), whole.get("interval")
    message = ""
    if split is not None:
        message = f"this figure is that of one {split}; {_REMEDY}"
    elif odd is not None:
        message = f"'{odd}' must be a text"
    elif type(running) not in (int, float) or not 0 <= running <= 100:  # type: ignore[operator]
        message = "'pcnt-running' must be a number from 0 to 100"
    elif interval is not None and type(interval) not in (int, float):
        message = "'interval' must be a number"
    if message:
        raise line.refuse(message)
    return Counter(
        line=line.number,
        event=str(texts["event"]),
        unit=str(texts["unit"]),
        value=str(texts["counter-value"]),
        running=float(running),  # type: ignore[arg-type]
        averaged="variance" in whole,
        interval=None if interval is None else str(interval),
    )


def from_row(line: Line) -> Counter:
    """Return the figure of a line of fields."""
    match = _ROW.fullmatch(line.text)
    first = None if match is None else match["first"]
    if match is None or first not in (None, match["sep"]):
        raise line.refuse(
            f"'{line.text[:80]}' is cut off, or a row of an unknown layout; run perf stat with"
            " '-x,' and without -A and --per-..."
        )
    # A decimal comma can only be told from a separator where that is another character.
    comma = match["sep"] != ","
    return Counter(
        line=line.number,
        event=match["event"],
        unit=match["unit"],
        value=match["value"].replace(",", ".") if comma else match["value"],
        running=float(match["running"].replace(",", ".")),
        averaged=match["spread"] is not None,
        interval=match["interval"],
    )


def from_text(line: Line, table: str) -> Counter | None:
    """Return the figure of a line in a table for people of that kind; None where it has none."""
    match = _TEXT.match(line.text)
    rest = "" if match is None else line.text[match.end() :].strip()
    whole = rest.count("(") == rest.count(")") and rest[:1] in ("", "#", "(", "[")
    if match is None or not whole:
        if _FIGURE.search(line.text.partition("#")[0]):
            raise line.refuse(
                f"'{line.text.strip()[:80]}' is cut off, or the figure of one CPU, socket or"
                f" thread; {_REMEDY}"
            )
        return None
    if (table == INTERVALS) == (match["interval"] is None):
        raise line.refuse(f"'{line.text.strip()[:80]}' does not fit the header of its table")
    running = _RUNNING.search(rest)
    unit = "msec" if match["old"] else match["unit"] or ""
    return Counter(
        line=line.number,
        event=match["event"],
        unit=unit,
        value=_plain(match["value"], unit, line),
        running=100.0 if running is None else float(running["share"].replace(",", ".")),
        averaged=_SPREAD.search(rest) is not None or table == MEANS,
        interval=match["interval"],
    )


def figure(counter: Counter, path: str) -> float:
    """Return the number as printed; raise ParseError where it is none."""
    if _VALUE.fullmatch(counter.value) is None:
        raise ParseError(
            f"the figure of '{counter.event}' is '{counter.value[:40]}', where a number must stand",
            path=path,
            line=counter.line,
        )
    return float(counter.value)


def _plain(printed: str, unit: str, line: Line) -> str:
    """Return a number without the separators of thousands of its reader's language.

    Counts are whole, and times always have decimals, so that each separator has one meaning.
    """
    if printed.startswith("<"):
        return printed
    number = re.sub("['\u00a0\u202f]", "", printed)
    whole, mark, decimals = number, "", ""
    if unit:
        at = max(number.rfind("."), number.rfind(","))
        whole, mark, decimals = (number[:at], ".", number[at + 1 :]) if at > 0 else (number, "", "")
    if not (whole.isdecimal() or _GROUPS.fullmatch(whole)):
        raise line.refuse(f"'{printed[:40]}' is no number as perf prints it")
    return re.sub("[.,]", "", whole) + mark + decimals


def intervals_sum(intervals: Sequence[dict[str, Counter]], path: str) -> dict[str, Counter]:
    """Return event -> its sum over intervals, each of which is event -> figure.

    Where nothing was counted of any event, nothing ran: this adds 0.

    Raises ParseError for an interval without one of the events, for an event that alone was not
    counted in one, and for means of several runs.
    """
    sums = dict(intervals[0])
    for event in sums:
        parts = [_part(event, interval, sums, path) for interval in intervals]
        counted = [c for c, idle in parts if not idle and not c.value.startswith("<not ")]
        for counter, idle in parts:
            if counted and not idle and counter not in counted:
                raise ParseError(
                    f"'{event}' was not counted in the interval that ends at"
                    f" {counter.interval} s, so its sum is not known; count fewer events at once",
                    path=path,
                    line=counter.line,
                )
        if counted:
            total = sum(figure(c, path) for c in counted)
            sums[event] = evolve(
                counted[-1], value=f"{total:.6f}", running=min(c.running for c in counted)
            )
    return sums


def _part(
    event: str, interval: dict[str, Counter], every: dict[str, Counter], path: str
) -> tuple[Counter, bool]:
    """Return an event's figure in an interval, and whether nothing ran in it."""
    last = max(interval.values(), key=lambda c: c.line)
    if interval.keys() != every.keys():
        raise ParseError(
            f"the output is cut off: the interval that ends at {last.interval} s has not the"
            " events of the first",
            path=path,
            line=last.line,
        )
    if any(c.averaged for c in interval.values()):
        raise ParseError(
            "these are intervals of several runs; run perf stat with -I or with -r, not with both",
            path=path,
            line=last.line,
        )
    figures = {c.value for c in interval.values()} - {"<not supported>"}
    return interval[event], figures == {"<not counted>"}
