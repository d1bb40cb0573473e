# SPDX-License-Identifier: GPL-2.0-only
"""Who ran when on each CPU in the boots of two kernels, side by side at the first difference."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from vlag.profile import decision_course, decision_first
from vlag.profile.decision_course import PREEMPTS, Course
from vlag.profile.decision_first import Difference, Pair
from vlag.profile.decision_trace import SWITCH, Event, Trace


@frozen(kw_only=True)
class Run:
    """A task's time on a CPU from one switch to the next."""

    cpu: int
    task: str
    begin: int  # ns
    end: int  # ns; not before its begin


@frozen(kw_only=True)
class Check:
    """A task that woke up, and whether it was to preempt who ran."""

    cpu: int
    at: int  # ns
    task: str
    about: str  # who ran
    answer: str


@frozen(kw_only=True)
class Side:
    """The boot of one kernel; `shift` is what to add to its ns to stand beside the other."""

    runs: Sequence[Run]  # by their ends
    checks: Sequence[Check]
    shift: int


@frozen(kw_only=True)
class Timeline:
    """Two boots; a difference is at its decision of the base kernel, in that side's ns."""

    base: Side
    new: Side
    differences: Sequence[Difference]  # the first of each task and CPU, in order of time


def timeline(pair: Pair) -> Timeline:
    """Return two boots, moved so that the first decision that differs is at one time in both.

    Boots of which no decision differs begin at one time.  No time is below zero.
    """
    base, new, courses = pair.base, pair.new, pair.courses
    differences = decision_first.differences(pair.found)
    if differences:
        at = differences[0].base.at, differences[0].new.at
    else:
        at = _first_time(base.events), _first_time(new.events)
    shift = at[0] - at[1]
    below = min(0, _first_time(new.events) + shift)
    return Timeline(
        base=_side(base, courses[0], -below), new=_side(new, courses[1], shift - below),
        differences=differences,
    )  # fmt: skip


def _first_time(events: Sequence[Event]) -> int:
    return min((event.at for event in events), default=0)


def _side(trace: Trace, course: Course, shift: int) -> Side:
    return Side(runs=_runs(trace), checks=_checks(course), shift=shift)


def _runs(trace: Trace) -> list[Run]:
    """Return who ran on each CPU, from its first event to the last one of all."""
    since: dict[int, int] = {}  # CPU -> ns of its last switch
    runs_now: dict[int, str] = {}
    runs: list[Run] = []
    for event in trace.events:
        begin = since.setdefault(event.cpu, event.at)
        if event.kind == SWITCH:
            runs.append(Run(cpu=event.cpu, task=event.task, begin=begin, end=max(begin, event.at)))
            since[event.cpu], runs_now[event.cpu] = event.at, event.other
    last = max((event.at for event in trace.events), default=0)
    for cpu, task in sorted(runs_now.items()):
        runs.append(Run(cpu=cpu, task=task, begin=since[cpu], end=max(since[cpu], last)))
    return runs


def _checks(course: Course) -> list[Check]:
    found = [d for (what, _), made in course.items() if what == PREEMPTS for d in made]
    return [
        Check(cpu=d.cpu, at=d.at, task=d.of, about=d.about, answer=d.answer)
        for d in sorted(found, key=lambda d: d.number)
    ]


#: Switches shown behind the first difference on its CPUs, and the most ns.
_SWITCHES, _MOST_NS = 12, 20_000_000


def _window(shown: Timeline) -> tuple[int, int, int]:
    """Return from when to when, and when the first difference is, with the shifts.

    What is before it has a quarter of the room.
    """
    first = shown.differences[0]
    at = first.base.at + shown.base.shift
    room = 1
    for side, decision in ((shown.base, first.base), (shown.new, first.new)):
        there = [run.end + side.shift - at for run in side.runs if run.cpu == decision.cpu]
        after = [end for end in there if 0 < end <= _MOST_NS][:_SWITCHES]
        room = max([room, *after])
    return at - room // 3, at, at + room


def near(shown: Timeline, most: int) -> Timeline:
    """Return the turns next to the first difference, about `most` of a kernel, a quarter before.

    What both kernels have is of one span of time.  All of it where no decision differs.
    """
    if not shown.differences:
        return shown
    at = shown.differences[0].base.at + shown.base.shift
    begins, ends = [], []
    for side in (shown.base, shown.new):
        times = sorted(run.end + side.shift for run in side.runs)
        middle = bisect.bisect_left(times, at)
        kept = times[max(middle - most // 4, 0) : middle + most - most // 4]
        begins += kept[:1]
        ends += kept[-1:]
    begin, end = max(begins, default=at), min(ends, default=at)
    return Timeline(
        base=_within(shown.base, begin, end), new=_within(shown.new, begin, end),
        differences=[
            d for d in shown.differences if begin <= d.base.at + shown.base.shift <= end
        ],
    )  # fmt: skip


def _within(side: Side, begin: int, end: int) -> Side:
    """Return what is in a span of time, whole turns at both its ends."""
    return evolve(
        side,
        runs=[r for r in side.runs
              if r.end + side.shift >= begin and r.begin + side.shift <= end],
        checks=[c for c in side.checks if begin <= c.at + side.shift <= end],
    )  # fmt: skip


def around(shown: Timeline) -> dict[str, Any] | None:
    """Return who ran on each CPU around the first difference, as data; None if none differs.

    `from_ns`, `until_ns`, `begin_ns` and `end_ns` count from that decision. `base` and `new` have
    the runs by CPU, without those of idle tasks.
    """
    if not shown.differences:
        return None
    left, at, right = _window(shown)
    data: dict[str, Any] = {"from_ns": left - at, "until_ns": right - at}
    for word, side in (("base", shown.base), ("new", shown.new)):
        cpus: dict[str, list[dict[str, Any]]] = {str(run.cpu): [] for run in side.runs}
        for run in side.runs:
            begin, end = max(run.begin + side.shift, left), min(run.end + side.shift, right)
            if begin < end and not decision_course.idle(run.task):
                times = {"begin_ns": begin - at, "end_ns": end - at}
                cpus[str(run.cpu)].append({"task": run.task, **times})
        data[word] = cpus
    return data
