# SPDX-License-Identifier: GPL-2.0-only
"""One verdict a measurement: no two compared metrics of a benchmark are one figure twice."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import median

import pytest
from attrs import evolve

from tests.unit.captures import CAPTURES, expected
from vlag.compare.declared import entries
from vlag.config.catalogue import load
from vlag.model import Benchmark, Direction
from vlag.parsers import parse

CATALOGUE = load()

#: Captures of a benchmark that show whether two metrics are one figure.
LEAST = 3
#: Factor by which a metric must differ over the captures, in powers of two.
SPREAD = 0.3
#: The constant may differ by whole powers of two, for the instances and sizes of a run; and by
#: so much of one for what a tool does at the beginning and the end.
TOLERANCE = 0.1


def _figures() -> dict[str, list[dict[str, float]]]:
    """Return the medians of each real capture, by the benchmarks that it is of."""
    found: dict[str, list[dict[str, float]]] = {}
    for capture in CAPTURES:
        if "refused" in expected(capture) or "-made" in capture.name:
            continue
        output = parse(capture.parent.name, capture.read_bytes(), path=str(capture))
        samples = {s.metric: s for s in output.samples if s.values}
        values = {name: median(s.values) for name, s in samples.items()}
        for benchmark in entries(CATALOGUE, output.tool, output.benchmark, [dict(samples)]):
            found.setdefault(benchmark.name, []).append(values)
    return found


FIGURES = _figures()


def twice(benchmark: Benchmark) -> set[tuple[str, str]]:
    """Return the pairs of compared metrics whose product, or quotient, is a constant.

    Two times of one run resemble each other without being one: of these nothing is said.
    """
    found = set()
    compared = [m for m in benchmark.metrics if m.compared and not m.histogram]
    for one, other in combinations(compared, 2):
        if {one.direction, other.direction} == {Direction.LOWER}:
            continue
        sign = -1 if one.direction is other.direction else 1
        pairs = [
            (math.log2(v[one.name]), math.log2(v[other.name]))
            for v in FIGURES.get(benchmark.name, [])
            if v.get(one.name, 0) > 0 and v.get(other.name, 0) > 0
        ]
        if len(pairs) < LEAST or max(pairs)[0] - min(pairs)[0] < SPREAD:
            continue
        constants = [a + sign * b for a, b in pairs]
        rests = [(c - constants[0] + 0.5) % 1 - 0.5 for c in constants]
        if max(rests) - min(rests) < TOLERANCE:
            found.add((one.name, other.name))
    return found


@pytest.mark.parametrize("benchmark", CATALOGUE.benchmarks.values(), ids=lambda b: b.name)
def test_no_benchmark_compares_one_figure_twice(benchmark: Benchmark) -> None:
    assert twice(benchmark) == set()
    assert any(m.headline and (m.compared or not m.histogram) for m in benchmark.metrics)


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("stress-ng-switch", ("bogo-ops-rate", "time-per-switch")),
        ("stress-ng-yield", ("bogo-ops-rate", "time-per-yield")),
        ("perf-bench-pipe", ("time-per-op", "throughput")),
    ],
)
def test_a_rate_and_its_time_are_found(name: str, metrics: tuple[str, str]) -> None:
    benchmark = CATALOGUE.benchmark(name)
    shown = [m for m in benchmark.metrics if m.name in metrics]
    assert [m.compared for m in shown].count(True) == 1
    assert next(m for m in shown if m.compared).headline
    both = evolve(benchmark, metrics=tuple(evolve(m, compared=True) for m in shown))
    assert twice(both) == {metrics}


def test_a_lock_s_own_time_is_no_second_figure_of_the_rate() -> None:
    benchmark = CATALOGUE.benchmark("stress-ng-mutex")
    assert [m.name for m in benchmark.metrics if m.compared] == ["bogo-ops-rate", "time-per-mutex"]
    assert len(FIGURES["stress-ng-mutex"]) >= LEAST


def test_the_mean_latency_of_sysbench_is_its_throughput_once_more() -> None:
    for name in ("sysbench-cpu", "sysbench-threads"):
        compared = [m.name for m in CATALOGUE.benchmark(name).metrics if m.compared]
        assert compared == ["throughput", "latency-p95"]
        threads = [v["throughput"] * v["latency-mean"] / 1000 for v in FIGURES[name]]
        assert min(abs(n - 2) for n in threads) < 0.01  # both threads are always busy
