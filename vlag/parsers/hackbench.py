# SPDX-License-Identifier: GPL-2.0-only
"""Reader of hackbench's text output, rt-tests 2.4 to 2.6.

The output names no version, and does not say whether messages went through sockets
or pipes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import lines
from vlag.parsers.settings import Setting

TOOL = "hackbench"

QUANTITIES: Mapping[str, Quantity] = {"time": Quantity(unit="s", direction=Direction.LOWER)}

DEFAULTS: Sequence[str] = ("bytes", "fds", "groups", "messages", "mode", "tasks")

SETTINGS: Mapping[str, Setting] = {}

# Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
_MODE = re.compile(
    r"Running in (?P<mode>[a-z]+) mode with (?P<groups>[1-9]\d{0,8}) groups using"
    r" (?P<fds>[1-9]\d{0,8}) file descriptors each \(== (?P<tasks>[1-9]\d{0,8}) tasks\)",
    re.ASCII,
)

# Running with 50*40 (== 2000) tasks.
_OLD_MODE = re.compile(
    r"Running with (?P<groups>[1-9]\d{0,8})\*(?P<fds>[1-9]\d{0,8})"
    r" \(== (?P<tasks>[1-9]\d{0,8})\) tasks\.",
    re.ASCII,
)

# Each sender will pass 100 messages of 100 bytes
_SENDER = re.compile(
    r"Each sender will pass (?P<messages>[1-9]\d{0,8}) messages of (?P<bytes>[1-9]\d{0,8}) bytes",
    re.ASCII,
)

# Time: 0.196
_TIME = re.compile(r"Time: (?P<time>\d{1,9}\.\d{3})", re.ASCII)

# First word of a hackbench line -> pattern of the line.
_LINES = {"Running in ": _MODE, "Each sender ": _SENDER, "Time:": _TIME}
#: The same of the program of 2008, which names neither messages nor their bytes.
_OLD_LINES = {"Running with ": _OLD_MODE, "Time:": _TIME}

# It prints a time even after it was stopped or a task gave up:
# Signal 2 caught, longjmp'ing out!
# SENDER: write (error: Broken pipe)
# 12 children started.  Expected 40
_FAULT = re.compile(
    r"Signal \d+ caught|longjmp'ed out|[^(]{1,80} \(error: |\d+ children started\.|"
    r"No measurements available"
)

# Pattern of the first line, after optional terminal codes.
_BEGIN = re.compile(
    rb"^(?:\x1b\[[0-9;?]*[A-Za-z])*Running (?:in (?:process|threaded) mode with \d+ groups using"
    rb" \d+ file descriptors|with \d+\*\d+ \(== \d+\) tasks)",
    re.M,
)


def recognise(data: bytes) -> bool:
    """Return whether this looks like hackbench's output."""
    return _BEGIN.search(data) is not None


def _check(match: re.Match[str], defaults: dict[str, str], path: str, number: int) -> None:
    """Add a line's options to those of the runs; raise where they contradict each other."""
    groups = match.groupdict()
    counts = [int(groups[name]) for name in ("groups", "fds", "tasks") if name in groups]
    if counts and counts[0] * counts[1] != counts[2]:
        raise ParseError(
            f"{groups['groups']} groups of {groups['fds']} cannot be {groups['tasks']} tasks",
            path=path,
            line=number,
        )
    if match.re is _TIME and float(groups.pop("time")) == 0:
        raise ParseError(
            f"the time is {match['time']}, where a number above 0 must stand; let each"
            " sender pass more messages",
            path=path,
            line=number,
        )
    for name, value in groups.items():
        if defaults.setdefault(name, value) != value:
            raise ParseError(
                f"{name} is {value} here and {defaults[name]} in the run before; the runs of one"
                " output must have the same options",
                path=path,
                line=number,
            )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the times that hackbench took, one after the other.

    One sample, `time`, in seconds: a value a run, whose instances are "" for one run and
    "1", "2", ... for several.  `defaults` holds `mode` (process or threaded), `groups`, `fds`
    and `tasks`, `messages` a sender and their `bytes`, as printed.  Lines that are not
    hackbench's own are passed over.  The program of 2008 names neither mode nor messages.

    Raises ParseError for a run that was cut off, stopped or disturbed, for runs of other
    options than the first, and for a time that is not above 0.
    """
    own_lines = lines(data, path)
    is_old = any(line.text.startswith("Running with ") for line in own_lines)
    layout = _OLD_LINES if is_old else _LINES
    order = list(layout.values())
    defaults: dict[str, str] = {}
    times: list[float] = []
    place = number = 0  # which of a run's lines comes next
    for own in own_lines:
        number, line = own.number, own.text
        if _FAULT.match(line):
            raise ParseError(f"hackbench did not end well: '{line[:80]}'", path=path, line=number)
        begin = next((b for b in layout if line.startswith(b)), None)
        if begin is None:
            continue
        pattern = layout[begin]
        match = pattern.fullmatch(line)
        if match is None:
            raise ParseError(
                f"'{line[:80]}' is cut off or of an unknown layout", path=path, line=number
            )
        if pattern is not order[place]:
            raise ParseError(
                "the line before this one in hackbench's output is missing", path=path, line=number
            )
        place = (place + 1) % len(order)
        if pattern is _TIME:
            times.append(float(match["time"]))
        _check(match, defaults, path, number)
    if place or not times:
        missing = list(layout)[place].strip()
        raise ParseError(
            f"the output is cut off: no line begins with '{missing}'", path=path, line=number
        )
    instances = tuple(str(i) for i in range(1, len(times) + 1)) if len(times) > 1 else ("",)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults=defaults,
        samples=(Sample(metric="time", values=tuple(times), instances=instances),),
        histograms=(),
        operations=None if is_old else _messages(defaults) * len(times),
    )


def _messages(defaults: Mapping[str, str]) -> int:
    """Return the messages of one run: each sender of a group sends to each of its receivers."""
    groups, fds, messages = (int(defaults[name]) for name in ("groups", "fds", "messages"))
    return groups * (fds // 2) ** 2 * messages
