# SPDX-License-Identifier: GPL-2.0-only
"""How probable each commit is the one that changed a figure, from boots of some of the commits.

A commit that changed the figure is in all that contain it, so that each candidate divides the
kernels that were booted in two, with a level each.  Both levels are integrated over, and the
candidates' chances follow.  Beside them stands a change in several steps: two commits, and a level
of its own between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy.special import logsumexp

from vlag.stats.scatter import Array, Scatter

Masks = npt.NDArray[np.bool_]

#: Chance, before any boot, that no single commit made the change.
SEVERAL = 0.1
#: Part of the change that a step has at least; smaller ones are of no interest.
LEAST_STEP = 0.2
# Two kernels of one level differ by this part of a boot's spread all the same: levels of boards are
# known from few boots, and another layout of the code moves a figure.
_BETWEEN_KERNELS = 0.25
# Levels on the grid: so many in a spread, and so many at most.
_FINE, _MOST_LEVELS = 8, 1200
# Points at which the outcome of boots is integrated.
_OUTCOMES = np.linspace(-4.0, 4.0, 41)
# Good and bad that are further apart, in spreads, tell no more; between such levels would lie a gap
# without points, whose width would count as information.
_SURELY_APART = 16.0


@frozen(kw_only=True)
class Steps:
    """A change in two steps: the candidates of each, which boots do not tell apart."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    share: float  # of the change, by the first of them


@frozen(kw_only=True, eq=False)
class Beliefs:
    """What boots say about the commit."""

    single: Array  # [candidates]: chance that this one alone made the change
    several: float  # chance that it came in several steps
    steps: Steps | None  # the likeliest of these; None where no two can be told apart
    step_at: Array  # [candidates]: chance that a step of several is here
    levels: tuple[float, float]  # of good and bad, natural logarithms
    spread: float  # of a boot

    @property
    def apart(self) -> float:
        """Return the difference of good and bad, in spreads of a boot."""
        return abs(self.levels[1] - self.levels[0]) / self.spread


def beliefs(boots: Sequence[Array], contains: Masks, prior: Array, scatter: Scatter) -> Beliefs:
    """Return what boots say about each candidate.

    `boots` has the natural logarithms of each kernel's boots, those of good and bad first;
    `contains` says for [candidates, kernels] whether a kernel has the candidate; `prior` is the
    candidates' chance before.  Raises ValueError where good or bad has no boots.
    """
    if not len(boots[0]) or not len(boots[1]):
        raise ValueError("both ends need boots")
    grid = _grid(boots, scatter)
    chances = _blurred(np.stack([scatter.log_chances(k, grid) for k in boots]), grid, scatter)
    ends = [_mean(grid, chances[i]) for i in (0, 1)]
    masks, of_class = np.unique(contains, axis=0, return_inverse=True)
    of_class = of_class.reshape(-1)
    weights: Array = np.bincount(of_class, prior, minlength=len(masks)).astype(np.float64)
    single = np.log(np.maximum(weights, 1e-300)) + _halves(masks, chances)
    pairs = _Pairs(masks, chances, grid, ends)
    squares: Array = np.bincount(of_class, prior**2, minlength=len(masks)).astype(np.float64)
    several = pairs.log_chances(single, weights, squares)
    total = logsumexp(np.concatenate([single + np.log(1 - SEVERAL), several + np.log(SEVERAL)]))
    by_class = np.exp(single + np.log(1 - SEVERAL) - total)
    of_pairs = np.exp(several + np.log(SEVERAL) - total)
    share = prior / weights[of_class]
    at = np.zeros(len(masks))
    for (a, b), p in zip(pairs.pairs, of_pairs[len(masks) :], strict=True):
        at[[a, b]] += p
    at += of_pairs[: len(masks)]
    return Beliefs(
        single=by_class[of_class] * share, several=float(of_pairs.sum()),
        steps=pairs.steps(of_pairs[len(masks) :], of_class), step_at=at[of_class] * share,
        levels=(ends[0], ends[1]), spread=scatter.spread,
    )  # fmt: skip


def _grid(boots: Sequence[Array], scatter: Scatter) -> Array:
    middles = [float(np.median(k)) for k in boots if len(k)]
    low, high = min(middles) - 3 * scatter.spread, max(middles) + 3 * scatter.spread
    count = min(_MOST_LEVELS, int((high - low) / scatter.spread * _FINE) + 1)
    return np.linspace(low, high, count)


def _blurred(chances: Array, grid: Array, scatter: Scatter) -> Array:
    """Return the chances of boots of kernels whose levels differ a little from those given."""
    apart = (grid[:, None] - grid[None, :]) / (_BETWEEN_KERNELS * scatter.spread)
    near = np.exp(-0.5 * apart**2)
    near /= near.sum(axis=0)
    most = chances.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.maximum(np.exp(chances - most) @ near, 1e-300)) + most)


def _mean(grid: Array, chances: Array) -> float:
    weights = np.exp(chances - chances.max())
    return float(np.sum(grid * weights) / np.sum(weights))


