# SPDX-License-Identifier: GPL-2.0-only
"""What each task and CPU was given in one boot, decision by decision, and where it stood then.

Two boots are compared by what tasks did, not by time: the n-th wake-up of a task is the same
event in both, whenever it came.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import define, evolve, field, frozen

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
RUNS, QUEUED, PREEMPTS, STAYS = "runs", "queued", "preempts", "stays"
#: Who runs on a CPU that has not switched yet.
UNKNOWN = "?"
#: Answers to a check for preemption, and to whether a task that goes to sleep stays in its queue.
YES, NO, ALREADY = "yes", "no", "already to be rescheduled"
ENDED = "no, but the slice of who runs ends"


@frozen(kw_only=True)
class Situation:
    """How a run queue stood when something was decided."""

    running: str  # who ran there; "?" before the first switch
    others: Mapping[int, str]  # where a task is queued: who ran on each CPU
    goes_on: bool  # who ran can go on running
    waiting: frozenset[str]  # who else was queued there
    cause: str  # of a switch: what asked for it, in words; "" if it slept
    queue: tuple[Entity, ...]  # as the kernel kept it at the last look; empty: no choice
    waker: str = ""  # who has woken a task that is queued, or may preempt; "": nobody, or unknown
    in_interrupt: bool = False  # it was woken in one, while that task ran

    def like(self, other: Situation) -> bool:
        """Return whether both had the same tasks to choose from."""
        if UNKNOWN in (self.running, *self.others.values()):
            return False
        mine, theirs = (
            (s.running, s.goes_on, s.waiting, s.others, s.in_interrupt) for s in (self, other)
        )
        return mine == theirs


@frozen(kw_only=True)
class Decision:
    """One decision: of a CPU who runs, of a task where it is queued, or whom it preempts."""

    what: str  # RUNS, QUEUED, PREEMPTS or STAYS
    of: str  # "CPU 0", or a task
    answer: str  # a task; a CPU's number; YES, NO, ALREADY or ENDED
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
    left: bool = False  # who runs has left its queue, and has not been switched from yet


@define
class _Check:
    """A check for preemption, and what followed at once."""

    at: int
    queue: tuple[Entity, ...] = ()  # empty: the kernel did not look at it
    asked_before: bool = False  # a reschedule before it was looked at: a slice has ended
    asked: bool = False  # one behind that

    @property
    def answer(self) -> str:
        """Return what was decided."""
        if self.asked or (self.asked_before and not self.queue):
            return YES
        return ENDED if self.asked_before else NO


@define
class _Reader:
    """State while the events of a trace are gone through."""

    cpus: Mapping[int, _Cpu]
    checks: Mapping[int, _Check]
    found: dict[tuple[str, str], list[Decision]] = field(factory=lambda: defaultdict(list))
    wakers: dict[str, Event] = field(factory=dict)  # how a task was queued last
    asleep: set[str] = field(factory=set)  # who sleeps in its queue

    def event(self, number: int, event: Event) -> None:
        """Take one event, with its number in the trace."""
        cpu = self.cpus[event.cpu]
        if event.kind == SWITCH:
            self._switch(number, event, cpu)
        elif event.kind in ENQUEUE:
            self._queued(number, event, cpu)
            cpu.queue = ()  # it was another one
        elif event.kind in DEQUEUE:
            cpu.waiting.discard(event.task)
            cpu.left = cpu.left or event.task == cpu.running
            self.asleep.discard(event.task)
            cpu.queue = ()
        elif event.kind == CHECK:
            self._check(number, event, cpu)
        elif event.kind in RESCHEDULE:
            cpu.cause = cpu.cause or ("the tick" if cpu.ticked else "the end of its slice")
        elif event.kind == PICK:
            cpu.queue = event.queue
        cpu.ticked = event.kind == TICK

    def _queued(self, number: int, event: Event, cpu: _Cpu) -> None:
        self.wakers[event.task] = event
        cpu.waiting.add(event.task)
        if event.task in self.asleep:  # it goes on where it is
            self.asleep.discard(event.task)
            return
        runs = {n: c.running for n, c in self.cpus.items()}
        self._made(QUEUED, event.task, str(event.cpu), number, event, Situation(
            running="", others=runs, goes_on=True, waiting=frozenset(), cause="", queue=(),
            waker=event.other, in_interrupt=event.in_interrupt,
        ))  # fmt: skip

    def _switch(self, number: int, event: Event, cpu: _Cpu) -> None:
        cpu.running = event.task
        situation = self._of(cpu, event.value == 0)
        self._made(RUNS, f"CPU {event.cpu}", event.other, number, event, situation)
        # Who is alone is owed nothing and owes nothing, and so leaves.
        if event.value and situation.waiting and not idle(event.task):
            stays = YES if event.stays else NO
            self._made(STAYS, event.task, stays, number, event, situation)
        if event.stays:
            self.asleep.add(event.task)
        cpu.running, cpu.cause, cpu.queue, cpu.left = event.other, "", (), False

    def _check(self, number: int, event: Event, cpu: _Cpu) -> None:
        check = self.checks[number]
        answer = ALREADY if cpu.cause else check.answer
        if answer == YES:
            cpu.cause = f"the wake-up of {event.task}"
        cpu.queue = check.queue
        woken = self.wakers.pop(event.task, None)
        if woken is None or not woken.other:  # it was moved, or had not slept yet
            return
        situation = evolve(
            self._of(cpu, not cpu.left), waker=woken.other, in_interrupt=woken.in_interrupt
        )
        self._made(PREEMPTS, event.task, answer, number, event, situation)

    def _of(self, cpu: _Cpu, goes_on: bool) -> Situation:
        return Situation(
            running=cpu.running, others={}, goes_on=goes_on, cause=cpu.cause, queue=cpu.queue,
            waiting=frozenset(cpu.waiting - {cpu.running}),
        )  # fmt: skip

    def _made(
        self, what: str, of: str, answer: str, number: int, event: Event, situation: Situation
    ) -> None:
        self.found[what, of].append(Decision(
            what=what, of=of, answer=answer, about=event.other if what == PREEMPTS else "",
            number=number, at=event.at, cpu=event.cpu, situation=situation,
        ))  # fmt: skip


def course(trace: Trace) -> Course:
    """Return all decisions of a trace, in order, by what is decided and of whom."""
    cpus = {cpu: _Cpu() for cpu in {*trace.switches, *(e.cpu for e in trace.events)}}
    reader = _Reader(cpus, _checks(trace.events))
    for number, event in enumerate(trace.events):
        reader.event(number, event)
    return reader.found


def _checks(events: Sequence[Event]) -> dict[int, _Check]:
    """Return the checks for preemption by their number, each with what followed there at once."""
    open_: dict[int, _Check] = {}
    checks = {}
    for number, event in enumerate(events):
        check = open_.get(event.cpu)
        if event.kind == CHECK:
            checks[number] = open_[event.cpu] = _Check(at=event.at)
        elif check is None:
            continue
        elif event.at != check.at or event.kind not in (PICK, *RESCHEDULE):
            del open_[event.cpu]  # the queue's clock stands still for a check
        elif event.kind == PICK:
            check.queue = check.queue or event.queue
        elif check.queue:
            check.asked = True
        else:
            check.asked_before = True
    return checks


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
            elif what == STAYS:
                counts[what, kind_of(decision.of)][decision.answer] += 1
            elif what == RUNS:
                situation = decision.situation
                if situation.goes_on and not (idle(situation.running) or idle(decision.answer)):
                    cause = _PLACE.sub("", situation.cause or "itself")
                    counts[what, kind_of(situation.running)][cause] += 1
    return counts


#: How a wait for a CPU begins.
_BEGINS = {
    YES: "woken, preempts", NO: "woken, preempts nobody", ALREADY: "woken, a switch is due",
    ENDED: "woken, a slice ends",
}  # fmt: skip
_LEAVES, _FREE, _ANEW = "preempted", "woken on an idle CPU", "new, or moved"


def waits(trace: Trace, made: Course) -> dict[tuple[str, str], list[int]]:
    """Return ns from each time that a task was queued, or had to leave its CPU, to its next run.

    They are by the task's name and how the wait began; `made` is the trace's course.
    """
    checks = {d.number: d for (what, _), some in made.items() if what == PREEMPTS for d in some}
    since: dict[str, tuple[int, str]] = {}
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, event in enumerate(trace.events):
        if event.kind in ENQUEUE and event.at:
            since.setdefault(event.task, (event.at, _ANEW))
        elif number in checks and event.task in since:
            check = checks[number]
            how = _FREE if idle(check.about) else _BEGINS[check.answer]
            since[event.task] = since[event.task][0], how
        elif event.kind == SWITCH:
            began, how = since.pop(event.other, (None, ""))
            if began is not None and event.at >= began and not idle(event.other):
                found[kind_of(event.other), how].append(event.at - began)
            if event.value == 0:
                since[event.task] = event.at, _LEAVES
            else:
                since.pop(event.task, None)
    return found
