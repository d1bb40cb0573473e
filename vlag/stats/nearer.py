# SPDX-License-Identifier: GPL-2.0-only
"""Which of two known kernels a third one is like, by one figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import scipy

from vlag.stats.compare import clip

#: Chance of the wrong side, a step: of ten steps one in a hundred searches goes astray.
LEVEL = 1e-3


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
    p = float(scipy.stats.t.sf(abs(beyond) / error, freedom))
    return beyond > 0 if p < LEVEL else None
