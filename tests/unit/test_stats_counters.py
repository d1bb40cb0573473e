# SPDX-License-Identifier: GPL-2.0-only
"""Which counters differ between two kernels: seldom by chance, and not because the figure did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from vlag.stats.counters import ERROR, Boot, changes

pytestmark = pytest.mark.slow

NAMES = {f"c{n}": True for n in range(20)}
LEVELS = [10.0**p for p in np.linspace(0, 6, len(NAMES))]


def boots(
    rng: np.random.Generator,
    n: int,
    *,
    spread: float = 0.0,
    factors: Mapping[str, float] | None = None,
    operations: int = 10_000,
    seconds: float = 1.0,
) -> list[Boot]:
    """Return boots whose counters come by chance, and differ by `spread` from boot to boot."""
    of = factors or {}
    return [
        Boot(
            counts={
                name: int(rng.poisson(level * of.get(name, 1.0) * np.exp(rng.normal(0, spread))))
                for name, level in zip(NAMES, LEVELS, strict=True)
            },
            operations=operations,
            seconds=seconds,
        )
        for _ in range(n)
    ]


def named(base: Sequence[Boot], new: Sequence[Boot], others: Sequence[Boot] = ()) -> list[str]:
    return [c.counter for c in changes(base, new, others, NAMES, len(NAMES))]


@pytest.mark.parametrize(
    ("base", "new", "others"), [(2, 2, 0), (3, 3, 0), (5, 5, 0), (1, 1, 6), (1, 3, 0)]
)
@pytest.mark.parametrize("spread", [0.0, 0.02, 0.3])
def test_chance_shows_a_counter_in_one_of_a_hundred_benchmarks_at_most(
    base: int, new: int, others: int, spread: float
) -> None:
    rng = np.random.default_rng(7)
    wrong = sum(
        bool(named(*(boots(rng, n, spread=spread) for n in (base, new, others))))
        for _ in range(400)
    )
    assert wrong <= 400 * ERROR + 3 * (400 * ERROR) ** 0.5


@pytest.mark.parametrize(("n", "others"), [(3, 0), (5, 0), (1, 8)])
def test_a_large_change_is_found(n: int, others: int) -> None:
    rng = np.random.default_rng(8)
    factors = {"c12": 1.5, "c18": 0.5}
    history = boots(rng, others, spread=0.01)
    found = changes(
        boots(rng, n, spread=0.01), boots(rng, n, spread=0.01, factors=factors), history, NAMES,
        len(NAMES),
    )  # fmt: skip
    assert [c.counter for c in found] == ["c18", "c12"]  # the largest first
    assert found[0].effect == pytest.approx(-0.5, abs=0.05)
    assert found[1].effect == pytest.approx(0.5, abs=0.05)
    assert found[1].base == pytest.approx(LEVELS[12] / 10_000, rel=0.1)
    for change in found:
        assert change.interval is not None
        assert change.effect is not None
        low, high = change.interval
        assert low < change.effect < high
        # What is named differs surely: no interval holds nothing.
        assert low > 0 or high < 0


@pytest.mark.parametrize(("n", "others"), [(2, 0), (3, 0), (5, 0), (1, 8)])
@pytest.mark.parametrize("spread", [0.0, 0.05])
def test_intervals_miss_the_truth_in_one_of_twenty_benchmarks_at_most(
    n: int, others: int, spread: float
) -> None:
    rng = np.random.default_rng(14)
    truth = {"c14": 3.0, "c18": 0.2}
    missed, shown = 0, 0
    for _ in range(200):
        found = changes(
            boots(rng, n, spread=spread), boots(rng, n, spread=spread, factors=truth),
            boots(rng, others, spread=spread), NAMES, len(NAMES),
        )  # fmt: skip
        inside = [
            c.interval is not None and c.interval[0] <= truth[c.counter] - 1 <= c.interval[1]
            for c in found
            if c.counter in truth
        ]
        shown += len(inside)
        missed += not all(inside)
    assert shown > 100
    assert missed <= 200 * 0.05 + 3 * (200 * 0.05) ** 0.5


def test_what_follows_operations_or_time_is_not_named() -> None:
    rng = np.random.default_rng(9)
    base = boots(rng, 5, operations=10_000)
    of_time = boots(rng, 5, operations=8_000)
    of_operations = boots(rng, 5, operations=8_000, factors=dict.fromkeys(NAMES, 0.8))
    neither = boots(rng, 5, operations=8_000, factors=dict.fromkeys(NAMES, 1.3))
    assert named(base, of_time) == []
    assert named(base, of_operations) == []
    assert len(named(base, neither)) > 10


def test_two_single_boots_say_nothing_without_a_history() -> None:
    rng = np.random.default_rng(10)
    one, other = boots(rng, 1), boots(rng, 1, factors=dict.fromkeys(NAMES, 9.0))
    assert named(one, other) == []
    assert named(one, other, boots(rng, 3)) == []
    assert named(one, other, boots(rng, 8))
    assert named([], other, boots(rng, 8)) == []


def test_without_operations_it_is_for_a_second() -> None:
    rng = np.random.default_rng(11)
    base, new = boots(rng, 5, seconds=2.0), boots(rng, 5, seconds=4.0)
    base, new = (
        [Boot(counts=b.counts, operations=None, seconds=b.seconds) for b in side]
        for side in (base, new)
    )
    found = {c.counter: c for c in changes(base, new, [], NAMES, len(NAMES))}
    assert found["c19"].base == pytest.approx(LEVELS[19] / 2, rel=0.05)
    assert found["c19"].effect == pytest.approx(-0.5, rel=0.05)


def test_events_that_the_base_has_not_have_no_percentage() -> None:
    rng = np.random.default_rng(12)
    base = boots(rng, 5, factors={"c15": 0.0})
    [found] = changes(base, boots(rng, 5), [], NAMES, len(NAMES))
    assert (found.counter, found.base, found.effect, found.interval) == ("c15", 0.0, None, None)


def test_a_change_of_less_than_a_percent_is_no_reason() -> None:
    rng = np.random.default_rng(13)
    huge = {"c19": 1e6}
    base = boots(rng, 9, factors=huge)
    assert named(base, boots(rng, 9, factors={"c19": 1.008e6})) == []
    assert named(base, boots(rng, 9, factors={"c19": 1.02e6})) == ["c19"]
