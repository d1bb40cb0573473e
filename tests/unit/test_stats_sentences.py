# SPDX-License-Identifier: GPL-2.0-only
"""Sentences of verdicts: over a grid of outcomes each one is true of its figures."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from attrs import evolve

from tests.unit.wording import unwanted
from vlag.model import Direction, Verdict
from vlag.stats import sentences
from vlag.stats.compare import (
    SIGNIFICANCE,
    Comparison,
    Question,
    equivalence_margin,
    is_certain,
    judge,
)
from vlag.stats.modes import Modes
from vlag.stats.stages import LEVEL, LEVEL_OFF, LEVEL_RELEVANCE, Decision, Stand, decide

NUMBER = r"(-?[\d.]+|[<>] -?100000)"
SIZE = re.compile(rf"(worse|better) by (less than |more than |)([\d.]+) % \[{NUMBER}, {NUMBER}\]")
NULL = re.compile(r"(an increase|a decrease) of ([\d.]+) % or (less|more)")
TWO = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.5)
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
Judged = tuple[Question, Comparison]


def boots(rng: np.random.Generator, n: int, change: float, cv: float) -> list[float]:
    return [float(v) for v in 1000 * (1 + change) * np.exp(rng.normal(0, cv, n))]


def drawn() -> Iterator[Question]:
    """Yield questions with every kind of answer."""
    rng = np.random.default_rng(40)
    changes = (0.0, 0.001, 0.004, 0.012, 0.03, 0.0483, 0.08, 0.2, 2.0, 3000.0)
    for n, cv, change, relevance in itertools.product(
        (2, 3, 5, 10, 30), (0.0, 0.001, 0.01, 0.05, 0.4), changes, (0.0, 0.002, 0.01, 0.05, 0.2)
    ):
        down, direction = rng.integers(2), list(Direction)[rng.integers(2)]
        base = boots(rng, n, 0.0, cv)
        new = boots(rng, n, 1 / (1 + change) - 1 if down else change, cv)
        question = Question(
            base=base, new=new, direction=direction, relevance=relevance, resolution=0.01
        )
        yield question
        if n > 2:
            yield evolve(question, paired=True)
            yield evolve(question, modes=TWO)
            yield evolve(question, resolution=60.0)
            yield evolve(question, base=[0.0, *base[1:]], resolution=1.0)
    for base, new in (
        ([0.0] * 5, [0.0] * 5),
        ([0.0, 0.0, 1.0, 0.0, 1.0], [40.0, 41.0, 40.0, 42.0, 41.0]),
        ([1e-9, 1.0, 1e9], [1e-300, 1e300, 1.0]),
        ([1e-300] * 5, [1e300] * 5),
        ([1e300, 1e299, 1e300], [1e-300] * 3),
        ([0.0] * 10, [1e-300] * 10),
        ([35.0] * 5, [36.0] * 5),
    ):
        for resolution, direction in itertools.product((1.0, 1e-300), Direction):
            yield Question(
                base=base, new=new, direction=direction, relevance=0.01, resolution=resolution
            )


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    questions = list(drawn())
    return list(zip(questions, judge(questions), strict=True))


@pytest.fixture(scope="module")
def decided(judged: list[Judged]) -> list[tuple[Question, float | None, Decision]]:
    return [
        (q, suspicion, decide(q, a, rounds=rounds, suspicion=suspicion))
        for (q, a), rounds, suspicion in itertools.product(
            judged, ((3, 5), (10, 20, 40)), (None, 0.05, -0.05)
        )
    ]


def close(said: str, relative: float) -> bool:
    """Return whether a printed percentage is a relative change, as far as its digits go."""
    if said[0] in "<>":
        return relative > 1000 if said[0] == ">" else relative < -1000
    return math.isclose(float(said), 100 * relative, rel_tol=1e-3, abs_tol=0.0051)


def broken(question: Question, answer: Comparison, text: str) -> str | None:
    """Return the first rule that a sentence breaks, or None."""
    if re.search(r"\b(inf|nan|sure|certain|likely)\b", text):
        return "a word that no p-value supports, or no number"
    if not answer.reason or len(text) > 320:
        return "length"
    if "chance" in text and (answer.p_zero is None or answer.p_zero < 0.05):
        return "chance, with evidence of a change"
    low, high = answer.ci_low, answer.ci_high
    if "chance" in text and not (low is not None and high is not None and low <= 0 <= high):
        return "chance, and an interval without 0"
    return wrong_number(question, answer, text)


def wrong_number(question: Question, answer: Comparison, text: str) -> str | None:
    """Return which number of a sentence is not the answer's, or None."""
    effect, low, high = answer.effect, answer.ci_low, answer.ci_high
    size = SIZE.search(text)
    if size is None:
        return None
    if effect is None or low is None or high is None:
        return "figures of no test"
    ends = (low, high) if effect > 0 else (-high, -low)
    if (size[1] == "better") != ((effect > 0) == (question.direction is Direction.HIGHER)):
        return "direction"
    if not size[2] and not close(size[3], abs(effect)):
        return "size"
    if not all(close(said, end) for said, end in zip((size[4], size[5]), ends, strict=True)):
        return "interval"
    return None


def test_a_sentence_is_true_of_its_figures(judged: list[Judged]) -> None:
    for question, answer in judged:
        assert broken(question, answer, answer.reason) is None, answer
    # Negative control: a sentence of other figures is found out.
    question, answer = next((q, a) for q, a in judged if a.verdict is Verdict.MARGINAL)
    effect = (answer.effect or 0.0) * 1.5
    assert broken(question, evolve(answer, effect=effect), answer.reason) == "size"
    assert broken(question, evolve(answer, ci_low=-0.5), answer.reason) == "interval"
    other = f"{answer.reason}, which chance can explain"
    assert broken(question, answer, other) == "chance, with evidence of a change"


