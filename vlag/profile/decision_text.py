# SPDX-License-Identifier: GPL-2.0-only
"""The first decision that two kernels took differently, as data and as text of 75 columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlag.profile import decision_course, decision_rules, decision_tables, decision_timeline
from vlag.profile.decision_course import PREEMPTS, QUEUED, RUNS, STAYS, YES, Decision
from vlag.profile.decision_first import Difference, Pair
from vlag.profile.decision_timeline import Timeline

_MS = 1e6
#: The knob that turns features on and off.
_KNOB = "sched_features"
_ENDS = {1: "st", 2: "nd", 3: "rd"}


def answer(pair: Pair, shown: Timeline, *, rows: int) -> dict[str, Any]:
    """Return what the boots of a seed show; `shown` is its timeline, `rows` bounds each table."""
    found = pair.found
    waits = [
        decision_course.waits(*side)
        for side in zip((pair.base, pair.new), pair.courses, strict=True)
    ]  # fmt: skip
    return {
        "seed": pair.seed,
        "switches": [sum(t.switches.values()) for t in (pair.base, pair.new)],
        "left_out": [t.left_out for t in (pair.base, pair.new)],
        "alike": found.alike,
        "before": found.before,
        "by_time": len(found.by_time),
        "otherwise": len(found.otherwise),
        "first": None if found.first is None else _first(found.first),
        "aligned": found.aligned,
        "rules": [
            {"kind": rule.fact.kind, "where": rule.fact.where, "answer": rule.fact.answer,
             "base": [rule.times[0], rule.cases[0]], "new": [rule.times[1], rule.cases[1]]}
            for rule in found.rules[:rows]
        ],
        "first_by_time": _first(found.by_time[0]) if found.by_time else None,
        "classes": decision_tables.classes(
            [decision_course.classes(made) for made in pair.courses]
        )[:rows],
        "cases": [
            {"kind": kind, "where": where, "base": base, "new": new}
            for (kind, where), (base, new) in found.cases.items()
        ],
        "waits": decision_tables.waits(waits)[:rows],
        "waiting": decision_tables.waiting(waits, rows),
        "around": decision_timeline.around(shown),
    }  # fmt: skip


def data(answers: Sequence[Mapping[str, Any]], toggled: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the boots of at least one seed show, from the answer of each.

    `toggled` are the features that only one kernel has set so.
    """
    return {
        "seeds": list(answers),
        "rules": decision_tables.over_seeds(answers),
        "toggled": list(toggled),
    }


