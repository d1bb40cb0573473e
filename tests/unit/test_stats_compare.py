# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of two kernels: measured error rates, symmetry and refusals to answer."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from vlag.model import Direction, Verdict
from vlag.stats import compare as module
from vlag.stats import difference
from vlag.stats.blocks import Blocks
from vlag.stats.compare import (
    Comparison,
    Question,
    compare,
    equivalence_margin,
    is_relevant,
    is_significant,
    is_suspicious,
    judge,
)
from vlag.stats.difference import POWER
from vlag.stats.modes import Modes
from vlag.stats.prior import Prior

FLAGS = {Verdict.REGRESSION, Verdict.IMPROVEMENT}
CV = 0.02


def ask(
    base: list[float],
    new: list[float],
    *,
    direction: Direction = Direction.HIGHER,
    relevance: float = 0.01,
    resolution: float = 0.01,
    prior: Prior | None = None,
    paired: bool = False,
    modes: Modes | None = None,
    one_mode: bool = False,
) -> Comparison:
    return compare(
        base,
        new,
        direction=direction,
        relevance=relevance,
        resolution=resolution,
        prior=prior,
        paired=paired,
        modes=modes,
        one_mode=one_mode,
    )


def question(base: list[float], new: list[float], prior: Prior | None = None) -> Question:
    return Question(
        base=base,
        new=new,
        direction=Direction.HIGHER,
        relevance=0.01,
        resolution=0.01,
        prior=prior,
    )


def boots(rng: np.random.Generator, n: int, centre: float = 1000.0, cv: float = CV) -> list[float]:
    return [float(v) for v in centre * np.exp(rng.normal(0, cv, n))]


def rates(change: float, *, n: int, pairs: int, seed: int, cv: float = CV) -> Counter[Verdict]:
    """Count the verdicts of `pairs` comparisons, the new side's truth being 1 + change."""
    rng = np.random.default_rng(seed)
    questions = [
        question(boots(rng, n, cv=cv), boots(rng, n, 1000 * (1 + change), cv=cv))
        for _ in range(pairs)
    ]
    return Counter(answer.verdict for answer in judge(questions))


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
    assert seen == {*FLAGS, Verdict.UNCHANGED, Verdict.MARGINAL, Verdict.INCONCLUSIVE}


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
    assert answer.reason.startswith("no change [-0.0")
    assert answer.reason.endswith("; a change outside [-2.91, +3] % is rejected (p < 0.0001)")
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


def test_three_boots_are_enough_for_a_gross_change_where_there_is_one_mode() -> None:
    base, new = [100.0, 101.0, 99.0], [50.0, 51.0, 49.5]
    assert ask(base, new, one_mode=True).verdict is Verdict.REGRESSION
    unknown = ask(base, new)
    assert (unknown.verdict, unknown.suspect) == (Verdict.INCONCLUSIVE, True)
    assert unknown.boots_needed == 5
    assert unknown.reason == (
        "a suspicion: worse by 49.84 % [48.25, 51.37]; 3 against 3 boots of a metric that may"
        " have two modes can differ so much; run again, at least 5 boots a side"
    )


def test_zeros() -> None:
    both = ask([0.0] * 5, [0.0] * 5)
    assert (both.verdict, both.effect) == (Verdict.UNCHANGED, 0.0)
    assert ask([0.0] * 2, [0.0] * 2).verdict is Verdict.INCONCLUSIVE
    gone = ask([5.0] * 5, [0.0] * 5)
    assert gone.verdict is Verdict.REGRESSION
    assert gone.effect == pytest.approx(0.01 / 5 - 1)
    come = ask([0.0] * 5, [5.0] * 5)
    assert come.verdict is Verdict.IMPROVEMENT
    assert come.effect == pytest.approx(5 / 0.01 - 1)
    some = ask([0.0, 4.0, 4.0], [0.0, 8.0, 8.0])
    assert some.verdict is Verdict.INCONCLUSIVE
    assert some.effect == pytest.approx(2 ** (2 / 3) - 1)


