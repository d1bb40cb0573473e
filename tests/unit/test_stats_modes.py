"""Two modes: found where they are, not where they are not, and compared by share and rank."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vlag.model import Direction, Verdict
from vlag.stats.compare import compare
from vlag.stats.modes import Modes, contrast, modes

TWO = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.8)
MARGIN = math.log1p(0.01)


def boots(rng: np.random.Generator, n: int, *, low: float, scatter: float = 0.01) -> list[float]:
    """Draw boots near 1000, a share of `low` in a mode 10 % lower."""
    values = 1000 * np.where(rng.random(n) < low, 0.9, 1.0) * np.exp(rng.normal(0, scatter, n))
    return [float(v) for v in values]


def test_two_modes_are_found_with_their_border() -> None:
    rng = np.random.default_rng(1)
    found = [modes(boots(rng, 40, low=0.3)) for _ in range(100)]
    right = [m for m in found if m is not None]
    assert len(right) >= 90
    for m in right:
        assert m.low < m.border < m.high
        assert m.low == pytest.approx(900, rel=0.02)
        assert m.high == pytest.approx(1000, rel=0.02)
    assert np.mean([m.share_high for m in right]) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("n", [10, 15, 40])
def test_one_mode_is_not_taken_for_two(n: int) -> None:
    rng = np.random.default_rng(2)
    for scores in (rng.normal(0, 1, (500, n)), rng.standard_t(4, (500, n))):
        pools = 1000 * np.exp(0.02 * scores)
        assert sum(modes(p.tolist()) is not None for p in pools) / 500 <= 0.02


def test_outliers_and_steps_of_a_tool_are_no_modes() -> None:
    rng = np.random.default_rng(3)
    calm = boots(rng, 20, low=0.0, scatter=0.002)
    assert modes([*calm, 900.0, 901.0]) is None
    assert modes([*calm, 900.0, 901.0, 902.0]) is not None
    assert modes([20.0] * 10 + [21.0] * 10) is None
    assert modes([20.0] * 10 + [21.0] * 9 + [22.0]) is None
    assert modes([20.0] * 30) is None


def test_what_says_nothing() -> None:
    pool = [900.0, 901.0, 902.0, 1000.0, 1001.0, 1002.0, 1003.0, 1000.5, 1001.5, 1002.5]
    assert modes(pool) is not None
    assert modes(pool[:9]) is None
    assert modes([]) is None
    assert modes([*pool, 0.0]) is None


def test_unit_and_order_do_not_matter() -> None:
    pool = boots(np.random.default_rng(4), 40, low=0.3)
    first, second = modes(pool), modes([v * 1e-3 for v in reversed(pool)])
    assert first is not None
    assert second is not None
    assert second.border == pytest.approx(first.border * 1e-3)
    assert second.share_high == first.share_high


def test_equal_kernels_keep_the_level() -> None:
    rng = np.random.default_rng(5)
    seen = [
        contrast(boots(rng, 12, low=0.3), boots(rng, 12, low=0.3), modes=TWO, margin=MARGIN)
        for _ in range(500)
    ]
    assert sum(c.p_zero < 0.05 for c in seen) / 500 <= 0.07
    assert sum(c.p < 0.05 for c in seen) <= sum(c.p_zero < 0.05 for c in seen)


def test_a_change_of_occupancy_is_seen_and_said() -> None:
    rng = np.random.default_rng(6)
    seen = contrast(boots(rng, 20, low=0.05), boots(rng, 20, low=0.9), modes=TWO, margin=MARGIN)
    assert seen.p < 1e-4
    assert seen.words.startswith("in the upper mode, above 950, lie ")


def test_a_shift_inside_the_modes_is_seen_beyond_the_relevance_only() -> None:
    rng = np.random.default_rng(7)
    base = boots(rng, 20, low=0.0, scatter=0.003)
    large = contrast(base, [v * 0.98 for v in base], modes=TWO, margin=MARGIN)
    small = contrast(base, [v * 0.995 for v in base], modes=TWO, margin=MARGIN)
    assert large.p < 1e-4
    assert small.p_zero < 0.01
    assert small.p > 0.5


def test_one_mode_assumed_flags_what_the_shares_leave_open() -> None:
    """Six boots of ten in another mode: normal scatter could not do that, two modes can."""
    base = [1000.0 + i for i in range(10)]
    new = base[:4] + [900.0 + i for i in range(6)]
    answers = [
        compare(base, new, direction=Direction.HIGHER, relevance=0.01, resolution=0.1, modes=m)
        for m in (None, TWO)
    ]
    assert [a.verdict for a in answers] == [Verdict.REGRESSION, Verdict.MARGINAL]
    assert answers[1].reason.endswith("lie 100 % of the base's boots and 40 % of the new's")
    assert answers[1].suspect
