# SPDX-License-Identifier: GPL-2.0-only
"""Boots that are off: far from the others of their side, by whatever factor.

One such boot makes a side's mean and variance useless, and hides a small change that all others
show.  It is no reason to leave a boot out: the tests that then decide count every boot, by its
rank (`vlag.stats.ranks`).  Boots that are off on one side more than on the other may be a change
themselves, as a new mode is one; then nothing is taken for an accident, and means decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import numpy as np
import scipy
from attrs import frozen

from vlag.stats.numbers import plain

# Fewest boots a side: of four, two that are off leave no majority.
BOOTS_MINIMUM = 5
# A boot is off by so many median deviations from its side's median, or by so many standard
# deviations within two groups of which each side may consist: the first sees boots that are off in
# several ways, the second up to two boots of five that are off alike.  Few boots have a larger
# limit, as their scatter is uncertain: of normal boots one pair of sides in 20 has one off at five
# boots a side, one in 80 at thirty.
_DEVIATIONS, _DEVIATIONS_FEW = 7.0, 500.0
_WITHIN, _WITHIN_FEW = 6.5, 150.0
# By at least so many standard deviations of the history, where there is one.
_HISTORY = 5.0
# A boot of the history is off by so many times the limit: kernels differ in their scatter.
_SURE = 1.6
# Level of the exact test on the shares of boots that are off: below it they differ between the
# sides.
LEVEL = 0.1
# Level of the exact test of "no more boots are off than in the history".
LEVEL_HISTORY = 0.01
# Median deviation of normal boots, in standard deviations.
_NORMAL = 0.6745
# Boots of a side that a sentence names.
_NAMED = 2


@frozen(kw_only=True)
class Off:
    """The boots of a comparison that are off."""

    base: tuple[int, ...]  # places in the base
    new: tuple[int, ...]
    scale: float  # standard deviation of the others' logarithms
    mean: float  # change that they make in the mean of the boots, new - base
    least: float  # smallest such change that counts
    shares: float  # p of "as many boots of both sides are off", above or below

    @property
    def alike(self) -> bool:
        """Whether boots of both sides are off alike, so that ranks decide."""
        return self.shares >= LEVEL

    def toward(self, sign: float) -> bool:
        """Return whether the boots that are off alone would be a change of this sign."""
        return math.copysign(1, sign) * self.mean > self.least


def off(
    base: Sequence[float], new: Sequence[float], *, least: float, spread: float | None
) -> Off | None:
    """Return the boots that are off, or None where there are none.

    `base` and `new` are natural logarithms, one a boot.  No boot is off by less than `least`.
    `spread` is the standard deviation of boots in the history.
    """
    if min(len(base), len(new)) < BOOTS_MINIMUM:
        return None
    middles = median(base), median(new)
    apart = [[v - m for v in side] for side, m in zip((base, new), middles, strict=True)]
    limit = _limit(apart, least, spread)
    if all(abs(a) <= limit for side in apart for a in side):
        return None
    places = [tuple(i for i, a in enumerate(side) if abs(a) > limit) for side in apart]
    counts = [[sum(sign * a > limit for a in side) for side in apart] for sign in (1, -1)]
    inside = [a for side in apart for a in side if abs(a) <= limit]
    means = [sum(a for a in side if abs(a) > limit) / len(side) for side in apart]
    return Off(
        base=places[0],
        new=places[1],
        scale=math.sqrt(sum(a * a for a in inside) / max(1, len(inside) - 2)),
        mean=means[1] - means[0],
        least=least,
        shares=min(_shares(pair, (len(base), len(new))) for pair in counts),
    )


def _limit(sides: Sequence[Sequence[float]], least: float, spread: float | None) -> float:
    """Return the smallest distance from its side's median of a boot that is off.

    `sides` are the boots' distances, by side.
    """
    n = sum(map(len, sides))
    deviation = median(abs(a) for side in sides for a in side)
    # Each side has two means.
    within = math.sqrt(sum(map(_within, sides)) / (n - 2 * len(sides)))
    limit = min(
        (_DEVIATIONS + _DEVIATIONS_FEW / n**2) * deviation, (_WITHIN + _WITHIN_FEW / n**2) * within
    )
    if spread is not None:
        limit = min(limit, max(_HISTORY * spread, _DEVIATIONS * deviation))
    return max(limit, least)


def _within(values: Sequence[float]) -> float:
    """Return the sum of squares within the two groups that leave the least of it."""
    ordered = sorted(values)
    middle = fmean(ordered)
    centred = [v - middle for v in ordered]
    total = sum(v * v for v in centred)
    below, most, n = 0.0, 0.0, len(ordered)
    for size, value in enumerate(centred[:-1], start=1):
        below += value
        most = max(most, below * below * (1 / size + 1 / (n - size)))
    return max(0.0, total - most)


def _shares(counts: Sequence[int], boots: Sequence[int]) -> float:
    """Return the exact p of "equal shares are off" on two sides."""
    if not any(counts):
        return 1.0
    table = [[k, n - k] for k, n in zip(counts, boots, strict=True)]
    return float(scipy.stats.fisher_exact(np.asarray(table)).pvalue)


def kept(groups: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the boots of earlier kernels, natural logarithms, without those that are off.

    They are off by the scatter of all kernels together.  A kernel of which a third of the boots
    or more were off scatters in its own way, and keeps them all.
    """
    apart = [[v - median(g) for v in g] for g in groups]
    every = [a for g in apart for a in g]
    if len(every) < 2 * BOOTS_MINIMUM:
        return [list(g) for g in groups]
    limit = _SURE * _limit([every], 0.0, None)
    trimmed = []
    for group, from_middle in zip(groups, apart, strict=True):
        inside = [v for v, a in zip(group, from_middle, strict=True) if abs(a) <= limit]
        trimmed.append(inside if 3 * len(inside) > 2 * len(group) else list(group))
    return trimmed


def words(
    apart: Off,
    base: Sequence[float],
    new: Sequence[float],
    *,
    by_ranks: bool,
    earlier: tuple[int, int] = (0, 0),
) -> str:
    """Return what a sentence says of the boots that are off.

    The values are in the metric's unit; `earlier` are the history's boots that were off, and all.
    """
    parts = []
    for name, places, values in (("base", apart.base, base), ("new", apart.new, new)):
        if places:
            named = ", ".join(plain(values[i], 4) for i in places[:_NAMED])
            more = ", ..." if len(places) > _NAMED else ""
            parts.append(f"{len(places)} of the {name}'s {len(values)} ({named}{more})")
    sentence = f"{'by ranks, as boots' if by_ranks else 'boots'} are off: {' and '.join(parts)}"
    if not apart.alike:
        sentence += f", which is no accident of both sides (p = {plain(apart.shares, 2)})"
    now = len(apart.base) + len(apart.new)
    before, boots = earlier
    table = [[now, len(base) + len(new) - now], [before, boots - before]]
    exact = scipy.stats.fisher_exact(np.asarray(table), alternative="greater")
    if boots and exact.pvalue < LEVEL_HISTORY:
        sentence += f", more than before ({before} of {boots} earlier boots)"
    return f"; {sentence}"
