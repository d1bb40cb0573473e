# SPDX-License-Identifier: GPL-2.0-only
"""Control boots: earlier boots of the base kernel, which join those of this night.

A board moves between nights, so an earlier boot is worth less than one of this night.  With a
variance s between boots of one night and t between nights, the mean of the earlier boots is as
good as 1 / (t / s * (1 + 1 / nights) + 1 / boots) boots of this night.  The ratio t / s is an upper
bound from the one-way analysis of variance over the nights, this one included: an estimate
of few nights would often be 0 by chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from attrs import frozen

# Fewest earlier nights: one difference between nights says next to nothing of their variance.
NIGHTS_MINIMUM = 2
# Level of the one-sided upper bound on the variance between nights.  At 0.5 (the estimate itself)
# a screen at level 0.09 raises up to 0.13 of the pairs of equal kernels, at 0.2 as many as
# without controls.
LEVEL = 0.2


@frozen(kw_only=True)
class Controls:
    """Earlier boots of the base."""

    level: float  # mean of their natural logarithms
    boots: float  # number of boots of this night that they are worth; not a whole number
    taken: int  # number of earlier boots


def controls(
    tonight: Sequence[float], earlier: Sequence[Sequence[float]], *, resolution: float
) -> Controls | None:
    """Weigh the boots of earlier nights against those of this night.

    Values are in the metric's unit, one a boot, a sequence a night; those below `resolution`,
    the tool's step, count as the step.  None for fewer than `NIGHTS_MINIMUM` earlier nights,
    and where no night has two boots.
    """
    nights = [
        np.log(np.maximum(np.asarray(night, dtype=float), resolution))
        for night in (*earlier, tonight)
        if len(night)
    ]
    before = nights[:-1]
    sizes = np.asarray([len(night) for night in nights], dtype=float)
    total, between = float(np.sum(sizes)), len(nights) - 1.0
    within = total - len(nights)
    if not len(tonight) or len(before) < NIGHTS_MINIMUM or within < 1:
        return None
    means = np.asarray([np.mean(night) for night in nights])
    middle = float(np.sum(sizes * means)) / total
    # Values that rounding to the tool's step made equal still have this variance.
    step = min(1.0, resolution / float(np.exp(middle)))
    scatter = sum(float(np.sum((night - np.mean(night)) ** 2)) for night in nights) / within
    ratio = float(np.sum(sizes * (means - middle) ** 2)) / between / max(scatter, step**2 / 12)
    boots = (total - float(np.sum(sizes**2)) / total) / between
    drift = max(0.0, (ratio / float(scipy.special.fdtri(between, within, LEVEL)) - 1) / boots)
    taken = int(np.sum(sizes[:-1]))
    return Controls(
        level=float(np.mean(np.concatenate(before))),
        boots=1 / (drift * (1 + 1 / len(before)) + 1 / taken),
        taken=taken,
    )