def test_zeros_hide_no_regression() -> None:
    base, new = [0.0, 0.0, 1.0, 0.0, 1.0], [40.0, 41.0, 40.0, 42.0, 41.0]
    answer = ask(base, new, direction=Direction.LOWER, relevance=0.05, resolution=1.0)
    assert (answer.verdict, answer.suspect) == (Verdict.REGRESSION, True)
    assert answer.reason.endswith("; a boot below one step of the tool (1) counts as one step")
    assert answer.effect == pytest.approx(math.prod(new) ** 0.2 - 1)
    # One step of the tool is no change, whether it is printed as 0 or as 1.
    for other in ([1.0] * 5, [0.0, 1.0, 0.0, 0.0, 0.0]):
        answer = ask(base, other, direction=Direction.LOWER, relevance=0.05, resolution=1.0)
        assert (answer.verdict, answer.suspect) == (Verdict.INCONCLUSIVE, False)
    # A boot that lost its samples is still no proof.
    answer = ask([80.0, 81.0, 0.0, 79.0, 80.0], new, direction=Direction.LOWER, resolution=1.0)
    assert answer.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(("factor", "better"), [(1.0483, False), (0.953, True), (1.0483**-1, True)])
def test_a_certain_change_about_as_large_as_what_matters_is_marginal(
    factor: float, better: bool
) -> None:
    base = [27000.0, 27050.0, 26950.0, 27020.0, 26980.0]
    answer = ask(base, [v * factor for v in base], direction=Direction.LOWER, relevance=0.05)
    assert answer.verdict is Verdict.MARGINAL
    assert answer.p_zero is not None
    assert answer.p_zero < module.SIGNIFICANCE
    assert answer.reason.startswith("better by 4." if better else "worse by 4.")
    assert "neither shown nor excluded" in answer.reason
    assert "chance" not in answer.reason
    # Negative controls: the same change is beyond a smaller relevance and within a larger one.
    flag = Verdict.IMPROVEMENT if better else Verdict.REGRESSION
    for relevance, verdict in ((0.03, flag), (0.08, Verdict.UNCHANGED)):
        new = [v * factor for v in base]
        answer = ask(base, new, direction=Direction.LOWER, relevance=relevance)
        assert answer.verdict is verdict


def test_a_certain_change_is_never_inconclusive() -> None:
    rng = np.random.default_rng(30)
    asked = [
        Question(
            base=boots(rng, n, cv=cv),
            new=boots(rng, n, 1000 * (1 + change), cv=cv),
            direction=Direction.LOWER,
            relevance=relevance,
            resolution=1e-6,
            one_mode=True,
        )
        for n in (3, 5, 10)
        for cv in (0.001, 0.01, 0.05)
        for change in (0.002, 0.01, 0.05, -0.05, 0.2)
        for relevance in (0.002, 0.01, 0.05)
        for _ in range(10)
    ]
    answers = judge(asked)
    seen = Counter(a.verdict for a in answers if a.p_zero is not None and a.p_zero < 0.01)
    assert seen[Verdict.INCONCLUSIVE] == 0
    assert seen[Verdict.MARGINAL] > 50
    for a in answers:
        if a.verdict is Verdict.MARGINAL:
            assert a.p is not None
            assert a.p_zero is not None
            assert a.p_zero < module.SIGNIFICANCE <= a.p


@pytest.mark.parametrize(
    ("relevance", "margin"),
    [(0.0, 0.0), (0.001, 0.003), (0.005, 0.015), (0.01, 0.03), (0.02, 0.03), (0.05, 0.05)],
)
def test_the_equivalence_margin_follows_small_relevances(relevance: float, margin: float) -> None:
    assert equivalence_margin(relevance) == pytest.approx(margin)


