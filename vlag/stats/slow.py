# SPDX-License-Identifier: GPL-2.0-only
"""A loss that came little by little: certain over many heads, and no single step explains it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from vlag.stats.healing import Estimate, pooled

# Fewest heads: of fewer nobody can tell a slope from a step.
LEAST = 10
# Heads at either end whose level is looked at first: most histories end there.
_ENDS = 3
# By how much a slope must explain the heads better than the best step, in units of chi square.
# Chosen by `python -m bench slow`: of histories with one step none of some hundred has this.
GAIN = 12.0
# One-sided level of 0.5 % that the loss is as large as it must be.
_SIGMAS = 2.576
_SIGMAS_OF_HALF = 1.960  # an estimate's half-width is that of 95 %

_Array = npt.NDArray[np.float64]


@frozen(kw_only=True)
class Slow:
    """A slope along the heads of a branch; indices are of what was given."""

    first: int  # last head of the level before
    last: int  # first head of the level after
    loss: float  # log ratio of the levels, above 0 is worse
    level: float  # the level after, against the baseline


def slow_loss(heads: Sequence[Estimate], *, matters: float) -> Slow | None:
    """Return the slope by which a branch is worse than its baseline; None without one.

    `heads` are in their order, each compared with the same baseline.  Both the loss along
    them and that against the baseline are certainly more than `matters`, a log ratio.  None as well
    where a single step explains them as well, and where they are fewer than `LEAST`.
    """
    if not may_be_slow(heads, matters=matters):
        return None
    values = np.array([e.change for e in heads])
    widths = np.array([e.half / _SIGMAS_OF_HALF for e in heads])
    # Nights differ by more than their boots say: neighbours show by how much.
    usual = float(np.median(np.abs(np.diff(values)))) / 0.954
    weights = 1 / np.maximum(widths, max(usual, 1e-6)) ** 2
    step = min(_fit(values, weights, k - 1, k)[0] for k in range(1, len(values)))
    best: tuple[float, int, int, float, float] | None = None
    for first in range(len(values) - 2):
        for last in range(first + 2, len(values)):
            left, loss, error = _fit(values, weights, first, last)
            if best is None or left < best[0]:
                best = left, first, last, loss, error
    if best is None or step - best[0] < GAIN:
        return None
    _left, first, last, loss, error = best
    after = pooled(heads[last:])
    if min(loss - _SIGMAS * error, 2 * after.change - after.most) <= matters:
        return None
    return Slow(first=first, last=last, loss=loss, level=after.change)


def may_be_slow(heads: Sequence[Estimate], *, matters: float) -> bool:
    """Return whether `slow_loss` may find something, which costs more to know."""
    if len(heads) < LEAST:
        return False
    return pooled(heads[-_ENDS:]).change - pooled(heads[:_ENDS]).change > matters


def _fit(values: _Array, weights: _Array, first: int, last: int) -> tuple[float, float, float]:
    """Fit two levels and a slope between; return what is left, the loss and its standard error."""
    place = np.clip((np.arange(len(values)) - first) / (last - first), 0.0, 1.0)
    total, mean_place = weights.sum(), (weights * place).sum() / weights.sum()
    mean = (weights * values).sum() / total
    spread = (weights * (place - mean_place) ** 2).sum()
    loss = (weights * (place - mean_place) * (values - mean)).sum() / spread
    left = (weights * (values - mean - loss * (place - mean_place)) ** 2).sum()
    return float(left), float(loss), float(1 / math.sqrt(spread))
