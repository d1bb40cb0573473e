# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on distributions of which one side skipped cycles."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from attrs import evolve

from vlag.compare.verdict import Boots, Subject, moved, row
from vlag.config.catalogue import load
from vlag.model import Histogram

BENCHMARK = load().benchmark("cyclictest-hackbench")
DUE = 16_000  # of two threads
INTERVAL = 500


def boot(samples: Mapping[int, int]) -> Histogram:
    """Return what both threads of a boot counted together: latency -> samples."""
    counts = dict(sorted(samples.items()))
    return Histogram(
        metric="latency",
        bounds=tuple(counts),
        counts=[[n // 2 for n in counts.values()], [n - n // 2 for n in counts.values()]],
        overflow=(0, 0),
        limit=30_000,
        maximum=(float(max(counts)), float(max(counts))),
        instances=("0", "1"),
        expected=DUE,
        interval=INTERVAL,
    )


#: Every cycle ran, half of them within 100 us.
WHOLE = [boot({100 + i: 15_000, 150 + i: 900, 300: 80, 450: 20}) for i in range(5)]
#: 41 % of the cycles are missing: every fifth sample is up to 3.5 ms late and hides others.
SKIPPING = [
    boot({90 + i: 7500, 1300 + i: 1060, 1900 + i: 600, 2700 + i: 300, 3450 + i: 160})
    for i in range(5)
]


def told(statistic: str, base: list[Histogram], new: list[Histogram]) -> str:
    metric = BENCHMARK.metrics[0]
    of = Subject(benchmark=BENCHMARK.name, parameters={}, metric=metric, relevance=0.05, hint=False)
    sides = Boots(name="base", figures=base), Boots(name="new", figures=new)
    shift = moved(of, *sides)
    verdict = row(of, statistic, *sides)
    assert shift is not None
    known = {q["name"]: q for q in shift.quantiles}
    if statistic in known:  # the shift function judges what the row does
        assert (verdict.base_value, verdict.new_value) == pytest.approx(
            (known[statistic]["base"], known[statistic]["new"])
        )
    return verdict.verdict


def as_sampled(side: list[Histogram]) -> list[Histogram]:
    return [evolve(h, expected=None) for h in side]


def test_skipped_cycles_make_no_improvement() -> None:
    share = SKIPPING[0].achieved / DUE
    assert 0.55 < share < 0.62
    assert {told(p, WHOLE, SKIPPING) for p in ("p50", "p90", "p99")} == {"REGRESSION"}
    assert {told(p, SKIPPING, WHOLE) for p in ("p50", "p90", "p99")} == {"IMPROVEMENT"}
    # The samples alone say the contrary: the fewer were taken, the better the median.
    assert told("p50", as_sampled(WHOLE), as_sampled(SKIPPING)) == "IMPROVEMENT"


def test_cycles_that_nothing_explains_make_no_improvement() -> None:
    # As if a thread had stopped: fast samples, and no word of the rest.
    stopped = [boot({90 + i: 9000, 140: 400, 290: 40}) for i in range(5)]
    assert told("p90", WHOLE, stopped) == "INCONCLUSIVE"
    assert told("p90", as_sampled(WHOLE), as_sampled(stopped)) == "IMPROVEMENT"
