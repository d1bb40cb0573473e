# SPDX-License-Identifier: GPL-2.0-only
"""A board's band: the false-alarm rate that it states, and what it sees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import scipy

from vlag.model import Histogram
from vlag.stats import band
from vlag.stats.band import (
    FALSE_ALARMS,
    HISTORY_MINIMUM,
    RECENT,
    RULES,
    SETTLED_MINIMUM,
    WINDOW,
    Check,
    Finding,
    factor,
    judge,
    of_histogram,
)
from vlag.stats.levels import TAIL, Array

pytestmark = pytest.mark.slow

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]

SPREAD = 0.005  # of one check's level, as quiet boards have it
DRAWS = 40_000


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.normal(size=shape)


def student(freedom: float) -> Draw:
    return lambda rng, shape: rng.standard_t(freedom, size=shape)


def checks(levels: Sequence[float], noise: float = 1.5) -> list[Check]:
    rng = np.random.default_rng(11)
    noises = noise * np.exp(0.02 * rng.normal(size=len(levels)))
    return [Check(level=v, noise=float(n)) for v, n in zip(levels, noises, strict=True)]


def steady(count: int, seed: int = 5, spread: float = SPREAD) -> list[Check]:
    rng = np.random.default_rng(seed)
    return checks([4.0 * math.exp(spread * x) for x in rng.normal(size=count)])


def alarms(draw: Draw, size: int, *, drift: float = 0.0, seed: int = 1) -> float:
    """Share of checks that leave a band of `size` checks by any rule, many boards at once."""
    rng = np.random.default_rng(seed)
    out = np.zeros(DRAWS, bool)
    for sides in ((1, -1), (1,)):  # level, noise
        values = draw(rng, (DRAWS, size + RECENT + 1)) + drift * np.arange(size + RECENT + 1)
        settled = values[:, :size]
        centre = np.median(settled, axis=1, keepdims=True)
        scale = 1.4826 * np.median(np.abs(settled - centre), axis=1, keepdims=True)
        off = (values[:, size:] - centre) / scale
        for needed, of in RULES:
            width = factor(size, FALSE_ALARMS / (2 * len(RULES) * len(sides)), needed, of)
            for side in sides:
                beyond = side * off[:, -of:] > width
                out |= beyond[:, -1] & (beyond.sum(axis=1) >= needed)
    return float(out.mean())


@pytest.mark.parametrize("size", [SETTLED_MINIMUM, 20, WINDOW])
def test_false_alarms_are_as_stated(size: int) -> None:
    """Up to the error of so many draws; a board that drifts by a fiftieth of its scatter too."""
    assert alarms(normal, size) <= FALSE_ALARMS
    assert FALSE_ALARMS / 3 <= alarms(student(TAIL), size) <= FALSE_ALARMS * 1.2
    assert alarms(normal, size, drift=0.02) <= FALSE_ALARMS
    assert alarms(student(3), size) <= 5 * FALSE_ALARMS  # heavier tails than it assumes


def test_the_rate_would_show_a_band_that_is_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: normal factors of a band that is known exactly are no good."""
    monkeypatch.setitem(globals(), "factor", lambda *_: 2.5)
    assert alarms(student(TAIL), WINDOW) > 10 * FALSE_ALARMS


def test_a_fast_drift_is_no_steady_board() -> None:
    """Negative control: the band does not follow everything."""
    assert alarms(normal, WINDOW, drift=0.1) > 2 * FALSE_ALARMS


def test_the_simulation_and_judge_agree() -> None:
    """What `alarms` counts is what `judge` says."""
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(150):
        drawn = rng.standard_t(3, size=SETTLED_MINIMUM + RECENT + 1)
        drawn[-1] *= 6
        settled = drawn[:SETTLED_MINIMUM]
        centre = np.median(settled)
        off = (drawn[SETTLED_MINIMUM:] - centre) / (1.4826 * np.median(np.abs(settled - centre)))
        left = False
        for needed, of in RULES:
            width = factor(SETTLED_MINIMUM, FALSE_ALARMS / (4 * len(RULES)), needed, of)
            for side in (1, -1):
                beyond = side * off[-of:] > width
                left |= bool(beyond[-1] and beyond.sum() >= needed)
        history = checks([math.exp(0.01 * x) for x in drawn])
        finding = judge(history[:-1], history[-1]).finding
        assert (finding is Finding.LEVEL_LEFT) == left
        seen += left
    assert 5 < seen < 145


