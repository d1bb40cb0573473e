# SPDX-License-Identifier: GPL-2.0-only
"""Reader of pi_stress's output, rt-tests 2.4 to 2.6: its text and its JSON file.

The tool's clock has whole seconds in both.  The text prints the length of the run; the
JSON file says when the program started and ended, which can be a second more.  Only the
JSON file names the version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers import rt_tests
from vlag.parsers.jsonfile import JsonFile, load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import COMMAND_LINE, Setting, seconds

TOOL = "pi_stress"

QUANTITIES: Mapping[str, Quantity] = {
    "inversions": Quantity(unit="count", direction=Direction.HIGHER),
    "inversion-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
}

DEFAULTS: Sequence[str] = ()

SETTINGS: Mapping[str, Setting] = {
    "options": COMMAND_LINE,
    "groups": Setting(r"^Number of thread groups: (\d+)"),
    "duration": Setting(r"^Duration of test run: (\S.*)$", seconds),
    "inversions": Setting(r"^Number of inversions per group: (\S.*)$"),
    "scheduling": Setting(r"^ *((?:Admin|High|Med|Low) thread SCHED_\S+ priority \d+)"),
}

_MAXIMUM = 10**15  # of a count; a larger value is damaged

# Total inversion performed: 179033
_TOTAL = "Total inversion performed:"
_TOTAL_LINE = re.compile(rf"{_TOTAL} (?P<total>\d{{1,16}})", re.ASCII)

# Test Duration: 0 days, 0 hours, 0 minutes, 3 seconds
_DURATION = "Test Duration:"
_DURATION_LINE = re.compile(
    rf"{_DURATION} (?P<days>\d{{1,3}}) days, (?P<hours>1?\d|2[0-3]) hours, "
    r"(?P<minutes>[1-5]?\d) minutes, (?P<seconds>[1-5]?\d) seconds",
    re.ASCII,
)

# main: boosting to max priority: 0x1
# high_priority[0]: sched_setattr(dl): ffffffff
# WATCHDOG triggered: group 0 is deadlocked!
_FAULT = re.compile(
    r"main: |(?:low|med|high)_priority\[\d+\]: |WATCHDOG triggered|reporter stopping|"
    r"(?:INFO: )?Keyboard Interrupt"
)

_TEXT = re.compile(rb"^(?:Starting PI Stress Test|Total inversion performed: \d)", re.M)


def _one(
    own: list[Line], begin: str, pattern: re.Pattern[str], path: str
) -> tuple[Line, re.Match[str]]:
    """Return the one line that begins with `begin`, and its match."""
    fitting = [line for line in own if line.text.startswith(begin)]
    if not fitting:
        raise ParseError(
            f"the output is cut off: no line begins with '{begin}'",
            path=path,
            line=own[-1].number if own else None,
        )
    if len(fitting) > 1:
        raise fitting[1].refuse(
            f"'{begin}' begins a second line, where the output of one run is expected"
        )
    match = pattern.fullmatch(fitting[0].text)
    if match is None:
        raise fitting[0].refuse(f"'{fitting[0].text[:80]}' is cut off or of an unknown layout")
    return fitting[0], match


def _fault(total: int, seconds: int) -> str | None:
    """Return what is wrong with a number of inversions and a time, or None."""
    if not 0 < total <= _MAXIMUM:
        return f"pi_stress counted {total} inversions, so it measured nothing"
    if seconds <= 0:
        return (
            f"the run took {seconds} s by the tool's clock, which has whole seconds; run it longer"
        )
    return None


def _text(data: bytes, path: str) -> tuple[int, int]:
    """Return inversions and seconds of the text output."""
    own = lines(data, path)
    for line in own:
        if _FAULT.match(line.text):
            raise line.refuse(f"pi_stress did not end well: '{line.text[:80]}'")
    rt_tests.ended(own, TOOL)
    first, total = _one(own, _TOTAL, _TOTAL_LINE, path)
    line, time = _one(own, _DURATION, _DURATION_LINE, path)
    if line.number < first.number:
        raise line.refuse("the duration precedes the total")
    days, hours, minutes, seconds = map(int, time.groups())
    seconds += ((days * 24 + hours) * 60 + minutes) * 60
    fault = _fault(int(total["total"]), seconds)
    if fault is not None:
        raise line.refuse(fault)
    return int(total["total"]), seconds


def _time(file: JsonFile, whole: Mapping[str, Any], key: str) -> datetime:
    try:
        # "start_time": "Fri, 20 Nov 2026 14:31:55 +0000",
        return datetime.strptime(str(whole.get(key)), "%a, %d %b %Y %H:%M:%S %z")
    except ValueError:
        raise file.error(f"'{key}' is missing or no time", key) from None


def _json(data: bytes, path: str) -> tuple[int, int, str]:
    """Return inversions, seconds and version of the JSON file."""
    file, whole = load(data, path=path, remedy="run pi_stress with --json")
    _, version = rt_tests.header(file, whole)
    total = file.integer(whole, "inversion")
    took = _time(file, whole, "end_time") - _time(file, whole, "start_time")
    seconds = int(took.total_seconds())
    fault = _fault(total, seconds)
    if fault is not None:
        raise file.error(fault, "inversion")
    return total, seconds, version


def recognise(data: bytes) -> bool:
    """Return whether this looks like pi_stress's output."""
    return rt_tests.recognise(data, TOOL) or _TEXT.search(data) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the priority inversions of one run of pi_stress.

    One sample of one value each: `inversions`, the count over all groups, and
    `inversion-rate`, the same a second of the run's real length.  The run goes on after
    the time asked for until the next report, which come every 0.75 s, and its length is
    known in whole seconds: the rate of a run of a few seconds is that coarse.
    `defaults` is empty, as a quiet run names no setting.

    Raises ParseError for a run that failed, was stopped or cut off, that counted no
    inversion or took no second, and for a second run.
    """
    version: str | None = None
    if data.lstrip().startswith(b"{"):
        total, seconds, version = _json(data, path)
    else:
        total, seconds = _text(data, path)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults={},
        samples=(
            Sample(metric="inversions", values=(float(total),), instances=("",)),
            Sample(metric="inversion-rate", values=(total / seconds,), instances=("",)),
        ),
        histograms=(),
    )
