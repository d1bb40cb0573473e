# SPDX-License-Identifier: GPL-2.0-only
"""Robust levels and noise of nightly histories, on logarithms.

One spike must move neither a level nor its noise, and correlated nights must not count as
independent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

# Degrees of freedom of Student's t as the model of one night: between a normal (one spike
# moves the level) and a median (which wastes a third of the points).
TAIL = 5.0
# Steps of reweighting towards the robust level; it has settled by then.
_STEPS = 3
# Weight, in points, of the whole history's noise against that of two segments: short
# segments look quiet by chance.
_NOISE_WEIGHT = 10.0
# The same for serial correlation, and its usual value between nights.
_CORRELATION_WEIGHT = 20.0
_CORRELATION = 0.05
# Correlation above this is a trend, and would make any step insignificant.
_CORRELATION_MAXIMUM = 0.8
# The same for a slope, which is told apart from it: a random walk has slopes too.
_CORRELATION_MAXIMUM_SLOPE = 0.95
# Lower bound of the relative noise: printing and floating point.
_NOISE_MINIMUM = 1e-6
# A median absolute deviation times this is a standard deviation, for normal noise.
_NORMAL = 1.4826

# Points further out than this many standard deviations count as being there, where a spike
# would hide all other points.
_CALM = 3.0
# Quantile of the differences between neighbouring means that stands for their scale: lower
# than a median, as those across a step are all above it.
_USUAL = 0.4

# Nights between two points that are compared for wandering levels, and fewest points for it.
_APART = 5
_WANDER_MINIMUM = 60

Array = npt.NDArray[np.float64]


@cache
def _usual_normal() -> float:
    """Return that quantile of a standard normal's amounts."""
    return float(scipy.special.ndtri((1 + _USUAL) / 2))


def log_values(values: Sequence[float] | Array, resolution: float | None = None) -> Array:
    """Return the logarithms; ValueError names the first value without one.

    Values from 0 to `resolution` count as `resolution`.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"a history is one list of numbers, not one of shape {array.shape}")
    if resolution is not None:
        if not (math.isfinite(resolution) and resolution > 0):
            raise ValueError(f"the resolution is {resolution:g}, it must be above 0")
        array = np.where((array >= 0) & (array < resolution), resolution, array)
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if bad.size:
        i = int(bad[0])
        raise ValueError(
            f"value {i} (counted from 0) is {array[i]:g}: relative changes need finite "
            "numbers above 0"
        )
    return np.asarray(np.log(array), dtype=np.float64)


def parts(size: int, breaks: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pieces [first, end) that `breaks` cut a history of `size` points into.

    A break is the first point of the new piece; ValueError for one outside 0 to `size`.
    """
    for b in breaks:
        if not 0 <= b <= size:
            raise ValueError(f"break {b} is outside the history, which has {size} points")
    edges = sorted({0, size, *breaks})
    return list(itertools.pairwise(edges))


def noise(logs: Array) -> float:
    """Return the robust standard deviation of one point, from differences of neighbours.

    Steps, drift and spikes hardly affect it.  A history that repeats its values was rounded:
    its noise is at least that of a uniform error of the smallest move seen.  A move that is
    seen once may be the only one there is, so it says nothing of rounding.
    """
    differences = np.abs(np.diff(logs))
    if not differences.size:
        return _NOISE_MINIMUM
    moved = differences[differences > _NOISE_MINIMUM]
    smallest = float(moved.min()) if moved.size else 0.0
    again = np.count_nonzero(moved < 1.5 * smallest) > 1
    rounding = smallest / math.sqrt(12) if again else 0.0
    scale = _NORMAL * float(np.median(differences)) / math.sqrt(2)
    return max(scale, rounding, _NOISE_MINIMUM)


def spread(rest: Array) -> float:
    """Return the robust standard deviation of residuals."""
    return _NORMAL * float(np.median(np.abs(rest)))


def wander(logs: Array) -> float:
    """Return how much more points `_APART` nights apart differ than neighbours do; white noise: 1.

    Steps, drift and spikes hardly affect it.  1 for fewer than `_WANDER_MINIMUM` points.
    """
    if len(logs) < _WANDER_MINIMUM:
        return 1.0
    apart = logs[_APART:] - logs[:-_APART]
    return spread(apart - np.median(apart)) / math.sqrt(2) / noise(logs)


def clipped(logs: Array) -> Array:
    """Return the logarithms around their median, spikes cut to what is still usual."""
    rest = logs - np.median(logs)
    limit = _CALM * spread(rest) + noise(logs)
    return np.clip(rest, -limit, limit)


