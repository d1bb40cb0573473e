"""The comparison of two kernels: measured error rates, symmetry and refusals to answer."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from vlag.model import Direction, Verdict
from vlag.stats import compare as module
from vlag.stats.compare import Comparison, compare, is_relevant, is_significant

FLAGS = {Verdict.REGRESSION, Verdict.IMPROVEMENT}
CV = 0.02


def ask(
    base: list[float],
    new: list[float],
    *,
    direction: Direction = Direction.HIGHER,
    relevance: float = 0.01,
    resolution: float = 0.01,
) -> Comparison:
    return compare(base, new, direction=direction, relevance=relevance, resolution=resolution)


def boots(rng: np.random.Generator, n: int, centre: float = 1000.0, cv: float = CV) -> list[float]:
    return [float(v) for v in centre * np.exp(rng.normal(0, cv, n))]


def rates(change: float, *, n: int, pairs: int, seed: int, cv: float = CV) -> Counter[Verdict]:
    """Count the verdicts of `pairs` comparisons, the new side's truth being 1 + change."""
    rng = np.random.default_rng(seed)
    return Counter(
        ask(boots(rng, n, cv=cv), boots(rng, n, 1000 * (1 + change), cv=cv)).verdict
        for _ in range(pairs)
    )


def test_false_alarms_of_one_kernel_against_itself() -> None:
    pairs = 4000
    found = rates(0.0, n=5, pairs=pairs, seed=1)
    flags = sum(found[v] for v in FLAGS)
    # At most 5 of 1000 at 2 % scatter, five boots a side; Welch at p < 0.05 makes 44.
    assert flags / pairs <= 0.005
    # The bound is no achievement of a test that never answers.
    assert found[Verdict.UNCHANGED] / pairs > 0.3


def test_false_alarms_at_the_edge_of_relevance() -> None:
    pairs = 3000
    found = rates(0.01, n=5, pairs=pairs, seed=2)
    # The level is 0.01 there, at the worst point of what counts as no change.
    assert sum(found[v] for v in FLAGS) / pairs <= 0.015


def test_a_change_at_the_edge_is_rarely_called_unchanged() -> None:
    pairs = 2000
    found = rates(0.03, n=10, pairs=pairs, seed=3)
    assert found[Verdict.UNCHANGED] / pairs <= 0.065
    assert found[Verdict.REGRESSION] == 0


@pytest.mark.parametrize(
    ("change", "n", "power"), [(-0.05, 5, 0.5), (-0.10, 5, 0.99), (-0.05, 10, 0.95)]
)
def test_power(change: float, n: int, power: float) -> None:
    pairs = 600
    found = rates(change, n=n, pairs=pairs, seed=4)
    assert found[Verdict.REGRESSION] / pairs >= power
    assert found[Verdict.IMPROVEMENT] == 0


def test_more_boots_settle_a_comparison_of_the_same_kernel() -> None:
    few = rates(0.0, n=5, pairs=400, seed=5)[Verdict.UNCHANGED]
    many = rates(0.0, n=20, pairs=400, seed=5)[Verdict.UNCHANGED]
    assert few < 240
    assert many > 390


def test_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    pairs, held = 1500, 0
    for _ in range(pairs):
        answer = ask(boots(rng, 5), boots(rng, 7, 1040.0))
        assert answer.ci_low is not None
        assert answer.ci_high is not None
        held += answer.ci_low <= 0.04 <= answer.ci_high
    assert held / pairs == pytest.approx(module.CONFIDENCE, abs=0.02)


def test_without_a_relevance_p_and_interval_are_welch_s() -> None:
    rng = np.random.default_rng(13)
    base, new = boots(rng, 4), boots(rng, 9, 990.0, cv=0.002)
    answer = ask(base, new, relevance=0.0)
    welch = stats.ttest_ind(np.log(new), np.log(base), equal_var=False)
    interval = welch.confidence_interval(module.CONFIDENCE)
    assert answer.p == pytest.approx(welch.pvalue)
    assert answer.ci_low == pytest.approx(math.expm1(interval.low))
    assert answer.ci_high == pytest.approx(math.expm1(interval.high))


