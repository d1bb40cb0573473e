# SPDX-License-Identifier: GPL-2.0-only
"""Priors from a series' history: what they recover, when they say nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vlag.stats.prior import FREEDOM_MAXIMUM, Prior, pairing, prior


def history(
    rng: np.random.Generator, kernels: int, n: int, *, disagreement: float = 0.0
) -> list[list[float]]:
    """Draw boots of 2 % scatter; `disagreement` is the spread of the log of that scatter."""
    scatter = 0.02 * np.exp(rng.normal(0, disagreement, (kernels, 1)))
    centre = 1000 * np.exp(rng.normal(0, 0.1, (kernels, 1)))
    values = centre * np.exp(rng.normal(0, 1, (kernels, n)) * scatter)
    return [[float(v) for v in row] for row in values]


def made(groups: list[list[float]]) -> Prior:
    found = prior(groups)
    assert found is not None
    return found


def test_kernels_that_agree_give_their_variance_and_many_degrees() -> None:
    found = made(history(np.random.default_rng(1), 200, 5))
    assert math.sqrt(found.variance) == pytest.approx(0.02, rel=0.1)
    assert found.freedom > 30


def test_kernels_that_disagree_give_few_degrees() -> None:
    found = made(history(np.random.default_rng(2), 200, 5, disagreement=1.0))
    assert found.freedom < 4


def test_scaled_f_is_recovered() -> None:
    rng = np.random.default_rng(2)
    freedom, scale = 8.0, 0.02**2
    variances = scale * freedom / rng.chisquare(freedom, 2000)
    groups = [[float(math.exp(v)) for v in rng.normal(0, math.sqrt(s), 6)] for s in variances]
    found = made(groups)
    assert found.variance == pytest.approx(scale, rel=0.1)
    assert found.freedom == pytest.approx(freedom, rel=0.25)


def test_degrees_are_bounded_by_the_boots_and_the_cap() -> None:
    rng = np.random.default_rng(4)
    small = [made(history(rng, 3, 3)).freedom for _ in range(40)]
    assert max(small) == 6
    assert max(made(history(rng, 60, 5)).freedom for _ in range(20)) == FREEDOM_MAXIMUM


def test_unit_does_not_matter() -> None:
    groups = history(np.random.default_rng(5), 20, 5, disagreement=0.7)
    first, second = made(groups), made([[v * 1e-6 for v in g] for g in groups])
    assert second.variance == pytest.approx(first.variance)
    assert second.freedom == pytest.approx(first.freedom)


def test_levels_of_the_kernels_do_not_matter_but_pooling_them_would() -> None:
    groups = history(np.random.default_rng(6), 30, 5)
    assert made(groups).variance == pytest.approx(0.02**2, rel=0.4)
    # Negative control: boots dealt to wrong kernels hold the changes between kernels.
    dealt = [list(g) for g in zip(*(groups[i::5] for i in range(5)), strict=True)]
    mixed = [[boots[i % 5] for i, boots in enumerate(group)] for group in dealt]
    assert made(mixed).variance > 5 * made(groups).variance


def test_what_says_nothing() -> None:
    good = history(np.random.default_rng(7), 3, 4)
    assert prior(good) is not None
    assert prior([]) is None
    assert prior(good[:2]) is None
    assert prior([*good[:2], [5.0]]) is None
    assert prior([*good[:2], [0.0, 5.0, 6.0]]) is None
    assert prior([[20.0] * 5] * 4) is None
    # Sets that say nothing change nothing.
    assert prior([*good, [5.0], [0.0, 1.0], []]) == prior(good)


def test_a_group_without_scatter_takes_freedom_away() -> None:
    groups = history(np.random.default_rng(8), 10, 5)
    assert made([*groups, [20.0] * 5]).freedom < made(groups).freedom


def seeds(
    rng: np.random.Generator, kernels: int, shared: float
) -> list[tuple[list[float], list[float]]]:
    """Draw pairs of kernels; `shared` is the part of the variance that the seed makes."""
    pairs = []
    for _ in range(kernels):
        seed = rng.normal(0, math.sqrt(shared), 5)
        own = rng.normal(0, math.sqrt(1 - shared), (2, 5))
        first, second = np.exp(0.02 * (seed + own)).tolist()
        pairs.append((first, second))
    return pairs


def test_equal_seeds_that_go_together_are_paired() -> None:
    rng = np.random.default_rng(9)
    together = seeds(rng, 20, 0.95)
    assert pairing(together)
    # Negative control: the same boots beside the wrong partners.
    assert not pairing([(first, second[1:] + second[:1]) for first, second in together])


def test_weak_or_no_correlation_is_not_paired() -> None:
    rng = np.random.default_rng(10)
    assert sum(pairing(seeds(rng, 6, 0.0)) for _ in range(200)) <= 2
    assert sum(pairing(seeds(rng, 6, 0.5)) for _ in range(400)) / 400 < 0.09


def test_pairs_that_say_nothing() -> None:
    good = seeds(np.random.default_rng(11), 20, 0.95)
    assert not pairing([])
    assert not pairing([(first[:3], second[:3]) for first, second in good])
    assert not pairing([([5.0] * 5, [6.0] * 5)] * 20)
    assert not pairing([([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])] * 20)
    assert pairing([*good, ([5.0] * 5, [6.0] * 5)])
    assert pairing([(first, list(first)) for first, _ in good])
    with pytest.raises(ValueError, match="cannot stand beside"):
        pairing([([1.0, 2.0], [1.0])])