def contrasts(logs: Array, width: int, *, steady: bool = False) -> Array:
    """Return how far the means of the `width` points after and before each place differ.

    The unit is the standard deviation of such differences in this history.  The first value
    belongs to place `width`, the last one to `len(logs) - width`.  With `steady`, what they all
    have in common, which a drift makes, is left out.
    """
    total = np.concatenate([[0.0], np.cumsum(clipped(logs))])
    place = np.arange(width, len(logs) - width + 1)
    apart = (total[place + width] - 2 * total[place] + total[place - width]) / width
    if steady:
        apart -= np.median(apart)
    usual = float(np.quantile(np.abs(apart), _USUAL)) / _usual_normal()
    return np.asarray(apart / max(usual, _NOISE_MINIMUM))


def level(logs: Array, scale: float) -> float:
    """Return the robust mean of logarithms: the likeliest centre for t-distributed noise."""
    centre = float(np.median(logs))
    for _ in range(_STEPS):
        weight = 1 / (1 + ((logs - centre) / scale) ** 2 / TAIL)
        centre = float(np.dot(weight, logs) / np.sum(weight))
    return centre


@frozen(kw_only=True)
class Fit:
    """Two levels, one boundary, on logarithms."""

    before: float
    after: float
    scale: float  # of one point
    correlation: float  # of neighbouring points, without the step
    error: float  # standard error of the step, correlation included
    freedom: float

    @property
    def step(self) -> float:
        """Return the change as a log ratio."""
        return self.after - self.before


def _scale(rest: Array, usual: float) -> float:
    """Return the standard deviation of one point, shrunk towards the usual one."""
    size = len(rest)
    own = spread(rest)
    return math.sqrt((size * own**2 + _NOISE_WEIGHT * usual**2) / (size + _NOISE_WEIGHT))


def _correlation(rest: Array, usual: float) -> float:
    """Return the correlation of neighbours, 0 or more, shrunk towards its usual value."""
    calm = np.clip(rest, -_CALM * usual, _CALM * usual)
    power = float(np.dot(calm, calm)) / len(rest)
    together = float(np.dot(calm[:-1], calm[1:])) + _CORRELATION * _CORRELATION_WEIGHT * power
    return max(0.0, together / ((len(rest) + _CORRELATION_WEIGHT) * power)) if power else 0.0


def fit(left: Array, right: Array, usual: float) -> Fit:
    """Fit one level to each side; `usual` is the noise of the history around."""
    before, after = level(left, usual), level(right, usual)
    rest = np.concatenate([left - before, right - after])
    size = len(rest)
    scale = _scale(rest, usual)
    rho = min(_correlation(rest, usual), _CORRELATION_MAXIMUM)
    worth = (1 - rho) / (1 + rho)  # of one point, in independent ones
    long_run = scale / math.sqrt(worth)
    return Fit(
        before=before,
        after=after,
        scale=scale,
        correlation=rho,
        error=long_run * math.sqrt(1 / len(left) + 1 / len(right)),
        freedom=max(1.0, size * worth - 2),
    )


def misfit(logs: Array, edges: Sequence[int], usual: float) -> float:
    """Return minus the log-likelihood of one level for each segment, up to a constant.

    `usual` is the noise of one point.
    """
    rest = np.concatenate(
        [logs[a:b] - level(logs[a:b], usual) for a, b in itertools.pairwise(edges)]
    )
    return (TAIL + 1) / 2 * float(np.sum(np.log1p((rest / usual) ** 2 / TAIL)))


def slope(logs: Array, edges: Sequence[int], usual: float) -> tuple[float, float]:
    """Return the robust slope a point that all segments share, and its standard error.

    Each segment has a level of its own, so steps at the edges do not make a slope.
    """
    lengths = np.diff(edges)
    segment = np.repeat(np.arange(len(lengths)), lengths)
    places, weight = np.arange(len(logs), dtype=np.float64), np.ones(len(logs))
    steepness, rest, offset = 0.0, np.zeros(0), np.zeros(0)

    def centred(x: Array) -> Array:
        means = np.bincount(segment, weight * x) / np.bincount(segment, weight)
        return np.asarray(x - means[segment])

    for _ in range(_STEPS + 1):
        offset = centred(places)
        power = float(np.dot(weight, offset**2))
        if not power:
            return 0.0, math.inf
        away = centred(logs)
        steepness = float(np.dot(weight, offset * away)) / power
        rest = away - steepness * offset
        weight = 1 / (1 + (rest / usual) ** 2 / TAIL)
    rho = min(_correlation(rest, usual), _CORRELATION_MAXIMUM_SLOPE)
    error = _scale(rest, usual) * math.sqrt((1 + rho) / (1 - rho) / float(np.sum(offset**2)))
    return steepness, error
