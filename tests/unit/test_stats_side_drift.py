# SPDX-License-Identifier: GPL-2.0-only
"""Drifts within a side's boots: errors of the test, and what it must not depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlag.stats.side_drift import DISCOVERY_RATE, Drift, confirmed, drift

VALUES = st.lists(st.integers(500, 2000), min_size=4, max_size=20)


@settings(derandomize=True, deadline=None)
@given(VALUES, st.floats(0.1, 10.0))
def test_the_unit_of_a_figure_and_the_way_of_its_order_say_nothing(
    values: list[int], unit: float
) -> None:
    one, scaled = drift(values), drift([unit * v for v in values])
    back = drift(values[::-1])
    if one is None or scaled is None or back is None:
        assert one is scaled is back is None
        return
    assert scaled.change == pytest.approx(one.change, abs=1e-9)
    assert math.log1p(back.change) == pytest.approx(-math.log1p(one.change), abs=1e-9)
    assert back.p == pytest.approx(one.p, abs=1e-6)


def test_boots_that_only_scatter_have_a_p_that_is_uniform() -> None:
    rng = np.random.default_rng(6)
    drifts = [drift(np.exp(rng.normal(0, 0.02, 5)).tolist()) for _ in range(1500)]
    p = np.array([d.p for d in drifts if d is not None])
    assert len(p) == 1500
    for level in (0.01, 0.05, 0.5):
        assert np.mean(p < level) == pytest.approx(level, abs=4 * math.sqrt(level / 1500))


@pytest.mark.parametrize("boots", [5, 10])
def test_a_drift_of_ten_times_the_scatter_is_seen_and_shuffled_it_is_not(boots: int) -> None:
    rng = np.random.default_rng(7)
    seen = shuffled = 0
    for _ in range(100):
        line = np.linspace(0, 0.2, boots) + rng.normal(0, 0.01, boots)
        for order in (line, rng.permutation(line)):
            of = drift(np.exp(order).tolist())
            assert of is not None
            yes = confirmed([of, Drift(change=0.0, p=1.0)], relevances=[0.01, 0.01])[0]
            seen += yes and order is line
            shuffled += yes and order is not line
    assert seen >= 0.9 * 100
    assert shuffled <= 0.05 * 100


def test_of_many_figures_that_only_scatter_hardly_ever_one_is_said_to_drift() -> None:
    rng = np.random.default_rng(8)
    sets = 50
    said = 0
    for _ in range(sets):
        drifts = [drift(np.exp(rng.normal(0, 0.05, 5)).tolist()) for _ in range(40)]
        of = [d for d in drifts if d is not None]
        said += any(confirmed(of, relevances=[0.01] * len(of)))
    assert said <= sets * DISCOVERY_RATE + 4


def test_what_is_certain_and_small_is_no_drift() -> None:
    of = Drift(change=0.009, p=1e-9)
    assert confirmed([of], relevances=[0.01]) == [False]
    assert confirmed([of], relevances=[0.005]) == [True]
    assert confirmed([], relevances=[]) == []


def test_too_few_boots_and_equal_ones_have_no_drift() -> None:
    assert drift([1.0, 1.1, 1.2]) is None
    assert drift([3.0] * 6) is None
