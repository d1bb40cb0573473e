# SPDX-License-Identifier: GPL-2.0-only
"""What each task and CPU was given in one boot, decision by decision, and where it stood then.

Two boots are compared by what tasks did, not by time: the n-th wake-up of a task is the same
event in both, whenever it came.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import define, field, frozen

from vlag.profile.decision_trace import (
    CHECK,
    DEQUEUE,
    ENQUEUE,
    PICK,
    RESCHEDULE,
    SWITCH,
    TICK,
    Entity,
    Event,
    Trace,
)

#: What is decided.
RUNS, QUEUED, PREEMPTS = "runs", "queued", "preempts"
#: Who runs on a CPU that has not switched yet.
UNKNOWN = "?"
#: Answers to a check for preemption.
YES, NO, ALREADY = "yes", "no", "already to be rescheduled"


@frozen(kw_only=True)
class Situation:
    """How a run queue stood when something was decided."""

    running: str  # who ran there; "?" before the first switch
    others: Mapping[int, str]  # where a task is queued: who ran on each CPU
    goes_on: bool  # who ran can go on running
    waiting: frozenset[str]  # who else was queued there
    cause: str  # of a switch: what asked for it, in words; "" if it slept
    queue: tuple[Entity, ...]  # as the kernel kept it at the last look; empty: no choice

    def like(self, other: Situation) -> bool:
        """Return whether both had the same tasks to choose from."""
        if UNKNOWN in (self.running, *self.others.values()):
            return False
        mine, theirs = ((s.running, s.goes_on, s.waiting, s.others) for s in (self, other))
        return mine == theirs


@frozen(kw_only=True)
class Decision:
    """One decision: of a CPU who runs, of a task where it is queued, or whom it preempts."""

    what: str  # RUNS, QUEUED or PREEMPTS
    of: str  # "CPU 0", or a task
    answer: str  # a task; a CPU's number; YES, NO or ALREADY
    about: str  # of a check: who would be preempted
    number: int  # of the event in its trace
    at: int  # ns
    cpu: int
    situation: Situation


#: A task's place among those of its name.
_PLACE = re.compile(r"#\d+\b")
#: By what is decided, and of whom: the decisions in order.
Course = Mapping[tuple[str, str], Sequence[Decision]]


@define
class _Cpu:
    running: str = UNKNOWN
    waiting: set[str] = field(factory=set)
    cause: str = ""  # of the reschedule that is due
    queue: tuple[Entity, ...] = ()
    ticked: bool = False


def course(trace: Trace) -> Course:
    """Return all decisions of a trace, in order, by what is decided and of whom."""
    cpus = {cpu: _Cpu() for cpu in {*trace.switches, *(e.cpu for e in trace.events)}}
    found: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    checks = _answers(trace.events)
    for number, event in enumerate(trace.events):
        cpu = cpus[event.cpu]
        if event.kind == SWITCH:
            cpu.running = event.task
            made = _decision(RUNS, f"CPU {event.cpu}", event.other, number, event, cpu)
            found[made.what, made.of].append(made)
            cpu.running, cpu.cause, cpu.queue = event.other, "", ()
        elif event.kind in ENQUEUE:
            runs = {n: c.running for n, c in cpus.items()}
            made = _decision(QUEUED, event.task, str(event.cpu), number, event, _Cpu(), runs=runs)
            found[made.what, made.of].append(made)
            cpu.waiting.add(event.task)
        elif event.kind in DEQUEUE:
            cpu.waiting.discard(event.task)
        elif event.kind == CHECK:
            cpu.queue = ()
            answer = ALREADY if cpu.cause else checks[number]
            if answer == YES:
                cpu.cause = f"the wake-up of {event.task}"
            # The queue is looked at after the check begins.
            queue = _looked(trace.events, number)
            made = _decision(PREEMPTS, event.task, answer, number, event, cpu, queue)
            found[made.what, made.of].append(made)
        elif event.kind in RESCHEDULE:
            cpu.cause = cpu.cause or ("the tick" if cpu.ticked else "the end of its slice")
        elif event.kind == PICK:
            cpu.queue = event.queue
        cpu.ticked = event.kind == TICK
    return found


def _answers(events: Sequence[Event]) -> dict[int, str]:
    """Return, by the number of a check, whether a reschedule followed before all else there."""
    open_: dict[int, int] = {}  # CPU -> its check
    answers = {}
    for number, event in enumerate(events):
        if event.kind == PICK:
            continue
        check = open_.pop(event.cpu, None)
        if check is not None:
            answers[check] = YES if event.kind in RESCHEDULE else NO
        if event.kind == CHECK:
            open_[event.cpu] = number
    return answers | dict.fromkeys(open_.values(), NO)


def _looked(events: Sequence[Event], number: int) -> tuple[Entity, ...]:
    following = events[number + 1] if number + 1 < len(events) else None
    if following is None or following.kind != PICK or following.cpu != events[number].cpu:
        return ()
    return following.queue


def _decision(
    what: str,
    of: str,
    answer: str,
    number: int,
    event: Event,
    cpu: _Cpu,
    queue: tuple[Entity, ...] | None = None,
    runs: Mapping[int, str] | None = None,
) -> Decision:
    """Return what an event decided; of a task that is queued, `runs` is who ran on each CPU."""
    goes_on = event.kind != SWITCH or event.value == 0
    situation = Situation(
        running=cpu.running if runs is None else "", others=runs or {}, goes_on=goes_on,
        cause=cpu.cause, waiting=frozenset(cpu.waiting - {cpu.running}),
        queue=cpu.queue if queue is None else queue,
    )  # fmt: skip
    return Decision(
        what=what, of=of, answer=answer, about=event.other if what == PREEMPTS else "",
        number=number, at=event.at, cpu=event.cpu, situation=situation,
    )  # fmt: skip


@frozen(kw_only=True)
class Difference:
    """The first decision that two boots took differently where both stood alike."""

    base: Decision
    new: Decision
    nth: int  # how many of its kind, of this task or CPU, with it
    alike: int  # decisions before it, of all kinds, that were the same
    otherwise: int  # that differed before it where the boots did not stand alike


def first(base: Course, new: Course) -> Difference | None:
    """Return the first decision that differs; None if none does."""
    return next(iter(differences(base, new)), None)


def differences(base: Course, new: Course) -> list[Difference]:
    """Return the first decision that differs of each kind, task and CPU, in the base's order."""
    found: list[tuple[int, Decision, Decision]] = []  # how many of its kind, with it
    otherwise = []  # numbers of those that differ where the boots did not stand alike
    for key in base.keys() & new.keys():
        for n, (one, other) in enumerate(zip(base[key], new[key], strict=False), 1):
            if (one.answer, one.about) == (other.answer, other.about):
                continue
            if _alike(one, other):
                found.append((n, one, other))
                break
            otherwise.append(one.number)
            if key[0] != PREEMPTS:  # what follows is another course
                break
    numbers = sorted(d.number for made in base.values() for d in made)
    otherwise.sort()
    differ = []
    for n, one, other in sorted(found, key=lambda f: f[1].number):
        before = bisect_left(otherwise, one.number)
        alike = bisect_left(numbers, one.number) - before
        differ.append(Difference(base=one, new=other, nth=n, alike=alike, otherwise=before))
    return differ