def test_the_closed_form_is_that_distribution() -> None:
    values = np.concatenate([np.linspace(-30, 30, 601), [0.0, 1e-9, 1e3, 1e6]])
    expected = scipy.stats.t.sf(values, TAIL)
    assert np.max(np.abs(band._beyond(values) - expected)) < 1e-14
    # Negative control: one degree of freedom more is another distribution.
    assert np.max(np.abs(band._beyond(values) - scipy.stats.t.sf(values, TAIL + 1))) > 1e-3


def test_too_little_history_is_said_and_accepted() -> None:
    answer = judge(steady(HISTORY_MINIMUM - 1), Check(level=40.0, noise=9.0))
    assert answer.finding is Finding.TOO_LITTLE
    assert answer.accepted
    assert answer.band is None
    assert answer.sentence.startswith(f"check {HISTORY_MINIMUM} of this band: the first")
    # One more, and the same check is judged.
    assert judge(steady(HISTORY_MINIMUM), Check(level=40.0, noise=9.0)).band is not None


@pytest.mark.parametrize(("level", "word"), [(4.4, "above"), (3.6, "below")])
def test_a_level_leaves_on_either_side(level: float, word: str) -> None:
    answer = judge(steady(40), Check(level=level, noise=1.5), unit="us")
    assert answer.finding is Finding.LEVEL_LEFT
    assert not answer.accepted
    assert f"level {level} us is {word} " in answer.sentence
    assert " us, +10." in answer.sentence or " us, -9.9" in answer.sentence


def test_noise_leaves_upwards_only() -> None:
    loud = judge(steady(40), Check(level=4.0, noise=3.0))
    assert loud.finding is Finding.NOISE_LEFT
    assert not loud.accepted
    assert "noise 3 is above 1." in loud.sentence
    assert judge(steady(40), Check(level=4.0, noise=0.5)).finding is Finding.IN_BAND


def test_what_one_check_cannot_show_several_in_agreement_do() -> None:
    history = steady(40)
    shifted = 4.0 * math.exp(4.5 * SPREAD)
    one = judge(history, Check(level=shifted, noise=1.5))
    assert one.finding is Finding.IN_BAND
    agreeing = [*history[2:], *checks([shifted, shifted])]
    answer = judge(agreeing, Check(level=shifted, noise=1.5))
    assert answer.finding is Finding.LEVEL_LEFT
    assert "for the third time in 3 checks above" in answer.sentence
    # Negative control: as far off on the other side, they do not agree.
    apart = [*history[2:], *checks([8.0 - shifted, 8.0 - shifted])]
    assert judge(apart, Check(level=shifted, noise=1.5)).finding is Finding.IN_BAND


def test_one_wild_check_widens_no_band() -> None:
    history = steady(40)
    wild = [*history[:20], Check(level=40.0, noise=30.0), *history[20:]]
    assert judge(wild, Check(level=4.4, noise=1.5)).finding is Finding.LEVEL_LEFT


def test_the_window_is_bounded() -> None:
    """Old checks on another level are forgotten; with fewer new ones they still count."""
    old = checks([8.0] * 200)
    known, early = (band.band([*old, *steady(n)]) for n in (WINDOW + RECENT, 15))
    assert known is not None
    assert early is not None
    assert (round(known.level), round(early.level)) == (4, 8)
    # But the board has moved since its first checks.
    new = steady(WINDOW + RECENT)
    assert judge([*old, *new], new[0]).sentence.startswith("level 3.984 ends a drift")


def test_equal_checks_leave_room_for_rounding() -> None:
    history = [Check(level=4.0, noise=1.5)] * 30
    assert judge(history, Check(level=4.001, noise=1.5)).finding is Finding.IN_BAND
    assert judge(history, Check(level=4.2, noise=1.5)).finding is Finding.LEVEL_LEFT


def year(weekly: float, seed: int, spread: float = SPREAD, stop: int = 10_000) -> int | None:
    """Judge a year of nightly checks that drift; return the first that fails."""
    rng = np.random.default_rng(seed)
    # A night repeats a part of the night before, as real boards do, and its tails are heavy.
    away, level = 0.0, []
    for night in range(365):
        away = 0.2 * away + spread * float(rng.standard_t(TAIL)) / band._deviation()
        level.append(4.0 * math.exp(away + math.log1p(weekly) / 7 * min(night, stop)))
    history: list[Check] = []
    for night, check in enumerate(checks(level)):
        if not judge(history, check).accepted:
            return night
        history.append(check)
    return None


