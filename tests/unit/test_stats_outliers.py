# SPDX-License-Identifier: GPL-2.0-only
"""Boots that are off: they hide no small change, make none, and are named."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy
from attrs import evolve

from bench import bad_boots
from bench.bad_boots import NOISES, Noise
from bench.shapes import Shape
from vlag.compare.verdict import Boots, Subject, row
from vlag.model import Direction, Metric, Sample, Verdict
from vlag.stats import outliers, ranks
from vlag.stats.compare import Comparison, Question, compare, judge
from vlag.stats.prior import prior
from vlag.stats.stages import Stand, confirm

SHAPE = Shape(seeds=5, rounds=(10, 20, 40), relevance=0.01, deterministic=False)
SIZE = bad_boots.Size(pairs=120, equal=200, suspects=200)
BY_NAME = {noise.name: noise for noise in NOISES}
QUIET = (1000.0, 1004.0, 996.0, 1008.0, 992.0)


def ask(base: Sequence[float], new: Sequence[float]) -> Comparison:
    return compare(base, new, direction=Direction.HIGHER, relevance=0.01, resolution=0.01)


def told(noise: Noise, change: float, *, history: bool = False) -> float:
    """Return the share of pairs that both stages report as what they are."""
    effects, known = bad_boots._screen(SHAPE, noise, change, SIZE.pairs, 1, history=history)
    right, _boots = bad_boots._confirm(SHAPE, noise, change, effects, known, 1)
    return right / SIZE.pairs


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("CV 1 %", 0.98),
        ("2 % of boots x 2", 0.95),
        ("5 % of boots x 2", 0.95),
        ("10 % of boots x 1.3", 0.93),
        ("two modes 70/30, 10 % apart", 0.74),
    ],
)
def test_a_small_change_is_told_among_bad_boots(name: str, least: float) -> None:
    assert told(BY_NAME[name], 0.05) >= least


def test_equal_kernels_with_bad_boots_are_not_told() -> None:
    for noise in NOISES[2:]:
        assert told(noise, 0.0) == 0.0
        suspects, _ = bad_boots._screen(SHAPE, noise, 0.0, SIZE.equal, 2, history=False)
        assert len(suspects) / SIZE.equal < 0.25


def test_a_boot_that_is_off_is_named_and_counts_by_its_rank() -> None:
    new = [v * 1.05 for v in QUIET]
    base = [*QUIET[:3], 2004.0, *QUIET[4:]]
    answer = ask(base, new)
    assert answer.suspect
    assert answer.effect == pytest.approx(0.05, abs=0.02)
    assert answer.off is not None
    assert answer.off.base == (3,)
    assert answer.reason.endswith("; by ranks, as boots are off: 1 of the base's 5 (2004)")
    assert answer.levels is not None
    assert answer.levels[1] / answer.levels[0] - 1 == pytest.approx(answer.effect)
    # Negative controls: no boot is off, and the change goes with the boots that show it.
    clean = ask(QUIET, new)
    assert (clean.off, clean.levels) == (None, None)
    assert "off" not in clean.reason
    assert not ask(base, QUIET[::-1]).suspect


def test_a_row_has_two_levels_that_make_its_change() -> None:
    metric = Metric(
        name="rate", unit="1/s", direction=Direction.HIGHER, relevance=0.01, resolution=0.01
    )
    sides = [
        Boots(name=name, figures=[Sample(metric="rate", values=(v,), instances=("",)) for v in of])
        for name, of in (
            ("base", [*QUIET[:3], 2004.0, *QUIET[4:]]), ("new", [v * 1.05 for v in QUIET]),
        )
    ]  # fmt: skip
    subject = Subject(
        benchmark="b", parameters={}, metric=metric, relevance=metric.relevance, hint=False
    )
    made = row(subject, "median", *sides)
    assert made.base_value is not None
    assert made.new_value is not None
    assert made.effect == pytest.approx(made.new_value / made.base_value - 1)
    assert 990 < made.base_value < 1010
    assert (made.n_base, made.n_new) == (5, 5)


def question(base: Sequence[float], new: Sequence[float]) -> Question:
    return Question(base=base, new=new, direction=Direction.HIGHER, relevance=0.01, resolution=0.01)


def test_boots_that_may_be_a_new_mode_keep_a_suspicion_open() -> None:
    quantiles = scipy.stats.norm.ppf((np.arange(10) + 0.5) / 10)
    base, new = 1000 * np.exp(0.003 * quantiles), 1000 * np.exp(0.0029 * quantiles)
    assert confirm(question(base.tolist(), new.tolist()), suspicion=-0.18).stand is Stand.REFUTED
    new[4] *= 0.62
    made = confirm(question(base.tolist(), new.tolist()), suspicion=-0.18)
    assert made.stand is Stand.OPEN
    assert "1 of the new's 10 (" in made.reason
    # Negative controls: the other direction, and a boot that is off on the base's side.
    assert confirm(question(base.tolist(), new.tolist()), suspicion=0.18).stand is Stand.REFUTED
    assert confirm(question(new.tolist(), base.tolist()), suspicion=-0.18).stand is Stand.REFUTED


def test_what_is_off_on_one_side_alone_is_a_change_and_no_accident() -> None:
    base = [1000.0 + i for i in range(20)]
    new = [600.0 + i for i in range(8)] + base[8:]
    found = outliers.off(*logs(base, new), least=0.01, spread=None)
    assert found is not None
    assert not found.alike
    answer = ask(base, new)
    assert answer.verdict is Verdict.REGRESSION
    assert answer.levels is None
    assert answer.reason.endswith(
        "; boots are off: 8 of the new's 20 (600, 601, ...), which is no accident of both sides"
        " (p = 0.0033)"
    )
    # Negative control: as many on both sides.
    both = outliers.off(*logs(new, new), least=0.01, spread=None)
    assert both is not None
    assert both.alike
    assert (len(both.base), len(both.new), both.mean) == (8, 8, 0.0)


def test_a_history_makes_no_change_of_a_few_boots_that_are_off_on_one_side() -> None:
    """By the exact test five of twelve and none of twelve are one case in 27."""
    earlier = prior([[v * (1 + k / 1000) for v in QUIET] for k in range(12)])
    base = [v + i / 10 for i in range(3) for v in QUIET][:12]
    off = [1300.0, 1302.0, 1298.0, 1304.0, 1306.0]
    asked = evolve(question(base, [*base[:7], *off]), prior=earlier)
    made = confirm(asked, suspicion=0.1)
    assert "5 of the new's 12 (1300, 1302, ...), which is no accident" in made.reason
    assert made.stand is Stand.OPEN
    # Negative controls: more boots show as large a share, or all boots have moved.
    more = evolve(asked, base=base * 4, new=list(asked.new) * 4)
    assert confirm(more, suspicion=0.1).stand is Stand.CONFIRMED
    moved = evolve(asked, new=[1.1 * v for v in base])
    assert confirm(moved, suspicion=0.1).stand is Stand.CONFIRMED


def test_more_boots_that_are_off_than_before_are_told() -> None:
    earlier = [[v * (1 + k / 1000) for v in QUIET] for k in range(12)]
    known = prior(earlier)
    assert known is not None
    assert (known.off, known.boots) == (0, 60)
    base = [*QUIET[:3], 2004.0, *QUIET[4:]]
    asked = question(base, [*QUIET[:3], 500.0, 510.0])
    [answer] = judge([evolve(asked, prior=known)])
    assert answer.reason.endswith(
        "1 of the base's 5 (2004) and 2 of the new's 5 (500, 510), more than before (0 of 60"
        " earlier boots)"
    )
    # Negative control: a history with as many.
    often = prior([[*group[:4], 2000.0] if k % 2 else group for k, group in enumerate(earlier)])
    assert often is not None
    assert often.off == 6
    [answer] = judge([evolve(asked, prior=often)])
    assert answer.off is not None
    assert "than before" not in answer.reason


def test_a_change_that_means_see_in_spite_of_such_boots_is_theirs() -> None:
    steps = (0.0, 0.0, 0.001, -0.001, 0.001, -0.001, 0.0005, -0.0005, 0.0424, -0.0424)
    base, new = ([level * math.exp(s) for s in steps] for level in (2072.0, 2159.0))
    made = confirm(question(base, new), rounds=(10,), suspicion=0.04)
    assert made.comparison.off is not None
    assert made.stand is Stand.CONFIRMED
    assert made.comparison.levels is None
    assert "boots are off: 2 of the base's 10" in made.reason
    assert "by ranks" not in made.reason
    # Negative control: a boot so far off that means see nothing.
    far = confirm(question([*base[:8], 4000.0, 1000.0], new), rounds=(10,), suspicion=0.04)
    assert "by ranks, as boots are off" in far.reason


def test_boots_of_which_none_is_off_are_judged_by_their_means(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(8)
    asked = [
        question(*np.exp(rng.normal([[0.0], [change]], 0.02, (2, n))).tolist())
        for change in (0.0, 0.03, 0.05)
        for n in (5, 8, 10)
        for _ in range(25)
    ]
    made = [confirm(q, suspicion=0.05) for q in asked]
    monkeypatch.setattr(outliers, "BOOTS_MINIMUM", 1000)
    means = [confirm(q, suspicion=0.05) for q in asked]
    pairs = list(zip(made, means, strict=True))
    assert all(a == b for a, b in pairs if a.comparison.off is None)
    # Negative control: where one is off they differ.
    assert 0 < sum(a != b for a, b in pairs) < 0.1 * len(pairs)


def logs(*sides: Sequence[float]) -> list[list[float]]:
    return [[math.log(v) for v in side] for side in sides]


def test_a_few_steps_of_the_tool_are_not_far() -> None:
    base, new = [21.0, 22.0, 21.0, 22.0, 21.0], [61.0, 62.0, 61.0, 62.0, 61.0]
    coarse, fine = (
        compare(base, new, direction=Direction.LOWER, relevance=0.03, resolution=step)
        for step in (1.0, 0.01)
    )
    assert coarse.off is None
    # Negative control: with a fine tool two boots of five are off.
    assert fine.off is not None


@pytest.mark.parametrize("n", [5, 8, 10, 20, 30])
def test_normal_boots_are_seldom_off(n: int) -> None:
    rng = np.random.default_rng(4)
    found = [
        outliers.off(*rng.normal(0, 0.02, (2, n)).tolist(), least=0.0, spread=None) is not None
        for _ in range(1000)
    ]
    assert np.mean(found) < 0.09


def test_a_history_keeps_what_a_kernel_s_own_scatter_explains() -> None:
    rng = np.random.default_rng(5)
    groups = rng.normal(0, 0.01, (12, 5))
    clean = prior(np.exp(groups).tolist())
    bad = groups.copy()
    bad[::3, 0] += math.log(2)
    found = prior(np.exp(bad).tolist())
    assert clean is not None
    assert found is not None
    assert found.variance == pytest.approx(clean.variance, rel=0.4)
    # Negative control: a kernel all of whose boots scatter keeps them.
    wide = groups.copy()
    wide[3] *= 20
    assert outliers.kept(wide.tolist())[3] == wide[3].tolist()


@pytest.mark.parametrize(("n", "m"), [(5, 5), (8, 5), (10, 10), (20, 30)])
def test_ranks_are_mann_and_whitney_s(n: int, m: int) -> None:
    rng = np.random.default_rng(6)
    for change in (0.0, 0.5, -1.0):
        base, new = rng.normal(0, 1, m), rng.normal(change, 1, n)
        made = ranks.shift(base.tolist(), new.tolist(), margin=0.1, equal=0.3, confidence=0.95)
        known = scipy.stats.mannwhitneyu(new, base, method="exact").pvalue
        assert made.zero == pytest.approx(known)
        assert (made.zero < 0.05) == (not made.low <= 0 <= made.high)
        assert made.low <= made.shift <= made.high
        down = made.shift < 0
        moved = new + 0.1 if down else new - 0.1
        sides = (base, moved) if down else (moved, base)
        known = scipy.stats.mannwhitneyu(*sides, method="exact", alternative="greater").pvalue
        assert made.beyond == pytest.approx(known)


def test_runs_see_two_modes_that_move_together() -> None:
    rng = np.random.default_rng(7)
    base = np.where(np.arange(20) < 14, 0.0, -0.1) + rng.normal(0, 0.003, 20)
    assert ranks.mixed(base.tolist(), (base + 0.05).tolist()) < 1e-6
    same = [ranks.mixed(*rng.permutation(base).reshape(2, 10).tolist()) for _ in range(4000)]
    for level in (0.05, 0.01, 0.001):
        assert np.mean(np.asarray(same) <= level) <= level * 1.2 + 0.001
    # Negative control: equal values are no evidence.
    assert ranks.mixed([1.0] * 10, [1.0] * 10) == 1.0
    assert ranks.mixed([1.0] * 10, [2.0] * 10) < 1e-4


def test_unit_and_sides_do_not_matter() -> None:
    base = [*QUIET[:3], 2004.0, *QUIET[4:]]
    new = [v * 1.05 for v in QUIET]
    one, turned = ask(base, new), ask(new, base)
    assert one.p == pytest.approx(turned.p)
    assert math.log1p(one.effect or 0.0) == pytest.approx(-math.log1p(turned.effect or 0.0))
    scaled = ask([8 * v for v in base], [8 * v for v in new])
    assert evolve(scaled, reason="", levels=None, off=None) == evolve(
        one, reason="", levels=None, off=None, ci_low=scaled.ci_low, ci_high=scaled.ci_high,
        effect=scaled.effect, p_zero=scaled.p_zero, p=scaled.p,
    )  # fmt: skip
    assert scaled.effect == pytest.approx(one.effect)
