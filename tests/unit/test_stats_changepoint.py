# SPDX-License-Identifier: GPL-2.0-only
"""Change points: found where they are, and not where only noise, spikes or boards are."""

from __future__ import annotations

import doctest
import math

import numpy as np
import numpy.typing as npt
import pytest
from attrs import evolve

from vlag.stats import changepoint
from vlag.stats.changepoint import ChangePoint, detect
from vlag.stats.changepoint_tuning import PLACE_TOLERANCE, SHIPPED, Tuning
from vlag.stats.watch import Cause, moved_with, watch, withdrawn

CV = 0.01


def history(
    size: int = 120,
    *steps: tuple[int, float],
    seed: int = 1,
    cv: float = CV,
    rho: float = 0.0,
    tail: float | None = None,
) -> list[float]:
    """Draw AR(1) noise of `cv` around 1000 with relative steps at indices."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=size) if tail is None else rng.standard_t(tail, size)
    noise = np.zeros(size)
    for i, innovation in enumerate(drawn):
        noise[i] = innovation if i == 0 else rho * noise[i - 1] + math.sqrt(1 - rho**2) * innovation
    values = 1000 * np.exp(cv * noise)
    for index, effect in steps:
        values[index:] *= 1 + effect
    return [float(v) for v in values]


def indices(
    values: list[float], breaks: tuple[int, ...] = (), tuning: Tuning = SHIPPED
) -> list[int]:
    return [p.index for p in detect(values, breaks=breaks, tuning=tuning).points]


def point(index: int, effect: float) -> ChangePoint:
    return ChangePoint(
        index=index, effect=effect, low=effect, high=effect, before=1.0, after=1 + effect,
        strength=2.0,
    )  # fmt: skip


@pytest.mark.parametrize("effect", [0.05, -0.05, 0.10, -0.10])
def test_a_step_is_found_where_it_is(effect: float) -> None:
    for seed in range(20):
        [found] = detect(history(120, (70, effect), seed=seed)).points
        assert abs(found.index - 70) <= PLACE_TOLERANCE
        assert found.effect == pytest.approx(effect, abs=0.015)
        assert found.strength >= 1
        assert (found.after > found.before) == (effect > 0)


def test_intervals_hold_the_true_effect() -> None:
    held = 0
    for seed in range(100):
        [found] = detect(history(120, (60, 0.05), seed=seed)).points
        held += found.low <= 0.05 <= found.high
    assert 88 <= held <= 100
    assert found.high - found.low < 0.02


@pytest.mark.parametrize(("rho", "tail"), [(0.0, None), (0.3, None), (0.6, None), (0.2, 3.0)])
def test_noise_alone_is_no_step(rho: float, tail: float | None) -> None:
    found = sum(
        len(detect(history(120, seed=seed, rho=rho, tail=tail, cv=0.02)).points)
        for seed in range(100)
    )
    # 12,000 points.
    assert found <= 1
    # And the same noise with a step in it has one.
    assert indices(history(120, (60, 0.15), rho=rho, tail=tail, cv=0.02))


def test_a_spike_is_no_step() -> None:
    for length in (1, 2, 3):
        values = history()
        for i in range(50, 50 + length):
            values[i] *= 1.5
        assert indices(values) == []
    # Were it to stay, it would be one.
    assert len(indices(history(120, (50, 0.5)))) == 1


def test_a_spike_does_not_hide_a_step() -> None:
    values = history(120, (60, 0.05))
    values[30] *= 3
    values[90] *= 0.3
    [found] = detect(values).points
    assert abs(found.index - 60) <= PLACE_TOLERANCE
    assert found.effect == pytest.approx(0.05, abs=0.015)


def test_a_level_that_comes_back_is_set_aside() -> None:
    values = history(120, (50, 0.05), (65, 1 / 1.05 - 1))
    found = detect(values)
    assert found.points == []
    [excursion] = found.excursions
    assert (abs(excursion.first - 50) <= 2, abs(excursion.last - 64) <= 2) == (True, True)
    assert excursion.effect == pytest.approx(0.05, abs=0.015)
    assert len(detect(values, excursion=0).points) == 2
    # Half of it stays: then it did not come back.
    assert len(indices(history(120, (50, 0.10), (65, -0.05)))) == 2


def test_two_steps() -> None:
    first, second = detect(history(150, (50, 0.05), (100, 0.05))).points
    assert abs(first.index - 50) <= PLACE_TOLERANCE
    assert abs(second.index - 100) <= PLACE_TOLERANCE
    assert first.after == pytest.approx(second.before)
    assert len(indices(history(150, (50, 0.05)))) == 1


def test_a_long_lasting_change_and_its_return_are_two() -> None:
    assert len(indices(history(180, (60, 0.05), (120, -0.05)))) == 2


def test_a_step_near_the_end() -> None:
    [found] = detect(history(120, (108, 0.10))).points
    assert abs(found.index - 108) <= PLACE_TOLERANCE
    # Two points later than the step nobody can know.
    assert indices(history(120, (118, 0.10))) == []


def drifting(size: int, slope: float, *steps: tuple[int, float], seed: int = 1) -> list[float]:
    """Draw a history whose level grows by `slope` a point."""
    values = history(size, *steps, seed=seed)
    return [v * math.exp(slope * i) for i, v in enumerate(values)]


@pytest.mark.parametrize("slope", [0.0005, -0.0005, 0.0008])
def test_a_drift_is_named_and_has_no_steps(slope: float) -> None:
    covered = 0
    for seed in range(20):
        found = detect(drifting(200, slope, seed=seed))
        assert found.points == []
        [drift] = found.drifts
        assert drift.slope == pytest.approx(slope, abs=0.00012)
        assert (drift.first, drift.last) == (0, 199)
        assert drift.effect == pytest.approx(math.expm1(199 * slope), rel=0.25)
        covered += drift.low <= math.expm1(slope) <= drift.high
    assert covered >= 17


def test_a_step_in_a_drift_is_found() -> None:
    # This step undoes the drift until then, so both halves have nearly the same level.
    for seed in range(40):
        found = detect(drifting(200, 0.0005, (100, -0.06), seed=seed))
        assert len(found.drifts) == 1
        [point] = found.points
        assert abs(point.index - 100) <= PLACE_TOLERANCE
        assert point.low <= -0.06 <= point.high or point.effect == pytest.approx(-0.06, abs=0.015)
        # Its levels are those beside the step, not those at the start of the history.
        assert point.before == pytest.approx(1000 * math.exp(0.0005 * 100), rel=0.02)


def test_what_does_not_drift_has_no_drift() -> None:
    for seed in range(20):
        assert detect(history(200, seed=seed, rho=0.3)).drifts == []
        assert detect(history(200, (100, 0.05), seed=seed)).drifts == []
    # Two steps one way are no slope: their levels are flat.
    found = detect(history(150, (50, 0.05), (100, 0.05)))
    assert (found.drifts, len(found.points)) == ([], 2)
    # Each piece has its own drift, here only the second.
    values = [*history(100), *drifting(200, 0.001)]
    [drift] = detect(values, breaks=[100]).drifts
    assert (drift.first, drift.last) == (100, 299)
    assert detect(drifting(120, 0.00005)).drifts == []


def alarms(rho: float, size: int = 200, histories: int = 40) -> float:
    """Return the false alarms on 1000 points of AR(1) noise."""
    found = [len(indices(history(size, seed=seed, rho=rho))) for seed in range(histories)]
    return 1000 * sum(found) / size / histories


def found_in_noise(size: int, step: tuple[int, float], cv: float, tuning: Tuning = SHIPPED) -> int:
    """Return in how many of 40 drawn histories a step is found."""
    drawn = [indices(history(size, step, seed=seed, cv=cv), tuning=tuning) for seed in range(40)]
    return sum(any(abs(i - step[0]) <= PLACE_TOLERANCE for i in found) for found in drawn)


def test_one_step_is_found_between_wrong_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [history(120, (20, 0.05), seed=seed, cv=0.025, tail=3) for seed in (32, 86, 100, 132)]
    for values in drawn:
        [point] = detect(values).points
        assert abs(point.index - 20) <= PLACE_TOLERANCE
        assert point.strength >= 1
    monkeypatch.setattr(changepoint, "_with_one_step", lambda search: None)
    assert [indices(values) for values in drawn] == [[]] * 4


def test_in_a_history_that_is_not_level_less_evidence_tells_what_moved() -> None:
    assert found_in_noise(40, (13, 0.05), 0.02) >= 18
    assert found_in_noise(40, (13, 0.05), 0.02, evolve(SHIPPED, unlevel_evidence=1.0)) <= 12
    # A drift stays one: steps do not explain it better.
    assert all(indices(drifting(200, 0.0005, seed=seed)) == [] for seed in range(20))
    drawn = [history(200, seed=seed, cv=0.05, rho=0.6) for seed in range(100)]
    assert sum(len(indices(values)) for values in drawn) <= 1
    # With less evidence for any history, steps are made of nothing.
    little = evolve(SHIPPED, evidence_short=40.0)
    assert sum(len(indices(values, tuning=little)) for values in drawn) >= 4


def test_a_level_that_wanders_has_few_steps() -> None:
    # Without a look at how far it wanders, 2.1 and 1.1.
    assert alarms(0.95) <= 0.6
    assert alarms(0.9) <= 0.4
    # A step that is larger than the wandering is found.
    for seed in range(5):
        assert indices(history(200, (100, 0.25), seed=seed, rho=0.9))


def waves(period: float, *steps: tuple[int, float], seed: int = 1) -> list[float]:
    """Draw a history whose level goes 2 % up and down slowly."""
    phase = np.random.default_rng(seed).uniform(0, 2 * math.pi)
    values = history(120, *steps, seed=seed, tail=4, cv=0.008)
    return [
        v * math.exp(0.02 * math.sin(2 * math.pi * i / period + phase))
        for i, v in enumerate(values)
    ]


def test_a_step_is_sharper_than_a_wave() -> None:
    def steps(tuning: Tuning) -> int:
        return sum(len(indices(waves(60, seed=seed), tuning=tuning)) for seed in range(40))

    assert steps(SHIPPED) <= 6
    for seed in range(10):
        found = indices(waves(60, (70, 0.08), seed=seed))
        assert any(abs(index - 70) <= PLACE_TOLERANCE for index in found)
    # As if no history had enough points to tell.
    assert steps(evolve(SHIPPED, sharpness_points=0)) >= 12


@pytest.mark.parametrize("cv", [0.005, 0.01])
def test_what_stays_after_an_excursion_is_a_step(cv: float) -> None:
    steps = ((60, 0.10), (99, 1.032 / 1.10 - 1))
    for seed in range(100):
        found = detect(history(159, *steps, seed=seed, cv=cv))
        [point] = found.points
        assert min(abs(point.index - 60), abs(point.index - 99)) <= PLACE_TOLERANCE
        # Its size is what stays, without the excursion.
        assert point.effect == pytest.approx(0.032, abs=0.008 + 0.5 * cv)
        [excursion] = found.excursions
        assert (abs(excursion.first - 60) <= 3, abs(excursion.last - 98) <= 3) == (True, True)
    # All of it returns: no step.
    returned = ((60, 0.10), (99, 1 / 1.10 - 1))
    assert all(indices(history(159, *returned, seed=seed, cv=cv)) == [] for seed in range(20))
    # Less than the least effect stays: no step either.
    nearly = ((60, 0.10), (99, 1.004 / 1.10 - 1))
    assert all(indices(history(159, *nearly, seed=seed, cv=cv)) == [] for seed in range(20))


def test_the_example_of_the_documentation() -> None:
    assert doctest.testmod(changepoint).attempted >= 3
    assert doctest.testmod(changepoint).failed == 0


def test_a_plain_array_is_a_history() -> None:
    values = history(120, (60, 0.05))
    assert detect(np.array(values)) == detect(values) == detect(tuple(values))
    with pytest.raises(ValueError, match="shape"):
        detect(np.ones((3, 40)))


def test_values_below_the_resolution_count_as_it() -> None:
    zeros = [0.0, 0.0, 1.0, 0.0, 1.0] * 12
    later = [40.0, 41.0, 40.0, 42.0, 41.0] * 12
    [point] = detect([*zeros, *later], resolution=1.0).points
    assert abs(point.index - 60) <= 1
    assert (point.before, round(point.after)) == (1.0, 41)
    assert detect(zeros, resolution=1.0).points == []
    with pytest.raises(ValueError, match="value 0 "):
        detect([*zeros, *later])
    with pytest.raises(ValueError, match="value 2 "):
        detect([1.0, 2.0, -1.0], resolution=1.0)
    with pytest.raises(ValueError, match="the resolution is 0"):
        detect(later, resolution=0.0)


def test_equal_and_rounded_values() -> None:
    assert indices([5.0] * 100) == []
    assert indices([5.0] * 50 + [5.5] * 50) == [50]
    # A deterministic board repeats its figures: the one move there is says nothing of rounding.
    assert indices([5.0] * 12 + [5.1] * 12) == [12]
    assert indices([5.0] * 12 + [200.0] * 4) == [12]
    rng = np.random.default_rng(2)
    # Values that a tool rounded to 50 or 51, a step of 2 %, are noise however quiet most are.
    assert indices([float(v) for v in rng.choice([50, 51], 120, p=[0.9, 0.1])]) == []


def test_short_histories_do_not_alarm() -> None:
    for size in range(1, 31):
        for seed in range(10):
            assert indices(history(size, seed=100 * size + seed, cv=0.02, rho=0.2)) == []
    assert indices([]) == []
    assert len(indices(history(30, (15, 0.10)))) == 1


def test_a_least_effect_is_respected() -> None:
    values = history(120, (60, 0.05), cv=0.003)
    assert len(detect(values, least_effect=0.04).points) == 1
    assert detect(values, least_effect=0.06).points == []


def test_a_scale_changes_nothing_but_the_levels() -> None:
    values = history(120, (60, 0.05))
    for one, other in zip(
        detect(values).points, detect([1e-6 * v for v in values]).points, strict=True
    ):
        assert one.index == other.index
        assert one.effect == pytest.approx(other.effect)
        assert other.before == pytest.approx(1e-6 * one.before)


def test_nothing_is_compared_across_a_break() -> None:
    values = history(120, (60, 0.10))
    assert len(indices(values)) == 1
    assert indices(values, (60,)) == []
    later = history(160, (60, 0.10), (120, 0.05))
    [found] = indices(later, (60,))
    assert abs(found - 120) <= PLACE_TOLERANCE


def test_a_history_of_years_is_as_good() -> None:
    found = indices(history(3000, (400, 0.05), (1500, 0.05), (2900, -0.05), rho=0.2))
    assert len(found) == 3
    assert all(abs(a - b) <= PLACE_TOLERANCE for a, b in zip(found, (400, 1500, 2900), strict=True))
    assert indices(history(3000, rho=0.2)) == []


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_a_value_without_a_logarithm_is_named(bad: float) -> None:
    with pytest.raises(ValueError, match="value 7 "):
        detect([*history(7), bad, *history(20)])


def test_senseless_arguments() -> None:
    with pytest.raises(ValueError, match="break 121"):
        detect(history(120), breaks=[121])
    with pytest.raises(ValueError, match="least effect"):
        detect(history(120), least_effect=0.0)
    with pytest.raises(ValueError, match="excursion"):
        detect(history(120), excursion=-1)


def test_the_watch_asks_within_three_nights() -> None:
    asked = sum(
        any(watch(history(n, (60, -0.05), seed=seed)) for n in (61, 62, 63)) for seed in range(30)
    )
    assert asked >= 28
    idle = sum(watch(history(60, seed=seed)) is not None for seed in range(200))
    assert idle <= 10


def test_the_watch_says_what_it_saw() -> None:
    seen = watch(history(62, (60, 0.10)))
    assert seen is not None
    assert seen.first in {59, 60, 61}
    assert seen.effect == pytest.approx(0.10, abs=0.03)
    assert seen.before == pytest.approx(1000, rel=0.01)
    # A break or too short a past before the last points: nothing to stand apart from.
    assert watch(history(62, (60, 0.10)), breaks=[58]) is None
    assert watch(history(7, (6, 0.10))) is None
    assert watch([]) is None


def test_a_step_that_the_watch_saw_is_over_when_it_is_a_segment() -> None:
    assert watch(history(100, (60, 0.10), cv=0.005)) is None


def test_the_control_tells_board_from_kernel() -> None:
    points = [point(40, 0.05), point(90, -0.05)]
    assert moved_with([point(42, 0.03)], points) == [Cause.BOARD, Cause.KERNEL]
    assert moved_with([], points) == [Cause.KERNEL, Cause.KERNEL]
    assert moved_with([point(40, -0.05)], points) == [Cause.KERNEL, Cause.KERNEL]
    assert moved_with([point(80, -0.05)], points) == [Cause.KERNEL, Cause.KERNEL]
    kernel = detect(history(120, (40, 0.05), seed=3)).points
    both = detect(history(120, (40, 0.05), seed=4)).points
    assert moved_with(both, kernel) == [Cause.BOARD]
    assert moved_with(detect(history(120, seed=4)).points, kernel) == [Cause.KERNEL]


def test_what_later_data_removed_is_withdrawn() -> None:
    one, two = point(40, 0.05), point(90, -0.05)
    assert withdrawn([one, two], [point(43, 0.06)]) == [two]
    assert withdrawn([one], [point(40, -0.05)]) == [one]
    assert withdrawn([one], [one, two]) == []
    # One point vouches for one, the nearer.
    assert withdrawn([point(38, 0.05), one], [point(41, 0.05)]) == [point(38, 0.05)]
    values = history(160, (100, 0.05), (120, 1 / 1.05 - 1), cv=0.005)
    earlier, now = detect(values[:120]).points, detect(values).points
    assert len(earlier) == 1
    assert withdrawn(earlier, now) == earlier
    stayed = history(160, (100, 0.05), cv=0.005)
    assert withdrawn(detect(stayed[:120]).points, detect(stayed).points) == []


def alternating(seed: int, stay: float, size: int = 120) -> npt.NDArray[np.float64]:
    """Return points at two levels 20 % apart that stay for `stay` points on average."""
    drawn = np.random.default_rng(seed)
    high = np.cumsum(drawn.random(size) < 1 / stay) % 2 == 1
    return np.asarray(np.exp(drawn.normal(0, 0.01, size)) * np.where(high, 1.2, 1.0))


@pytest.mark.parametrize(("stay", "told"), [(2, 0.95), (10, 0.85)])
def test_levels_that_alternate_are_bimodal(stay: float, told: float) -> None:
    found = [detect(alternating(seed, stay)) for seed in range(40)]
    assert np.mean([len(history.bimodal) for history in found]) >= told
    # A run of one level is no step; it was one in three histories of four.
    assert np.mean([len(history.points) for history in found]) <= 0.4
    for history in found:
        for part in history.bimodal:
            assert (part.first, part.last) == (0, 119)
            assert part.high / part.low == pytest.approx(1.2, abs=0.02)


def test_levels_that_stay_are_steps() -> None:
    """Negative controls: one step, one that returns in part, several, and no step."""
    rng = np.random.default_rng(1)
    noise = np.exp(rng.normal(0, 0.01, 240))
    for cuts, steps in (([120], 1), ([60, 120, 180], 3), ([100, 110], 0), ([], 0)):
        place = np.searchsorted(cuts, np.arange(240), side="right") % 2
        found = detect(noise * np.where(place, 1.2, 1.0))
        assert (len(found.points), found.bimodal) == (steps, []), cuts


def test_a_step_of_both_levels_is_found_in_a_bimodal_history() -> None:
    found = []
    for seed in range(20):
        values = alternating(seed, 2, size=240)
        values[120:] *= 1.5
        found.append([p.index for p in detect(values).points])
    assert np.mean([any(abs(i - 120) <= 3 for i in indices) for indices in found]) >= 0.9


def test_a_mode_that_appears_is_a_step() -> None:
    """No point of the upper level at first, most of them later."""
    rng, found = np.random.default_rng(2), []
    for _ in range(20):
        high = (rng.random(240) < 0.8) & (np.arange(240) >= 120)
        values = np.exp(rng.normal(0, 0.01, 240)) * np.where(high, 1.2, 1.0)
        found.append(any(abs(p.index - 120) <= 3 for p in detect(values).points))
    assert np.mean(found) >= 0.9
