# SPDX-License-Identifier: GPL-2.0-only
"""The figures on new modes: a share of the boots is told, and equal kernels tell nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bench.new_modes import in_1000, taken_through
from bench.shapes import shipped
from vlag.stats.stages import Stand

PAIRS = 40
SHAPE = next(s for s in shipped()[2] if s.seeds == 5 and len(s.rounds) == 3 and s.relevance == 0.01)


def stands(base: float, new: float) -> Counter[Stand | None]:
    random = np.random.default_rng(49)
    return Counter(taken_through(SHAPE, (base, new), random).stand for _ in range(PAIRS))


def test_a_mode_of_a_third_is_told_and_hardly_ever_refuted() -> None:
    found = stands(0.0, 0.35)
    assert found[Stand.CONFIRMED] > PAIRS / 2
    # Where most boots of a screen are in it, that is taken for a change of all.
    assert found[Stand.REFUTED] <= PAIRS / 20


def test_equal_kernels_tell_nothing() -> None:
    """Negative control: with the mode on both sides, and on neither."""
    assert stands(0.35, 0.35)[Stand.CONFIRMED] == 0
    assert stands(0.0, 0.0)[Stand.CONFIRMED] == 0


def test_a_count_has_its_exact_interval() -> None:
    assert in_1000(0, 500) == "0.0 [0.0, 7.4]"
    assert in_1000(50, 100) == "500.0 [398.3, 601.7]"
