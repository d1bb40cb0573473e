# SPDX-License-Identifier: GPL-2.0-only
"""Two modes: found where they are, not where they are not, and compared by share and rank."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from vlag.model import Direction, Verdict
from vlag.stats import ranks
from vlag.stats.compare import Question, compare, judge
from vlag.stats.modes import Modes, common, contrast, modes, unsafe
from vlag.stats.stages import Stand, confirm

pytestmark = pytest.mark.slow

TWO = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.8)
MARGIN = math.log1p(0.01)
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)


def boots(rng: np.random.Generator, n: int, *, low: float, scatter: float = 0.01) -> list[float]:
    """Draw boots near 1000, a share of `low` in a mode 10 % lower."""
    values = 1000 * np.where(rng.random(n) < low, 0.9, 1.0) * np.exp(rng.normal(0, scatter, n))
    return [float(v) for v in values]


def test_the_rank_test_is_that_of_scipy() -> None:
    """Of few boots exact, with equal values or of many the one that scipy chooses."""
    rng = np.random.default_rng(4)
    for n, m, step in ((5, 5, 0.0), (5, 8, 0.0), (8, 8, 0.0), (9, 9, 0.0), (6, 7, 0.5)):
        for _ in range(30):
            sides = rng.normal(0, 1, n), rng.normal(0.8, 1, m)
            base, new = (np.round(s / step) * step if step else s for s in sides)
            exact = scipy.stats.mannwhitneyu(base, new).pvalue
            assert ranks.differ(base.tolist(), new.tolist()) == pytest.approx(exact, rel=1e-12)


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


def flagged(
    n: tuple[int, int], *, scatter: float, change: float = 1.0, share: float = 0.3, seed: int = 8
) -> float:
    """Return the flags in 1000 pairs without a history: modes are those of a side's boots."""
    rng = np.random.default_rng(seed)
    asked = []
    for _ in range(2000):
        base, new = (boots(rng, k, low=share, scatter=scatter) for k in n)
        new = [v * change for v in new]
        asked.append(
            Question(
                base=base, new=new, direction=Direction.HIGHER, relevance=0.01, resolution=0.01,
                modes=modes(base) or modes(new),
            )
        )  # fmt: skip
    return 1000 * float(np.mean([answer.verdict in FLAGS for answer in judge(asked)]))


@pytest.mark.parametrize("n", [(3, 3), (5, 5), (10, 10), (5, 20)])
def test_two_modes_of_equal_kernels_are_hardly_ever_flagged(n: tuple[int, int]) -> None:
    assert flagged(n, scatter=0.005) <= 5


def test_the_guard_leaves_changes_of_one_mode_their_flags() -> None:
    assert flagged((5, 5), scatter=0.01, change=0.95, share=0.0) >= 980
    assert flagged((5, 20), scatter=0.01, change=0.95, share=0.0) >= 980


def test_when_unknown_modes_could_explain_a_change() -> None:
    low, high = [900.0 + i for i in range(10)], [1000.0 + i for i in range(10)]
    assert unsafe(high[:4], low[:4])
    assert not unsafe(high[:5], low[:5])
    # Five boots of one mode against many of both.
    assert unsafe(low[3:8], high + low)
    assert not unsafe(low[3:8], high + high)
    assert not unsafe(high + low[:5], low + high[:5])  # ten boots show their modes themselves


def test_modes_of_a_history_are_those_that_kernels_share() -> None:
    rng = np.random.default_rng(9)
    two = [boots(rng, 5, low=0.4) for _ in range(12)]
    assert common(two) is not None
    # A step between kernels is none, whichever of them scatters into both.
    step = [boots(rng, 5, low=float(i > 6)) for i in range(12)]
    assert modes([v for group in step for v in group]) is not None
    assert common(step) is None
    assert common([[900.0 + i for i in range(5)] + [1000.0 + i for i in range(5)]]) is not None
    assert common([[], []]) is None


def test_few_rerun_boots_confirm_nothing_of_two_modes() -> None:
    high, low = [1000.0 + i for i in range(10)], [900.0 + i for i in range(10)]

    def stand(n: int, two: Modes | None) -> Stand:
        asked = Question(
            base=high[:n], new=low[:n], direction=Direction.HIGHER, relevance=0.01,
            resolution=0.1, modes=two,
        )  # fmt: skip
        return confirm(asked, rounds=(5, 10, 20)).stand

    assert [stand(5, TWO), stand(10, TWO)] == [Stand.OPEN, Stand.CONFIRMED]
    assert stand(5, None) is Stand.CONFIRMED
