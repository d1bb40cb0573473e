# SPDX-License-Identifier: GPL-2.0-only
"""A loss that came little by little is told from a step, and from none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bench.years import slow as bench
from vlag.stats.healing import Estimate
from vlag.stats.slow import LEAST, slow_loss

MATTERS = 0.02


def heads(truth: Sequence[float], error: float = 0.003, seed: int = 1) -> list[Estimate]:
    rng = np.random.Generator(np.random.PCG64(seed))
    return [Estimate(change=x + rng.normal(0, error), half=1.96 * error) for x in truth]


STEPS = [0.0] * 4 + [0.007 * (1 + i // 4) for i in range(20)]


def test_five_small_steps_are_one_slow_loss() -> None:
    found = slow_loss(heads(STEPS), matters=MATTERS)
    assert found is not None
    assert found.loss == pytest.approx(0.035, abs=0.006)
    assert found.level == pytest.approx(0.035, abs=0.006)
    assert 0 <= found.first <= 6
    assert 16 <= found.last <= 23


@pytest.mark.parametrize(
    "truth",
    [
        [0.0] * 24,
        [0.0] * 12 + [0.035] * 12,
        [0.0] * 12 + [0.08] * 12,
        [-x for x in STEPS],
        [0.1 * x for x in STEPS],
        [x - 0.03 for x in STEPS],  # against the baseline it is hardly worse
        [0.05] * 24,
        STEPS[-LEAST + 1 :],
    ],
    ids=["level", "step", "large step", "gain", "small", "as the baseline", "worse", "few"],
)
def test_what_is_no_slow_loss(truth: list[float]) -> None:
    """Negative controls."""
    assert slow_loss(heads(truth), matters=MATTERS) is None


def test_heads_that_do_not_differ() -> None:
    assert slow_loss(heads(STEPS, error=0.0), matters=MATTERS) is not None
    assert slow_loss(heads([0.0] * 12 + [0.035] * 12, error=0.0), matters=MATTERS) is None


def test_the_stated_rates() -> None:
    """As `python -m bench slow` has them, of fewer histories."""
    rng = np.random.Generator(np.random.PCG64(8))
    shapes = bench.shapes()
    for name in ("level", "one step of 3.5 %"):
        assert bench.share(shapes[name], 0.01, 20, rng) <= 0.05
    assert bench.share(shapes["five steps of 0.7 %"], 0.01, 10, rng) >= 0.7
