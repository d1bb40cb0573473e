# SPDX-License-Identifier: GPL-2.0-only
"""By which rule of EEVDF a task was chosen, and what made another kernel choose another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.profile.decision_course import (
    ALREADY,
    ENDED,
    PREEMPTS,
    QUEUED,
    RUNS,
    STAYS,
    YES,
    Decision,
    idle,
    kind_of,
)
from vlag.profile.decision_trace import Entity

_MS = 1e6
#: ns below which two deadlines are alike for a sentence.
_ALIKE_NS = 1000
#: Weight of a task of nice 0, whose virtual time is time.
_NICE_0 = 1 << 20
#: Halves of a slice: a placement that is no whole number of them is one that has run since.
_EXACT = 1e-3


@frozen(kw_only=True)
class Stand:
    """An entity in its queue."""

    entity: Entity
    lag_ns: float  # what it is owed: the queue's mean virtual run time, less its own
    eligible: bool
    to_deadline_ns: float  # its deadline, less that mean

    @property
    def slices(self) -> float:
        """Return how many of its slices its deadline lies behind its virtual run time."""
        whole = self.entity.slice_ns * _NICE_0 / self.entity.weight
        return (self.entity.deadline - self.entity.vruntime) / whole if whole else 0.0


_Stands = Mapping[str, Stand]


def stands(queue: Sequence[Entity]) -> dict[str, Stand]:
    """Return how the tasks of a queue stand to its mean, by name; groups are left out."""
    weights = sum(e.weight for e in queue)
    if not weights:
        return {}
    whole = sum(e.weight * e.vruntime for e in queue)
    mean = whole / weights
    return {
        e.task: Stand(
            entity=e, lag_ns=mean - e.vruntime, eligible=whole >= e.vruntime * weights,
            to_deadline_ns=e.deadline - mean,
        )
        for e in queue
        if e.task is not None
    }  # fmt: skip


def due(there: _Stands) -> str | None:
    """Return who of a queue has the earliest deadline of those eligible."""
    eligible = [(s.entity.deadline, name) for name, s in there.items() if s.eligible]
    return min(eligible)[1] if eligible else None


def kept(there: _Stands) -> str | None:
    """Return who runs and goes on in its slice, whoever else is due; None if nobody does."""
    return next((n for n, s in there.items() if s.entity.protected and s.eligible), None)


def rule(decision: Decision) -> str | None:
    """Return by which rule something was decided from its queue; None if that is not known."""
    there = stands(decision.situation.queue)
    if decision.what == PREEMPTS and decision.answer not in (ALREADY, ENDED):
        return _rule_of_check(decision, there)
    if decision.what != RUNS or decision.answer not in there or len(there) < 2:
        return None
    chosen = decision.answer
    if kept(there) == chosen != due(there):
        return f"{chosen} keeps the CPU within its slice (RUN_TO_PARITY)"
    if chosen == due(there):
        return _rule_of_due(chosen, there)
    if chosen == decision.situation.running:
        return f"{chosen} keeps the CPU, though another's deadline is earlier"
    why = "though it is not eligible" if not there[chosen].eligible else "by another rule"
    return f"{chosen} is chosen, {why}"


def _rule_of_due(chosen: str, there: _Stands) -> str:
    if sum(s.eligible for s in there.values()) == 1:
        return f"{chosen} alone is eligible"
    return f"{chosen} has the earliest deadline of those eligible"


def _rule_of_check(decision: Decision, there: _Stands) -> str | None:
    """Return the rule by which a task that woke up preempts the one that runs, or does not."""
    woken, runs = decision.of, decision.about
    if woken not in there or runs not in there:
        return None if decision.situation.queue else "the queue is not looked at"
    yes, is_due = decision.answer == YES, due(there) == woken
    inside = kept(there) == runs
    if is_due and inside and not yes:
        return f"{runs} keeps the CPU within its slice (RUN_TO_PARITY)"
    if yes != is_due:
        return "by another rule than the earliest deadline"
    if yes:
        beside = ", though who runs is in its slice" if inside else ""
        return _rule_of_due(woken, there) + beside
    late = f"the deadline of {due(there)} is earlier"
    return late if there[woken].eligible else f"{woken} is not eligible"


@frozen(kw_only=True)
class Fact:
    """What a kernel answers where tasks stand in a certain way, whatever their names and times."""

    kind: str
    where: str  # in words
    answer: str


LOOKS, PLACED, SLICE, WEIGHT = "looks", "placed", "slice", "weight"
#: Kinds of facts: what a rule is given before the rules.
KINDS = (SLICE, WEIGHT, PLACED, LOOKS, STAYS, PREEMPTS, RUNS, QUEUED)


#: Features of the scheduler, and the cases that one decides, by kind of fact.  Who runs within its
#: slice goes on only where another one is due and it is eligible itself.
_FEATURES = {
    "RUN_TO_PARITY": {
        PREEMPTS: re.compile(r"(?:who wakes|a third) is due, who runs is in its slice(?!, not el)"),
        RUNS: re.compile(r"who runs is in its slice"),
    },
    "DELAY_DEQUEUE": {STAYS: re.compile("")},
    "WAKEUP_PREEMPTION": {LOOKS: re.compile("")},
}


def times(feature: str, cases: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """Return how often what a feature decides came up, of cases as data, in base and new.

    None for a feature of which it is not known what it decides.
    """
    if feature not in _FEATURES:
        return None
    known = _FEATURES[feature]
    decided = [
        case for case in cases
        if case["kind"] in known and known[case["kind"]].search(case["where"])
    ]  # fmt: skip
    return sum(case["base"] for case in decided), sum(case["new"] for case in decided)


def facts(decision: Decision) -> Iterator[Fact]:
    """Yield what a decision tells of its kernel's rules."""
    there = stands(decision.situation.queue)
    if decision.what == PREEMPTS:
        yield from _facts_of_check(decision, there)
    elif decision.what == RUNS and len(there) > 1 and decision.answer in there:
        first, goes_on = due(there), kept(there)
        beside = "" if goes_on in (None, first) else ", who runs is in its slice"
        chosen = {first: "who is due", goes_on: "who is in its slice"}
        asleep = " (asleep)" if first and there[first].entity.asleep else ""
        yield Fact(kind=RUNS, where=f"a pick{beside}{asleep}",
                   answer=chosen.get(decision.answer, "another one"))  # fmt: skip
    elif decision.what == STAYS:
        yield Fact(kind=STAYS, where="others wait", answer=decision.answer)
    elif decision.what == QUEUED and decision.situation.waker:
        others = decision.situation.others
        free = any(map(idle, others.values()))
        chosen_one = idle(others.get(int(decision.answer), ""))
        yield Fact(
            kind=QUEUED, where=f"{_wake_up(decision)}, {'a' if free else 'no'} CPU is idle",
            answer="an idle CPU" if chosen_one else "a busy CPU",
        )  # fmt: skip


