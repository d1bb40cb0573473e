# SPDX-License-Identifier: GPL-2.0-only
"""Series whose boots fall into two modes, for example if a start-up decision lasts for a run.

No boot is near the mean of such boots, and five boots a side often see only one mode.
Instead two tests compare at least `BOOTS_MINIMUM` boots a side: the share of boots in each
mode (Fisher's exact test), and the values (Mann and Whitney's rank test).

The history of a series shows whether it has two modes.  Without one, few boots can lie in
one mode on one side and in the other mode on the other side by chance: `unsafe` says when.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import scipy
from attrs import frozen

from vlag.stats import ranks
from vlag.stats.numbers import plain

# Fewest boots a side for a decision with two modes: a mode of one boot in five stays unseen
# by ten boots in one case of ten, by five in one of three.
BOOTS_MINIMUM = 10
# A pool smaller than this shows gaps by chance.
POOL_MINIMUM = 10
# A history of so many boots that shows one mode has one: a mode of three boots in ten has
# fewer than `MODE_BOOTS` of them in one case of 28.
ONE_MODE_BOOTS = 20
# Fewest boots a side for a flag where the modes are not known.  Of pairs of equal kernels in
# which three boots of ten lie in a mode of its own, 20 in 1000 part by mode at three boots
# a side, 4 at four, 1 at five.
UNKNOWN_BOOTS = 5
# Level of the rank test for a flag where the modes are not known.  It stops a few boots of
# one mode against many of both, whose mean they miss by far, and costs five boots a side
# that differ by more than chance nothing.
UNKNOWN_LEVEL = 0.05
# Fewest boots, and least share of the pool, that make a mode; less are outliers.
MODE_BOOTS = 3
MODE_SHARE = 0.1
# Fewest times that a history leaves one mode for the other and comes back within some points, for
# its points to alternate.  An excursion is one, with a step behind it two.
RETURNS = 4
# Level of the test for a share of modes that changes at a place which was searched for.
SHARE_LEVEL = 0.001
# Width of the empty place between two modes, in standard deviations within them.
# Of pools of ten normal boots 1 in 100 has such a gap by chance, of larger ones hardly any.
GAP = 4.0
# The gap is this many times the smallest distance of two values: the steps of a tool are
# not modes.
_STEPS = 3.0


@frozen(kw_only=True)
class Modes:
    """Two modes of a series, in the metric's unit."""

    border: float  # value that separates them, in the middle of the gap
    low: float  # geometric mean of the boots below the border
    high: float  # of those above
    share_high: float  # part of the boots that lie above the border


@frozen(kw_only=True)
class Alternation:
    """Points of a history that lie in two modes by turns; what lasts is a step instead."""

    modes: Modes
    high: tuple[bool, ...]  # by point: whether it lies in the upper mode
    switches: int  # how often the mode of a point is not that of the one before

    def differs(self, first: int, middle: int, last: int) -> bool:
        """Return whether the share of the upper mode changes at `middle`, points [first, last).

        A mode that lasts for some points gives fewer independent ones: Fisher's test counts as
        many as the switches on both sides show.
        """
        sides = [self.high[first:middle], self.high[middle:last]]
        shares = [sum(side) / len(side) for side in sides]
        by_chance = sum(
            2 * share * (1 - share) * (len(side) - 1)
            for share, side in zip(shares, sides, strict=True)
        )
        seen = sum(one != other for side in sides for one, other in pairwise(side))
        independent = min(1.0, (seen + 1) / (by_chance + 1))
        table = [
            [round(independent * count) for count in (sum(side), len(side) - sum(side))]
            for side in sides
        ]
        return float(scipy.stats.fisher_exact(np.asarray(table)).pvalue) < SHARE_LEVEL


@frozen(kw_only=True)
class Contrast:
    """Difference of two sets of boots in a series of two modes."""

    p_zero: float  # of the null "no change at all"
    p: float  # of the null "the values change within the relevance, the shares do not"
    words: str  # shares of boots in the upper mode


