# SPDX-License-Identifier: GPL-2.0-only
"""Reader of timed kernel builds: the log of the script kernbench, and each build of a board's own.

Both are what GNU time says of make.  The log has means over builds, and does not say of how many.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines, without_noise
from vlag.parsers.settings import Setting

TOOL = "kernbench"

#: In the order of GNU time's "%e %U %S %P %c %w", with the log's name of each.
_FIGURES: Mapping[str, str] = {
    "elapsed-time": "Elapsed Time",
    "user-time": "User Time",
    "system-time": "System Time",
    "cpu-usage": "Percent CPU",
    "context-switches": "Context Switches",
    "sleeps": "Sleeps",
}

QUANTITIES: Mapping[str, Quantity] = {
    "elapsed-time": Quantity(unit="s", direction=Direction.LOWER),
    "user-time": Quantity(unit="s", direction=Direction.LOWER),
    "system-time": Quantity(unit="s", direction=Direction.LOWER),
    # Of one CPU: two busy ones are 200 %.
    "cpu-usage": Quantity(unit="%", direction=Direction.HIGHER),
    # From involuntary ones, then from waiting.
    "context-switches": Quantity(unit="count", direction=Direction.LOWER),
    "sleeps": Quantity(unit="count", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("compiler", "files", "jobs", "load", "runs", "source")

SETTINGS: Mapping[str, Setting] = {}

_N = r"[1-9]\d{0,8}"

# $ make -C /src -j2 FILES=8
_COMMAND = re.compile(rf"\$ make -C \S+ -j(?P<jobs>{_N}) FILES=(?P<files>{_N})")

# 6.1.192
_SOURCE = re.compile(r"\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:-\S{1,40})?")

# x86_64 tinyconfig 312 files
_CONFIG = re.compile(rf"(?P<arch>\w{{1,20}}) (?P<config>\w{{1,40}}) {_N} files")

# gcc (Debian 12.2.0-14+deb12u1) 12.2.0
_COMPILER = re.compile(r"gcc \(.{1,80}\) \d{1,3}\.\d{1,3}\.\d{1,3}")

# run 1: 12.91 23.60 1.50 194% 321 57
_BUILD = re.compile(
    rf"(?P<name>warm-up|run {_N}): (?P<elapsed>\d{{1,7}}\.\d\d) (?P<user>\d{{1,9}}\.\d\d)"
    r" (?P<system>\d{1,9}\.\d\d) (?P<usage>\d{1,6})% (?P<switches>\d{1,12}) (?P<sleeps>\d{1,12})"
)

# end of 2 runs
_END = re.compile(rf"end of (?P<runs>{_N}) runs")

# Average Half load -j 4 Run (std deviation):
_LOAD = re.compile(
    rf"Average (?P<load>Single threaded|Half load|Optimal load|Maximal load)"
    rf"(?: -j ?(?P<jobs>{_N})?)? Run \(std deviation\):"
)

# Elapsed Time 123.456 (0.789), without a deviation of a single run
_MEAN = re.compile(
    r"(?P<name>[A-Z][A-Za-z]+ ?[A-Za-z]*) +"
    r"(?P<mean>\d{1,12}(?:\.\d{1,10})?(?:e\+\d\d)?)"
    r"(?: +\((?:\d{1,12}(?:\.\d{1,10})?(?:e[+-]\d\d)?|-?nan)\))?"
)


def recognise(data: bytes) -> bool:
    """Return whether this looks like kernbench's log, or like a board's builds."""
    return (
        re.search(
            rb"^(?:Average [A-Z][a-z]+ [a-z]+(?: -j ?\d*)? Run \(std deviation\):"
            rb"|\$ make -C \S+ -j\d+ FILES=\d+\r?$)",
            without_noise(data),
            re.M,
        )
        is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return what the builds took: a value of each, without the first, or the log's means.

    `elapsed-time`, `user-time` and `system-time` are seconds, to 0.01 of a build, `cpu-usage` is a
    share of one CPU in percent, `context-switches` are those that the kernel forced, and `sleeps`
    those of tasks that waited.  `defaults` holds the `jobs` and, of a board's builds, `files`,
    `runs`, the `source` and the `compiler`; of a log its `load`.

    Raises ParseError for output that is cut off, of a build that failed, and of a log with several
    loads: kernbench counts the builds of the first one into most figures of the next.
    """
    own = [line for line in lines(data, path) if line.text.strip()]
    if any(_LOAD.fullmatch(line.text) for line in own):
        return _of_log(own, path)
    return _of_builds(own, path)