def test_every_verdict_has_its_words(judged: list[Judged]) -> None:
    seen = set()
    for question, answer in judged:
        text, verdict = answer.reason, answer.verdict
        seen.add(verdict)
        if verdict in FLAGS:
            assert text.startswith("worse by" if verdict is Verdict.REGRESSION else "better by")
            assert "or less is rejected" in text or "no change at all is rejected" in text
        elif verdict is Verdict.UNCHANGED:
            assert text == sentences.ZEROS or "a change outside [-" in text
            assert "not excluded" not in text
        else:
            assert "is rejected" not in text
        if verdict is Verdict.MARGINAL:
            assert answer.p_zero is not None
            assert is_certain(answer.p_zero)
            assert "excluded" in text
            assert "against no change" in text
            assert answer.p is not None
            assert answer.p >= SIGNIFICANCE or question.modes is not None
            assert question.relevance > 0
    assert seen == set(Verdict) - {Verdict.NOT_COMPARABLE}


def test_what_a_flag_rejects_lies_outside_its_interval(judged: list[Judged]) -> None:
    found = 0
    for question, answer in judged:
        null = NULL.search(answer.reason)
        if answer.verdict not in FLAGS or null is None or question.modes is not None:
            continue
        assert answer.ci_low is not None
        assert answer.ci_high is not None
        bound, up = float(null[2]) / 100, null[1] == "an increase"
        assert bound == pytest.approx(
            question.relevance if up else question.relevance / (1 + question.relevance), rel=1e-2
        )
        assert answer.ci_low > bound * 0.99 if up else answer.ci_high < -bound * 0.99
        found += 1
    assert found > 100


def test_a_rerun_says_nothing_against_their_verdict(
    decided: Sequence[tuple[Question, float | None, Decision]],
) -> None:
    seen = set()
    for question, suspicion, made in decided:
        answer, text = made.comparison, made.reason
        assert broken(question, answer, text) is None, made
        seen.add((made.stand, answer.p is None))
        confirmed = made.stand is Stand.CONFIRMED
        assert ("confirms it: " in text) == confirmed
        assert ("is rejected" in text) == confirmed
        assert ("does not show it again" in text) == (made.stand is Stand.REFUTED)
        if confirmed:
            assert answer.p is not None
            assert answer.p < LEVEL_RELEVANCE
        if "where a confirmation needs less" in text:
            assert made.p is not None
            assert made.p >= (LEVEL if answer.levels is None else LEVEL_OFF)
        if "the interval" in text:
            margin = equivalence_margin(question.relevance)
            assert answer.ci_low is not None
            assert answer.ci_high is not None
            if suspicion is None or suspicion > 0:
                assert answer.ci_high < margin
            if suspicion is None or suspicion < 0:
                assert answer.ci_low > -margin / (1 + margin)
        if "opposite" in text:
            assert suspicion is not None
            assert answer.effect is not None
            assert suspicion * answer.effect < 0
    assert seen >= {
        (Stand.CONFIRMED, False),
        (Stand.REFUTED, False),
        (Stand.REFUTED, True),
        (Stand.OPEN, False),
        (Stand.OPEN, True),
        (Stand.UNDECIDED, False),
    }


def test_every_kind_of_sentence_is_in_the_grid(
    judged: list[Judged], decided: Sequence[tuple[Question, float | None, Decision]]
) -> None:
    said = "\n".join([a.reason for _, a in judged] + [d.reason for *_, d in decided])
    for words in (
        "neither shown nor excluded",
        "is not shown, and",
        "which chance can explain (p = ",
        "weak evidence of a change (p = ",
        "no change [",
        "so no number of boots can show",
        "and can cause all of it",
        "are too few: at least 3",
        "too few for a metric of two modes",
        "in the upper mode",
        "counts as one step",
        "check tools and config first",
        "the interval lies within [",
        "the interval excludes an increase",
        "the interval excludes a decrease",
        "the opposite of what was suspected",
        "or more is not shown",
        "more than 100000 %",
        sentences.ZEROS,
        "confirms it: ",
        "does not show it again: ",
        "runs a side, 20 may decide: ",
        "runs a side, and more are not worth it: ",
    ):
        assert words in said, words
    assert unwanted(said) == []


def test_a_marginal_change_in_words() -> None:
    change = sentences.Change(
        effect=0.0483, low=0.0449, high=0.0516, better=False, relevance=0.05, margin=0.05
    )
    assert sentences.marginal(change, 1e-12, None) == (
        "worse by 4.83 % [4.49, 5.16] (p < 0.0001 against no change); an increase of 5 % or more"
        " is neither shown nor excluded"
    )
    turned = evolve(change, effect=-0.047, low=-0.053, high=-0.04, better=True)
    assert sentences.marginal(turned, 0.002, 22) == (
        "better by 4.70 % [4.00, 5.30] (p = 0.002 against no change); a decrease of 4.76 % or"
        " more is neither shown nor excluded; about 22 boots a side would decide"
    )
    small = evolve(change, effect=0.012, low=0.003, high=0.021, relevance=0.005, margin=0.015)
    assert sentences.marginal(small, 0.005, None).endswith(
        "; an increase of 0.5 % or more is not shown, and an increase of 1.5 % or more is not"
        " excluded"
    )