@pytest.mark.parametrize(
    ("weekly", "spread", "weeks"),
    [(0.01, 0.005, 16), (-0.01, 0.02, 20), (0.003, 0.003, 16), (-0.003, 0.01, 30)],
)
def test_a_board_that_drifts_leaves_its_band(weekly: float, spread: float, weeks: int) -> None:
    found = [year(weekly, seed, spread) for seed in range(3)]
    assert all(night is not None and night < 7 * weeks for night in found), found


def test_a_steady_board_leaves_its_band_as_seldom_as_stated() -> None:
    """Negative control: of 24 years, at most what `FALSE_ALARMS` says of each check."""
    left = [year(0.0, seed, spread) for seed in range(8) for spread in (0.003, 0.005, 0.02)]
    assert sum(night is not None for night in left) <= 24 * (1 - (1 - FALSE_ALARMS) ** 365)
    assert all(band._drifted([4.0 * math.exp(0.01 * x) for x in drawn]) is None for drawn in
               np.random.default_rng(2).standard_t(TAIL, size=(2000, 60)))  # fmt: skip


def test_a_drift_is_said_with_what_it_left() -> None:
    levels = [4.0 * math.exp(0.0007 * night) for night in range(80)]
    answer = judge(checks(levels[:-1]), checks(levels)[-1], unit="us")
    assert answer.finding is Finding.LEVEL_LEFT
    assert answer.sentence == (
        "level 4.227 us ends a drift: the last 20 checks lie +3.9% off the first 30 of this band,"
        " whose median is 4.041; 3.2% is the most that a steady board moves"
    )
    # Back at its first level it is accepted again: what it did in between is past.
    assert band._drifted([*levels[:-1], 4.04]) is None
    # Negative control: a drift that stops early is within what boards do.
    assert judge(checks([min(v, 4.1) for v in levels]), checks([4.1])[0]).accepted


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_measurement_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        judge(steady(20), Check(level=value, noise=1.5))


@pytest.mark.parametrize(("spread", "most"), [(0.003, 3), (0.005, 4), (0.01, 40)])
def test_how_many_checks_show_three_per_cent(spread: float, most: int) -> None:
    """The promise is kept: nine boards in ten are seen within so many checks."""
    known = band.band(steady(WINDOW + RECENT, spread=spread))
    assert known is not None
    promised = known.checks_to_see(0.03)
    assert promised is not None
    assert promised <= most
    rng = np.random.default_rng(7)
    drawn = 0.03 + known.scatter * rng.standard_t(TAIL, size=(4000, promised)) / (band._deviation())
    levels = known.level * np.exp(np.hstack([np.zeros((4000, RECENT)), drawn]))
    seen = np.zeros(4000, bool)
    for (needed, of), (_low, high) in zip(RULES, known.levels, strict=True):
        beyond = levels > high
        for end in range(RECENT, RECENT + promised):
            last = beyond[:, end + 1 - of : end + 1]
            seen |= last[:, -1] & (last.sum(axis=1) >= needed)
    assert seen.mean() >= 0.88
    assert known.checks_to_see(0.0001) is None  # negative control
    assert (known.checks_to_see(0.1) or 99) <= promised


def test_level_and_noise_of_a_histogram() -> None:
    """Interpolated: the median of 0, 10, 20 and 70 samples lies 2/7 into the last bucket."""
    histogram = Histogram(
        metric="latency",
        bounds=(3, 4, 5),
        counts=[[100, 100, 300], [0, 100, 400]],
        overflow=(0, 0),
        limit=400,
        maximum=(5.0, 5.0),
        instances=("0", "1"),
    )
    found = of_histogram(histogram, 1.0)
    assert found.level == pytest.approx(5 + 200 / 700)
    assert found.noise == pytest.approx((5 + 690 / 700) / found.level)


def test_a_histogram_without_a_tail_is_refused() -> None:
    few = Histogram(metric="latency", bounds=(3,), counts=[[999]], overflow=(0,), limit=40,
                    maximum=(3.0,), instances=("0",))  # fmt: skip
    with pytest.raises(ValueError, match="999 samples are fewer than 1000"):
        of_histogram(few, 1.0)
    beyond = Histogram(metric="latency", bounds=(3,), counts=[[1000]], overflow=(50,), limit=40,
                       maximum=(99.0,), instances=("0",))  # fmt: skip
    with pytest.raises(ValueError, match="P99 lies beyond 40, the histogram's end"):
        of_histogram(beyond, 1.0)
