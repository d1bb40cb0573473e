# SPDX-License-Identifier: GPL-2.0-only
"""The first decision that two kernels took differently, as data and as text of 75 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.profile import decision_course, decision_rules
from vlag.profile.decision_course import PREEMPTS, QUEUED, RUNS, Decision, Difference
from vlag.profile.decision_trace import Trace

#: Columns of a mail.
WIDTH = 75
#: Times that a kind of decision, and share by which a mean wait, must differ to be shown.
_LEAST_TIMES, _LEAST_SHARE = 10, 0.05
_MS = 1e6
_ENDS = {1: "st", 2: "nd", 3: "rd"}


@frozen(kw_only=True)
class Pair:
    """The boots of both kernels with one seed."""

    seed: int
    base: Trace
    new: Trace


def data(pairs: Sequence[Pair], *, rows: int) -> dict[str, Any]:
    """Return what the boots of at least one seed show; `rows` bounds each table."""
    answers = []
    for pair in pairs:
        courses = [decision_course.course(trace) for trace in (pair.base, pair.new)]
        found = decision_course.first(*courses)
        answers.append({
            "seed": pair.seed,
            "switches": [sum(t.switches.values()) for t in (pair.base, pair.new)],
            "left_out": [t.left_out for t in (pair.base, pair.new)],
            "first": None if found is None else _first(found),
            "classes": _classes([decision_course.classes(c) for c in courses])[:rows],
            "waits": _waits([decision_course.waits(t) for t in (pair.base, pair.new)])[:rows],
        })  # fmt: skip
    return {"seeds": answers}


def _first(found: Difference) -> dict[str, Any]:
    return {
        "what": found.new.what,
        "of": found.new.of,
        "nth": found.nth,
        "sentence": _sentence(found),
        "base": _side(found.base),
        "new": _side(found.new),
        "reason": decision_rules.reason(found),
        "alike": found.alike,
        "otherwise": found.otherwise,
    }


def _side(decision: Decision) -> dict[str, Any]:
    return {
        "at_ns": decision.at,
        "cpu": decision.cpu,
        "answer": decision.answer,
        "rule": decision_rules.rule(decision),
        "cause": decision.situation.cause,
        "waiting": sorted(decision.situation.waiting),
        "queue": [
            {
                "task": name,
                "slice_ns": s.entity.slice_ns,
                "weight": s.entity.weight,
                "lag_ns": round(s.lag_ns),
                "eligible": s.eligible,
                "to_deadline_ns": round(s.to_deadline_ns),
            }
            for name, s in decision_rules.stands(decision.situation.queue).items()
        ],
    }


def _sentence(found: Difference) -> str:
    base, new, nth = found.base, found.new, ordinal(found.nth)
    if new.what == PREEMPTS:
        return f"the {nth} wake-up of {new.of} that may preempt, while {new.about} runs"
    if new.what == QUEUED:
        return f"the {nth} time that {new.of} is queued"
    situation = base.situation
    left = "leaves" if not situation.goes_on else "can go on on"
    return f"the {nth} switch of {new.of}, as {situation.running} {left} it"


def _answer(side: Mapping[str, Any], what: str) -> str:
    if what == RUNS:
        cause = f", asked for by {side['cause']}" if side["cause"] else ""
        return f"{side['answer']} runs{cause}"
    if what == QUEUED:
        return f"on CPU {side['answer']}"
    words = {decision_course.YES: "preempts", decision_course.NO: "does not preempt"}
    return words.get(side["answer"], f"does not: {side['answer']}")


def told(difference: Difference) -> tuple[str, str]:
    """Return what was decided, and what both kernels did."""
    sides = [(word, getattr(difference, word)) for word in ("base", "new")]
    what = difference.new.what
    answers = "; ".join(f"{word}: {_answer(_side(side), what)}" for word, side in sides)
    return _sentence(difference), answers


def _classes(sides: Sequence[Mapping[tuple[str, str], Mapping[str, int]]]) -> list[dict[str, Any]]:
    """Return the kinds of decisions whose counts differ, the largest difference first."""
    rows = []
    for key in sorted(sides[0].keys() | sides[1].keys()):
        answers = sorted(set(sides[0].get(key, {})) | set(sides[1].get(key, {})))
        for answer in answers:
            base, new = (side.get(key, {}).get(answer, 0) for side in sides)
            if abs(new - base) >= _LEAST_TIMES:
                rows.append({"what": key[0], "who": key[1], "answer": answer,
                             "base": base, "new": new})  # fmt: skip
    return sorted(rows, key=lambda r: -abs(r["new"] - r["base"]))


def _waits(sides: Sequence[Mapping[str, Sequence[int]]]) -> list[dict[str, Any]]:
    """Return the tasks whose mean wait for a CPU differs, the largest sum of ns first."""
    rows = []
    for name in sorted(sides[0].keys() & sides[1].keys()):
        base, new = (sum(side[name]) / len(side[name]) for side in sides)
        if abs(new - base) >= _LEAST_SHARE * max(base, new):
            rows.append({
                "name": name, "times": [len(side[name]) for side in sides],
                "base_ns": round(base), "new_ns": round(new),
            })  # fmt: skip
    return sorted(rows, key=lambda r: -abs(r["new_ns"] - r["base_ns"]) * max(r["times"]))


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
    if not differing:
        switches = sum(s["switches"][0] for s in seeds)
        yield from _wrapped(
            f"No decision differs: both kernels took the same ones in {len(seeds)} "
            f"{'boot' if len(seeds) == 1 else 'boots'} each, with {switches:,} switches."
        )
        return
    shown = differing[0]
    first = shown["first"]
    yield from _wrapped(
        f"The first decision that differs, with seed {shown['seed']}, after {first['alike']:,}"
        f" that are the same: {first['sentence']}."
    )
    yield ""
    for side in ("base", "new"):
        one = first[side]
        yield from _wrapped(f"  {side:4}  {_answer(one, first['what'])}", hang=8)
        if one["rule"]:
            yield from _wrapped(f"        {one['rule']}", hang=8)
    yield ""
    yield from _queues(first)
    yield from _wrapped(f"Why: {first['reason']}.")
    if first["otherwise"]:
        yield from _wrapped(
            f"Before it, {first['otherwise']} differed where the kernels did not stand alike:"
            " events came in another order."
        )
    if len(seeds) > 1:
        same = sum(
            s["first"]["what"] == first["what"]
            and s["first"]["base"]["answer"] == first["base"]["answer"]
            for s in differing
        )
        yield from _wrapped(
            f"A decision differs with {len(differing)} of {len(seeds)} seeds, of this kind with"
            f" {same}."
        )
    yield from _tables(shown)


def _queues(first: Mapping[str, Any]) -> Iterator[str]:
    rows = [(side, row) for side in ("base", "new") for row in first[side]["queue"]]
    if not rows:
        return
    yield f"  {'queue (ms)':30}{'slice':>8}{'lag':>10}{'deadline':>10}  eligible"
    for side, row in rows:
        times = f"{row['lag_ns'] / _MS:10.4f}{row['to_deadline_ns'] / _MS:10.4f}"
        eligible = "yes" if row["eligible"] else "no"
        yield f"  {side:5}{row['task'][:24]:25}{row['slice_ns'] / _MS:8.3f}{times}  {eligible}"
    yield ""


def _tables(shown: Mapping[str, Any]) -> Iterator[str]:
    if shown["classes"]:
        yield ""
        yield f"  {'decisions in the whole boot':55}{'base':>9}{'new':>9}"
        for row in shown["classes"]:
            words = {
                PREEMPTS: f"{row['who']}: {row['answer']}",
                RUNS: f"{row['who']} leaves its CPU by {row['answer']}",
            }[row["what"]]
            *before, last = textwrap.wrap(words, 53, subsequent_indent="  ")
            yield from (f"  {line}" for line in before)
            yield f"  {last:55}{row['base']:9,}{row['new']:9,}"
    if shown["waits"]:
        yield ""
        yield f"  {'mean wait for a CPU (us)':55}{'base':>9}{'new':>9}"
        for row in shown["waits"]:
            label = f"{row['name']} ({row['times'][0]:,} and {row['times'][1]:,} times)"
            yield f"  {label[:54]:55}{row['base_ns'] / 1000:9.1f}{row['new_ns'] / 1000:9.1f}"


def _wrapped(text: str, hang: int = 0) -> list[str]:
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.lstrip(), WIDTH, initial_indent=lead, subsequent_indent=" " * (hang or len(lead)),
        break_on_hyphens=False,
    )  # fmt: skip