def test_direction_turns_the_verdict_and_nothing_else() -> None:
    rng = np.random.default_rng(7)
    turned = {Verdict.REGRESSION: Verdict.IMPROVEMENT, Verdict.IMPROVEMENT: Verdict.REGRESSION}
    seen = set()
    for change in (-0.2, -0.03, 0.0, 0.03, 0.2):
        for _ in range(20):
            base, new = boots(rng, 5), boots(rng, 5, 1000 * (1 + change))
            higher, lower = ask(base, new), ask(base, new, direction=Direction.LOWER)
            seen.add(higher.verdict)
            assert lower.verdict is turned.get(higher.verdict, higher.verdict)
            assert (lower.p, lower.effect, lower.ci_low) == (
                higher.p,
                higher.effect,
                higher.ci_low,
            )
    assert seen == {*FLAGS, Verdict.UNCHANGED, Verdict.INCONCLUSIVE}


def test_exchange_of_the_sides_turns_the_verdict() -> None:
    rng = np.random.default_rng(8)
    turned = {Verdict.REGRESSION: Verdict.IMPROVEMENT, Verdict.IMPROVEMENT: Verdict.REGRESSION}
    for change in (-0.2, -0.04, 0.0, 0.04, 0.2):
        for _ in range(20):
            base, new = boots(rng, 4), boots(rng, 6, 1000 * (1 + change))
            there, back = ask(base, new), ask(new, base)
            assert back.verdict is turned.get(there.verdict, there.verdict)
            assert there.effect is not None
            assert back.effect is not None
            assert (1 + there.effect) * (1 + back.effect) == pytest.approx(1)
            assert back.p == pytest.approx(there.p)


def test_unit_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(9)
    base, new = boots(rng, 5), boots(rng, 5, 960)
    answer = ask(base, new)
    scaled = ask([v * 1e6 for v in base], [v * 1e6 for v in new], resolution=1e4)
    mixed = ask(base[::-1], new[2:] + new[:2])
    for other in (scaled, mixed):
        assert other.verdict is answer.verdict
        assert other.p == pytest.approx(answer.p)
        assert other.effect == pytest.approx(answer.effect)


def test_a_larger_change_is_never_less_significant() -> None:
    base = boots(np.random.default_rng(10), 5)
    answers = [ask(base, [v * (1 - k / 100) for v in base]) for k in range(0, 30)]
    ps = [a.p for a in answers if a.p is not None]
    assert len(ps) == 30
    assert ps == sorted(ps, reverse=True)
    assert answers[0].verdict is not Verdict.REGRESSION
    assert answers[-1].verdict is Verdict.REGRESSION


def test_relevance_keeps_a_certain_but_small_change_quiet() -> None:
    base = [1000.0, 1000.1, 999.9, 1000.05, 999.95]
    new = [v * 0.98 for v in base]
    assert ask(base, new, relevance=0.01).verdict is Verdict.REGRESSION
    assert ask(base, new, relevance=0.025).verdict is Verdict.UNCHANGED
    assert ask(base, [v * 0.993 for v in base]).verdict is Verdict.UNCHANGED


def test_unchanged_reaches_as_far_as_the_relevance() -> None:
    base = [1000.0, 1000.1, 999.9, 1000.05, 999.95]
    new = [v * 1.06 for v in base]
    assert ask(base, new, relevance=0.08).verdict is Verdict.UNCHANGED
    assert ask(base, new, relevance=0.05).verdict is Verdict.IMPROVEMENT


def test_the_two_tests_are_apart() -> None:
    assert is_significant(0.0099)
    assert not is_significant(0.01)
    assert is_relevant(-0.02, margin=0.01, step=0.0)
    assert not is_relevant(0.01, margin=0.01, step=0.0)
    assert not is_relevant(0.02, margin=0.01, step=0.02)


def test_equal_whole_numbers_have_no_zero_variance() -> None:
    answer = ask([2000.0] * 5, [2000.0] * 5, resolution=1.0)
    assert answer.verdict is Verdict.UNCHANGED
    assert answer.effect == 0
    assert answer.reason == "no change, 95 % sure it is less than 3 %"
    assert answer.ci_low is not None
    assert answer.ci_low < 0


def test_one_step_of_the_tool_is_no_change() -> None:
    """20.99 and 21.01 are printed as 20 and 21 by every boot."""
    answer = ask([20.0] * 20, [21.0] * 20, resolution=1.0)
    assert is_significant(answer.p or 1.0)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "one step of the tool is 5 %" in answer.reason
    assert ask([20.0] * 20, [22.0] * 20, resolution=1.0).verdict is Verdict.IMPROVEMENT
    # Finer steps make the same numbers a change.
    assert ask([20.0] * 20, [21.0] * 20, resolution=0.01).verdict is Verdict.IMPROVEMENT


