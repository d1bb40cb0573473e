# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts over a whole grid: none contradicts its interval, its p or its neighbour."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from attrs import evolve
from scipy import stats

from vlag.model import Direction, Verdict
from vlag.stats.compare import (
    SIGNIFICANCE,
    Comparison,
    Question,
    compare,
    equivalence_margin,
    is_certain,
    judge,
)

EFFECTS = tuple(0.001 * k for k in (*range(0, 12, 2), *range(12, 34), *range(36, 80, 4)))
BOOTS = (3, 4, 5, 6, 8, 10, 20, 30)
SCATTERS = (0.0, 1e-4, 5e-4, 0.001, 0.002, 0.004, 0.006, 0.01, 0.014, 0.02, 0.05)
RELEVANCES = (0.003, 0.01, 0.02, 0.05)
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
#: What a larger change of the same boots leads to.
BY_EFFECT = (Verdict.UNCHANGED, Verdict.INCONCLUSIVE, Verdict.MARGINAL, Verdict.REGRESSION)
Place = tuple[float, int, float, float, bool]  # effect, boots, scatter, relevance, up


def asked(place: Place, *, resolution: float = 1e-4) -> Question:
    """Return a question whose boots have exactly this effect and scatter; 0: all are ties."""
    effect, n, scatter, relevance, up = place
    quantiles = stats.norm.ppf((np.arange(n) + 0.5) / n)
    shape = scatter * quantiles / (np.std(quantiles, ddof=1) or 1.0)
    sign = 1 if up else -1
    return Question(
        base=np.exp(shape).tolist(),
        new=np.exp(shape + sign * math.log1p(effect)).tolist(),
        direction=Direction.LOWER if up else Direction.HIGHER,
        relevance=relevance,
        resolution=resolution,
        one_mode=True,
    )


@pytest.fixture(scope="module")
def grid() -> dict[Place, tuple[Question, Comparison]]:
    places = list(itertools.product(EFFECTS, BOOTS, SCATTERS, RELEVANCES, (True, False)))
    questions = [asked(place) for place in places]
    return dict(zip(places, zip(questions, judge(questions), strict=True), strict=True))


def contradiction(question: Question, answer: Comparison) -> str | None:
    """Return what a verdict contradicts, or None."""
    low, high, p, zero = answer.ci_low, answer.ci_high, answer.p, answer.p_zero
    assert low is not None and high is not None and p is not None and zero is not None  # noqa: PT018
    relevance, certain = math.log1p(question.relevance), is_certain(zero)
    margin = math.log1p(equivalence_margin(question.relevance))
    ends = sorted((abs(math.log1p(low)), abs(math.log1p(high))))
    holds_zero = low <= 0 <= high
    matters = ends[1] >= relevance
    if certain and holds_zero:
        return "p and interval"
    if answer.verdict in FLAGS:
        return None if p < SIGNIFICANCE and not holds_zero and ends[0] > relevance else "flag"
    if answer.verdict is Verdict.UNCHANGED:
        if certain and matters:
            return "unchanged, and a certain change as large as what matters"
        return None if abs(math.log1p(answer.effect or 0.0)) < margin else "unchanged"
    if answer.verdict is Verdict.MARGINAL:
        return None if certain and matters and p >= SIGNIFICANCE else "marginal"
    return "inconclusive, and certain" if certain else None


def test_no_verdict_contradicts_its_interval_or_its_p(
    grid: dict[Place, tuple[Question, Comparison]],
) -> None:
    found = [(p, said) for p, (q, a) in grid.items() if (said := contradiction(q, a))]
    assert found == []
    seen = Counter(a.verdict for _q, a in grid.values())
    assert min(seen[v] for v in BY_EFFECT) > 100
    # Negative control: another verdict on the same figures is a contradiction.
    for verdict, other in (
        (Verdict.MARGINAL, Verdict.UNCHANGED),
        (Verdict.MARGINAL, Verdict.REGRESSION),
        (Verdict.REGRESSION, Verdict.UNCHANGED),
        (Verdict.INCONCLUSIVE, Verdict.MARGINAL),
        (Verdict.REGRESSION, Verdict.INCONCLUSIVE),
    ):
        question, answer = next((q, a) for q, a in grid.values() if a.verdict is verdict)
        assert contradiction(question, evolve(answer, verdict=other))


def test_a_larger_change_never_says_less(grid: dict[Place, tuple[Question, Comparison]]) -> None:
    for rest in itertools.product(BOOTS, SCATTERS, RELEVANCES, (True, False)):
        row = [grid[(effect, *rest)][1].verdict for effect in EFFECTS]
        assert Verdict.IMPROVEMENT not in row
        ranks = [BY_EFFECT.index(v) for v in row]
        assert ranks == sorted(ranks), (rest, row)


def known(verdicts: list[Verdict]) -> str | None:
    """Return how verdicts on ever better known boots of one change contradict each other."""
    for a, b in itertools.pairwise(verdicts):
        if a in FLAGS and b not in FLAGS:
            return "a flag is lost"
        if a is not Verdict.INCONCLUSIVE and b is Verdict.INCONCLUSIVE:
            return "an answer is lost"
        if {a, b} & {*FLAGS} and Verdict.UNCHANGED in (a, b):
            return "unchanged beside a flag"
    return None


def test_more_boots_or_less_scatter_take_nothing_back(
    grid: dict[Place, tuple[Question, Comparison]],
) -> None:
    for effect, relevance, up in itertools.product(EFFECTS, RELEVANCES, (True, False)):
        for n in BOOTS:
            row = [grid[(effect, n, s, relevance, up)][1].verdict for s in SCATTERS[::-1]]
            assert known(row) is None, (effect, n, relevance, row)
        for scatter in SCATTERS:
            row = [grid[(effect, n, scatter, relevance, up)][1].verdict for n in BOOTS]
            assert known(row) is None, (effect, scatter, relevance, row)
    # Negative control.
    assert known([Verdict.REGRESSION, Verdict.MARGINAL])
    assert known([Verdict.UNCHANGED, Verdict.INCONCLUSIVE])
    assert known([Verdict.UNCHANGED, Verdict.REGRESSION])


def test_ties_that_differ_by_what_matters_are_marginal() -> None:
    def ties(new: float, resolution: float = 1e-3) -> Comparison:
        return compare(
            [1.0] * 5, [new] * 5,
            direction=Direction.LOWER, relevance=0.02, resolution=resolution,
        )  # fmt: skip

    answer = ties(1.02)
    assert answer.verdict is Verdict.MARGINAL
    assert answer.reason.endswith("an increase of 2 % or more is neither shown nor excluded")
    assert answer.boots_needed is None
    assert (answer.ci_low, answer.ci_high) == pytest.approx((0.0196, 0.0204), abs=1e-4)
    # Negative controls: less and more than what matters, and a step of the tool as wide as that.
    assert ties(1.019).verdict is Verdict.UNCHANGED
    assert ties(1.021).verdict is Verdict.REGRESSION
    assert ties(1.02, 0.02).verdict is Verdict.INCONCLUSIVE
