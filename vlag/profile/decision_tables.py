# SPDX-License-Identifier: GPL-2.0-only
"""Tables of two kernels' decisions, as data and text: rules, cases, kinds of decisions, waits."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlag.profile import decision_rules
from vlag.profile.decision_course import PREEMPTS, QUEUED, RUNS, STAYS

#: Columns of a mail.
WIDTH = 75
#: Times that a kind of decision, and share by which a wait, must differ to be shown.
_LEAST_TIMES, _LEAST_SHARE = 10, 0.05
#: Cases that are shown where no rule differs.
_CASES = 8
_MS = 1e6

#: ns of each wait, by who waits and how it began.
_Waits = Mapping[tuple[str, str], Sequence[int]]


def over_seeds(answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules that differ with any seed: cases summed up, and with how many seeds."""
    rules: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in (row for answer in answers for row in answer["rules"]):
        key = row["kind"], row["where"], row["answer"]
        one = rules.setdefault(key, {**row, "base": [0, 0], "new": [0, 0], "seeds": 0})
        one["seeds"] += 1
        for side in ("base", "new"):
            one[side] = [a + b for a, b in zip(one[side], row[side], strict=True)]
    return sorted(rules.values(), key=lambda r: (-r["seeds"], -max(r["base"][0], r["new"][0])))


def classes(sides: Sequence[Mapping[tuple[str, str], Mapping[str, int]]]) -> list[dict[str, Any]]:
    """Return the kinds of decisions whose counts differ, the largest difference first."""
    rows: list[dict[str, Any]] = []
    for key in sorted(sides[0].keys() | sides[1].keys()):
        answers = sorted(set(sides[0].get(key, {})) | set(sides[1].get(key, {})))
        for answer in answers:
            base, new = (side.get(key, {}).get(answer, 0) for side in sides)
            if abs(new - base) >= _LEAST_TIMES:
                rows.append({"what": key[0], "who": key[1], "answer": answer,
                             "base": base, "new": new})  # fmt: skip
    return sorted(rows, key=lambda r: -abs(r["new"] - r["base"]))


def waiting(sides: Sequence[_Waits], most: int) -> dict[str, Any] | None:
    """Return how long all tasks waited in the whole boot, by who and how it began.

    The rows sum up to the whole, and so do their shares of its change.  None where the whole
    changes by so little that shares of it would mislead.
    """
    sums = [{key: sum(ns) for key, ns in side.items()} for side in sides]
    whole = [sum(side.values()) for side in sums]
    change = whole[1] - whole[0]
    if abs(change) < _LEAST_SHARE * max(whole, default=0) or not change:
        return None
    rows: list[dict[str, Any]] = []
    for key in sums[0].keys() | sums[1].keys():
        base, new = (side.get(key, 0) for side in sums)
        rows.append({
            "name": key[0], "how": key[1], "times": [len(side.get(key, ())) for side in sides],
            "base_ns": base, "new_ns": new, "share": (new - base) / change,
        })  # fmt: skip
    rows.sort(key=lambda r: (-abs(r["share"]), r["name"], r["how"]))
    others = rows[most:]
    return {
        "rows": rows[:most],
        "others": {"count": len(others), "base_ns": sum(r["base_ns"] for r in others),
                   "new_ns": sum(r["new_ns"] for r in others),
                   "share": sum(r["share"] for r in others)},
        "all": whole,
    }  # fmt: skip


def waits(parts: Sequence[_Waits]) -> list[dict[str, Any]]:
    """Return the tasks whose mean wait for a CPU differs, the largest sum of ns first."""
    rows: list[dict[str, Any]] = []
    sides: list[dict[str, list[int]]] = []
    for part in parts:
        sides.append(defaultdict(list))
        for (name, _), ns in part.items():
            sides[-1][name] += ns
    for name in sorted(sides[0].keys() & sides[1].keys()):
        base, new = (sum(side[name]) / len(side[name]) for side in sides)
        if abs(new - base) >= _LEAST_SHARE * max(base, new):
            rows.append({
                "name": name, "times": [len(side[name]) for side in sides],
                "base_ns": round(base), "new_ns": round(new),
            })  # fmt: skip
    return sorted(rows, key=lambda r: -abs(r["new_ns"] - r["base_ns"]) * max(r["times"]))


def rule_words(row: Mapping[str, Any]) -> str:
    """Return a rule that is another one, in words."""
    words = {
        decision_rules.LOOKS: "{where}: {answer}",
        decision_rules.PLACED: "{where}: deadline {answer} slices away",
        decision_rules.SLICE: "slice of {where}: {answer}",
        decision_rules.WEIGHT: "weight of {where}: {answer}",
        PREEMPTS: "{where}; preempts: {answer}",
        RUNS: "{where}: {answer} runs",
        STAYS: "sleeps while {where}, stays in its queue: {answer}",
        QUEUED: "{where}: on {answer}",
    }  # fmt: skip
    return words[row["kind"]].format(**row)


