# SPDX-License-Identifier: GPL-2.0-only
"""The second stage: what rerun boots confirm, refute and leave open."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from vlag.model import Direction, Verdict
from vlag.stats.compare import Question, judge
from vlag.stats.modes import Modes
from vlag.stats.prior import Prior
from vlag.stats.stages import LEVEL, ROUNDS, Decision, Stand, confirm, decide

CV = 0.02


def question(
    base: list[float],
    new: list[float],
    *,
    resolution: float = 0.01,
    prior: Prior | None = None,
    modes: Modes | None = None,
) -> Question:
    return Question(
        base=base,
        new=new,
        direction=Direction.HIGHER,
        relevance=0.01,
        resolution=resolution,
        prior=prior,
        modes=modes,
    )


def boots(rng: np.random.Generator, n: int, change: float = 0.0, cv: float = CV) -> list[float]:
    return [float(v) for v in 1000 * (1 + change) * np.exp(rng.normal(0, cv, n))]


def through(
    change: float, *, suspicion: float, trials: int, seed: int, prior: Prior | None = None
) -> Counter[Stand]:
    """Take drawn suspects through the rounds; no stand is OPEN after the last."""
    rng = np.random.default_rng(seed)
    left = [(boots(rng, ROUNDS[-1]), boots(rng, ROUNDS[-1], change)) for _ in range(trials)]
    found: Counter[Stand] = Counter()
    for boots_now in ROUNDS:
        asked = [question(base[:boots_now], new[:boots_now], prior=prior) for base, new in left]
        made = [
            decide(q, answer, suspicion=suspicion)
            for q, answer in zip(asked, judge(asked), strict=True)
        ]
        found.update(d.stand for d in made if d.stand is not Stand.OPEN)
        left = [pair for pair, d in zip(left, made, strict=True) if d.stand is Stand.OPEN]
    assert not left
    return found


def test_equal_kernels_are_not_confirmed() -> None:
    found = through(0.0, suspicion=-0.03, trials=4000, seed=1)
    assert found[Stand.CONFIRMED] <= 6
    # Rerun boots refute what chance had made, they do not only fail to confirm it.
    assert found[Stand.REFUTED] / 4000 > 0.97


def test_level_is_split_over_the_rounds() -> None:
    base = [1000.0 * (1 + 0.01 * (i % 5 - 2)) for i in range(10)]
    for step in range(400):
        q = question(base, [v * (1 - 1e-4 * step) for v in base])
        for rounds in ((10,), (10, 20, 40)):
            made = confirm(q, rounds=rounds)
            p_zero = made.comparison.p_zero
            assert p_zero is not None
            if made.stand is Stand.CONFIRMED:
                assert p_zero < LEVEL / len(rounds)
            assert made.p == pytest.approx(min(1.0, p_zero * len(rounds)))


@pytest.mark.parametrize(("change", "power"), [(-0.05, 0.99), (-0.03, 0.9), (0.03, 0.85)])
def test_power_on_rerun_boots(change: float, power: float) -> None:
    found = through(change, suspicion=change, trials=500, seed=2)
    assert found[Stand.CONFIRMED] / 500 >= power


@pytest.mark.parametrize(
    ("change", "controls", "prior", "least", "most"),
    [
        (0.0, 5, None, 0.0, 0.001),
        (-0.05, 5, None, 0.94, 1.0),
        (-0.03, 25, Prior(variance=CV**2, freedom=20.0), 0.8, 1.0),
        # Negative control: what few controls and no history give.
        (-0.03, 5, None, 0.5, 0.7),
    ],
)
def test_both_stages(
    change: float, controls: int, prior: Prior | None, least: float, most: float
) -> None:
    rng = np.random.default_rng(7)
    pairs = 1000
    screened = judge(
        [question(boots(rng, controls), boots(rng, 5, change), prior=prior) for _ in range(pairs)]
    )
    told = 0
    for sign in (-1.0, 1.0):
        seen = sum(a.suspect and (a.effect or 0.0) * sign > 0 for a in screened)
        found = through(change, suspicion=sign, trials=seen, seed=8, prior=prior)
        told += found[Stand.CONFIRMED]
    assert least <= told / pairs <= most


def test_a_change_the_other_way_confirms_nothing() -> None:
    assert through(-0.05, suspicion=0.05, trials=200, seed=3) == {Stand.REFUTED: 200}
    assert through(-0.05, suspicion=-0.05, trials=200, seed=3)[Stand.CONFIRMED] > 195


def test_confirmed_carries_the_flag() -> None:
    rng = np.random.default_rng(4)
    base = boots(rng, 10)
    for factor, verdict in ((0.9, Verdict.REGRESSION), (1.1, Verdict.IMPROVEMENT)):
        made = confirm(question(base, [v * factor for v in base]))
        assert (made.stand, made.comparison.verdict) == (Stand.CONFIRMED, verdict)
        assert made.next_boots is None
        assert made.reason.startswith("a rerun of 10 boots a side confirms it: ")


def test_a_flag_that_is_not_confirmed_is_marginal() -> None:
    # Nine boots are less than the first round, so the rerun's own flag decides nothing.
    rng = np.random.default_rng(4)
    base = boots(rng, 9)
    rerun = question(base, [v * 0.9 for v in base])
    [alone] = judge([rerun])
    assert alone.verdict is Verdict.REGRESSION
    made = confirm(rerun)
    assert (made.stand, made.comparison.verdict) == (Stand.OPEN, Verdict.MARGINAL)
    assert made.comparison.reason == made.reason != alone.reason
    # Negative control: what is no flag keeps its word.
    assert (
        confirm(question(base, base)).comparison.verdict is judge([question(base, base)])[0].verdict
    )


def next_of(n: int, *, cv: float = 0.2) -> Decision:
    rng = np.random.default_rng(5)
    return confirm(question(boots(rng, n, cv=cv), boots(rng, n, cv=cv)), suspicion=0.05)


def test_rounds_end() -> None:
    assert [(next_of(n).stand, next_of(n).next_boots) for n in (4, 9, 10, 15, 20, 39)] == [
        (Stand.OPEN, 10),
        (Stand.OPEN, 10),
        (Stand.OPEN, 20),
        (Stand.OPEN, 20),
        (Stand.OPEN, 40),
        (Stand.OPEN, 40),
    ]
    for n in (40, 41):
        assert (next_of(n).stand, next_of(n).next_boots) == (Stand.UNDECIDED, None)


def test_nothing_is_decided_before_the_first_round() -> None:
    base = [1000.0, 1001.0, 999.0, 1000.5, 999.5]
    new = [v * 0.8 for v in base]
    assert confirm(question(base, new)).stand is Stand.OPEN
    assert confirm(question(base, new), rounds=(5, 10)).stand is Stand.CONFIRMED


def test_a_certain_change_of_no_relevance_is_refuted() -> None:
    base = [1000.0 + 0.1 * i for i in range(10)]
    made = confirm(question(base, [v * 0.995 for v in base]), suspicion=-0.02)
    assert made.comparison.p_zero is not None
    assert made.comparison.p_zero < 1e-6
    assert made.stand is Stand.REFUTED


def test_one_step_of_the_tool_is_not_confirmed() -> None:
    coarse = question([20.0] * 40, [21.0] * 40, resolution=1.0)
    fine = question([20.0] * 40, [21.0] * 40, resolution=0.01)
    assert confirm(coarse).stand is Stand.UNDECIDED
    assert confirm(fine).stand is Stand.CONFIRMED


def test_zeros_count_as_one_step() -> None:
    assert confirm(question([0.0] * 10, [0.0] * 10)).stand is Stand.REFUTED
    assert confirm(question([0.0] * 10, [5.0] * 10)).stand is Stand.CONFIRMED
    # A step as wide as the values proves nothing.
    made = confirm(question([0.0] * 10, [5.0] * 10, resolution=5.0))
    assert made.stand is Stand.OPEN


def test_two_modes_are_confirmed_by_their_shares() -> None:
    two = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.8)
    high, low = [1000.0 + i for i in range(20)], [900.0 + i for i in range(20)]
    assert confirm(question(high, high[:3] + low[3:], modes=two)).stand is Stand.CONFIRMED
    assert confirm(question(high, high[:15] + low[15:], modes=two)).stand is Stand.OPEN


@pytest.mark.parametrize("rounds", [(), (10, 10), (20, 10)])
def test_rounds_must_rise(rounds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="they must rise"):
        confirm(question([1.0] * 3, [1.0] * 3), rounds=rounds)