def _of_builds(own: Sequence[Line], path: str) -> ParsedOutput:
    if len(own) < 6 or (command := _COMMAND.fullmatch(own[0].text)) is None:
        raise ParseError(
            "the output is cut off, or its first line is not the command, as"
            " '$ make -C /src -j2 FILES=8'",
            path=path,
            line=own[0].number if own else 1,
        )
    head = [
        _expect(pattern, line, what)
        for pattern, line, what in zip(
            (_SOURCE, _CONFIG, _COMPILER),
            own[1:4],
            ("the kernel's version", "its configuration", "the compiler's version"),
            strict=True,
        )
    ]
    end = _END.fullmatch(own[-1].text)
    if end is None:
        raise own[-1].refuse("the output is cut off: it must end by 'end of' and its runs")
    builds = own[4:-1]
    names = ["warm-up", *(f"run {n}" for n in range(1, int(end["runs"]) + 1))]
    values: dict[str, list[float]] = {metric: [] for metric in _FIGURES}
    for i, line in enumerate(builds):
        if i % 2:
            if line.text != "status 0":
                raise line.refuse(f"'{line.text[:80]}' stands where a build must say 'status 0'")
            continue
        build = _BUILD.fullmatch(line.text)
        if build is None or i // 2 >= len(names) or build["name"] != names[i // 2]:
            raise line.refuse(f"'{line.text[:80]}' is not the next build, or cut off")
        if i:
            for metric, value in zip(_FIGURES, build.groups()[1:], strict=True):
                values[metric].append(float(value))
            _positive(float(build["elapsed"]), line)
    if len(builds) != 2 * len(names):
        raise own[-1].refuse(f"{end['runs']} runs and one before are expected, each with a status")
    defaults = {
        "jobs": command["jobs"],
        "files": command["files"],
        "runs": end["runs"],
        "source": f"{head[0][0]} {head[1]['arch']} {head[1]['config']}",
        "compiler": head[2][0],
    }
    return _output({m: tuple(v) for m, v in values.items()}, defaults)


def _expect(pattern: re.Pattern[str], line: Line, what: str) -> re.Match[str]:
    found = pattern.fullmatch(line.text)
    if found is None:
        raise line.refuse(f"'{line.text[:80]}' stands where {what} must stand")
    return found


def _of_log(own: Sequence[Line], path: str) -> ParsedOutput:
    loads = [(i, m) for i, line in enumerate(own) if (m := _LOAD.fullmatch(line.text))]
    if len(loads) != 1:
        raise own[loads[1][0]].refuse(
            f"{len(loads)} loads stand in the log, where one is expected: kernbench counts the"
            " builds of the first into the next one's figures; keep the first alone"
        )
    [(begin, load)] = loads
    values: dict[str, tuple[float, ...]] = {}
    rows = own[begin + 1 : begin + 1 + len(_FIGURES)]
    for (metric, name), line in zip(_FIGURES.items(), rows, strict=False):
        row = _MEAN.fullmatch(line.text.rstrip())
        if row is None or row["name"] != name:
            raise line.refuse(f"'{line.text[:80]}' stands where {name} must stand")
        values[metric] = (float(row["mean"]),)
    if len(values) != len(_FIGURES):
        raise own[-1].refuse(
            f"the log is cut off: {list(_FIGURES.values())[len(values)]} is missing"
        )
    _positive(values["elapsed-time"][0], rows[0])
    defaults = {"load": load["load"]}
    if load["jobs"] is not None:
        defaults["jobs"] = load["jobs"]
    return _output(values, defaults, "means of kernbench, which does not say of how many builds")


def _positive(value: float, where: Line) -> None:
    if value <= 0:
        raise where.refuse(f"{value:g} s stand where a time above 0 must stand")


def _output(
    values: Mapping[str, tuple[float, ...]], defaults: Mapping[str, str], *notes: str
) -> ParsedOutput:
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults=defaults,
        samples=tuple(
            Sample(metric=metric, values=of, instances=tuple("" for _ in of))
            for metric, of in values.items()
        ),
        histograms=(),
        notes=notes,
    )
