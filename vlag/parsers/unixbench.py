# SPDX-License-Identifier: GPL-2.0-only
"""Reader of UnixBench's system tests: the report of its script Run, and what one program prints.

Run throws the worst third of its samples away and prints the geometric mean of the rest.  One
program prints how often it did something; the line of its command says which one it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines, without_noise
from vlag.parsers.settings import Setting

TOOL = "unixbench"

#: Name in Run's report -> that of the program.
_TESTS: Mapping[str, str] = {
    "Execl Throughput": "execl",
    "Pipe Throughput": "pipe",
    "Pipe-based Context Switching": "context1",
    "Process Creation": "spawn",
}

QUANTITIES: Mapping[str, Quantity] = {
    f"{test}-rate": Quantity(unit="1/s", direction=Direction.HIGHER) for test in _TESTS.values()
}

DEFAULTS: Sequence[str] = ("copies", "samples", "seconds")

SETTINGS: Mapping[str, Setting] = {}

_N = r"[1-9]\d{0,8}"

#    BYTE UNIX Benchmarks (Version 6.0.0)
_VERSION = re.compile(r" +BYTE UNIX Benchmarks \(Version (?P<version>\d+(?:\.\d+){0,3})\)")

# 2 CPUs in system; running 2 parallel copies of tests
_COPIES = re.compile(
    rf"{_N} CPUs? in system; running (?P<copies>{_N}) parallel cop(?:y|ies) of tests"
)

# Pipe-based Context Switching                 102092.5 lps   (10.0 s, 1 samples)
_ROW = re.compile(
    r"(?P<name>\S(?:.{0,60}\S)?) +(?P<rate>\d{1,15}\.\d) (?P<unit>\S{1,8}) +"
    r"\((?P<seconds>\d{1,6}\.\d) s, (?P<samples>\d{1,6}) samples\)"
)

# System Benchmarks Partial Index              BASELINE       RESULT    INDEX
_INDEX = re.compile(r"System Benchmarks (?:Partial )?Index +BASELINE +RESULT +INDEX")

# $ unixbench-context1 2
_COMMAND = re.compile(
    rf"\$ (?:\S*/)?(?:unixbench-)?(?P<test>{'|'.join(_TESTS.values())}) (?P<seconds>{_N})"
)

# copies|2
_SIDE_BY_SIDE = re.compile(rf"copies\|(?P<copies>{_N})")

# COUNT|10503|1|lps
_COUNT = re.compile(r"COUNT\|(?P<count>\d{1,19})\|1\|lps")

# elapsed|2.000743
_ELAPSED = re.compile(r"elapsed\|(?P<elapsed>\d{1,6}\.\d{6})")


def recognise(data: bytes) -> bool:
    """Return whether this looks like Run's report or like one of its programs."""
    return (
        re.search(
            rb"^(?: +BYTE UNIX Benchmarks \(Version |COUNT\|\d{1,19}\|\d+\|lps\r?$)",
            without_noise(data),
            re.M,
        )
        is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how often a second each test did its work, all of its copies together.

    `context1-rate`, `pipe-rate`, `spawn-rate` and `execl-rate` are of Run's rows of these tests, to
    0.1, or of one program: the sum of the copies' counts by their mean time.  `defaults` holds the
    number of `copies` and, of one program, the `seconds` that it was told, of a report how many
    `samples` were kept of each test, in the order of their programs' names.  A note names the rows
    of other tests.

    Raises ParseError for output that is cut off, of a program that failed or is not named, of
    several runs, and for a rate of 0.
    """
    own = [line for line in lines(data, path) if line.text]
    if any(_VERSION.fullmatch(line.text) for line in own):
        return _of_report(own, path)
    return _of_program(own, path)


def _of_report(own: Sequence[Line], path: str) -> ParsedOutput:
    versions = [m for line in own if (m := _VERSION.fullmatch(line.text))]
    copies = [(line, m) for line in own if (m := _COPIES.fullmatch(line.text))]
    if len(versions) != 1 or len(copies) != 1:
        where = copies[1][0] if len(copies) > 1 else own[-1]
        raise where.refuse(
            f"{len(copies)} runs stand in the report, where one is expected: cut it, or run"
            " UnixBench with one -c"
        )
    begin = own.index(copies[0][0])
    end = next((i for i, line in enumerate(own) if _INDEX.fullmatch(line.text)), None)
    if end is None:
        raise own[-1].refuse("the report is cut off: the table of the index is missing")
    values: dict[str, float] = {}
    others: list[str] = []
    samples: dict[str, str] = {}
    for line in own[begin + 1 : end]:
        row = _ROW.fullmatch(line.text)
        if row is None:
            raise line.refuse(f"'{line.text[:80]}' is no row of a test, or cut off")
        test = _TESTS.get(row["name"])
        if test is None:
            others.append(row["name"])
            continue
        if row["unit"] != "lps" or f"{test}-rate" in values:
            raise line.refuse(f"{row['name']} stands there twice or is in {row['unit']}")
        values[f"{test}-rate"] = _positive(float(row["rate"]), line)
        samples[test] = row["samples"]
    if not values:
        raise own[end].refuse(f"the report has none of these tests: {', '.join(_TESTS)}")
    _check_index(own[end:], values)
    note = f"not read: {', '.join(others)}"
    # Tests of one run differ in it, as some are repeated less often.
    defaults = {
        "copies": copies[0][1]["copies"],
        "samples": ",".join(samples[test] for test in sorted(samples)),
    }
    return _output(values, defaults, versions[0]["version"], (note,) if others else ())


def _check_index(own: Sequence[Line], values: Mapping[str, float]) -> None:
    """Raise unless the index has the same figures, and its sum below them."""
    for name, test in _TESTS.items():
        pattern = re.compile(rf"{re.escape(name)} +\d{{1,9}}\.\d +(\d{{1,15}}\.\d) +\d{{1,9}}\.\d")
        found = [(line, m) for line in own if (m := pattern.fullmatch(line.text))]
        if f"{test}-rate" not in values and not found:
            continue
        if len(found) != 1 or float(found[0][1][1]) != values.get(f"{test}-rate"):
            where = found[0][0] if found else own[-1]
            raise where.refuse(f"{name} is not in the index as it is in the row of the test")
    if not re.fullmatch(r"System Benchmarks Index Score.{0,40} \d{1,9}\.\d", own[-1].text):
        raise own[-1].refuse("the report is cut off: the index' score must end it")


def _of_program(own: Sequence[Line], path: str) -> ParsedOutput:
    commands = [(line, m) for line in own if (m := _COMMAND.fullmatch(line.text))]
    if len(commands) != 1:
        raise ParseError(
            f"{len(commands)} lines say which program of UnixBench ran; there must be one, as"
            " '$ context1 10'",
            path=path,
            line=own[-1].number if own else 1,
        )
    begin, command = commands[0]
    # The child of context1 prints its count as well.
    each = 2 if command["test"] == "context1" else 1
    copies = 1
    counts: list[int] = []
    times: list[float] = []
    of_copy: list[int] = []
    line = begin
    for line in own[own.index(begin) + 1 :]:
        count, elapsed = _COUNT.fullmatch(line.text), _ELAPSED.fullmatch(line.text)
        side = _SIDE_BY_SIDE.fullmatch(line.text)
        if side is not None and not counts and not of_copy:
            copies = int(side["copies"])
        elif count is not None:
            of_copy.append(int(count["count"]))
        elif elapsed is not None and of_copy:
            if len(of_copy) != each or max(of_copy) - min(of_copy) > 1:
                raise line.refuse(f"{of_copy} are not the counts of one copy")
            counts.append(max(of_copy))
            of_copy = []
            times.append(_positive(float(elapsed["elapsed"]), line))
        elif line.text not in ("status|0", "rc=0"):
            raise line.refuse(f"'{line.text[:80]}' is not what comes next of a program that ended")
    if len(counts) != copies or of_copy:
        raise line.refuse(
            f"the output is cut off: counts and times of {copies} copies are expected, and there"
            f" are {len(counts)}"
        )
    for took in times:
        # execl asks a clock of seconds whether its time is over.
        if took < int(command["seconds"]) - 1:
            raise line.refuse(f"it took {took} s, and was told to take {command['seconds']}")
    rate = _positive(sum(counts) / (math.fsum(times) / len(times)), line)
    defaults = {"copies": str(len(counts)), "seconds": command["seconds"]}
    return _output({f"{command['test']}-rate": rate}, defaults, None, ())


def _positive(value: float, where: Line) -> float:
    if not (math.isfinite(value) and value > 0):
        raise where.refuse(f"{value:g} stands where a number above 0 must stand")
    return value


def _output(
    values: Mapping[str, float],
    defaults: Mapping[str, str],
    version: str | None,
    notes: tuple[str, ...],
) -> ParsedOutput:
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults=defaults,
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
        notes=notes,
    )