def modes(values: Sequence[float]) -> Modes | None:
    """Return the two modes of the boots in a series' history, or None for one mode.

    `values` are positive, one a boot, of kernels that do not differ much.  The pool is
    cut where the scatter within both parts is least.  None as well for fewer than
    `POOL_MINIMUM` values and for a pool with a value of 0 or less.
    """
    n = len(values)
    if n < POOL_MINIMUM or min(values) <= 0:
        return None
    logs = np.sort(np.log(np.asarray(values, dtype=float)))
    least = max(MODE_BOOTS, math.ceil(MODE_SHARE * n))
    # Sums are taken about the mean, or squares of large numbers would be subtracted.
    centred = logs - np.mean(logs)
    sums, squares = np.cumsum(centred), np.cumsum(centred**2)
    sizes = np.arange(least, n - least + 1)
    below = sums[sizes - 1]
    within = squares[-1] - below**2 / sizes - (sums[-1] - below) ** 2 / (n - sizes)
    best = int(np.argmin(within))
    cut = int(sizes[best])
    gap = float(logs[cut] - logs[cut - 1])
    spread = math.sqrt(max(float(within[best]), 0.0) / (n - 2))
    distances = np.diff(logs)
    if gap <= GAP * spread or gap <= _STEPS * float(np.min(distances[distances > 0])):
        return None
    return Modes(
        border=math.exp(float(logs[cut - 1] + logs[cut]) / 2),
        low=math.exp(float(np.mean(logs[:cut]))),
        high=math.exp(float(np.mean(logs[cut:]))),
        share_high=(n - cut) / n,
    )


def alternating(values: Sequence[float], most: int) -> Alternation | None:
    """Return how the points of a history alternate between two modes, or None if they do not.

    `values` are positive, one a point, oldest first.  A mode that stays for more than `most` points
    is a level.
    """
    two_modes = modes(values)
    if two_modes is None:
        return None
    high = tuple(value > two_modes.border for value in values)
    stays = [len(list(run)) for _mode, run in groupby(high)]
    if sum(stay <= most for stay in stays[1:-1]) < RETURNS:
        return None
    return Alternation(modes=two_modes, high=high, switches=len(stays) - 1)


def common(groups: Sequence[Sequence[float]]) -> Modes | None:
    """Return the two modes that a history's kernels share, or None for one mode.

    Each group holds the boots of one kernel.  At least two of them must have boots in both
    modes (a single group: that one), or a step between kernels would be taken for two modes.
    """
    given = [group for group in groups if group]
    split = modes([value for group in given for value in group])
    if split is None:
        return None
    both = sum(min(group) < split.border < max(group) for group in given)
    return split if both >= min(2, len(given)) else None


def unsafe(base: Sequence[float], new: Sequence[float]) -> bool:
    """Return whether two modes that nobody knows of could explain why two sides differ.

    The values are positive, one a boot.  From `BOOTS_MINIMUM` boots a side on the boots
    show their modes themselves.
    """
    fewest = min(len(base), len(new))
    if fewest >= BOOTS_MINIMUM:
        return False
    if fewest < UNKNOWN_BOOTS:
        return True
    return ranks.differ(base, new) > UNKNOWN_LEVEL


def contrast(
    base: Sequence[float], new: Sequence[float], *, modes: Modes, margin: float
) -> Contrast:
    """Compare two sets of positive values in a series of two modes.

    `margin` is the relevance as a log ratio.  Both p are twice the smaller of the two
    tests' p, because there are two tests.
    """
    logs = np.log(np.asarray(base, dtype=float)), np.log(np.asarray(new, dtype=float))
    high = [int(np.sum(side > math.log(modes.border))) for side in logs]
    table = [[high[0], len(base) - high[0]], [high[1], len(new) - high[1]]]
    shares = float(scipy.stats.fisher_exact(np.asarray(table)).pvalue)
    zero = float(scipy.stats.mannwhitneyu(logs[0], logs[1]).pvalue)
    more = float(scipy.stats.mannwhitneyu(logs[0], logs[1] - margin, alternative="less").pvalue)
    less = float(scipy.stats.mannwhitneyu(logs[0], logs[1] + margin, alternative="greater").pvalue)
    percents = [f"{100 * h / len(side):.0f} %" for h, side in zip(high, logs, strict=True)]
    return Contrast(
        p_zero=min(1.0, 2 * min(shares, zero)),
        p=min(1.0, 2 * min(shares, 2 * min(more, less))),
        words=f"in the upper mode, above {plain(modes.border, 4)}, lie {percents[0]} of"
        f" the base's boots and {percents[1]} of the new's",
    )