def test_what_matters_on_a_quiet_board_is_not_called_unchanged() -> None:
    base = [27000.0, 27001.0, 26999.0, 27000.5, 26999.5]
    new = [v * 1.0097 for v in base]
    assert ask(base, new, relevance=0.001).verdict is Verdict.IMPROVEMENT
    for relevance, verdict in ((0.003, Verdict.IMPROVEMENT), (0.02, Verdict.UNCHANGED)):
        assert ask(base, new, relevance=relevance).verdict is verdict
    scattered = [27000.0 * (1 + 0.004 * z) for z in (-1, 1, 0, 0.5, -0.5)]
    turned = [v * 1.004 for v in scattered[::-1]]
    # Within 3 %, but beyond three times the relevance for all that is known.
    assert ask(scattered, turned, relevance=0.01).verdict is Verdict.UNCHANGED
    assert ask(scattered, turned, relevance=0.002).verdict is Verdict.INCONCLUSIVE


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
    assert slower.reason == (
        "worse by 12.30 % [12.20, 12.40]; a decrease of 0.99 % or less is rejected (p < 0.0001)"
    )
    assert slower.effect == pytest.approx(-0.123)
    faster = ask(base, [v * 0.877 for v in base], direction=Direction.LOWER)
    assert faster.reason == slower.reason.replace("worse", "better")


def test_reason_names_boots_that_then_decide() -> None:
    scatter, effect = 0.03, -0.05
    base = [1000 * math.exp(z * scatter) for z in (-1, 0, 1)]
    answer = ask(base, [v * (1 + effect) for v in base])
    assert answer.verdict is Verdict.INCONCLUSIVE
    words = answer.reason.split("; about ")[1].split()
    assert words[1:] == ["boots", "a", "side", "would", "decide"]
    n = int(words[0])
    found = rates(effect, n=n, pairs=400, seed=11, cv=scatter)
    assert found[Verdict.REGRESSION] / 400 == pytest.approx(POWER, abs=0.07)


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


def test_many_questions_get_the_answers_of_each_alone() -> None:
    rng = np.random.default_rng(20)
    known = Prior(variance=CV**2, freedom=12.0)
    two = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.8)
    asked = []
    for i in range(60):
        size = 3 + i % 10
        asked.append(
            Question(
                base=[0.0] * 4 if i % 11 == 0 else boots(rng, size if i % 3 == 0 else 7),
                new=boots(rng, 2 if i % 13 == 0 else size, 1000.0 - i),
                direction=Direction.LOWER if i % 2 else Direction.HIGHER,
                relevance=0.01 * (i % 4),
                resolution=1.0 + i,
                prior=known if i % 4 == 0 else None,
                paired=i % 3 == 0 and i % 11 != 0 and i % 13 != 0,
                modes=two if i % 7 == 0 else None,
            )
        )
    together = judge(asked)
    alone = [judge([q])[0] for q in asked]
    assert [(a.verdict, a.boots_needed, a.suspect) for a in together] == [
        (a.verdict, a.boots_needed, a.suspect) for a in alone
    ]
    for one, other in zip(together, alone, strict=True):
        assert (one.p is None) == (other.p is None)
        assert one.p is None or one.p == pytest.approx(other.p)
    assert len({a.verdict for a in together}) > 2
    assert judge([]) == []


def test_samples_of_a_boot_are_no_boots() -> None:
    """The unit of replication: 40 samples of each of 5 boots are 5 values, not 200."""
    rng = np.random.default_rng(21)
    pooled, medians = [], []
    for _ in range(200):
        centres = rng.normal(0, CV, (2, 5, 1))
        samples = 1000 * np.exp(centres + rng.normal(0, CV, (2, 5, 40)))
        pooled.append(question(*(side.ravel().tolist() for side in samples)))
        medians.append(question(*(np.median(side, axis=1).tolist() for side in samples)))
    false = [sum(a.verdict in FLAGS for a in judge(asked)) for asked in (pooled, medians)]
    assert false[0] > 20
    assert false[1] <= 3


