# SPDX-License-Identifier: GPL-2.0-only
"""Figures become a tool's text, and the tool's own parser reads the same figures there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median, stdev
from typing import Any

import pytest
from attrs import evolve

from vlag import parsers
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Histogram, ParsedOutput, Sample
from vlag.scenario import data
from vlag.scenario.data import Figure
from vlag.scenario.draws import boots_of, draw
from vlag.scenario.printers import PRINTERS
from vlag.scenario.raw_output import Boot, histogram
from vlag.stats import distribution


def printed(
    catalogue: Catalogue,
    benchmark: str,
    values: dict[str, Any],
    *,
    given: Mapping[str, str | int] | None = None,
    version: str = "unknown",
    cpus: int = 4,
) -> ParsedOutput:
    entry = catalogue.benchmark(benchmark)
    parameters = render.parameters(entry, given or {})
    boot = Boot(
        values=values,
        parameters=parameters,
        words=render.argv(entry, parameters)["main"],
        version=version,
        cpus=cpus,
    )
    return parsers.parse(entry.tool, PRINTERS[benchmark](boot), path=benchmark)


def value(parsed: ParsedOutput, metric: str) -> float:
    sample = next(s for s in parsed.samples if s.metric == metric)
    assert isinstance(sample, Sample)
    return sample.values[0]


@pytest.mark.parametrize(
    ("benchmark", "metric", "figure", "given"),
    [
        ("stress-ng-pipe", "write-rate", 183.66, {"instances": 4, "duration_s": 20}),
        ("stress-ng-pipe", "bogo-ops-rate", 2264641.0, {"instances": 4, "duration_s": 20}),
        ("stress-ng-yield", "time-per-yield", 2072.0, {"instances": 4, "duration_s": 20}),
        ("stress-ng-context", "swapcontext-rate", 2060126.0, {"instances": 4, "duration_s": 20}),
        ("stress-ng-cyclic", "bogo-ops-rate", 1504000.0, {"instances": 480, "duration_s": 30}),
        ("hackbench-pipe", "time", 12.62, {"mode": "threads", "groups": 1, "fds": 20}),
        ("hackbench-socket", "time", 0.581, {}),
        ("pi-stress", "inversion-rate", 1765.0, {"groups": 240, "duration_s": 30}),
        ("ffmpeg-fifo", "total-fps", 1110.0, {"instances": 60, "cores": 4}),
        ("kernel-cycles-ffmpeg", "kernel-share", 17.7, {}),
        ("uperf-vms", "throughput", 13000.0, {}),
    ],
)
def test_a_figure_comes_back(
    catalogue: Catalogue, benchmark: str, metric: str, figure: float, given: dict[str, int | str]
) -> None:
    parsed = printed(catalogue, benchmark, {metric: figure}, given=given, cpus=480)
    assert value(parsed, metric) == pytest.approx(figure, rel=1e-6)
    declared = {m.name for m in catalogue.benchmark(benchmark).metrics if not m.optional}
    found = [s.metric for s in parsed.samples] + [h.metric for h in parsed.histograms]
    assert set(found) == declared


def test_every_printer_is_of_a_benchmark_in_the_catalogue(catalogue: Catalogue) -> None:
    assert set(PRINTERS) <= set(catalogue.benchmarks)


def test_megabytes_follow_from_the_writes_of_the_version(catalogue: Catalogue) -> None:
    # 2,264,640.83 writes a second gave 276.48 MB/s: 512 bytes each, by four instances.
    four: dict[str, str | int] = {"instances": 4, "duration_s": 20}
    old = printed(
        catalogue, "stress-ng-pipe", {"bogo-ops-rate": 2264640.83}, version="0.15.06-2", given=four
    )
    new = printed(
        catalogue, "stress-ng-pipe", {"bogo-ops-rate": 2264640.83}, version="0.21.00-1", given=four
    )
    assert value(old, "write-rate") == pytest.approx(276.48, rel=2e-3)
    assert value(new, "write-rate") == pytest.approx(8 * value(old, "write-rate"), rel=1e-4)
    assert (old.defaults["mean"], new.defaults["mean"]) == ("geometric", "harmonic")


def test_a_tool_s_three_figures_come_back(catalogue: Catalogue) -> None:
    figures = {"nopm": 94900.0, "tpm": 218500.0, "latency-mean": 43.12}
    parsed = printed(catalogue, "mysql-tprocc", figures)
    assert {m: value(parsed, m) for m in figures} == pytest.approx(figures)


def test_ranges_and_what_is_absent_come_back(catalogue: Catalogue) -> None:
    figure = {"line1": [2100, 2700], "line3": "eliminated"}
    parsed = printed(catalogue, "c2c-ffmpeg", {"cycles-per-load-high": figure})
    by_metric = {s.metric: s for s in parsed.samples}
    assert by_metric["cycles-per-load-low"].values == (2100.0,)
    assert by_metric["cycles-per-load-high"].values == (2700.0,)
    assert by_metric["cycles-per-load-high"].instances == ("line1",)
    assert by_metric["cycles-per-load-high"].absent == ("line3",)


def test_a_report_with_nothing_left_to_watch_is_read(catalogue: Catalogue) -> None:
    parsed = printed(catalogue, "c2c-ffmpeg", {"cycles-per-load-high": {"line1": "eliminated"}})
    assert [(s.values, s.absent) for s in parsed.samples] == [((), ("line1",))] * 2


def test_wake_ups_come_back(catalogue: Catalogue) -> None:
    parsed = printed(catalogue, "kworker-wakeup-vms", {"wakeup-latency": {"mean": 721}})
    assert distribution.statistics(parsed.histograms[0])["p50"] == 721


CASES = [
    {
        "p50": 60,
        "p90": 1166,
        "p99": 4192,
        "p99.9": 8528,
        "max": 17735,
        "mean": 364,
        "samples": 115632,
    },
    {"p50": 56, "p90": 62, "p99": 73, "p99.9": 2707, "max": 14273, "mean": 64, "samples": 119733},
    {"p50": 56, "p90": 62, "p99": 72, "p99.9": 1300, "max": 13525, "mean": 61, "samples": 119806},
    {"p50": 88, "p99": 1319, "p99.9": 2205, "samples": 119913},
]  # fmt: skip


@pytest.mark.parametrize("figure", CASES)
@pytest.mark.parametrize("threads", [1, 8])
def test_percentiles_and_samples_come_back(
    catalogue: Catalogue, figure: dict[str, float], threads: int
) -> None:
    samples = int(figure["samples"]) * threads
    latency = {**figure, "samples": samples, "threads": threads}
    parsed = printed(
        catalogue,
        "cyclictest-hackbench",
        {"latency": latency},
        given={"interval_us": 2777, "duration_s": 333, "histogram_us": 20000},
    )
    (found,) = parsed.histograms
    assert isinstance(found, Histogram)
    assert (found.achieved, found.expected) == (samples, 119913 * threads)
    said = distribution.statistics(found)
    wanted = {p: v for p, v in figure.items() if p not in ("mean", "samples")}
    assert {p: said[p] for p in wanted} == pytest.approx(wanted, rel=0.02)
    # The percentiles of the samples alone are lower where samples hide cycles.
    assert said["p99.9"] >= distribution.statistics(evolve(found, expected=None))["p99.9"]
    if "mean" in figure:
        mean = float((found.counts.sum(axis=0) @ found.bounds) / found.achieved)
        assert mean == pytest.approx(figure["mean"], rel=1e-3)


def test_percentiles_that_fall_are_refused() -> None:
    with pytest.raises(UsageError, match="do not rise"):
        histogram({"p50": 60, "p99": 50, "samples": 1000}, due=1000, interval=500)


@pytest.mark.parametrize("boots", [5, 10])
@pytest.mark.parametrize(("figure", "step"), [(183.66, 0.01), (62, 1), (0.581, 0.001)])
def test_median_and_mean_of_a_draw_are_the_figure(boots: int, figure: float, step: float) -> None:
    values = draw(figure, boots=boots, spread=0.02, step=step, seed=7)
    logs = [math.log(v) for v in values]
    assert len(values) == boots
    assert median(values) == pytest.approx(figure, rel=1e-9)
    assert math.exp(sum(logs) / boots) == pytest.approx(figure, rel=2e-4)
    assert stdev(logs) == pytest.approx(0.02, rel=0.3)
    assert values == draw(figure, boots=boots, spread=0.02, step=step, seed=7)
    assert values != draw(figure, boots=boots, spread=0.02, step=step, seed=8)


def test_draws_of_one_figure_follow_its_words_alone() -> None:
    def of(*words: str) -> list[Any]:
        figure = Figure(value=100.0, spread=0.02, fixed={})
        return boots_of(figure, stages=[5, 10], step=0.01, seed=1, words=words)

    assert of("a") == of("a")
    assert of("a") != of("b")
    assert median(of("a")[:5]) == median(of("a")[5:]) == 100.0


@pytest.mark.parametrize("name", data.names())
def test_every_scenario_is_read(name: str) -> None:
    scenario = data.load(name)
    assert scenario.sets
    assert any(of.alone for of in scenario.sets.values())


def test_an_unknown_scenario_is_refused() -> None:
    with pytest.raises(UsageError, match="no scenario 'S0'; there are: S1"):
        data.load("S0")
