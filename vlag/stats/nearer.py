# SPDX-License-Identifier: GPL-2.0-only
"""Which of two known kernels a third one is like, by one figure or by the boots in a mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import scipy
from scipy.special import betaln

from vlag.stats.compare import clip

#: A boot that is off counts as one so many standard deviations from the median of its kernel: as
#: far as one normal boot of a hundred is.
CALM = 2.5
# Median deviation of normal boots, in standard deviations.
_NORMAL = 0.6745
#: Chance of the wrong side, a step: of ten steps one in a hundred searches goes astray.
LEVEL = 1e-3


def calmed(kernels: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the boots of each kernel, natural logarithms, with those that are off drawn in.

    The scatter is that of all of them together.  Nothing is left out, and what no boot is far
    from stays as it is.
    """
    middles = [median(boots) for boots in kernels]
    apart = [[x - m for x in boots] for boots, m in zip(kernels, middles, strict=True)]
    boots, lost = sum(map(len, apart)), len(apart)
    if boots <= lost:
        return [list(boots) for boots in kernels]
    # Each kernel's median takes a part of the scatter.
    scale = median(abs(a) for side in apart for a in side) / _NORMAL * boots / (boots - lost)
    return [
        [m + max(-CALM * scale, min(CALM * scale, a)) for a in side]
        for side, m in zip(apart, middles, strict=True)
    ]


def nearer(
    values: Sequence[float],
    good: Sequence[float],
    bad: Sequence[float],
    *,
    resolution: float,
) -> bool | None:
    """Return whether a kernel is like the bad one (True) or the good one (False).

    Each argument has one value a boot, in the metric's unit, of which `resolution` is the
    smallest step.  The border is halfway between good and bad, as levels are compared: by their
    logarithms.  None: these boots do not say it at `LEVEL`.  Raises ValueError for fewer than two
    boots of any.
    """
    if min(len(values), len(good), len(bad)) < 2:
        raise ValueError("a kernel needs two boots at least")
    sides = [[math.log(x) for x in clip(side, resolution)] for side in (values, good, bad)]
    means = [fmean(side) for side in sides]
    squares = sum((x - m) ** 2 for side, m in zip(sides, means, strict=True) for x in side)
    freedom = sum(map(len, sides)) - len(sides)
    weights = 1 / len(values) + (1 / len(good) + 1 / len(bad)) / 4
    towards_bad = math.copysign(1, means[2] - means[1])
    beyond = (means[0] - (means[1] + means[2]) / 2) * towards_bad
    error = math.sqrt(squares / freedom * weights)
    if error == 0:
        return None if beyond == 0 else beyond > 0
    p = float(scipy.special.stdtr(freedom, -abs(beyond) / error))
    return beyond > 0 if p < LEVEL else None


def nearer_by_share(
    boots: tuple[int, int], good: tuple[int, int], bad: tuple[int, int]
) -> bool | None:
    """Return whether a mode is as common in a kernel as in the bad one (True) or the good one.

    Each argument is the boots in the mode and all boots.  The two answers are compared by how
    probable each makes the kernel's boots, over all shares that good and bad may have (Jeffreys'
    prior): few boots of these need many of the kernel.  None: the boots do not say it at `LEVEL`,
    which holds however often more boots are asked.  Raises ValueError for more boots in the mode
    than boots.
    """
    for count, of_all in (boots, good, bad):
        if not 0 <= count <= of_all:
            raise ValueError(f"{count} of {of_all} boots is no share")
    ratio = _log_chance(boots, bad) - _log_chance(boots, good)
    return ratio > 0 if abs(ratio) > -math.log(LEVEL) else None


def _log_chance(boots: tuple[int, int], like: tuple[int, int]) -> float:
    """Return the logarithm of the chance of a kernel's boots where its share is another one's."""
    first, second = like[0] + 0.5, like[1] - like[0] + 0.5
    count, of_all = boots
    return float(betaln(first + count, second + of_all - count) - betaln(first, second))
