# SPDX-License-Identifier: GPL-2.0-only
"""What each relevance finds: on deterministic boards by the spread of one build's boots.

`VLAG_BENCH_STATE` names the state folder of a service, as `var`, whose runs are read; without it
a whole night is made.  Other boards than the virtual ones are not at hand: for them the page has
the power for a range of spreads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from bench.evidence import table, write
from bench.shapes import of_entry, shipped
from bench.verdicts import power
from tests.night.clone import runs_below, shared_night
from tests.night.digests import CATALOGUE, figures
from vlag.model import Histogram, Metric, Outcome, PlanEntry, Sample, canonical_json
from vlag.stats.compare import clip, equivalence_margin
from vlag.stats.summary import STATISTICS, statistics

#: Those that give the boots of a series; of two with the same benchmark the last counts.
PLANS = ("weekly", "nightly")
#: Those whose boots count: also of the self-proof, whose kernels have the same config.
BOOTED = (*PLANS, "known-regressions")
#: Fewest boots of one image that say something about its spread.
BOOTS_MINIMUM = 3
#: Changes whose power is given, as multiples of the relevance.
MULTIPLES = (1.5, 2.0, 3.0)
PAIRS = 400
#: What the boards at hand cannot say: the power on others, for these relevances and spreads.
RELEVANCES = (0.01, 0.02, 0.03, 0.05)
SPREADS = (0.005, 0.01, 0.02, 0.03, 0.05)
#: A change that a person wants to hear of.
CHANGE = 0.05


@frozen(kw_only=True)
class Series:
    """Boots of equal builds: one statistic of one metric of one benchmark on one board type."""

    board_type: str
    benchmark: str
    parameters: str  # canonical JSON
    metric: Metric
    statistic: str
    images: Mapping[str, Sequence[float]] = field(factory=dict)  # image and knobs -> one a boot

    @property
    def level(self) -> float:
        """Geometric mean over all boots, in the metric's unit."""
        return math.exp(
            float(np.mean(np.log([v for values in self.images.values() for v in values])))
        )

    @property
    def spread(self) -> float:
        """Standard deviation of the logarithms within an image, pooled over the images."""
        return spread(self.images.values())

    @property
    def least(self) -> float:
        """The same of the image whose boots differ least."""
        return min(spread([values]) for values in self.images.values())

    @property
    def step(self) -> float:
        """One step of the tool as a part of the level."""
        return self.metric.resolution / self.level


def spread(groups: Iterable[Sequence[float]]) -> float:
    """Return the pooled standard deviation of the logarithms within groups of positive values."""
    logs = [np.log(np.asarray(g, dtype=float)) for g in groups if len(g) > 1]
    squares = sum(float(np.sum((g - np.mean(g)) ** 2)) for g in logs)
    return math.sqrt(squares / sum(len(g) - 1 for g in logs))


def measured(runs: Iterable[Mapping[str, Any]]) -> list[Series]:
    """Return the series of complete scored runs of `BOOTED` (run.json, its folder as `bundle`).

    Boots of other plans, as of prebuilt kernels, are no boots of a night's series.
    """
    by_key: dict[tuple[str, str, str, str, str], Series] = {}
    for run in runs:
        if run["outcome"] != Outcome.COMPLETE.value or run.get("observes"):
            continue
        if run["plan"] not in BOOTED:
            continue
        parsed = figures(run["bundle"], dict(run))
        by_metric: dict[str, Sample | Histogram] = {s.metric: s for s in parsed.samples}
        by_metric |= {h.metric: h for h in parsed.histograms}
        for metric in CATALOGUE.benchmark(run["benchmark"]).metrics:
            if not metric.compared or metric.name not in by_metric:
                continue
            for name, value in statistics(by_metric[metric.name]).items():
                parameters = canonical_json(run["parameters"]).decode()
                key = (run["board"]["board_type"], run["benchmark"], parameters, metric.name, name)
                series = by_key.setdefault(
                    key,
                    Series(
                        board_type=key[0], benchmark=key[1], parameters=key[2], metric=metric,
                        statistic=name,
                    ),
                )  # fmt: skip
                image = run["image_sha256"] + canonical_json(run["knobs"]).decode()
                values = [*series.images.get(image, ()), *clip([value], metric.resolution)]
                by_key[key] = evolve(series, images={**series.images, image: values})
    kept = [
        evolve(s, images={i: v for i, v in s.images.items() if len(v) >= BOOTS_MINIMUM})
        for s in by_key.values()
    ]
    order = sorted(
        (s for s in kept if s.images),
        key=lambda s: (s.benchmark, s.parameters, s.board_type, s.metric.name),
    )
    return sorted(order, key=lambda s: (s.benchmark, s.parameters, STATISTICS.index(s.statistic)))


