# SPDX-License-Identifier: GPL-2.0-only
"""Differences of means of logarithms, many at once, and their t tests.

Each side has its own variance, moderated by a prior if there is one: half of the prior's
degrees of freedom go to each side, so that two equal sides together have those of the
prior and of the boots.  Without a prior this is Welch's test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

from vlag.stats.blocks import Blocks
from vlag.stats.controls import Controls
from vlag.stats.prior import Prior

Floats = npt.NDArray[np.float64]

# More boots than this a side are not worth a night.
BOOTS_MAXIMUM = 100
# Power that a recommended number of boots must reach, the usual one.
POWER = 0.8
# Least relative step: values closer than this differ by floating-point rounding.
ROUNDING = 1e-12


def _tail(t: Floats, freedom: Floats) -> Floats:
    """Return the probability of a t above `t`."""
    return np.asarray(scipy.special.stdtr(freedom, -t), dtype=np.float64)


def _quantile(level: float | Floats, freedom: Floats) -> Floats:
    """Return the critical t at the level."""
    return -np.asarray(scipy.special.stdtrit(freedom, level), dtype=np.float64)


@frozen(kw_only=True, eq=False)
class Differences:
    """Differences new - base, one a question; every array has the shape (questions,)."""

    log_ratio: Floats
    error: Floats  # standard error
    freedom: Floats  # degrees
    step: Floats  # the tool's step as a log ratio; 0 where the boots scatter wider
    variance: Floats  # of the difference of one boot a side
    sides: Floats  # with variances of their own: 2; 1 for pairs
    prior: Floats  # degrees of freedom that come from the prior

    def zero(self) -> Floats:
        """Return p of the null "no change at all", two-sided."""
        return 2 * _tail(np.abs(self.log_ratio) / self.error, self.freedom)

    def beyond(self, margin: Floats) -> Floats:
        """Return p of the null |log ratio| <= `margin`, at its worst point."""
        size = np.abs(self.log_ratio)
        near, far = (size - margin) / self.error, (size + margin) / self.error
        return np.minimum(1.0, _tail(near, self.freedom) + _tail(far, self.freedom))

    def within(self, margin: Floats) -> Floats:
        """Return p of the null |log ratio| >= `margin`: the worse of two one-sided tests."""
        return _tail((margin - np.abs(self.log_ratio)) / self.error, self.freedom)

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the ends of the two-sided confidence interval, as log ratios."""
        reach = _quantile((1 - confidence) / 2, self.freedom) * self.error
        return self.log_ratio - reach, self.log_ratio + reach

    def boots_to_decide(
        self, targets: Sequence[tuple[float | Floats, Floats]], now: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the boots a side, more than `now`, that would decide; 0: beyond the bound.

        `targets` are levels of one-sided tests, each with the distance of the effect
        from the border of its null; one success is enough.  It assumes the measured
        effect and the power of a shifted central t: a rough estimate for planning.
        """
        # More boots never hurt, so halving the range finds the first number.
        low, high = now + 1, np.full(now.shape, BOOTS_MAXIMUM, dtype=np.int64)
        enough = (low <= high) & self._decides(targets, high)
        while np.any(low < high):
            middle = (low + high) // 2
            decided = self._decides(targets, middle)
            low, high = np.where(decided, low, middle + 1), np.where(decided, middle, high)
        return np.where(enough, high, 0)

    def _decides(
        self, targets: Sequence[tuple[float | Floats, Floats]], boots: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        error = np.sqrt(self.variance / np.maximum(boots, 2))
        freedom = self.sides * (np.maximum(boots, 2) - 1) + self.prior
        power = np.zeros(boots.shape)
        for level, distance in targets:
            reached = _tail(_quantile(level, freedom) - distance / error, freedom)
            power = np.maximum(power, np.where(distance > 0, reached, 0.0))
        return power >= POWER


@frozen(kw_only=True, eq=False)
class _Side:
    """One side of every question."""

    logs: Floats  # all boots of all questions, one after the other
    boots: npt.NDArray[np.int64]
    mean: Floats
    scatter: Floats  # variance of one boot
    floor: Floats  # least variance that rounding to the tool's step leaves
    step: Floats  # the tool's step as a log ratio

    def moderated(self, variance: Floats, freedom: Floats, kept: Floats) -> tuple[Floats, Floats]:
        """Return the variance of one boot with a prior's, and its degrees of freedom.

        `kept` is the share of the boots' own degrees of freedom that levels of boards leave.
        """
        own = (self.boots - 1.0) * kept
        both = own + freedom
        parts = own * np.maximum(self.scatter / kept, self.floor)
        return (parts + freedom * np.maximum(variance, self.floor)) / both, both


def _moments(logs: Floats, boots: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return means and variances of consecutive stretches of `boots` values each."""
    starts = np.concatenate(([0], np.cumsum(boots)[:-1]))
    mean = np.add.reduceat(logs, starts) / boots
    squares = (logs - np.repeat(mean, boots)) ** 2
    return mean, np.add.reduceat(squares, starts) / (boots - 1)


def _side(sets: Sequence[Sequence[float]], resolution: Floats) -> _Side:
    boots = np.asarray([len(s) for s in sets], dtype=np.int64)
    logs = np.log(np.fromiter(chain.from_iterable(sets), dtype=float, count=int(boots.sum())))
    mean, scatter = _moments(logs, boots)
    # A value below the step is only known to be below it.
    step = np.maximum(np.exp(np.minimum(np.log(resolution) - mean, 0.0)), ROUNDING)
    return _Side(
        logs=logs,
        boots=boots,
        mean=mean,
        scatter=scatter,
        # A uniform error of one step has this variance; values that rounding made equal still
        # have it.
        floor=step**2 / 12,
        step=np.log1p(step),
    )


def _stretches(side: _Side) -> Iterator[Floats]:
    return iter(np.split(side.logs, np.cumsum(side.boots)[:-1]))


def differences(
    base: Sequence[Sequence[float]],
    new: Sequence[Sequence[float]],
    *,
    resolution: Floats,
    priors: Sequence[Prior | None],
    paired: npt.NDArray[np.bool_],
    controls: Sequence[Controls | None] = (),
    blocks: Sequence[Blocks | None] = (),
) -> Differences:
    """Return the differences of at least one question, each side with 2 or more boots.

    Values are positive.  Pairs take no prior: it describes the spread of boots, not of
    their differences.  They take no `controls` either, which join the base's boots.  `blocks`
    say what it cost to take the levels of boards off the values; pairs have none.
    """
    sides = _side(base, resolution), _side(new, resolution)
    costs = [b or _ONE_BOARD for b in blocks or [None] * len(base)]
    lost, mix = np.asarray([b.lost for b in costs]), np.asarray([b.mix for b in costs])
    kept = 1 - lost / (sides[0].boots + sides[1].boots - 2.0)
    prior_freedom = np.asarray([p.freedom if p else 0.0 for p in priors])
    prior_variance = np.asarray([p.variance if p else 0.0 for p in priors])
    (v0, f0), (v1, f1) = (s.moderated(prior_variance, prior_freedom / 2, kept) for s in sides)
    given = zip(controls or [None] * len(base), paired.tolist(), strict=True)
    joining = [None if pair else control for control, pair in given]
    joined = np.asarray([c.boots if c else 0.0 for c in joining])
    level = np.asarray([c.level if c else 0.0 for c in joining])
    worth = sides[0].boots + joined
    mean = (sides[0].boots * sides[0].mean + joined * level) / worth
    parts = v0 / worth, v1 / sides[1].boots
    error = np.sqrt(parts[0] + parts[1])
    share = parts[0] / (parts[0] + parts[1])
    freedom = 1 / (share**2 / f0 + (1 - share) ** 2 / f1)
    error, freedom = _with_levels(error, freedom, mix * (f0 * v0 + f1 * v1) / (f0 + f1), costs)
    variance = v0 + v1
    step = np.maximum(*(np.where(s.scatter < s.floor, s.step, 0.0) for s in sides))
    if np.any(paired):
        chosen = np.flatnonzero(paired)
        logs = [list(_stretches(s)) for s in sides]
        boots = sides[0].boots[chosen]
        _, scatter = _moments(np.concatenate([logs[1][i] - logs[0][i] for i in chosen]), boots)
        floor = (sides[0].floor + sides[1].floor)[chosen]
        coarse = np.maximum(sides[0].step, sides[1].step)[chosen]
        variance[chosen] = np.maximum(scatter, floor)
        error[chosen] = np.sqrt(variance[chosen] / boots)
        freedom[chosen] = boots - 1
        step[chosen] = np.where(scatter < floor, coarse, 0.0)
    return Differences(
        log_ratio=sides[1].mean - mean,
        error=error,
        freedom=freedom,
        step=step,
        variance=variance,
        sides=np.where(paired, 1.0, 2.0),
        prior=np.where(paired, 0.0, prior_freedom),
    )


_ONE_BOARD = Blocks(boards=())


def _with_levels(
    error: Floats, freedom: Floats, mixed: Floats, blocks: Sequence[Blocks]
) -> tuple[Floats, Floats]:
    """Return errors and degrees of freedom with the uncertainty of the boards' levels.

    `mixed` is the variance by unequal shares of the boards.  It is known as well as the boots'.
    """
    if not any(b.boards for b in blocks):
        return error, freedom
    boots = error**2 + mixed
    known = np.asarray([b.variance for b in blocks])
    total = boots + known
    slack = boots**2 / freedom + known**2 / np.asarray([b.freedom for b in blocks])
    return np.sqrt(total), total**2 / slack