def toggled(base: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the features that the knobs of both kernels do not set alike."""
    sides = [set(re.split(r"[ ,]+", knobs.get(_KNOB, ""))) - {""} for knobs in (base, new)]
    return sorted({word.removeprefix("NO_") for word in sides[0] ^ sides[1]})


def told_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer of the seed that the text tells of.

    The first seed with a decision that differs by its rule, else with one that differs by time,
    else the first one.
    """
    seeds: Sequence[Mapping[str, Any]] = document["seeds"]
    for key in ("first", "first_by_time"):
        for seed in seeds:
            if seed[key] is not None:
                return seed
    return seeds[0]


def sentence(document: Mapping[str, Any]) -> str:
    """Return in sentences the first decision that differs, why, and who waits longer."""
    seeds = document["seeds"]
    differing = [s for s in seeds if s["first"] is not None]
    if not differing:
        return nothing(seeds)
    shown = told_of(document)
    first = shown["first"]
    answers = [_answer(first[side], first["what"]) for side in ("base", "new")]
    words = [
        f"First decision that differs: {first['sentence']} {answers[1]}, in base {answers[0]}:"
        f" {first['reason']}. With {len(differing)} of {len(seeds)} seeds."
    ]
    longer = [w for w in shown["waits"] if w["new_ns"] > w["base_ns"]]
    if longer:
        most = longer[0]
        words.append(
            f"{most['name']} waits {most['new_ns'] / 1000:.1f} us for a CPU in the mean, in base"
            f" {most['base_ns'] / 1000:.1f} us."
        )
    return " ".join(words)


def picture_caption(document: Mapping[str, Any]) -> str:
    """Return in a sentence what the picture of the seed that is told of shows."""
    shown = told_of(document)
    what = "the first decision that differs"
    if shown["first"] is None:
        what += " by time"
    return f"Who ran on each CPU around {what}, with seed {shown['seed']}: base above, new below."


def _first(found: Difference) -> dict[str, Any]:
    return {
        "what": found.new.what,
        "of": found.new.of,
        "nth": found.nth[1],
        "sentence": _sentence(found),
        "base": {"question": _question(found.base, found.nth[0]), **_side(found.base)},
        "new": {"question": _question(found.new, found.nth[1]), **_side(found.new)},
        "reason": (
            decision_rules.reason_of_time(found.base, found.new)
            if found.fact is None
            else decision_rules.reason(found.fact, found.base, found.new)
        ),
    }


def _side(decision: Decision) -> dict[str, Any]:
    return {
        "at_ns": decision.at,
        "cpu": decision.cpu,
        "answer": decision.answer,
        "rule": decision_rules.rule(decision),
        "cause": decision.situation.cause,
        "waker": decision.situation.waker or None,
        "in_interrupt": decision.situation.in_interrupt,
        "woken": decision_rules.by(decision),
        "waiting": sorted(decision.situation.waiting),
        "queue": [
            {
                "task": name,
                "slice_ns": s.entity.slice_ns,
                "weight": s.entity.weight,
                "lag_ns": round(s.lag_ns),
                "eligible": s.eligible,
                "protected": s.entity.protected,
                "asleep": s.entity.asleep,
                "to_deadline_ns": round(s.to_deadline_ns),
            }
            for name, s in decision_rules.stands(decision.situation.queue).items()
        ],
    }


def _sentence(found: Difference) -> str:
    """Return what was decided; where the sides are two events, that of the new kernel."""
    return _question(found.new, found.nth[1])


def _question(decision: Decision, place: int) -> str:
    nth = ordinal(place)
    if decision.what == PREEMPTS:
        return f"the {nth} wake-up of {decision.of} that may preempt, while {decision.about} runs"
    if decision.what == STAYS:
        return f"the {nth} time that {decision.of} goes to sleep while others wait"
    if decision.what == QUEUED:
        return f"the {nth} time that {decision.of} is queued"
    situation = decision.situation
    left = "leaves" if not situation.goes_on else "can go on on"
    return f"the {nth} switch of {decision.of}, as {situation.running} {left} it"


def _answer(side: Mapping[str, Any], what: str) -> str:
    if what == RUNS:
        cause = f", asked for by {side['cause']}" if side["cause"] else ""
        return f"{side['answer']} runs{cause}"
    if what == QUEUED:
        return f"on CPU {side['answer']}"
    if what == STAYS:
        return "stays in its queue" if side["answer"] == YES else "leaves its queue"
    words = {
        YES: "preempts", decision_course.NO: "does not preempt",
        decision_course.ENDED: "does not preempt, but the slice of who runs ends",
    }  # fmt: skip
    return words.get(side["answer"], f"does not: {side['answer']}")


def told(difference: Difference) -> tuple[str, str]:
    """Return what was decided, and what both kernels did."""
    sides = [(word, getattr(difference, word)) for word in ("base", "new")]
    what = difference.new.what
    answers = "; ".join(f"{word}: {_answer(_side(side), what)}" for word, side in sides)
    return _sentence(difference), answers


def ordinal(n: int) -> str:
    """Return a number as a place: 1st, 2nd, 11th."""
    end = "th" if n % 100 in (11, 12, 13) else _ENDS.get(n % 10, "th")
    return f"{n:,}{end}"


def render(document: Mapping[str, Any]) -> str:
    """Return the data as text of at most `WIDTH` columns."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    seeds = document["seeds"]
    differing = [s for s in seeds if s["first"] is not None]
    shown = told_of(document)
    if not differing:
        yield from decision_tables.wrapped(nothing(seeds))
        timed = shown["first_by_time"]
        if timed is not None:
            yield ""
            yield from decision_tables.wrapped(
                f"The first by time, with seed {shown['seed']}: {timed['sentence']}."
            )
            yield ""
            yield from _told(timed)
        if document.get("toggled"):  # earlier versions stored none
            yield from decision_tables.toggles(document)
            yield from decision_tables.cases(shown)
        yield from decision_tables.tables(shown)
        return
    first = shown["first"]
    yield from decision_tables.wrapped(
        f"The first decision that differs, with seed {shown['seed']}, after {shown['alike']:,}"
        f" that are the same: {first['sentence']}."
    )
    yield ""
    if not shown["aligned"]:
        yield from decision_tables.wrapped(
            "Both kernels had left each other's course before; in base it is"
            f" {first['base']['question']}."
        )
        yield ""
    yield from _told(first)
    if shown["before"]:
        yield from decision_tables.wrapped(
            f"Before it, {shown['before']:,} differed for another cause: events came in another"
            " order, or tasks had run for other times."
        )
    if len(seeds) > 1:
        same = sum(
            s["first"]["what"] == first["what"]
            and s["first"]["base"]["answer"] == first["base"]["answer"]
            for s in differing
        )
        yield from decision_tables.wrapped(
            f"A decision differs with {len(differing)} of {len(seeds)} seeds, of this kind with"
            f" {same}."
        )
    yield from decision_tables.tables(shown)


def nothing(seeds: Sequence[Mapping[str, Any]]) -> str:
    """Return in words that no boot took another decision, and what differs all the same."""
    boots = f"{len(seeds)} {'boot' if len(seeds) == 1 else 'boots'} each"
    by_time, otherwise = (sum(s[key] for s in seeds) for key in ("by_time", "otherwise"))
    if not by_time and not otherwise:
        switches = sum(min(s["switches"]) for s in seeds)
        return (
            f"No decision differs: both kernels took the same ones in {boots}, with"
            f" {switches:,} switches."
        )
    parts = []
    if by_time:
        parts.append(f"{by_time:,} since tasks had run for other times")
    if otherwise:
        parts.append(f"{otherwise:,} since events came in another order")
    return (
        f"No decision differs by its rule in {boots}. What differs is the course:"
        f" {' and '.join(parts)}, as where a path is longer or shorter."
    )


def _told(first: Mapping[str, Any]) -> Iterator[str]:
    """Yield both answers, both queues and the reason."""
    for side in ("base", "new"):
        one = first[side]
        woken = f"; woken {one['woken']}" if one["woken"] else ""
        yield from decision_tables.wrapped(
            f"  {side:4}  {_answer(one, first['what'])}{woken}", hang=8
        )
        if one["rule"]:
            yield from decision_tables.wrapped(f"        {one['rule']}", hang=8)
    yield ""
    yield from _queues(first)
    yield from decision_tables.wrapped(f"Why: {first['reason']}.")


def _queues(first: Mapping[str, Any]) -> Iterator[str]:
    rows = [(side, row) for side in ("base", "new") for row in first[side]["queue"]]
    if not rows:
        return
    yield f"  {'queue (ms)':30}{'slice':>8}{'lag':>10}{'deadline':>10}  eligible"
    for side, row in rows:
        times = f"{row['lag_ns'] / _MS:10.4f}{row['to_deadline_ns'] / _MS:10.4f}"
        eligible = "yes" if row["eligible"] else "no"
        eligible += ", asleep" if row["asleep"] else ", in slice" * row["protected"]
        yield f"  {side:5}{row['task'][:24]:25}{row['slice_ns'] / _MS:8.3f}{times}  {eligible}"
    yield ""
