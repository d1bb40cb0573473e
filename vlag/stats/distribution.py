"""Quantiles of the distribution that one run measured.

Samples of one run may be pooled over its threads, since the run stays one
observation.  Nothing here takes more than one run: samples of several runs are never
pooled, because a run's samples resemble each other more than those of the next run.
"""

from __future__ import annotations

import math

import numpy as np

from vlag.model import Histogram

# A quantile q rests on the samples beyond it: with fewer than this many it is noise.
SAMPLES_BEYOND = 10

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}

# Keys of `observed` that are no quantiles: how many samples the run took and should have.
ACHIEVED, EXPECTED = "achieved", "expected"

# q comes as a binary fraction: 100 * (1 - 0.9) is a hair below 10.
_ROUNDING = 1e-9


def percentile(histogram: Histogram, q: float) -> float | None:
    """Return the beginning of the bucket that holds the q-quantile, 0 < q < 1.

    The unit is that of the histogram's bounds; all instances are pooled.  None where
    fewer than `SAMPLES_BEYOND` / (1 - q) samples were taken, overflows included, and
    where the quantile lies among the overflows, whose values the tool did not keep.

    Raises ValueError for a q outside 0 to 1.
    """
    if not 0 < q < 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    achieved = histogram.achieved
    if achieved * (1 - q) < SAMPLES_BEYOND * (1 - _ROUNDING):
        return None
    reached = np.cumsum(np.sum(histogram.counts, axis=0))
    rank = math.ceil(q * achieved)
    bucket = int(np.searchsorted(reached, rank))
    return float(histogram.bounds[bucket]) if bucket < len(reached) else None


def statistics(histogram: Histogram) -> dict[str, float]:
    """Return the run's quantiles by name, those that are defined, and its "max".

    Names are the keys of `QUANTILES` and "max", the largest value of any instance.
    """
    values = {name: percentile(histogram, q) for name, q in QUANTILES.items()}
    given = {name: value for name, value in values.items() if value is not None}
    return {**given, "max": max(histogram.maximum)}


def observed(histogram: Histogram) -> dict[str, float]:
    """Return the run's `statistics`, its "achieved" and, where known, "expected" samples.

    Samples that are missing were often the slow ones (coordinated omission), so that a
    distribution is judged together with them.
    """
    counts = {ACHIEVED: float(histogram.achieved)}
    if histogram.expected is not None:
        counts[EXPECTED] = float(histogram.expected)
    return {**statistics(histogram), **counts}
