# SPDX-License-Identifier: GPL-2.0-only
"""A drift within one side's boots: each boot is a little worse or better than the one before.

A verdict takes the boots of a side for repeats of one thing.  Where they drift by more than
they scatter (a board that warms up, a disk that fills), the side's mean depends on when its
boots were made, and so does the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from attrs import frozen

from vlag.stats.difference import ROUNDING
from vlag.stats.multiple_testing import step_up

# Fewest boots of a side for the test: with three, a line leaves one degree of freedom.
BOOTS_MINIMUM = 4
# Share of the drifts that are said although there is none, in the mean over sets of files.  Such a
# drift costs verdicts, so it is stricter than that of changes.
DISCOVERY_RATE = 0.01


@frozen(kw_only=True)
class Drift:
    """A straight line through the logarithms of a side's boots, in their order."""

    change: float  # relative, from the first boot to the last on the line
    p: float  # of the null "no drift"


def drift(values: Sequence[float]) -> Drift | None:
    """Return the drift of positive values, one a boot, in the order of the boots.

    None for fewer than `BOOTS_MINIMUM` values and for equal ones.  The p is that of the t test
    of the slope, exact for independent normal scatter of the logarithms.
    """
    if len(values) < BOOTS_MINIMUM:
        return None
    logs = np.log(np.asarray(values, dtype=float))
    if float(np.ptp(logs)) <= ROUNDING:
        return None
    line = scipy.stats.linregress(np.arange(len(logs)), logs)
    total = float(line.slope) * (len(logs) - 1)
    p = float(line.pvalue)
    return Drift(change=math.expm1(total), p=p if math.isfinite(p) else 1.0)


def confirmed(drifts: Sequence[Drift], *, relevances: Sequence[float]) -> list[bool]:
    """Return which drifts of a set of files are certain and matter, in their order.

    A drift is certain after Benjamini and Hochberg's procedure over all of them at
    `DISCOVERY_RATE`, and matters where it is larger than the relevance of its figure.
    """
    if not drifts:
        return []
    adjusted = step_up([d.p for d in drifts])
    return [
        bool(p <= DISCOVERY_RATE) and abs(math.log1p(d.change)) > math.log1p(relevance)
        for p, d, relevance in zip(adjusted, drifts, relevances, strict=True)
    ]
