"""Histograms of two kernels compared as distributions: where the latency moved."""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import asdict

from vlag.compare.conditions import Group
from vlag.model import Histogram, Metric
from vlag.stats import distribution
from vlag.stats.compare import BOOTS_MINIMUM
from vlag.stats.shift import shift
from vlag.store.shifts import ShiftRow


def compare(
    benchmark: str,
    parameters: Mapping[str, str | int],
    metric: Metric,
    relevance: float,
    base: Group,
    new: Group,
) -> ShiftRow | None:
    """Return how the distribution moved, a boot being one observation.

    None where the metric is no histogram or a side has fewer than `BOOTS_MINIMUM` boots.
    """
    sides = [
        [distribution.observed(f.figures) for f in g.figures if isinstance(f.figures, Histogram)]
        for g in (base, new)
    ]
    if min(map(len, sides)) < BOOTS_MINIMUM:
        return None
    found = shift(
        *sides, direction=metric.direction, relevance=relevance, resolution=metric.resolution
    )
    return ShiftRow(
        benchmark=benchmark,
        parameters=dict(parameters),
        metric=metric.name,
        unit=metric.unit,
        p=found.p,
        suspect=found.suspect,
        worse=found.worse,
        better=found.better,
        headline=found.headline,
        quantiles=[
            {
                # An interval may have no end; JSON has no word for that but null.
                name: None if isinstance(value, float) and not math.isfinite(value) else value
                for name, value in asdict(q).items()
            }
            for q in found.quantiles
        ],
        unknown=list(found.unknown),
        base_achieved=found.achieved_base,
        new_achieved=found.achieved_new,
    )
