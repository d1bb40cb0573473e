# SPDX-License-Identifier: GPL-2.0-only
"""Quantiles of the distribution that one run measured.

Samples of one run may be pooled over its threads, since the run stays one
observation.  Nothing here takes more than one run: samples of several runs are never
pooled, because a run's samples resemble each other more than those of the next run.

The quantiles are those of the cycles that were due, not of the samples that were taken.  A
thread that wakes up late skips the cycles that were due meanwhile (coordinated omission), so
the more a kernel delays it, the fewer samples the delay has.  A sample of latency L hides
cycles of the latencies L - I, L - 2I, ... down to 0, I being the interval; at most as many
as are missing.  Where more than `UNEXPLAINED` of a thread's cycles are missing beyond these,
or the interval is unknown, they count as later than all samples: nothing shows how late.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from vlag.model import Histogram
from vlag.stats.summary import QUANTILES

# A quantile q rests on the samples beyond it: with fewer than this many it is noise.
SAMPLES_BEYOND = 10

# Share of a thread's cycles that may be missing without a sample that hides them: cyclictest
# starts its threads one after the other, and the first one that is done ends them all.
UNEXPLAINED = 0.01

# Keys of `observed` that are no quantiles: how many samples the run took and should have.
ACHIEVED, EXPECTED = "achieved", "expected"

# q comes as a binary fraction: 100 * (1 - 0.9) is a hair below 10.
_ROUNDING = 1e-9

# Values, ascending or not, and how many cycles had each.
_Cycles = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def _hidden(taken: _Cycles, interval: int) -> _Cycles:
    """Return the cycles that were due while others waited, as far as the samples show them."""
    found_values, found_counts = [], []
    values, samples = (part[taken[1] > 0] for part in taken)
    while len(values):
        values, samples = values[values >= interval] - interval, samples[values >= interval]
        found_values.append(values)
        found_counts.append(samples)
    if not found_values:
        return values, samples
    return np.concatenate(found_values), np.concatenate(found_counts)


def _missing(histogram: Histogram) -> tuple[_Cycles, int]:
    """Return the cycles that were due and not taken, and how many more lie at no known place."""
    missing = (histogram.expected or 0) - histogram.achieved
    due = (histogram.expected or 0) / len(histogram.instances)
    # Of a sample beyond the histogram's end only that it is at least as late is known.
    ends = np.array([*histogram.bounds, histogram.limit], dtype=np.int64)
    table = np.column_stack([histogram.counts, histogram.overflow])
    late: _Cycles = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    explained = table.sum(axis=1)
    if histogram.interval is not None:
        late = _hidden((ends, table.sum(axis=0)), histogram.interval)
        explained = table @ (1 + ends // histogram.interval)
    lost = due - explained
    lost = lost[lost > UNEXPLAINED * due]
    # A cycle that was due after the end, or that the tool made up for, is not missing.
    order = np.argsort(-late[0], kind="stable")
    values, counts = late[0][order], late[1][order]
    kept = np.clip(missing - (np.cumsum(counts) - counts), 0, counts)
    return (values, kept), round(float(lost.sum()))


def _due(histogram: Histogram) -> _Cycles:
    """Return the values below the histogram's end, ascending, with the cycles up to each.

    The last number is that of all cycles, those beyond the end included.
    """
    values = np.array(histogram.bounds, dtype=np.int64)
    counts = histogram.counts.sum(axis=0)
    total = histogram.achieved
    missing = (histogram.expected or 0) - total
    if missing > 0:
        (late, late_counts), lost = _missing(histogram)
        values, counts = np.concatenate([values, late]), np.concatenate([counts, late_counts])
        total += int(late_counts.sum()) + lost
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[order]
    return values, np.append(np.cumsum(counts), total)


def _percentile(histogram: Histogram, due: _Cycles, q: float) -> float | None:
    if histogram.achieved * (1 - q) < SAMPLES_BEYOND * (1 - _ROUNDING):
        return None
    values, reached = due
    rank = math.ceil(q * int(reached[-1]))
    place = int(np.searchsorted(reached[:-1], rank))
    return float(values[place]) if place < len(values) else None


def percentile(histogram: Histogram, q: float) -> float | None:
    """Return the beginning of the bucket that holds the q-quantile, 0 < q < 1, of all cycles due.

    The unit is that of the histogram's bounds; all instances are pooled.  None where
    fewer than `SAMPLES_BEYOND` / (1 - q) samples were taken, overflows included, and
    where the quantile lies among the overflows, whose values the tool did not keep, or
    among missing cycles that no sample explains.

    Raises ValueError for a q outside 0 to 1.
    """
    if not 0 < q < 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    return _percentile(histogram, _due(histogram), q)


def statistics(histogram: Histogram) -> dict[str, float]:
    """Return the run's quantiles by name, those that are defined, and its "max".

    Names are the keys of `QUANTILES` and "max", the largest value of any instance: a
    lower bound of the latest cycle where samples are missing.
    """
    due = _due(histogram)
    values = {name: _percentile(histogram, due, q) for name, q in QUANTILES.items()}
    given = {name: value for name, value in values.items() if value is not None}
    return {**given, "max": max(histogram.maximum)}


def observed(histogram: Histogram) -> dict[str, float]:
    """Return the run's `statistics`, its "achieved" and, where known, "expected" samples.

    The quantiles count the missing samples; a reader sees how many they are.
    """
    counts = {ACHIEVED: float(histogram.achieved)}
    if histogram.expected is not None:
        counts[EXPECTED] = float(histogram.expected)
    return {**statistics(histogram), **counts}