def test_a_history_decides_what_few_boots_cannot() -> None:
    base, new = [980.0, 1000.0, 1020.0, 1001.0], [950.0, 967.0, 985.0, 965.0]
    known = Prior(variance=0.01**2, freedom=30.0)
    assert ask(base, new, one_mode=True).verdict is Verdict.INCONCLUSIVE
    assert ask(base, new, prior=known, one_mode=True).verdict is Verdict.REGRESSION
    # A history that scatters as wildly as this takes a flag back.
    calm = [1000.0, 1001.0, 999.0, 1000.5]
    less = [v * 0.97 for v in calm]
    assert ask(calm, less, one_mode=True).verdict is Verdict.REGRESSION
    wild = Prior(variance=0.05**2, freedom=30.0)
    assert ask(calm, less, prior=wild, one_mode=True).verdict is Verdict.INCONCLUSIVE


def test_a_prior_adds_its_degrees_of_freedom() -> None:
    rng = np.random.default_rng(22)
    base, new = boots(rng, 5), boots(rng, 5, 970.0)
    known = Prior(variance=0.03**2, freedom=20.0)
    answer = ask(base, new, prior=known)
    logs = np.log([base, new])
    variance = (20 * 0.03**2 + 8 * np.mean(np.var(logs, axis=1, ddof=1))) / 28
    t = (logs[1].mean() - logs[0].mean()) / math.sqrt(variance * 2 / 5)
    assert answer.p_zero == pytest.approx(2 * stats.t.sf(abs(t), 28))


def test_a_right_prior_keeps_the_level() -> None:
    rng = np.random.default_rng(23)
    known = Prior(variance=CV**2, freedom=20.0)
    answers = judge([question(boots(rng, 5), boots(rng, 5), known) for _ in range(4000)])
    ps = [a.p_zero for a in answers if a.p_zero is not None]
    assert np.mean([p < 0.05 for p in ps]) == pytest.approx(0.05, abs=0.011)
    assert sum(a.verdict in FLAGS for a in answers) / len(answers) <= 0.005


def test_pairs_see_what_the_seeds_hide() -> None:
    rng = np.random.default_rng(24)
    base = boots(rng, 6, cv=0.05)
    new = [v * 0.97 * math.exp(rng.normal(0, 0.002)) for v in base]
    assert ask(base, new, paired=True).verdict is Verdict.REGRESSION
    # Negative controls: not paired, and paired with the wrong partners.
    assert ask(base, new).verdict is Verdict.INCONCLUSIVE
    assert ask(base, new[1:] + new[:1], paired=True).verdict is Verdict.INCONCLUSIVE


def test_p_of_pairs_is_the_paired_t_test_s() -> None:
    rng = np.random.default_rng(25)
    base, new = boots(rng, 6), boots(rng, 6, 980.0)
    expected = stats.ttest_rel(np.log(new), np.log(base)).pvalue
    assert ask(base, new, paired=True).p_zero == pytest.approx(expected)
    with pytest.raises(ValueError, match="cannot be paired"):
        ask(base, new[1:], paired=True)


def test_pairs_of_equal_whole_numbers_have_no_zero_variance() -> None:
    answer = ask([20.0] * 20, [21.0] * 20, resolution=1.0, paired=True)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "one step of the tool is 5 %" in answer.reason
    assert not answer.suspect


