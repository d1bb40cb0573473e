# SPDX-License-Identifier: GPL-2.0-only
"""Quantiles of one run's histogram, against sorted samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from attrs import evolve

from vlag.model import Histogram
from vlag.stats.distribution import (
    ACHIEVED,
    EXPECTED,
    SAMPLES_BEYOND,
    observed,
    percentile,
    statistics,
)
from vlag.stats.summary import QUANTILES


def histogram(*threads: list[int], limit: int = 1000) -> Histogram:
    """Count the samples of each thread as cyclictest does."""
    bounds = sorted({v for thread in threads for v in thread if v < limit})
    return Histogram(
        metric="latency",
        bounds=tuple(bounds),
        counts=tuple(tuple(thread.count(b) for b in bounds) for thread in threads),
        overflow=tuple(sum(v >= limit for v in thread) for thread in threads),
        limit=limit,
        maximum=tuple(float(max(thread)) for thread in threads),
        instances=tuple(map(str, range(len(threads)))),
    )


def test_quantile_is_the_smallest_value_that_enough_samples_reach() -> None:
    rng = np.random.default_rng(1)
    for n in (20, 21, 99, 100, 1000, 1001):
        samples = [int(v) for v in rng.gamma(2.0, 20.0, n)]
        ordered = sorted(samples)
        for q in (0.5, 0.9, 0.99):
            found = percentile(histogram(samples), q)
            if n * (1 - q) < SAMPLES_BEYOND - 1e-6:
                assert found is None
            else:
                percent = round(100 * q)
                assert found == ordered[-(-n * percent // 100) - 1]


def test_threads_of_one_run_are_pooled() -> None:
    rng = np.random.default_rng(2)
    samples = [int(v) for v in rng.gamma(2.0, 20.0, 900)]
    whole = statistics(histogram(samples))
    assert statistics(histogram(samples[:100], samples[100:])) == whole
    assert statistics(histogram(samples[::-1])) == whole


@pytest.mark.parametrize(
    ("q", "least"), [(0.5, 20), (0.9, 100), (0.99, 1000), (0.999, 10_000), (0.9999, 100_000)]
)
def test_quantile_needs_samples_beyond_it(q: float, least: int) -> None:
    def of(n: int) -> float | None:
        return percentile(
            Histogram(
                metric="latency",
                bounds=(7,),
                counts=((n,),),
                overflow=(0,),
                limit=100,
                maximum=(7.0,),
                instances=("0",),
            ),
            q,
        )

    assert of(least - 1) is None
    assert of(least) == 7.0


def test_overflows_count_as_samples_and_hide_what_lies_among_them() -> None:
    samples = [10] * 89 + [20] + [5000] * 10
    assert percentile(histogram(samples), 0.9) == 20.0
    assert percentile(histogram([*samples[1:], 5000]), 0.9) is None
    assert percentile(histogram([*samples[1:], 5000]), 0.5) == 10.0
    # Without them there would be no p90 at all.
    assert percentile(histogram(samples[:90]), 0.9) is None


def test_quantiles_ascend_and_the_maximum_ends_them() -> None:
    rng = np.random.default_rng(3)
    samples = [int(v) for v in rng.gamma(1.0, 30.0, 100_000)]
    values = statistics(histogram(samples[:50_000], samples[50_000:], limit=100_000))
    assert list(values) == [*QUANTILES, "max"]
    assert list(values.values()) == sorted(values.values())
    assert values["p50"] < values["p99.99"]
    assert values["max"] == max(samples)
    assert values["p50"] == pytest.approx(30 * math.log(2), abs=1.5)
    assert values["p99.9"] == pytest.approx(30 * math.log(1000), rel=0.05)


def test_statistics_leave_out_what_is_not_defined() -> None:
    assert statistics(histogram([3] * 60, [4] * 39 + [9000])) == {
        "p50": 3.0,
        "p90": 4.0,
        "max": 9000.0,
    }
    assert statistics(histogram([3, 4, 5])) == {"max": 5.0}
    assert [f"p{100 * q:g}" for q in QUANTILES.values()] == list(QUANTILES)


def test_observed_says_how_many_samples_were_taken() -> None:
    found = histogram([3] * 60, [4] * 39 + [9000])
    assert observed(found) == {**statistics(found), ACHIEVED: 100.0}
    assert observed(evolve(found, expected=120))[EXPECTED] == 120.0
    # No quantile may be called so.
    assert not {ACHIEVED, EXPECTED} & {*QUANTILES, "max"}


@pytest.mark.parametrize("q", [0.0, 1.0, -0.5, 99.0, math.nan])
def test_a_quantile_outside_its_range_is_refused(q: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile(histogram([1] * 100), q)


def waits(latencies: list[int], *, interval: int, cycles: int) -> tuple[Histogram, list[int]]:
    """Return what cyclictest counts of these delays, one after the other, and each cycle's.

    The thread of a cycle that is late skips those that were due before it ran.
    """
    taken: list[int] = []
    each: list[int] = []
    rest = iter(latencies)
    while len(each) < cycles:
        late = next(rest)
        taken.append(late)
        each += range(late, -1, -interval)
    return evolve(histogram(taken, limit=100_000), interval=interval, expected=len(each)), each


def test_skipped_cycles_are_as_late_as_the_sample_that_hides_them() -> None:
    rng = np.random.default_rng(4)
    # A third of the wake-ups is late by several intervals, as under a heavy load.
    delays = np.where(rng.random(20_000) < 0.3, rng.gamma(2.0, 600.0, 20_000), 60.0).astype(int)
    found, each = waits(delays.tolist(), interval=500, cycles=20_000)
    assert found.expected is not None
    assert found.achieved < 0.7 * found.expected
    ordered = sorted(each)
    for q in (0.5, 0.9, 0.99):
        assert percentile(found, q) == ordered[math.ceil(q * len(each)) - 1]
    # Of the samples alone the median is that of the cycles that were not late.
    assert percentile(evolve(found, expected=None), 0.5) == 60.0
    assert (percentile(found, 0.5) or 0) > 120.0


def test_a_sample_hides_no_more_cycles_than_are_missing() -> None:
    found, each = waits([60] * 990 + [1200] * 10, interval=500, cycles=1020)
    assert found.expected == len(each) == 1020
    assert percentile(found, 0.98) == 200.0
    # This tool ran the late cycles, too.
    caught_up = evolve(found, expected=found.achieved)
    assert percentile(caught_up, 0.98) == 60.0
    assert percentile(caught_up, 0.99) == 60.0
    assert percentile(found, 0.99) == 1200.0 - 500.0


def test_cycles_that_nothing_explains_are_later_than_all_samples() -> None:
    found = evolve(histogram([60] * 5000, [60] * 5000), interval=500)
    # Threads start one after the other: the last one lacks a few cycles.
    assert percentile(evolve(found, expected=10_080), 0.999) == 60.0
    # A thread that did not run for half of the time is no small matter.
    starved = evolve(histogram([60] * 5000, [60] * 2500), interval=500, expected=10_000)
    assert percentile(starved, 0.5) == 60.0
    assert percentile(starved, 0.9) is None
    assert percentile(evolve(starved, expected=None), 0.9) == 60.0


def test_without_an_interval_missing_cycles_are_later_than_all_samples() -> None:
    found = histogram([60] * 8000 + [2000] * 2000, limit=100_000)
    assert percentile(found, 0.9) == 2000.0
    missing = evolve(found, expected=20_000)
    assert percentile(missing, 0.4) == 60.0
    assert percentile(missing, 0.5) == 2000.0
    assert percentile(missing, 0.9) is None
    assert "p90" not in statistics(missing)


def test_beyond_the_histogram_a_sample_hides_cycles_as_if_at_its_end() -> None:
    found = evolve(histogram([60] * 980 + [5000] * 20, limit=1000), interval=500, expected=1040)
    # Two of 500 and 0 each.
    assert percentile(found, 0.96) == 60.0
    assert percentile(found, 0.97) == 500.0
    assert percentile(found, 0.99) is None
