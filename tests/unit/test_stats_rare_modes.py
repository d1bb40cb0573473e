# SPDX-License-Identifier: GPL-2.0-only
"""New modes: what is suspected, what an exact test confirms, and what a bound may refute."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from vlag.model import Direction
from vlag.stats import rare_modes
from vlag.stats.rare_modes import ModeStand, RareMode, boots_to_see, decide, suspected, upper_bound

HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def boots(rng: np.random.Generator, count: int, share: float, loss: float = 0.38) -> list[float]:
    """Return boots of 1 % scatter, of which a share lose so much."""
    lost = rng.random(count) < share
    found: list[float] = (np.exp(rng.normal(0, 0.01, count)) * np.where(lost, 1 - loss, 1)).tolist()
    return found


@settings(derandomize=True, deadline=None)
@given(COUNTS)
def test_the_bound_is_the_share_that_would_hardly_show_so_few(counts: tuple[int, int]) -> None:
    count, total = counts
    bound = upper_bound(count, total)
    assert count / total <= bound <= 1
    if count < total:
        assert float(scipy.stats.binom.cdf(count, total, bound)) == pytest.approx(0.05, abs=1e-6)
        # More boots without the mode leave less, one more with it leaves more.
        assert upper_bound(count, total + 1) < bound
        assert upper_bound(count + 1, total) > bound


@settings(derandomize=True, deadline=None)
@given(st.floats(0.005, 1.0))
def test_so_many_boots_see_a_mode_again_and_one_less_does_not(share: float) -> None:
    count = boots_to_see(share)
    assert 1 - (1 - share) ** count >= 0.95 - 1e-6
    assert count == 1 or 1 - (1 - share) ** (count - 1) < 0.95 + 1e-6


def test_no_share_is_none_that_boots_could_see() -> None:
    for share in (0.0, -0.1, 1.1):
        with pytest.raises(ValueError, match="the share is"):
            boots_to_see(share)
    for count, total in ((-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="is no share"):
            upper_bound(count, total)


def test_boots_beyond_everything_known_are_named() -> None:
    known = [1.0, 1.01, 0.99, 1.005, 0.995]
    mode = suspected(known, [1.0, 0.62, 1.01, 0.99, 1.0], direction=HIGHER, relevance=0.01)
    assert mode is not None
    assert (mode.places, mode.boots, mode.worse) == ((1,), 5, True)
    assert mode.effect == pytest.approx(-0.38, abs=0.005)
    assert mode.holds(0.7)
    assert not mode.holds(0.98)
    better = suspected(known, [1.0, 0.62, 1.01, 0.99, 1.0], direction=LOWER, relevance=0.01)
    assert better is not None
    assert not better.worse
    # Negative controls: history has such a boot, all have moved, too little is known.
    for seen, new in (
        ([*known, 0.62], [1.0, 0.62, 1.01, 0.99, 1.0]),
        (known, [0.62, 0.61, 0.63, 0.62, 0.615]),
        (known[:4], [1.0, 0.62, 1.01, 0.99, 1.0]),
        (known, [1.01, 0.99, 1.0, 1.0, 1.005]),
        (known, []),
    ):
        assert suspected(seen, new, direction=HIGHER, relevance=0.01) is None


def test_most_boots_are_a_mode_only_where_the_others_have_not_moved() -> None:
    known = [1.0, 1.01, 0.99, 1.005, 0.995]
    for lost in (3, 4):
        new = [0.62, 0.61, 0.63, 0.615][:lost] + [1.0] * (5 - lost)
        mode = suspected(known, new, direction=HIGHER, relevance=0.01)
        assert mode is not None
        assert mode.places == tuple(range(lost))
    # Negative control: all have moved, and one of them not far enough to be beyond everything.
    moved = [0.85, 0.86, 0.84, 0.85, 0.92]
    assert suspected(known, moved, direction=HIGHER, relevance=0.01) is None


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(900, 1100), min_size=5, max_size=20), st.floats(0.001, 1000))
def test_the_unit_says_nothing(values: list[int], unit: float) -> None:
    new = [1000, 1000, 400, 1000]
    one = suspected(values, new, direction=HIGHER, relevance=0.01)
    scaled = suspected(
        [unit * v for v in values], [unit * v for v in new], direction=HIGHER, relevance=0.01
    )
    assert (one is None) == (scaled is None)
    if one is not None and scaled is not None:
        assert scaled.places == one.places
        assert scaled.effect == pytest.approx(one.effect)
        assert scaled.border == pytest.approx(unit * one.border)


def test_boots_of_one_mode_are_hardly_ever_suspected() -> None:
    rng = np.random.default_rng(1)
    found = sum(
        suspected(boots(rng, 20, 0), boots(rng, 5, 0), direction=HIGHER, relevance=0.01) is not None
        for _ in range(2000)
    )
    assert found <= 6  # 2 are due


def mode_of(share: float) -> RareMode:
    count = round(20 * share)
    return RareMode(
        boots=20, places=tuple(range(count)), border=0.8, effect=-0.38, worse=True
    )  # fmt: skip


def test_a_mode_that_a_rerun_of_few_boots_misses_is_not_refuted() -> None:
    """12 of 90 boots lost 38 %, and the ten of the rerun happened to lose nothing."""
    good = [1.0] * 10
    decision = decide(mode_of(0.2), good, good, matters=0.05)
    assert decision.stand is ModeStand.OPEN
    assert decision.bound == pytest.approx(1 - 0.05**0.1)
    assert decision.next_boots is not None
    assert decision.next_boots >= boots_to_see(0.2)
    assert decision.reason == (
        "none of 10 boots lose 38 %, as 4 of 20 did: it may still be of up to 26 % of the boots;"
        f" {decision.next_boots} boots a side will say more"
    )
    # Where so little does not matter, it is.
    many = decide(mode_of(0.2), [1.0] * 60, [1.0] * 60, matters=0.05)
    assert many.stand is ModeStand.REFUTED
    assert many.bound < 0.05
    assert many.reason.endswith("it is of less than 4.9 % of the boots")


def test_a_share_that_only_the_new_kernel_has_is_confirmed() -> None:
    new = [0.62] * 12 + [1.0] * 78
    decision = decide(mode_of(0.2), [1.0] * 110, new, matters=0.05)
    assert decision.stand is ModeStand.CONFIRMED
    assert decision.reason == "12 of 90 boots lose 38 %; of the base's 110, none"
    # Negative control: shuffled sides tell nothing.
    rng = np.random.default_rng(2)
    every = rng.permutation([*new, *[1.0] * 110])
    shuffled = decide(mode_of(0.2), every[:110].tolist(), every[110:].tolist(), matters=0.05)
    assert shuffled.stand is not ModeStand.CONFIRMED


def test_equal_shares_are_hardly_ever_confirmed_and_a_large_one_nearly_always() -> None:
    rng = np.random.default_rng(3)
    told = dict.fromkeys((0.05, 0.1, 0.5), 0)
    for share in told:
        for _ in range(200):
            base = boots(rng, 40, 0 if share == 0.5 else share)
            decision = decide(mode_of(0.2), base, boots(rng, 40, share), matters=0.05)
            told[share] += decision.stand is ModeStand.CONFIRMED
    assert told[0.05] <= 1
    assert told[0.1] <= 1
    assert told[0.5] >= 190


ROUNDS = (10, 20, 30, 60, 120)


def test_the_rounds_share_the_level_by_the_squares_of_their_boots() -> None:
    parts = [rare_modes.part(boots, ROUNDS) for boots in ROUNDS]
    assert sum(parts) == pytest.approx(1)
    assert parts[-1] == pytest.approx(4 * parts[-2])
    # Boots that failed spend what the round before was to spend, and too few spend nothing.
    assert rare_modes.part(119, ROUNDS) == parts[-2]
    assert rare_modes.part(9, ROUNDS) == 0
    assert rare_modes.part(9, ()) == 1


def through(base: list[float], new: list[float]) -> ModeStand:
    """Take boots through the rounds, as long as they leave it open."""
    stand = ModeStand.OPEN
    for boots_now in ROUNDS:
        made = decide(mode_of(0.2), base[:boots_now], new[:boots_now], matters=0.05, rounds=ROUNDS)
        stand = made.stand
        if stand is not ModeStand.OPEN or made.futile:
            break
    return stand


@pytest.mark.parametrize("share", [0.05, 0.13, 0.3, 0.5])
def test_equal_kernels_with_a_mode_are_told_apart_at_most_at_the_level(share: float) -> None:
    rng = np.random.default_rng(6)
    stands = [through(boots(rng, 120, share), boots(rng, 120, share)) for _ in range(4000)]
    # One is due at most.
    assert stands.count(ModeStand.CONFIRMED) <= 3


def test_a_mode_of_an_eighth_is_confirmed_and_a_rare_one_stays_open() -> None:
    rng = np.random.default_rng(7)
    found = {
        share: [through(boots(rng, 120, 0), boots(rng, 120, share)) for _ in range(200)]
        for share in (0.13, 0.2, 0.05)
    }
    assert found[0.13].count(ModeStand.CONFIRMED) >= 160
    assert found[0.2].count(ModeStand.CONFIRMED) >= 196
    assert found[0.05].count(ModeStand.CONFIRMED) <= 16
    assert found[0.13].count(ModeStand.REFUTED) <= 2
    assert found[0.05].count(ModeStand.OPEN) >= 150
    # Negative control: the same boots with the sides drawn anew tell nothing.
    shuffled = 0
    for _ in range(200):
        every = rng.permutation([*boots(rng, 120, 0), *boots(rng, 120, 0.13)]).tolist()
        shuffled += through(every[:120], every[120:]) is ModeStand.CONFIRMED
    assert shuffled <= 1


def test_more_boots_are_futile_where_the_base_shows_the_mode_as_often() -> None:
    def of(base: int, new: int) -> rare_modes.ModeDecision:
        sides = ([0.62] * count + [1.0] * (30 - count) for count in (base, new))
        return decide(mode_of(0.2), *sides, matters=0.05, rounds=ROUNDS)

    assert of(1, 0).futile
    assert of(2, 2).futile
    assert of(1, 0).reason.startswith(
        "none of 30 boots lose 38 %, as 4 of 20 did; of the base's 30, 1:"
    )
    # Negative controls: the base shows less of it, or neither shows any.
    assert not of(1, 2).futile
    assert not of(0, 0).futile


def test_a_history_with_such_boots_asks_for_clearly_more_of_them() -> None:
    assert rare_modes.more_than((0, 60), (1, 10))
    assert rare_modes.more_than((3, 60), (20, 30))
    # Negative controls: as often as ever, and somewhat more often.
    assert not rare_modes.more_than((8, 60), (1, 10))
    assert not rare_modes.more_than((3, 60), (4, 30))


def test_a_real_mode_is_refuted_in_at_most_five_of_a_hundred() -> None:
    rng = np.random.default_rng(4)
    size = rare_modes.boots_to_refute(0.05)
    refuted = sum(
        decide(mode_of(0.2), boots(rng, size, 0), boots(rng, size, 0.06), matters=0.05).stand
        is ModeStand.REFUTED
        for _ in range(200)
    )
    assert refuted <= 0.05 * 200 + 4


def test_on_a_deterministic_board_one_pair_is_enough() -> None:
    base = [1.0, 1.1, 0.9, 1.05, 0.95]
    new = [b * (0.62 if i == 3 else 1.0) for i, b in enumerate(base)]
    mode = rare_modes.paired(base, new, direction=HIGHER, relevance=0.003)
    assert mode is not None
    assert (mode.places, mode.worse) == ((3,), True)
    assert mode.effect == pytest.approx(-0.38)
    # Negative controls: shuffled pairs, a change of all, pairs that scatter as much.
    other = [new[i] for i in (1, 0, 3, 4, 2)]
    assert rare_modes.paired(base, other, direction=HIGHER, relevance=0.003) is None
    assert (
        rare_modes.paired(base, [0.62 * b for b in base], direction=HIGHER, relevance=0.003) is None
    )
    rng = np.random.default_rng(5)
    by_chance = sum(
        rare_modes.paired([1.0] * 10, boots(rng, 10, 0), direction=HIGHER, relevance=0.003)
        is not None
        for _ in range(1000)
    )
    assert by_chance <= 1


def test_the_mean_loss_of_a_rare_mode() -> None:
    assert rare_modes.mean_loss(0.01, -0.38) == pytest.approx(0.0048, abs=2e-4)
    assert math.isclose(rare_modes.mean_loss(1.0, -0.38), 0.38)