def test_steps_coarser_than_the_margin_never_say_unchanged() -> None:
    answer = ask([5.0] * 30, [5.0] * 30, relevance=0.05, resolution=1.0)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "one step of the tool is 20 %" in answer.reason
    # A step as wide as the margin is within it.
    answer = ask([20.0] * 5, [20.0] * 5, relevance=0.05, resolution=1.0)
    assert answer.verdict is Verdict.UNCHANGED


@pytest.mark.parametrize(("n_base", "n_new"), [(0, 5), (5, 0), (0, 0), (1, 1), (2, 5), (5, 2)])
def test_too_few_boots_are_never_a_flag(n_base: int, n_new: int) -> None:
    answer = ask([100.0] * n_base, [50.0] * n_new)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert answer.effect == (pytest.approx(-0.5) if n_base and n_new else None)
    assert (answer.p, answer.ci_low, answer.ci_high) == (None, None, None)
    assert (answer.n_base, answer.n_new) == (n_base, n_new)
    assert answer.reason == (
        f"{n_base} against {n_new} boots are too few: at least 3 a side are needed"
    )


def test_three_boots_are_enough_for_a_gross_change() -> None:
    assert ask([100.0, 101.0, 99.0], [50.0, 51.0, 49.5]).verdict is Verdict.REGRESSION


def test_zeros() -> None:
    both = ask([0.0] * 4, [0.0] * 4)
    assert (both.verdict, both.effect) == (Verdict.UNCHANGED, 0.0)
    assert ask([0.0] * 2, [0.0] * 2).verdict is Verdict.INCONCLUSIVE
    gone = ask([5.0] * 4, [0.0] * 4)
    assert (gone.verdict, gone.effect) == (Verdict.INCONCLUSIVE, -1.0)
    assert "gave 0" in gone.reason
    come = ask([0.0] * 4, [5.0] * 4)
    assert (come.verdict, come.effect) == (Verdict.INCONCLUSIVE, None)
    some = ask([0.0, 4.0, 4.0], [0.0, 8.0, 8.0])
    assert some.verdict is Verdict.INCONCLUSIVE
    assert some.effect == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, -math.inf])
def test_values_that_make_no_sense_are_refused(bad: float) -> None:
    good = [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="base holds"):
        ask([*good, bad], good)
    with pytest.raises(ValueError, match="new holds"):
        ask(good, [bad])
    with pytest.raises(ValueError, match="the relevance is"):
        ask(good, good, relevance=bad)
    with pytest.raises(ValueError, match="the resolution is"):
        ask(good, good, resolution=bad)


def test_a_resolution_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="the resolution is 0"):
        ask([1.0] * 3, [1.0] * 3, resolution=0.0)


def test_reason_of_a_flag() -> None:
    base = [1000.0, 1001.0, 999.0, 1000.5, 999.5]
    slower = ask(base, [v * 0.877 for v in base])
    assert slower.reason == "12.3 % worse, 99 % sure it is more than 1 %"
    assert slower.effect == pytest.approx(-0.123)
    faster = ask(base, [v * 0.877 for v in base], direction=Direction.LOWER)
    assert faster.reason == "12.3 % better, 99 % sure it is more than 1 %"


def test_reason_names_boots_that_then_decide() -> None:
    scatter, effect = 0.03, -0.05
    base = [1000 * math.exp(z * scatter) for z in (-1, 0, 1)]
    answer = ask(base, [v * (1 + effect) for v in base])
    assert answer.verdict is Verdict.INCONCLUSIVE
    words = answer.reason.split("; about ")[1].split()
    assert words[1:] == ["boots", "a", "side", "would", "decide"]
    n = int(words[0])
    found = rates(effect, n=n, pairs=400, seed=11, cv=scatter)
    assert found[Verdict.REGRESSION] / 400 == pytest.approx(module.POWER, abs=0.07)


def test_reason_is_bounded_where_no_number_of_boots_would_do() -> None:
    answer = ask([100.0, 150.0, 60.0, 110.0], [101.0, 149.0, 61.0, 112.0])
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert answer.reason.endswith("; more than 100 boots a side would decide")


def test_wild_values_overflow_nothing() -> None:
    answer = ask([1e-9, 1.0, 1e9], [1e-300, 1e300, 1.0], resolution=1e-12)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert answer.ci_high == math.inf
    assert ask([1e-300] * 3, [1e-300] * 3, resolution=1.0).verdict is Verdict.INCONCLUSIVE
    assert ask([1e300] * 3, [1e300] * 3, resolution=1e-300).verdict is Verdict.UNCHANGED
