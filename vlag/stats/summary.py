# SPDX-License-Identifier: GPL-2.0-only
"""What one run says of a metric: one number a statistic."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from vlag.model import Histogram, Sample
from vlag.stats import distribution

#: In the order in which they are shown.
STATISTICS = ("median", *distribution.QUANTILES, "max")


def statistics(figures: Sample | Histogram) -> Mapping[str, float]:
    """Return the statistics that the run knows, in the metric's unit."""
    if isinstance(figures, Sample):
        # A tool may look for something and find nothing: that is no number.
        return {"median": median(figures.values)} if figures.values else {}
    return distribution.statistics(figures)


def value_of(figures: Sample | Histogram, statistic: str) -> float | None:
    """Return what one run says of a statistic, or None where its samples are too few."""
    return statistics(figures).get(statistic)
