# SPDX-License-Identifier: GPL-2.0-only
"""The first decision that two kernels took differently, as the rule behind it is another one.

Two kernels of which one takes longer for something come to the same wake-up with other virtual run
times, and soon in another order: answers that differ for these are counted, and are no answer to
what a kernel decides differently.  A rule is another one where one kernel often gives an answer
that the other never gives, tasks standing in the same way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import evolve, frozen

from vlag.profile.decision_course import ALREADY, PREEMPTS, STAYS, Course, Decision, course
from vlag.profile.decision_rules import KINDS, Fact, facts
from vlag.profile.decision_trace import Trace

#: An answer is a rule's if it is given in such a share of the cases, and so often; and the other
#: kernel, which never gives it, would have given it so often.
_SHARE, _TIMES, _EXPECTED = 0.05, 5, 10.0


@frozen(kw_only=True)
class Difference:
    """Two answers to one question."""

    base: Decision
    new: Decision
    nth: tuple[int, int]  # how many of their kind, of this task or CPU, with those of base and new
    fact: Fact | None = None  # the rule that is another one; None: the same rule answered both


@frozen(kw_only=True)
class Rule:
    """What one kernel never answers where the other often does."""

    fact: Fact
    times: tuple[int, int]  # that the answer was given, in base and new
    cases: tuple[int, int]  # in which it could have been


@frozen(kw_only=True)
class Found:
    """How the decisions of two boots differ."""

    first: Difference | None  # by another rule
    aligned: bool  # both sides are the same event and the boots stood alike, or there is none
    rules: Sequence[Rule]  # the most frequent first
    cases: Mapping[tuple[str, str], tuple[int, int]]  # by kind of fact and where, in base and new
    by_time: Sequence[Difference]  # where the boots stood alike, by the same rule, in order
    otherwise: Sequence[int]  # numbers in base of answers where they did not stand alike
    alike: int  # decisions before the first one, of all kinds, that were the same
    before: int  # of `by_time` and `otherwise`: those before the first one


@frozen(kw_only=True)
class Pair:
    """The boots of both kernels with one seed; what takes long is found out once."""

    seed: int
    base: Trace
    new: Trace

    @cached_property
    def courses(self) -> tuple[Course, Course]:
        """Return what each task and CPU was given, in base and new."""
        return course(self.base), course(self.new)

    @cached_property
    def found(self) -> Found:
        """Return how the decisions differ."""
        return first(*self.courses)


_Table = Mapping[tuple[str, str], Mapping[str, int]]


def first(base: Course, new: Course) -> Found:
    """Return the first decision that differs by its rule, and what differs beside it."""
    tables = _table(base), _table(new)
    rules = _rules(*tables)
    found = {rule.fact for rule in rules}
    pairs, otherwise = _differing(base, new)
    ruled: list[Difference] = []
    by_time: list[Difference] = []
    for pair in pairs:
        fact = _by_rule(found, pair.base, pair.new)
        (by_time if fact is None else ruled).append(evolve(pair, fact=fact))
    aligned, apart = min(ruled, key=_place, default=None), _apart(base, new, rules)
    earliest = min([d for d in (aligned, apart) if d is not None], key=_place, default=None)
    at = earliest.base.number if earliest is not None else None
    numbers = [*otherwise, *map(_place, by_time)]
    before = sum(at is None or n < at for n in numbers)
    every = sum(sum(at is None or d.number < at for d in made) for made in base.values())
    return Found(
        first=earliest, aligned=earliest is aligned, rules=rules, otherwise=otherwise,
        cases=_cases(*tables), by_time=sorted(by_time, key=_place), alike=every - before,
        before=before,
    )  # fmt: skip


def differences(found: Found) -> list[Difference]:
    """Return the first decision that differs, and behind it the first of each task and CPU.

    By its rule if one does, else by time; in the base's order.
    """
    listed = [] if found.first is None else [found.first]
    known = {(d.base.what, d.base.of) for d in listed}
    for one in found.by_time:
        key = one.base.what, one.base.of
        if key not in known and (not listed or _place(one) >= _place(listed[0])):
            known.add(key)
            listed.append(one)
    return listed


def _place(difference: Difference) -> int:
    return difference.base.number


def _table(made: Course) -> _Table:
    """Return how often each answer was given, by kind of fact and where."""
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for decisions in made.values():
        for decision in decisions:
            for fact in facts(decision):
                table[fact.kind, fact.where][fact.answer] += 1
    return table


def _cases(base: _Table, new: _Table) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how often each case came up, the most frequent first."""
    counts = {
        key: (sum(base.get(key, {}).values()), sum(new.get(key, {}).values()))
        for key in base.keys() | new.keys()
    }
    return dict(sorted(counts.items(), key=lambda item: (-max(item[1]), item[0])))


