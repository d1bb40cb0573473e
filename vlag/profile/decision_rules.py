# SPDX-License-Identifier: GPL-2.0-only
"""By which rule of EEVDF a task was chosen, and what made another kernel choose another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.profile.decision_course import PREEMPTS, RUNS, Decision, Difference
from vlag.profile.decision_trace import Entity

_MS = 1e6
#: ns below which two deadlines are alike for a sentence.
_ALIKE_NS = 1000


@frozen(kw_only=True)
class Stand:
    """An entity in its queue."""

    entity: Entity
    lag_ns: float  # what it is owed: the queue's mean virtual run time, less its own
    eligible: bool
    to_deadline_ns: float  # its deadline, less that mean


def stands(queue: Sequence[Entity]) -> dict[str, Stand]:
    """Return how the tasks of a queue stand to its mean, by name; groups are left out."""
    weights = sum(e.weight for e in queue)
    if not weights:
        return {}
    mean = sum(e.weight * e.vruntime for e in queue) / weights
    return {
        e.task: Stand(
            entity=e, lag_ns=mean - e.vruntime, eligible=mean >= e.vruntime,
            to_deadline_ns=e.deadline - mean,
        )
        for e in queue
        if e.task is not None
    }  # fmt: skip


def rule(decision: Decision) -> str | None:
    """Return by which rule a task was chosen from its queue; None if the queue is not known."""
    there = stands(decision.situation.queue)
    chosen = there.get(decision.answer)
    if decision.what != RUNS or chosen is None or len(there) < 2:
        return None
    eligible = {name: s for name, s in there.items() if s.eligible}
    earliest = min(eligible.values(), key=lambda s: s.to_deadline_ns, default=None)
    if earliest is not None and earliest.entity == chosen.entity:
        others = [n for n in there if n != decision.answer]
        if not any(n in eligible for n in others):
            return f"{decision.answer} alone is eligible"
        return f"{decision.answer} has the earliest deadline of those eligible"
    if decision.answer == decision.situation.running:
        return f"{decision.answer} keeps the CPU, though another's deadline is earlier"
    if not chosen.eligible:
        return f"{decision.answer} is chosen, though it is not eligible"
    return f"{decision.answer} is chosen by another rule than its deadline"


def reason(difference: Difference) -> str:
    """Return in a sentence what, of the two queues, goes with the other decision."""
    base, new = difference.base, difference.new
    before, after = (stands(d.situation.queue) for d in (base, new))
    tasks = [new.of, new.about] if new.what == PREEMPTS else [new.answer, base.answer]
    both = [t for t in dict.fromkeys(tasks) if t in before and t in after]
    found = _shares(both, before, after) or _owed(both, before, after)
    found = found or _deadlines(both, before, after)
    if found is None and base.situation.cause != new.situation.cause:
        causes = [d.situation.cause or "nothing" for d in (new, base)]
        found = f"what asked for it is {causes[0]} in the new kernel, {causes[1]} in base"
    if found is None and both:
        found = "both queues stand alike: the rule itself is another"
    return found or (
        "nothing in these queues tells why: the rule, or what it looks at beside them, is another"
    )


_Stands = Mapping[str, Stand]


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
