# SPDX-License-Identifier: GPL-2.0-only
"""What the catalogue says of the metrics in a tool's raw output, and what holds without it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from attrs import frozen

from vlag.config.catalogue import Catalogue
from vlag.model import Benchmark, Direction, Histogram, Metric, Sample
from vlag.parsers import PARSERS

#: Relevance of a metric that no benchmark declares: a throughput repeats well, but a
#: time or a latency moves by some percent between boots of one kernel.
RELEVANCE = {Direction.HIGHER: 0.01, Direction.LOWER: 0.05}

# Decimals beyond this are those of a quotient, not of a printed number.
_DECIMALS = 6

Figures = Mapping[str, Sample | Histogram]  # metric -> what one file says of it


@frozen(kw_only=True)
class Declared:
    """A metric as benchmarks of the catalogue declare it, or as it is taken without."""

    metric: Metric
    entries: tuple[str, ...]  # names of the benchmarks; (): none, and the defaults hold
    unproven: bool = False  # no real capture stands behind the parser


def entries(
    catalogue: Catalogue, tool: str, benchmark: str, files: Sequence[Figures]
) -> list[Benchmark]:
    """Return the catalogue's benchmarks that the files' metrics fit best; [] for none.

    `benchmark` is what the parser says the tool ran.  Where a tool has several entries,
    a word of it must stand in the entry's name: "stress-ng cpu" is no "stress-ng-pipe".
    """
    candidates = [b for b in catalogue.benchmarks.values() if b.tool == tool]
    ran = _words(benchmark) - _words(tool)
    if len(candidates) > 1 and ran:
        candidates = [b for b in candidates if ran & _words(b.name)]
    held = {
        b.name: sum(_of(b, n, f) is not None for n, f in _kinds(files).items()) for b in candidates
    }
    most = max(held.values(), default=0)
    return [b for b in candidates if held[b.name] == most > 0]


def declared(
    tool: str, fitting: Sequence[Benchmark], files: Sequence[Figures]
) -> dict[str, Declared]:
    """Return each metric of the files as the `fitting` benchmarks declare it.

    Where these disagree the most careful one counts: the largest relevance, then the
    coarsest step.  A metric that none declares is relevant from `RELEVANCE` on, and its
    step is the smallest that the files' own numbers show.
    """
    answer = {}
    for name, figures in _kinds(files).items():
        declaring = [(b, m) for b in fitting if (m := _of(b, name, figures)) is not None]
        if declaring:
            benchmark, metric = max(declaring, key=lambda bm: (bm[1].relevance, bm[1].resolution))
            answer[name] = Declared(
                metric=metric,
                entries=tuple(b.name for b, _ in declaring),
                unproven=benchmark.unproven is not None,
            )
            continue
        quantity = PARSERS[tool].QUANTITIES[name]
        metric = Metric(
            name=name,
            unit=quantity.unit,
            direction=quantity.direction,
            relevance=RELEVANCE[quantity.direction],
            resolution=step(f[name] for f in files if name in f),
            histogram=isinstance(figures, Histogram),
        )
        answer[name] = Declared(metric=metric, entries=())
    return answer


def step(figures: Iterable[Sample | Histogram]) -> float:
    """Return the smallest step that numbers show, in their unit; 1 where they are whole.

    Of a histogram it is the width of the buckets, as far as those that were hit tell.
    """
    decimals, width = 0, 0
    for f in figures:
        if isinstance(f, Histogram):
            width = math.gcd(width, *f.bounds)
        else:
            exponents = [Decimal(repr(v)).normalize().as_tuple().exponent for v in f.values]
            decimals = max(decimals, *(-e for e in exponents if isinstance(e, int)), 0)
    return float(width or 10.0 ** -min(decimals, _DECIMALS))


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def _kinds(files: Sequence[Figures]) -> dict[str, Sample | Histogram]:
    """Return one of the files' figures for each metric, in the order the tool gives them."""
    return {name: figures for f in files for name, figures in f.items()}


def _of(benchmark: Benchmark, name: str, figures: Sample | Histogram) -> Metric | None:
    metric = benchmark.metric(name)
    fits = metric is not None and metric.histogram == isinstance(figures, Histogram)
    return metric if fits else None
