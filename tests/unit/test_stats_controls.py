# SPDX-License-Identifier: GPL-2.0-only
"""Control boots of earlier nights: what they are worth, and that drift costs no false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from attrs import evolve

from vlag.model import Direction
from vlag.stats.compare import SCREEN, Question, judge, levels
from vlag.stats.controls import Controls, controls
from vlag.stats.prior import Prior

pytestmark = pytest.mark.slow

CV = 0.02
BOOTS = 5


def question(base: list[float], new: list[float], known: Controls | None) -> Question:
    return Question(
        base=base,
        new=new,
        direction=Direction.HIGHER,
        relevance=0.01,
        resolution=0.001,
        prior=Prior(variance=CV**2, freedom=40),
        controls=known,
    )


def screens(
    nights: int, drift: float, change: float = 0.0, pairs: int = 1500
) -> tuple[float, float, float]:
    """Return the share of suspects: with controls, with all boots in one pool, without.

    `drift` is the standard deviation between nights as a multiple of that of boots.
    """
    random = np.random.default_rng([nights, int(10 * drift)])
    asked: list[list[Question]] = [[], [], []]
    for _ in range(pairs):
        levels_ = random.normal(0, drift * CV, nights + 1)
        boots = 1000 * np.exp(levels_[:, None] + random.normal(0, CV, (nights + 1, BOOTS)))
        earlier, base = [list(map(float, n)) for n in boots[:-1]], list(map(float, boots[-1]))
        new = 1000 * (1 + change) * np.exp(levels_[-1] + random.normal(0, CV, BOOTS))
        mine = list(map(float, new))
        known = controls(base, earlier, resolution=0.001)
        assert known is not None
        asked[0].append(question(base, mine, known))
        asked[1].append(question([*base, *(v for n in earlier for v in n)], mine, None))
        asked[2].append(question(base, mine, None))
    found = [sum(a.suspect for a in judge(questions)) / pairs for questions in asked]
    return found[0], found[1], found[2]


@pytest.mark.parametrize("nights", [3, 12])
@pytest.mark.parametrize("drift", [0.0, 0.5, 1.0, 2.0])
def test_drift_between_nights_raises_no_more_suspicions(nights: int, drift: float) -> None:
    ours, pooled, _alone = screens(nights, drift)
    assert ours < SCREEN + 0.025
    if drift >= 1:  # Negative control: boots of other nights taken as they are.
        assert pooled > 2 * SCREEN


def test_controls_find_a_change_of_3_percent() -> None:
    ours, _pooled, alone = screens(12, 0.0, change=-0.03)
    assert ours > 0.87
    assert alone < 0.80  # Negative control: 5 boots against 5


def test_steady_nights_count_and_drifting_ones_hardly() -> None:
    random = np.random.default_rng(1)
    steady = [list(np.exp(random.normal(0, CV, BOOTS))) for _ in range(13)]
    known = controls(steady[0], steady[1:], resolution=1e-6)
    assert known is not None
    assert known.taken == 60
    assert 5 < known.boots <= 60
    moved = [[v * math.exp(0.05 * (i % 3)) for v in n] for i, n in enumerate(steady)]
    drifting = controls(moved[0], moved[1:], resolution=1e-6)
    assert drifting is not None
    assert drifting.boots < 1


def test_the_level_is_that_of_the_effect() -> None:
    base, new = [100.0, 101.0, 99.0, 100.5, 99.5], [97.0, 98.0, 96.5, 97.5, 96.0]
    known = Controls(level=math.log(102.0), boots=10.0, taken=20)
    asked = question(base, new, known)
    [answer] = judge([asked])
    low, high = levels(base, new, resolution=asked.resolution, controls=known)
    assert low is not None
    assert high is not None
    assert answer.effect is not None
    assert high / low - 1 == pytest.approx(answer.effect)
    assert low == pytest.approx(100 * 1.02 ** (2 / 3), rel=1e-3)
    [alone] = judge([evolve(asked, controls=None)])
    assert answer.ci_high is not None
    assert alone.ci_high is not None
    assert answer.effect < (alone.effect or 0)
    # Pairs take none: their seeds go together.
    paired = [evolve(asked, paired=True, controls=c) for c in (known, None)]
    first, second = judge(paired)
    assert first == second


@pytest.mark.parametrize(
    "earlier",
    [[], [[1.0, 1.1]], [[1.0], [1.1]]],
    ids=["none", "one night", "no night with two boots"],
)
def test_too_little_is_nothing(earlier: list[list[float]]) -> None:
    assert controls([1.0], earlier, resolution=0.01) is None


def test_equal_values_and_zeros_have_the_step_s_spread() -> None:
    known = controls([20.0] * 3, [[20.0] * 3, [20.0] * 3, [0.0, 20.0, 20.0]], resolution=1.0)
    assert known is not None
    assert 0 < known.boots <= 9
    equal = controls([20.0] * 3, [[20.0] * 3] * 3, resolution=1.0)
    assert equal is not None
    assert equal.boots == pytest.approx(9)
