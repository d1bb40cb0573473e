# SPDX-License-Identifier: GPL-2.0-only
"""Two sets of boots compared by their order alone: what no boot that is far off can decide.

The shift between the sides is Hodges and Lehmann's, with the interval that inverts Mann and
Whitney's test.  The test of runs asks whether the sides differ in any way; of two modes that both
move it sees more than the test of ranks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

# Sides with more boots than this together get the normal distribution of U, which is as good.
_EXACT = 120
# Up to so many boots of a side scipy's test is exact, too.
_FEW = 8


@frozen(kw_only=True)
class Shift:
    """A shift between two sides; logarithms."""

    shift: float  # new - base
    low: float  # ends of the interval
    high: float
    zero: float  # p of "no shift at all", two-sided
    beyond: float  # p of "within the margin", in the direction of the shift
    within: float  # p of "as large as the equivalence margin or larger", either way


def shift(
    base: Sequence[float], new: Sequence[float], *, margin: float, equal: float, confidence: float
) -> Shift:
    """Return how far `new` lies above `base`; both are natural logarithms, one a boot.

    `margin` is the relevance and `equal` the equivalence margin, as log ratios.  Equal values
    count as half, which makes the exact p larger than it need be.
    """
    apart = np.sort(np.subtract.outer(np.asarray(new), np.asarray(base)).ravel())
    n, m = len(new), len(base)
    middle = float(np.median(apart))
    cut = max(0, _cut(n, m, (1 - confidence) / 2) - 1)
    toward = margin if middle >= 0 else -margin
    return Shift(
        shift=middle,
        low=float(apart[cut]),
        high=float(apart[-1 - cut]),
        zero=_either(apart, n, m),
        beyond=(_above if middle >= 0 else _below)(apart, toward, n, m),
        within=max(_below(apart, equal, n, m), _above(apart, -equal, n, m)),
    )


def differ(base: Sequence[float], new: Sequence[float]) -> float:
    """Return p of "neither side lies above the other": Mann and Whitney's test, two-sided.

    Exact for few boots of which no two are equal, as `scipy.stats` has it for eight boots or fewer;
    that takes longer to import than a comparison to judge.
    """
    if min(len(base), len(new)) > _FEW or len({*base, *new}) < len(base) + len(new):
        return float(scipy.stats.mannwhitneyu(base, new).pvalue)
    apart = np.sort(np.subtract.outer(np.asarray(new), np.asarray(base)).ravel())
    n, m = len(new), len(base)
    return _either(apart, n, m)


def _either(apart: npt.NDArray[np.float64], n: int, m: int) -> float:
    """Return p of "no shift at all", two-sided."""
    return min(1.0, 2 * min(_above(apart, 0.0, n, m), _below(apart, 0.0, n, m)))


def _wins(apart: npt.NDArray[np.float64], at: float) -> tuple[int, int]:
    """Return the pairs in which new exceeds base by more than `at`, and by at least that."""
    return (
        len(apart) - int(np.searchsorted(apart, at, "right")),
        len(apart) - int(np.searchsorted(apart, at, "left")),
    )


def _above(apart: npt.NDArray[np.float64], at: float, n: int, m: int) -> float:
    """Return p of "the shift is at most `at`"."""
    more, least = _wins(apart, at)
    return _lower_tail(n, m, n * m - (more + least) / 2)


def _below(apart: npt.NDArray[np.float64], at: float, n: int, m: int) -> float:
    """Return p of "the shift is at least `at`"."""
    more, least = _wins(apart, at)
    return _lower_tail(n, m, (more + least) / 2)


def _lower_tail(n: int, m: int, u: float) -> float:
    """Return the probability of a U of at most `u` among equal sides."""
    if n + m > _EXACT:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        return float(scipy.special.ndtr((u + 0.5 - n * m / 2) / spread))
    return float(_tails(n, m)[min(n * m, math.ceil(u))])


def _cut(n: int, m: int, level: float) -> int:
    """Return the first difference that the interval holds, from 1; 0: none ends it."""
    if n + m > _EXACT:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(n * m / 2 + float(scipy.special.ndtri(level)) * spread + 0.5))
    return int(np.searchsorted(_tails(n, m), level, "right"))


@functools.lru_cache(maxsize=512)
def _tails(n: int, m: int) -> npt.NDArray[np.float64]:
    """Return the distribution function of U at 0, 1, ... n * m: its Gaussian binomials."""
    counts = np.zeros(n * m + 1)
    counts[0] = 1.0
    for k in range(1, n + 1):
        # Times (1 - q^(m + k)), divided by (1 - q^k).
        if m + k <= n * m:
            counts[m + k :] -= counts[: n * m + 1 - m - k].copy()
        for first in range(k):
            counts[first::k] = np.cumsum(counts[first::k])
    return np.asarray(np.cumsum(counts) / np.sum(counts))


def mixed(base: Sequence[float], new: Sequence[float]) -> float:
    """Return p of "both sides have one distribution": Wald and Wolfowitz's test of runs, exact.

    In order of their values, boots of two sides that differ lie in few runs of one side each,
    wherever these runs are.  Equal values are taken in turns, which makes p larger.
    """
    n, m = len(base), len(new)
    counts: dict[float, list[int]] = {}
    for side, values in enumerate((base, new)):
        for value in values:
            counts.setdefault(value, [0, 0])[side] += 1
    runs, last = 0, -1
    for value in sorted(counts):
        left = counts[value]
        side = 1 - last if last >= 0 and left[1 - last] else 0 if left[0] else 1
        while left[0] or left[1]:
            side = side if left[side] else 1 - side
            if side != last:
                runs, last = runs + 1, side
            left[side] -= 1
            side = 1 - side
    return _few_runs(n, m, runs)


@functools.lru_cache(maxsize=4096)
def _few_runs(n: int, m: int, runs: int) -> float:
    """Return the probability of so few runs or fewer."""
    ways = 0
    for r in range(2, runs + 1):
        half = r // 2
        if r % 2 == 0:
            ways += 2 * math.comb(n - 1, half - 1) * math.comb(m - 1, half - 1)
        else:
            ways += math.comb(n - 1, half) * math.comb(m - 1, half - 1)
            ways += math.comb(n - 1, half - 1) * math.comb(m - 1, half)
    return min(1.0, ways / math.comb(n + m, n))