def _facts_of_check(decision: Decision, there: _Stands) -> Iterator[Fact]:
    situation = decision.situation
    if decision.answer == ALREADY or not situation.goes_on:
        return
    looks = "looks at the queue" if situation.queue else "does not look at the queue"
    yield Fact(kind=LOOKS, where=_wake_up(decision), answer=looks)
    if not situation.queue:
        yield Fact(kind=PREEMPTS, where=f"{_wake_up(decision)}, without a look at the queue",
                   answer=decision.answer)  # fmt: skip
        return
    woken, runs = there.get(decision.of), there.get(decision.about)
    if woken is None or runs is None:
        return
    for stand in (woken, runs):
        name = kind_of(str(stand.entity.task))
        yield Fact(kind=SLICE, where=name, answer=_ms(stand.entity.slice_ns))
        yield Fact(kind=WEIGHT, where=name, answer=str(stand.entity.weight))
    if abs(2 * woken.slices - round(2 * woken.slices)) < _EXACT:
        yield Fact(kind=PLACED, where=_wake_up(decision), answer=f"{woken.slices:.1f}")
    if decision.answer == ENDED:  # that is for its time
        return
    known = {decision.of: "who wakes", decision.about: "who runs"}
    first = known.get(due(there) or "", "a third")
    inside = "in its slice" if runs.entity.protected else "at the begin of a slice"
    owed = "" if runs.eligible else ", not eligible"
    shorter = ", of a longer slice" if runs.entity.slice_ns > woken.entity.slice_ns else ""
    yield Fact(
        kind=PREEMPTS, answer=decision.answer,
        where=f"{_wake_up(decision)}, {first} is due, who runs is {inside}{owed}{shorter}",
    )  # fmt: skip


def reason(fact: Fact, base: Decision, new: Decision) -> str:
    """Return in a sentence why two kernels decided otherwise, by a fact of their rules."""
    before, after = (stands(d.situation.queue) for d in (base, new))
    if fact.kind == STAYS:
        return _why_it_stays(base, new)
    if fact.kind == LOOKS:
        side, where = ("new", "in base") if before else ("base", "in the new kernel")
        return (
            f"the {side} kernel answers {fact.where} before it looks at the queue, {where} it"
            " looks: a rule stands before that"
        )
    tasks = [new.of, new.about] if new.what == PREEMPTS else [new.answer, base.answer]
    both = [t for t in dict.fromkeys(tasks) if t in before and t in after]
    found = None
    if fact.kind in (SLICE, WEIGHT):
        found = _shares(both, before, after)
    elif fact.kind == PLACED:
        found = _placed(both, before, after)
    return found or f"the rule is another where the same is the case: {fact.where}"


