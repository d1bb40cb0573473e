# SPDX-License-Identifier: GPL-2.0-only
"""What one run says of a metric: one number a statistic."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from vlag.model import Histogram, Sample

#: Those of a histogram.
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
#: In the order in which they are shown.
STATISTICS = ("median", *QUANTILES, "max")


def statistics(figures: Sample | Histogram) -> Mapping[str, float]:
    """Return the statistics that the run knows, in the metric's unit."""
    if isinstance(figures, Sample):
        # A tool may look for something and find nothing: that is no number.
        return {"median": median(figures.values)} if figures.values else {}
    # A run without a histogram is stored in less time than numpy takes to import.
    from vlag.stats import distribution  # noqa: PLC0415

    return distribution.statistics(figures)


def value_of(figures: Sample | Histogram, statistic: str) -> float | None:
    """Return what one run says of a statistic, or None where its samples are too few."""
    return statistics(figures).get(statistic)