def _rules(base: _Table, new: _Table) -> list[Rule]:
    rules = []
    for key in sorted(base.keys() & new.keys()):
        cases = sum(base[key].values()), sum(new[key].values())
        for answer in sorted(base[key].keys() | new[key].keys()):
            times = base[key].get(answer, 0), new[key].get(answer, 0)
            some = times.index(max(times))
            share = times[some] / cases[some]
            if (
                not min(times) and times[some] >= _TIMES and share >= _SHARE
                and share * cases[1 - some] >= _EXPECTED
            ):  # fmt: skip
                fact = Fact(kind=key[0], where=key[1], answer=answer)
                rules.append(Rule(fact=fact, times=times, cases=cases))
    return sorted(rules, key=lambda rule: -max(rule.times))


def _by_rule(rules: set[Fact], one: Decision, other: Decision) -> Fact | None:
    """Return the fact of a rule that is another one and tells two decisions apart."""
    sides = [set(facts(d)) for d in (one, other)]
    both = {(f.kind, f.where) for f in sides[0]} & {(f.kind, f.where) for f in sides[1]}
    there = [f for f in (sides[0] ^ sides[1]) & rules if (f.kind, f.where) in both]
    return min(there, key=lambda f: (KINDS.index(f.kind), f.where), default=None)


def _differing(base: Course, new: Course) -> tuple[list[Difference], list[int]]:
    """Return answers that differ where both boots stood alike, and numbers of the others."""
    pairs, otherwise = [], []
    for key in base.keys() & new.keys():
        for n, (one, other) in enumerate(zip(base[key], new[key], strict=False), 1):
            if (one.answer, one.about) == (other.answer, other.about):
                continue
            if _alike(one, other):
                pairs.append(Difference(base=one, new=other, nth=(n, n)))
            else:
                otherwise.append(one.number)
            if key[0] not in (PREEMPTS, STAYS):  # what follows is another course
                break
    return pairs, otherwise


def _alike(one: Decision, other: Decision) -> bool:
    """Return whether two boots stood alike when one decision was due."""
    if ALREADY in (one.answer, other.answer):  # an earlier event asked for it
        return False
    return one.about == other.about and one.situation.like(other.situation)


def _apart(base: Course, new: Course, rules: Sequence[Rule]) -> Difference | None:
    """Return the first decision of each boot that a rule tells apart, be they different events."""
    found = []
    for rule in rules:
        theirs = _with(new, rule, some=bool(rule.times[1]))
        m, other = min(theirs, key=_first)
        mine = list(_with(base, rule, some=bool(rule.times[0])))
        # One that was answered otherwise shows more.
        n, one = min([d for d in mine if d[1].answer != other.answer] or mine, key=_first)
        found.append(Difference(base=one, new=other, nth=(n, m), fact=rule.fact))
    return min(found, key=_place, default=None)


def _first(item: tuple[int, Decision]) -> int:
    return item[1].number


def _with(made: Course, rule: Rule, *, some: bool) -> Iterator[tuple[int, Decision]]:
    for decisions in made.values():
        for n, decision in enumerate(decisions, 1):
            for fact in facts(decision):
                if (fact.kind, fact.where) == (rule.fact.kind, rule.fact.where) and (
                    fact.answer == rule.fact.answer
                ) is some:
                    yield n, decision