def _alike(one: Decision, other: Decision) -> bool:
    """Return whether two boots stood alike when one decision was due."""
    if ALREADY in (one.answer, other.answer):  # an earlier event asked for it
        return False
    return one.about == other.about and one.situation.like(other.situation)


def kind_of(task: str) -> str:
    """Return a task's name without its place among those of its name."""
    return _PLACE.sub("", task)


def idle(task: str) -> bool:
    """Return whether a task runs where nobody else wants to."""
    return task.startswith("swapper/")


def classes(made: Course) -> dict[tuple[str, str], dict[str, int]]:
    """Return how often each answer was given, by what was decided and for whom."""
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (what, _), decisions in made.items():
        for decision in decisions:
            if what == PREEMPTS:
                who = f"{kind_of(decision.of)} wakes while {kind_of(decision.about)} runs"
                counts[what, who][decision.answer] += 1
            elif what == RUNS:
                situation = decision.situation
                if situation.goes_on and not (idle(situation.running) or idle(decision.answer)):
                    cause = _PLACE.sub("", situation.cause or "itself")
                    counts[what, kind_of(situation.running)][cause] += 1
    return counts


def waits(trace: Trace) -> dict[str, list[int]]:
    """Return ns from each time that a task was queued, or had to leave its CPU, to its next run."""
    since: dict[str, int] = {}
    found: dict[str, list[int]] = defaultdict(list)
    for event in trace.events:
        if event.kind in ENQUEUE and event.at:
            since.setdefault(event.task, event.at)
        elif event.kind == SWITCH:
            began = since.pop(event.other, None)
            if began is not None and event.at >= began and not idle(event.other):
                found[kind_of(event.other)].append(event.at - began)
            if event.value == 0:
                since[event.task] = event.at
            else:
                since.pop(event.task, None)
    return found
