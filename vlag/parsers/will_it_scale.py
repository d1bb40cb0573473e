# SPDX-License-Identifier: GPL-2.0-only
"""Reader of the text of will-it-scale: operations of some tasks, second by second.

With `-v` each task has a line in each second.  Without it the output does not say how many tasks
there were.  It never says whether they were processes or threads, nor on which CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines, without_noise
from vlag.parsers.settings import Setting

TOOL = "will-it-scale"

_RATE = Quantity(unit="1/s", direction=Direction.HIGHER)

QUANTITIES: Mapping[str, Quantity] = {
    "throughput": _RATE,  # of all tasks together
    "task-rate-min": _RATE,
    "task-rate-max": _RATE,
}

DEFAULTS: Sequence[str] = ("seconds", "tasks", "test")

SETTINGS: Mapping[str, Setting] = {}

_N = r"\d{1,20}"

# testcase:Context switch via pipes
_BEGIN = re.compile(r"testcase:(?P<test>\S.{0,120})")

#    0 -> 95008
_TASK = re.compile(rf" {{0,3}}(?P<task>\d{{1,4}}) -> (?P<done>{_N})")

# min:95008 max:100942 total:195950
_SECOND = re.compile(rf"min:(?P<min>{_N}) max:(?P<max>{_N}) total:(?P<total>{_N})")

# average:132863
_END = re.compile(rf"average:(?P<average>{_N})")

_BEFORE, _AFTER = "warmup", "measurement"


@frozen
class _Second:
    """What was done in one second."""

    line: Line
    least: int  # of one task
    most: int
    total: int
    tasks: tuple[int, ...]  # empty without -v


def recognise(data: bytes) -> bool:
    """Return whether this looks like will-it-scale's output."""
    return re.search(rb"^testcase:\S[^\n]*\r?\nwarmup\r?$", without_noise(data), re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return operations a second, a value for each second that was measured.

    `throughput` is of all tasks together, `task-rate-min` and `task-rate-max` of the slowest and
    the fastest task of the second.  `defaults` holds the `test` as the output names it, the
    `seconds` that were measured and, with `-v`, the number of `tasks`.

    Raises ParseError for output that is cut off, that contradicts itself, of several runs, of a run
    without an end (`-s`), and for a second in which nothing was done.
    """
    own = [
        line for line in lines(data, path)
        if line.text and not line.text.startswith(("$ ", "rc="))
    ]  # fmt: skip
    begin = _BEGIN.fullmatch(own[0].text) if own else None
    if begin is None:
        raise ParseError("the first line must be 'testcase:' and its name", path=path, line=1)
    if len(own) < 2 or own[1].text != _BEFORE:
        raise own[min(1, len(own) - 1)].refuse(f"'{_BEFORE}' must follow the name of the test")
    end = _END.fullmatch(own[-1].text)
    if end is None:
        raise own[-1].refuse(
            "the output is cut off, or the run had no end: run will-it-scale with -s; its last line"
            " must be 'average:' and a number"
        )
    at = [i for i, line in enumerate(own) if line.text == _AFTER]
    if len(at) != 1:
        raise own[-1].refuse(f"'{_AFTER}' must stand there once, and stands there {len(at)} times")
    before, measured = _seconds(own[2 : at[0]]), _seconds(own[at[0] + 1 : -1])
    if not before or not measured:
        raise own[at[0]].refuse("no second stands before or after the measurement's begin")
    _check([*before, *measured], measured, int(end["average"]), own[-1])
    instances = tuple(map(str, range(1, len(measured) + 1))) if len(measured) > 1 else ("",)
    values = {
        "throughput": [second.total for second in measured],
        "task-rate-min": [second.least for second in measured],
        "task-rate-max": [second.most for second in measured],
    }
    tasks = len(measured[0].tasks)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults={
            "test": begin["test"].strip(),
            "seconds": str(len(measured)),
            **({"tasks": str(tasks)} if tasks else {}),
        },
        samples=tuple(
            Sample(metric=metric, values=tuple(map(float, of)), instances=instances)
            for metric, of in values.items()
        ),
        histograms=(),
    )


def _seconds(own: Sequence[Line]) -> list[_Second]:
    """Return the seconds of some lines, each with the tasks' lines before it."""
    found: list[_Second] = []
    tasks: list[int] = []
    for line in own:
        task, second = _TASK.fullmatch(line.text), _SECOND.fullmatch(line.text)
        if task is not None and int(task["task"]) == len(tasks):
            tasks.append(int(task["done"]))
        elif second is not None:
            least, most, total = (int(second[name]) for name in ("min", "max", "total"))
            found.append(_Second(line, least, most, total, tuple(tasks)))
            tasks = []
        else:
            raise line.refuse(
                f"'{line.text[:80]}' is cut off, of an unknown layout, or not what comes next"
            )
    if tasks:
        raise own[-1].refuse("lines of tasks stand there, and not the second's sum behind them")
    return found


def _check(every: Sequence[_Second], measured: Sequence[_Second], average: int, end: Line) -> None:
    """Raise where figures are 0 or contradict each other."""
    for second in every:
        if len(second.tasks) != len(every[0].tasks):
            raise second.line.refuse(
                f"{len(second.tasks)} tasks have a line here, and {len(every[0].tasks)} before"
            )
        of_tasks = (
            (min(second.tasks), max(second.tasks), sum(second.tasks))
            if second.tasks
            else (second.least, max(second.least, second.most), max(second.most, second.total))
        )
        if of_tasks != (second.least, second.most, second.total):
            raise second.line.refuse("the tasks' smallest, largest and sum contradict each other")
    for second in measured:
        if second.total == 0:
            raise second.line.refuse("nothing was done in this second; is the machine overloaded?")
    mean = sum(second.total for second in measured) // len(measured)
    if mean != average:
        raise end.refuse(f"the average is {mean} by the seconds before it, but {average} here")
