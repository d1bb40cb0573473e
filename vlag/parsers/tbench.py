# SPDX-License-Identifier: GPL-2.0-only
"""Reader of the text of tbench 4, the network's half of dbench.

dbench prints the same of files; the output does not say which of both it is of.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines, without_noise
from vlag.parsers.settings import Setting

TOOL = "tbench"

QUANTITIES: Mapping[str, Quantity] = {
    # A "MB" of dbench's has 10**6 bytes.
    "throughput": Quantity(unit="MB/s", direction=Direction.HIGHER),
    "latency-max": Quantity(unit="ms", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("clients", "duration", "load", "processes", "warmup")

SETTINGS: Mapping[str, Setting] = {}

_N = r"[1-9]\d{0,8}"

# dbench version 4.00 - Copyright Andrew Tridgell 1999-2004
_BEGIN = re.compile(r"dbench version (?P<version>\d+\.\d+) - Copyright .+")

# Running for 2 seconds with load '/usr/share/dbench/client.txt' and minimum warmup 0 secs
_RUNNING = re.compile(
    rf"Running for (?P<duration>{_N}) seconds with load '(?:[^']*/)?(?P<load>[^'/]+)'"
    r" and minimum warmup (?P<warmup>\d{1,9}) secs"
)

# 2 of 2 processes prepared for launch   0 sec
_PREPARED = re.compile(r"(?P<ready>-?\d+) of (?P<of>\d+) processes prepared for launch +\d+ sec")

#  Operation      Count    AvgLat    MaxLat
_HEADER = re.compile(r" Operation +Count +AvgLat +MaxLat")

#  NTCreateX       3045     0.178     6.398
_ROW = re.compile(r" [A-Za-z][A-Za-z0-9_]* +\d{1,12} +\d{1,9}\.\d{3} +\d{1,9}\.\d{3}")

# Throughput 83.3347 MB/sec  2 clients  2 procs  max_latency=6.369 ms
_END = re.compile(
    r"Throughput (?P<throughput>\d{1,9}(?:\.\d{1,6})?) MB/sec(?P<sync>(?: \([a-z ]+\))*)"
    rf"  (?P<clients>{_N}) clients  (?P<processes>{_N}) procs"
    r"  max_latency=(?P<latency>\d{1,12}\.\d{3}) ms"
)


def recognise(data: bytes) -> bool:
    """Return whether this looks like tbench's output."""
    return re.search(rb"^dbench version \d+\.\d+ - ", without_noise(data), re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the throughput of all clients in MB/s, and the longest time of an operation in ms.

    `defaults` holds `clients`, `processes`, the `duration` and the least `warmup` in seconds, and
    the file of the `load` without its folder.

    Raises ParseError for output that is cut off, of another version's layout, of several runs, or
    of a run whose clients did not all start.
    """
    own = [line for line in lines(data, path) if line.text]
    running = _one(own, _RUNNING, path, "the line of seconds and load")
    _one(own, _BEGIN, path, "the line of the version")
    end = _one(own, _END, path, "the line of the throughput")
    _check_started(own, running, end)
    _check_table(own, path)
    if end["sync"]:
        raise _where(own, end).refuse(f"this is of dbench with files ({end['sync'].strip()})")
    values = {"throughput": float(end["throughput"]), "latency-max": float(end["latency"])}
    for metric, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise _where(own, end).refuse(f"{metric} is 0, where a number above 0 must stand")
    begin = next(match for line in own if (match := _BEGIN.fullmatch(line.text)))
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=begin["version"],
        defaults={
            "clients": end["clients"],
            "processes": end["processes"],
            **running.groupdict(),
        },
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
    )


def _one(own: Sequence[Line], pattern: re.Pattern[str], path: str, what: str) -> re.Match[str]:
    found = [match for line in own if (match := pattern.fullmatch(line.text))]
    if len(found) != 1:
        how = "is missing, cut off or of an unknown layout" if not found else "stands there twice"
        raise ParseError(f"{what} {how}", path=path, line=own[-1].number if own else 1)
    return found[0]


def _where(own: Sequence[Line], match: re.Match[str]) -> Line:
    return next(line for line in own if line.text == match.string)


def _check_started(own: Sequence[Line], running: re.Match[str], end: re.Match[str]) -> None:
    """Raise unless all clients were started before the measurement."""
    states = [match for line in own if (match := _PREPARED.fullmatch(line.text))]
    for line in own:
        if line.text.startswith("FAILED TO START"):
            raise line.refuse("not all clients started, so that the throughput is of fewer")
    if not states or not states[-1]["ready"] == states[-1]["of"] == end["processes"]:
        raise _where(own, running).refuse(
            f"{end['processes']} processes ran, and there is no line that as many were prepared"
        )


def _check_table(own: Sequence[Line], path: str) -> None:
    """Raise unless the table of operations stands whole before the end."""
    begin = next((i for i, line in enumerate(own) if _HEADER.fullmatch(line.text)), None)
    if begin is None:
        raise ParseError("the table of operations is missing", path=path, line=own[-1].number)
    rows = own[begin + 2 :]
    last = next((i for i, line in enumerate(rows) if _END.fullmatch(line.text)), 0)
    for line in rows[:last]:
        if _ROW.fullmatch(line.text) is None:
            raise line.refuse(f"'{line.text[:80]}' is no row of the table of operations")
    if last == 0:
        raise own[begin].refuse("the table of operations is empty or cut off")
