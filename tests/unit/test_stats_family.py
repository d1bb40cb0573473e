# SPDX-License-Identifier: GPL-2.0-only
"""A night as a family: what is told, and how much of it is false."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from vlag.stats.compare import SCREEN
from vlag.stats.multiple_testing import combined, discoveries, holm, step_up


def test_the_adjusted_p_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 7, 400):
        p = rng.random(size) ** 3
        p[: size // 3] = p[0]  # equal ones, too
        assert np.array_equal(step_up(p), scipy.stats.false_discovery_control(p))
    # Negative control: Bonferroni's are others.
    assert not np.array_equal(np.minimum(1, p * size), step_up(p))


def test_both_stages_count() -> None:
    assert combined(1e-3) == pytest.approx(SCREEN * 1e-3)


def test_the_whole_night_counts() -> None:
    p = [1e-5, 1e-3, 0.02]
    assert discoveries(p, tests=3) == [True, True, True]
    assert discoveries(p, tests=600) == [True, False, False]
    assert discoveries(p, tests=600, q=0.5) == [True, True, False]
    assert discoveries([], tests=600) == []
    assert discoveries([], tests=0) == []


def test_order_is_kept() -> None:
    assert discoveries([0.9, 1e-6, 0.5, 1e-7], tests=600) == [False, True, False, True]


def test_others_that_are_told_make_room() -> None:
    """The procedure's step: one p at twice the first threshold passes beside another."""
    threshold = 0.05 / 600
    assert discoveries([1.9 * threshold], tests=600) == [False]
    assert discoveries([1.9 * threshold, 0.5 * threshold], tests=600) == [True, True]


def test_discoveries_of_nights_without_any_change() -> None:
    rng = np.random.default_rng(1)
    nights = rng.random((300, 586))
    kept = sum(any(discoveries(night.tolist(), tests=586)) for night in nights)
    without = np.mean(np.sum(nights < 0.05, axis=1))
    assert kept / 300 <= 0.09
    assert without > 20


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot come of 1 comparisons"):
        discoveries([0.1, 0.2], tests=1)
    with pytest.raises(ValueError, match="p"):
        discoveries([1.5], tests=3)


def test_holm_adjusts_for_the_whole_family_and_keeps_the_order() -> None:
    assert holm([0.03, 0.001, 0.02]) == pytest.approx([0.04, 0.003, 0.04])
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])
    assert holm([0.005]) == [0.005]
    assert holm([]) == []


def test_holm_holds_the_level_of_a_family() -> None:
    rng = np.random.default_rng(2)
    families = rng.random((4000, 6))
    any_ = np.mean([min(holm(p.tolist())) < 0.01 for p in families])
    assert any_ <= 0.015
    assert np.mean(families.min(axis=1) < 0.01) >= 0.045