def reason_of_time(base: Decision, new: Decision) -> str:
    """Return in a sentence what of two queues goes with another answer by the same rule."""
    before, after = (stands(d.situation.queue) for d in (base, new))
    tasks = [new.of, new.about] if new.what == PREEMPTS else [new.answer, base.answer]
    both = [t for t in dict.fromkeys(tasks) if t in before and t in after]
    found = _owed(both, before, after) or _protected(both, before, after)
    found = found or _deadlines(both, before, after)
    if found is None and base.situation.cause != new.situation.cause and new.what == RUNS:
        causes = [d.situation.cause or "nothing" for d in (new, base)]
        found = f"what asked for it is {causes[0]} in the new kernel, {causes[1]} in base"
    return found or "nothing in these queues tells why; each kernel answers both ways elsewhere"


def by(decision: Decision) -> str:
    """Return in words who has woken the task of a decision; "" if nobody has."""
    return _by(decision) if decision.situation.waker else ""


def _by(decision: Decision) -> str:
    waker = decision.situation.waker
    in_interrupt = decision.situation.in_interrupt
    return f"by an interrupt while {waker} ran" if in_interrupt else f"by {waker}"


def _wake_up(decision: Decision) -> str:
    by_what = "an interrupt" if decision.situation.in_interrupt else "a task"
    return f"a wake-up by {by_what}"


def _why_it_stays(base: Decision, new: Decision) -> str:
    stays, side = (base, "base") if base.answer == YES else (new, "the new kernel")
    stand = stands(stays.situation.queue).get(stays.of)
    lag = "" if stand is None else f", as its lag is {_ms(stand.lag_ns)}"
    return (
        f"in {side} a task that goes to sleep stays in its queue until it is owed time again"
        f" (DELAY_DEQUEUE){lag}"
    )


def _shares(tasks: Sequence[str], before: _Stands, after: _Stands) -> str | None:
    """Return whose weight or slice is another."""
    for task in tasks:
        one, other = before[task].entity, after[task].entity
        if one.weight != other.weight:
            return f"the weight of {task} is {other.weight} in the new kernel, {one.weight} in base"
        if one.slice_ns != other.slice_ns:
            slices = [_ms(e.slice_ns) for e in (other, one)]
            return f"the slice of {task} is {slices[0]} in the new kernel, {slices[1]} in base"
    return None


def _placed(tasks: Sequence[str], before: _Stands, after: _Stands) -> str | None:
    """Return whose deadline was placed another number of slices away, before it ran."""
    for task in tasks:
        ways = [there[task].slices for there in (after, before)]
        halves = [round(2 * way) for way in ways]
        exact = all(abs(2 * w - h) < _EXACT for w, h in zip(ways, halves, strict=True))
        if exact and halves[0] != halves[1] and not any(
            there[task].entity.protected for there in (before, after)
        ):  # fmt: skip
            return (
                f"the deadline of {task} lies {ways[0]:.1f} slices behind its virtual run time in"
                f" the new kernel, {ways[1]:.1f} in base"
            )
    return None


def _protected(tasks: Sequence[str], before: _Stands, after: _Stands) -> str | None:
    """Return who goes on within its slice on one side alone."""
    inside = {
        True: "goes on within its slice (RUN_TO_PARITY)", False: "has begun another slice",
    }  # fmt: skip
    for task in tasks:
        one, other = (there[task].entity.protected for there in (before, after))
        if one != other:
            return f"{task} {inside[other]} in the new kernel, and {inside[one]} in base"
    return None


def _owed(tasks: Sequence[str], before: _Stands, after: _Stands) -> str | None:
    """Return who is eligible on one side alone."""
    owed = {True: "is eligible", False: "is not eligible"}
    for task in tasks:
        one, other = before[task], after[task]
        if one.eligible != other.eligible:
            return (
                f"{task} {owed[other.eligible]} in the new kernel (lag {_ms(other.lag_ns)}), and"
                f" {owed[one.eligible]} in base (lag {_ms(one.lag_ns)})"
            )
    return None


def _deadlines(tasks: Sequence[str], before: _Stands, after: _Stands) -> str | None:
    """Return which of two tasks has the earlier deadline, if that is another one."""
    if len(tasks) != 2:
        return None
    one, other = tasks
    gaps = [there[one].to_deadline_ns - there[other].to_deadline_ns for there in (after, before)]
    if min(map(abs, gaps)) <= _ALIKE_NS or (gaps[0] > 0) == (gaps[1] > 0):
        return None
    words = [f"{_ms(abs(gap))} {'after' if gap > 0 else 'before'}" for gap in gaps]
    return (
        f"the deadline of {one} is {words[0]} that of {other} in the new kernel, {words[1]} it in"
        " base"
    )


def _ms(ns: float) -> str:
    """Return ns in ms, as precise as it matters."""
    return f"{ns / _MS:.3f} ms"