def row(series: Series, entry: PlanEntry) -> tuple[object, ...]:
    """Return a line of the page: spread, relevance, and the power at multiples of it."""
    board = CATALOGUE.board_type(series.board_type)
    shape = of_entry(entry, series.metric, board)
    relevance = shape.relevance
    powers = [power(shape, m * relevance, cv=series.spread, pairs=PAIRS) for m in MULTIPLES]
    return (
        series.benchmark,
        series.board_type,
        f"{series.metric.name} {series.statistic}",
        f"{series.level:.6g} {series.metric.unit}",
        f"{series.step:.2%}",
        f"{series.spread:.2%}",
        f"{series.least:.2%}",
        f"{relevance:.1%}",
        f"{equivalence_margin(relevance):.1%}",
        *(f"{share:.2f}" for share in powers),
    )


def recorded() -> list[dict[str, Any]]:
    """Return every run.json of a state folder, or of a new whole night."""
    kept = os.environ.get("VLAG_BENCH_STATE")
    if kept:
        return runs_below(Path(kept))
    with shared_night("VLAG_BENCH_WHOLE_NIGHT", branches=None) as night:
        return night.runs()


def elsewhere() -> list[tuple[object, ...]]:
    """Return the lines for boards whose spread is not known: the power for `CHANGE`."""
    _nightly, weekly, _counts = shipped()
    return [
        (
            f"{relevance:.0%}",
            *(
                f"{power(evolve(weekly, relevance=relevance), CHANGE, cv=cv, pairs=PAIRS):.2f}"
                for cv in SPREADS
            ),
        )
        for relevance in RELEVANCES
    ]


def main() -> None:
    """Run the night if there is none, and write the figures."""
    entries = {
        (entry.benchmark, board_type): entry
        for plan in PLANS
        for entry in CATALOGUE.plan(plan).entries
        for board_type in entry.board_types
    }
    rows = []
    for series in measured(recorded()):
        entry = entries.get((series.benchmark, series.board_type))
        if entry is not None:
            rows.append(row(series, entry))
            print(*rows[-1], flush=True)
    write(
        "relevance",
        "What the relevances find",
        "python -m bench relevance",
        [
            "spread: of the boots of one image, pooled over images with"
            f" {BOOTS_MINIMUM} boots or more",
            f"power: share of {PAIRS} drawn pairs that the screen suspects and a rerun confirms,"
            " without a history, for a change so many times the relevance",
        ],
        [
            *table(
                ["benchmark", "board type", "figure", "level", "step", "spread", "least spread",
                 "relevance", "margin", *(f"{m:g} x" for m in MULTIPLES)],
                rows,
            ),
            "",
            "## Other boards",
            "",
            f"Share of pairs in which a change of {CHANGE:.0%} is found and confirmed, by relevance"
            " and spread (CV) between boots, with the boots of the weekly plan's throughput.",
            "",
            *table(["relevance", *(f"spread {cv:.1%}" for cv in SPREADS)], elsewhere()),
        ],
    )  # fmt: skip