def toggles(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield for each feature that only one kernel has set so how often it had to decide.

    No rule differs there.
    """
    every = [case for seed in document["seeds"] for case in seed["cases"]]
    for feature in document["toggled"]:
        times = decision_rules.times(feature, every)
        if times is None:
            said = "the decisions that are read here do not show whether it had to decide"
        elif not any(times):
            said = "what it decides did not come up in these boots, so it shows in no rule"
        else:
            said = (
                f"what it decides came up {times[0]:,} and {times[1]:,} times, too seldom for a"
                " rule or with the same answers"
            )
        yield ""
        yield from wrapped(f"{feature} is set for one kernel otherwise: {said}.")


def cases(shown: Mapping[str, Any]) -> Iterator[str]:
    """Yield the cases that came up most, where no rule differs."""
    words = {PREEMPTS: "{where}; preempts?", STAYS: "sleeps while {where}; stays in its queue?",
             RUNS: "{where}: who runs?", QUEUED: "{where}: on which CPU?"}  # fmt: skip
    rows = [case for case in shown["cases"] if case["kind"] in words][:_CASES]
    if not rows:
        return
    yield ""
    yield f"  {'what was decided, by the same rule in both':55}{'base':>9}{'new':>9}"
    for row in rows:
        counts = f"{row['base']:9,}{row['new']:9,}"
        yield from _row(words[row["kind"]].format(**row), 53, counts)


def _row(words: str, columns: int, figures: str) -> Iterator[str]:
    """Yield a row of a table, whose words take several lines if need be."""
    *before, last = textwrap.wrap(words, columns, subsequent_indent="  ")
    yield from (f"  {line}" for line in before)
    yield f"  {last:{columns + 2}}{figures}"


def tables(shown: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables of a seed: rules that differ, kinds of decisions, and waits."""
    if shown["rules"]:
        yield ""
        yield f"  {'what one kernel alone answers':41}{'base':>16}{'new':>16}"
        for row in shown["rules"]:
            times = [f"{row[side][0]:,}/{row[side][1]:,}" for side in ("base", "new")]
            yield from _row(rule_words(row), 39, f"{times[0]:>16}{times[1]:>16}")
    if shown["classes"]:
        yield ""
        yield f"  {'decisions in the whole boot':55}{'base':>9}{'new':>9}"
        for row in shown["classes"]:
            words = {
                PREEMPTS: f"{row['who']}: {row['answer']}",
                STAYS: f"{row['who']} sleeps, stays in its queue: {row['answer']}",
                RUNS: f"{row['who']} leaves its CPU by {row['answer']}",
            }[row["what"]]
            yield from _row(words, 53, f"{row['base']:9,}{row['new']:9,}")
    if shown["waits"]:
        yield ""
        yield f"  {'mean wait for a CPU (us)':55}{'base':>9}{'new':>9}"
        for row in shown["waits"]:
            label = f"{row['name']} ({row['times'][0]:,} and {row['times'][1]:,} times)"
            yield f"  {label[:54]:55}{row['base_ns'] / 1000:9.1f}{row['new_ns'] / 1000:9.1f}"
    if shown.get("waiting"):  # earlier versions stored none
        yield ""
        yield from _shares(shown["waiting"])


def _shares(waiting: Mapping[str, Any]) -> Iterator[str]:
    """Yield who waits how long in the whole boot, and the share of the change in each."""
    yield f"  {'all waits of the boot, by how they begin (ms)':46}{'base':>9}{'new':>9}{'share':>9}"
    rows = [(f"{row['name']}, {row['how']}", row) for row in waiting["rows"]]
    others = waiting["others"]
    if others["count"]:
        rows.append((f"{others['count']} others", others))
    base, new = waiting["all"]
    rows.append(("all", {"base_ns": base, "new_ns": new, "share": 1.0}))
    for label, row in rows:
        times = f"{row['base_ns'] / _MS:9.1f}{row['new_ns'] / _MS:9.1f}"
        yield f"  {label[:45]:46}{times}{row['share'] * 100:7.0f} %"


def wrapped(text: str, hang: int = 0) -> list[str]:
    """Return the lines of a text; those after the first one begin `hang` columns in."""
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.lstrip(), WIDTH, initial_indent=lead, subsequent_indent=" " * (hang or len(lead)),
        break_on_hyphens=False,
    )  # fmt: skip