def _halves(masks: Masks, chances: Array) -> Array:
    """Return the chance of all boots where those of a mask have one level and the others one."""
    inside = logsumexp(masks.astype(float) @ chances, axis=1)
    outside = logsumexp((~masks).astype(float) @ chances, axis=1)
    halves: Array = np.asarray(inside + outside)
    return halves - 2 * math.log(chances.shape[1])


class _Pairs:
    """Changes in two steps, by classes of candidates that divide the kernels alike."""

    def __init__(self, masks: Masks, chances: Array, grid: Array, ends: Sequence[float]) -> None:
        self.pairs = list(combinations(range(len(masks)), 2))
        self._masks, self._chances, self._grid, self._ends = masks, chances, grid, ends
        low, high = (ends[0] + part * (ends[1] - ends[0]) for part in (LEAST_STEP, 1 - LEAST_STEP))
        inside = (grid >= min(low, high)) & (grid <= max(low, high))
        if not inside.any():
            inside[np.argmin(np.abs(grid - (low + high) / 2))] = True
        self._inside = inside

    def log_chances(self, single: Array, weights: Array, squares: Array) -> Array:
        """Return the chance of each class with itself, then of each pair, with its prior."""
        within = np.maximum(weights**2 - squares, 0)
        with np.errstate(divide="ignore"):
            own = single - np.log(np.maximum(weights, 1e-300)) + np.log(within)
            if not self.pairs:
                return np.asarray(own)
            a, b = (np.asarray(side) for side in zip(*self.pairs, strict=True))
            prior = np.log(2 * weights[a] * weights[b])
        first, second = self._masks[a], self._masks[b]
        both = logsumexp((first & second).astype(float) @ self._chances, axis=1)
        none = logsumexp((~first & ~second).astype(float) @ self._chances, axis=1)
        middle = self._middle(first & ~second) + self._middle(second & ~first)
        pairs = prior + both + none + middle - 2 * np.log(len(self._grid))
        return np.concatenate([own, pairs])

    def _middle(self, masks: Masks) -> Array:
        chances = self._chances[:, self._inside]
        sums = logsumexp(masks.astype(float) @ chances, axis=1)
        middle: Array = np.asarray(sums)
        return middle - math.log(chances.shape[1])

    def steps(self, chances: Array, of_class: npt.NDArray[np.intp]) -> Steps | None:
        """Return the likeliest pair with kernels between its steps."""
        for i in np.argsort(-chances):
            a, b = self.pairs[i]
            if self._masks[b].sum() > self._masks[a].sum():
                a, b = b, a  # more kernels have the first step
            between = self._masks[a] & ~self._masks[b]
            if not between.any():
                continue
            grid = self._grid[self._inside]
            level = _mean(grid, self._chances[between][:, self._inside].sum(axis=0))
            return Steps(
                first=tuple(np.flatnonzero(of_class == a).tolist()),
                second=tuple(np.flatnonzero(of_class == b).tolist()),
                share=(level - self._ends[0]) / (self._ends[1] - self._ends[0]),
            )
        return None


def information(bad: Array, middle: Array, apart: float, boots: int) -> Array:
    """Return the bits that boots of a kernel give, [kernels].

    `bad` and `middle` are the chances that its level is bad's, or between both; `apart` is the
    difference of good and bad in spreads of a boot.
    """
    distance = min(apart * math.sqrt(boots), _SURELY_APART)
    chances = np.stack([np.clip(1 - bad - middle, 0, 1), middle, bad], axis=1)
    places = np.asarray([0.0, distance / 2, distance])
    outcomes = np.unique(np.concatenate([p + _OUTCOMES for p in places]))
    density = np.exp(-0.5 * (outcomes[None, :] - places[:, None]) ** 2) / np.sqrt(2 * np.pi)
    mixed = chances @ density
    whole = np.where(mixed > 0, -mixed * np.log2(np.maximum(mixed, 1e-300)), 0.0)
    entropy = np.trapezoid(whole, outcomes, axis=1)
    bits: Array = np.asarray(entropy) - 0.5 * math.log2(2 * math.pi * math.e)
    return np.clip(bits, 0.0, None)


def log_step(base: Array, new: Array, change: float, scatter: Scatter) -> float:
    """Return how much better a step explains two kernels than one level: log of the Bayes factor.

    `base` and `new` are natural logarithms of boots; the step is from half of `change` to half as
    much again.  It may be looked at after every boot.
    """
    grid = _grid([base, new, np.asarray([np.median(base) + change])], scatter)
    one = scatter.log_chances(np.concatenate([base, new]), grid)
    before = scatter.log_chances(base, grid)
    steps = np.linspace(0.5, 1.5, 21) * change
    after = np.stack([scatter.log_chances(new, grid + step) for step in steps])
    apart = logsumexp(before[None, :] + after) - np.log(len(steps))
    return float(apart - logsumexp(one))
