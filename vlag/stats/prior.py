# SPDX-License-Identifier: GPL-2.0-only
"""The prior for a comparison from the history of a series on a board.

Five boots estimate their spread badly; the boots of a dozen earlier kernels estimate it
well, as far as those kernels agree.  The fit is that of limma: a group's variance is
modelled as a draw from a scaled F distribution (G. K. Smyth, Linear models and empirical
Bayes methods, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from attrs import frozen

from vlag.stats import outliers

# Most degrees of freedom of a history, however well its kernels agree: ten times those of
# five boots a side would hide a kernel that scatters in a new way.
FREEDOM_MAXIMUM = 40.0
# Fewest earlier kernels: with fewer their agreement cannot be judged.
GROUPS_MINIMUM = 3
# A paired test has half the degrees of freedom; below this correlation of equal seeds its
# gain is smaller than this loss at five boots.
CORRELATION_MINIMUM = 0.5
# One-sided level of the correlation's lower bound, the usual one.
CORRELATION_LEVEL = 0.05
# Fewest values for the error of a correlation: Fisher's z has n - 3.
_PAIRS_MINIMUM = 4
# Fisher's z of a perfect correlation is infinite; limit it this near to 1.
_CORRELATION_MAXIMUM = 1 - 1e-6
# A variance of 0 comes from rounding; use this part of the median for its logarithm.
_VARIANCE_MINIMUM = 1e-5


@frozen(kw_only=True)
class Prior:
    """The spread between boots of one kernel, estimated from a history."""

    variance: float  # of one boot's natural logarithm
    freedom: float  # degrees of freedom, at most `FREEDOM_MAXIMUM`
    boots: int = 0  # of the history
    off: int = 0  # of these, that are off


def prior(groups: Sequence[Sequence[float]]) -> Prior | None:
    """Return the spread estimated from the boots of earlier kernels, one group each.

    Values are in the metric's unit. Groups below 2 boots or with a value of 0 or less are left
    out, and so are boots that are off (`vlag.stats.outliers`): where the boots at hand have one,
    their ranks decide. The degrees are few if the groups' variances differ by more than chance,
    and never more than those of the groups themselves. None with fewer than `GROUPS_MINIMUM`
    groups, and if more than half of them do not scatter at all.
    """
    given = [[math.log(v) for v in g] for g in groups if len(g) > 1 and min(g) > 0]
    kept = outliers.kept(given)
    boots, inside = (sum(map(len, side)) for side in (given, kept))
    logs = [np.asarray(g) for g in kept if len(g) > 1]
    if len(logs) < GROUPS_MINIMUM:
        return None
    variances = np.asarray([np.var(g, ddof=1) for g in logs])
    freedom = np.asarray([len(g) - 1.0 for g in logs])
    middle = float(np.median(variances))
    if middle <= 0:
        return None
    # Deviation of a log variance from the true one, by chance of its few degrees.
    centred = (
        np.log(np.maximum(variances, _VARIANCE_MINIMUM * middle))
        - scipy.special.digamma(freedom / 2)
        + np.log(freedom / 2)
    )
    excess = float(np.var(centred, ddof=1) - np.mean(scipy.special.polygamma(1, freedom / 2)))
    most = min(FREEDOM_MAXIMUM, float(np.sum(freedom)))
    if excess <= float(scipy.special.polygamma(1, most / 2)):
        # No difference visible: one pooled variance.
        pooled = float(np.average(variances, weights=freedom))
        return Prior(variance=pooled, freedom=most, boots=boots, off=boots - inside)
    half = float(
        scipy.optimize.brentq(lambda h: scipy.special.polygamma(1, h) - excess, 1e-6, most)
    )
    location = float(np.mean(centred)) + float(scipy.special.digamma(half)) - float(np.log(half))
    return Prior(
        variance=float(np.exp(location)), freedom=2 * half, boots=boots, off=boots - inside
    )


def pairing(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> bool:
    """Return whether boots with equal seeds correlate, so that a paired test is right.

    Each pair holds the boots of two kernels, those with equal seeds at equal places.
    True where the correlation of their logarithms, pooled over the pairs by Fisher's z,
    has a lower bound above `CORRELATION_MINIMUM`.  Pairs of fewer than 4 boots, with a
    value of 0 or less, or with a side that does not scatter are ignored.

    Raises ValueError for a pair whose sides differ in length.
    """
    transformed, weights = [], []
    for first, second in pairs:
        if len(first) != len(second):
            raise ValueError(
                f"{len(first)} boots cannot stand beside {len(second)}: equal seeds are compared"
            )
        if len(first) < _PAIRS_MINIMUM or min(*first, *second) <= 0:
            continue
        a, b = np.log(np.asarray([first, second], dtype=float))
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            continue
        correlation = float(np.corrcoef(a, b)[0, 1])
        limited = np.clip(correlation, -_CORRELATION_MAXIMUM, _CORRELATION_MAXIMUM)
        transformed.append(float(np.arctanh(limited)))
        weights.append(len(first) - 3)
    if not weights:
        return False
    bound = np.average(transformed, weights=weights) + scipy.special.ndtri(
        CORRELATION_LEVEL
    ) / np.sqrt(sum(weights))
    return bool(bound > np.arctanh(CORRELATION_MINIMUM))
