# SPDX-License-Identifier: GPL-2.0-only
"""The figure of a confirmed change, given that it had to pass the rounds of a rerun.

Of many reruns of a change that is hardly large enough those pass whose boots show more than there
is.  So the likelihood of each size, by the boots that decided, is divided by the chance that a
change of that size passes.  What passes for sure keeps its figure.

Sizes are log ratios in the direction of the change.  Boots are taken as normal, with the error of
the round that decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

Floats = npt.NDArray[np.float64]

# A change passes for sure where one so many errors smaller passes but in a thousandth of all cases.
_REACH = 4.0
_SURE = 0.999
# So small a part of the error makes no other figure.
_LEAST = 0.1
# Sizes that are looked at, so many errors to either side, and at most as far as no change.
_WIDEST = 9.0
_SIZES = 201
# Places between the bounds of a round at which the next one begins.
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@frozen(kw_only=True)
class Round:
    """A look at the boots of a rerun."""

    boots: int  # a side, in all
    passed: float  # a size above it is confirmed
    refuted: float  # one below it is refuted; between both the next round decides


@frozen(kw_only=True)
class Figure:
    """A size with its interval."""

    size: float
    low: float
    high: float


def figure(
    measured: Figure, *, error: float, boots: int, rounds: Sequence[Round], confidence: float
) -> Figure:
    """Return the figure of a change that has passed, `measured` being that of its boots.

    `error` is that of a round with so many boots a side.  The size is the middle of what the
    boots say of changes in this direction, and `low` its lower end.  The upper end stays as
    measured: to have passed excludes no large change.
    """
    scatter = error * math.sqrt(boots)
    least = np.asarray([measured.size - _REACH * error])
    if least[0] > 0 and _chance(least, scatter, rounds)[0] > _SURE:
        return measured
    sizes = np.linspace(
        max(0.0, measured.size - _WIDEST * error), measured.size + _WIDEST * error, _SIZES
    )
    chance = np.maximum(_chance(sizes, scatter, rounds), np.finfo(float).tiny)
    likelihood = -(((measured.size - sizes) / error) ** 2) / 2 - np.log(chance)
    weights = np.exp(likelihood - np.max(likelihood))
    shares = np.concatenate(([0.0], np.cumsum(weights[1:] + weights[:-1])))
    size, low = np.interp([0.5, (1 - confidence) / 2], shares / shares[-1], sizes).tolist()
    if measured.size - size < _LEAST * error:
        return measured
    return Figure(size=size, low=min(low, measured.low), high=measured.high)


def _chance(sizes: Floats, scatter: float, rounds: Sequence[Round]) -> Floats:
    """Return the chance that changes of these sizes are confirmed in any round.

    Each round begins with the means of those that the one before it left open.
    """
    total = np.zeros(len(sizes))
    given, before = np.ones((len(sizes), 1)), 0
    places = np.zeros(1)
    for look in rounds:
        share = before / look.boots
        means = share * places[None, :] + (1 - share) * sizes[:, None]
        error = scatter * math.sqrt(look.boots - before) / look.boots
        total += np.sum(given * scipy.special.ndtr((means - look.passed) / error), axis=1)
        half = (look.passed - look.refuted) / 2
        if not 0 < half < math.inf:
            break
        places = look.refuted + half * (_PLACES + 1)
        apart = (places[None, None, :] - means[:, :, None]) / error
        given = np.einsum("si,sij->sj", given, _density(apart)) * (half * _WEIGHTS / error)
        before = look.boots
    return total


def _density(deviation: Floats) -> Floats:
    """Return the density of standard normal deviations."""
    return np.asarray(np.exp(-(deviation**2) / 2) / math.sqrt(2 * math.pi))