def test_two_modes_need_ten_boots_a_side() -> None:
    """Five boots of each kernel can lie in one mode each: one mode assumed is a flag."""
    two = Modes(border=950.0, low=900.0, high=1000.0, share_high=0.5)
    base, new = [1000.0, 1002.0, 999.0, 1001.0, 998.0], [900.0, 902.0, 899.0, 901.0, 898.0]
    assert ask(base, new).verdict is Verdict.REGRESSION
    answer = ask(base, new, modes=two)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "5 against 5 boots are too few for a metric of two modes" in answer.reason
    assert answer.boots_needed is not None
    assert answer.boots_needed >= 10
    assert answer.suspect
    told = ask(base * 2, new * 2, modes=two)
    assert told.verdict is Verdict.REGRESSION
    assert told.reason.endswith(
        "; in the upper mode, above 950, lie 100 % of the base's boots and 0 % of the new's"
    )


def test_a_suspect_is_worth_rerun_boots_and_no_flag() -> None:
    rng = np.random.default_rng(26)
    answers = judge([question(boots(rng, 5), boots(rng, 5, 960.0)) for _ in range(300)])
    only = [a for a in answers if a.suspect and a.verdict not in FLAGS]
    assert len(only) > 50
    assert all(a.suspect for a in answers if a.verdict in FLAGS)
    for a in answers:
        assert a.p_zero is not None
        assert a.effect is not None
        if a.off is None:
            assert a.suspect == (
                is_suspicious(a.p_zero) and abs(math.log1p(a.effect)) > math.log1p(0.01)
            )
    assert not ask([20.0] * 20, [21.0] * 20, resolution=1.0).suspect  # one step of the tool
    base = [1000.0, 1000.1, 999.9, 1000.05, 999.95]
    assert not ask(base, [v * 0.993 for v in base]).suspect  # certain and of no relevance


def test_equal_kernels_are_rarely_run_again() -> None:
    rng = np.random.default_rng(27)
    few = judge([question(boots(rng, 5), boots(rng, 5)) for _ in range(3000)])
    pooled = judge([question(boots(rng, 25), boots(rng, 5)) for _ in range(3000)])
    for answers in (few, pooled):
        assert 0.04 < np.mean([a.suspect for a in answers]) < 0.1


def test_boots_needed_says_what_the_reason_says() -> None:
    rng = np.random.default_rng(28)
    seen = set()
    for change in (0.0, 0.01, 0.03, 0.05):
        for _ in range(20):
            sides = boots(rng, 4, cv=0.05), boots(rng, 4, 1000 * (1 - change), cv=0.05)
            answer = ask(*sides, one_mode=True)
            open_ = answer.verdict is Verdict.INCONCLUSIVE
            assert answer.boots_needed is None or open_ or answer.verdict is Verdict.MARGINAL
            if open_:
                many = f"about {answer.boots_needed}" if answer.boots_needed else "more than 100"
                assert f"; {many} boots a side would decide" in answer.reason
                seen.add(answer.boots_needed is None)
    assert seen == {True, False}
    assert ask([1.0], [2.0]).boots_needed == 3


def test_a_gross_change_sends_to_the_set_up_first() -> None:
    base = [1000.0, 1001.0, 999.0, 1000.5, 999.5]
    gross, large = ask(base, [v * 0.4 for v in base]), ask(base, [v * 0.6 for v in base])
    assert gross.verdict is large.verdict is Verdict.REGRESSION
    assert "check tools and config first" in gross.reason
    assert "check" not in large.reason


def test_an_error_of_boots_and_of_boards_has_the_freedom_of_both() -> None:
    """Welch and Satterthwaite: independent variances 3 of 3 and 4 of 8 degrees, and none."""
    with_boards = Blocks(boards=("a",), variance=4.0, freedom=8.0)
    alone = Blocks(boards=())
    error, freedom = difference._with_levels(
        np.asarray([math.sqrt(2.0), 3.0]), np.asarray([3.0, 7.0]), np.asarray([1.0, 0.0]),
        [with_boards, alone],
    )  # fmt: skip
    assert error == pytest.approx([math.sqrt(7.0), 3.0])
    assert freedom == pytest.approx([7.0**2 / (3.0**2 / 3 + 4.0**2 / 8), 7.0])
