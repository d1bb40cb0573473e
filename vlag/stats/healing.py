# SPDX-License-Identifier: GPL-2.0-only
"""Whether a loss is still there: evidence of several nights, and hysteresis between its words.

A verdict of one night says whether a change beyond what matters is proven, or one beyond the
equivalence margin excluded.  A loss between the two gets the one on some nights and the other on
others.  So a loss that was proven stands until intervals exclude half of it, those of several
nights taken together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attrs import define, field, frozen

from vlag.stats.attribution import LEAST_SHARE

# Factor from the 95 % interval that a verdict has to a one-sided level of 0.5 %: a steady loss is
# asked about every night, with windows of every length.
_WIDER = 2.576 / 1.960
# The same to a one-sided level of 5 %: what commits have changed is asked once for each that did.
_ONCE = 1.645 / 1.960
# Most nights that are taken together: more say little more, and a loss may change.
REACH = 12
# Half-width of boots that do not differ: none weighs infinitely more than another.
_LEAST = 1e-5


@frozen(kw_only=True)
class Estimate:
    """A change that one night measured, as log ratios; above 0 is worse."""

    change: float
    half: float  # half-width of its 95 % interval
    conditions: str = ""  # only equal ones are taken together

    @property
    def most(self) -> float:
        """Return the largest loss that is not excluded."""
        return self.change + _WIDER * self.half

    @property
    def most_once(self) -> float:
        """Return the same where it is asked once, and not every night anew."""
        return self.change + _ONCE * self.half


NOTHING = Estimate(change=0.0, half=0.0)


def estimate(
    effect: float | None,
    low: float | None,
    high: float | None,
    *,
    more_is_worse: bool,
    conditions: str = "",
) -> Estimate | None:
    """Return the estimate of a relative effect with its 95 % interval; None without one."""
    if effect is None or low is None or high is None or min(effect, low) <= -1:
        return None
    sign = 1.0 if more_is_worse else -1.0
    return Estimate(
        change=sign * math.log1p(effect),
        half=(math.log1p(high) - math.log1p(low)) / 2,
        conditions=conditions,
    )


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """Return estimates taken together, weighted by their precision.

    Where they differ by more than their intervals say, as nights do, the interval is as much
    wider.  Raises ValueError for none.
    """
    if not estimates:
        raise ValueError("there is no estimate")
    weights = [1 / max(e.half, _LEAST) ** 2 for e in estimates]
    mean = sum(w * e.change for w, e in zip(weights, estimates, strict=True)) / sum(weights)
    scatter = 1.0
    if len(estimates) > 1:
        # In units of a standard error: a half-width is 1.96 of them.
        squares = (
            w * 1.96**2 * (e.change - mean) ** 2 for w, e in zip(weights, estimates, strict=True)
        )
        scatter = max(1.0, sum(squares) / (len(estimates) - 1))
    return Estimate(
        change=mean, half=math.sqrt(scatter / sum(weights)), conditions=estimates[-1].conditions
    )


def plus(one: Estimate, other: Estimate) -> Estimate:
    """Return the sum of two independent estimates."""
    return Estimate(
        change=one.change + other.change,
        half=math.hypot(one.half, other.half),
        conditions=one.conditions,
    )


def minus(one: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent estimates."""
    return Estimate(
        change=one.change - other.change,
        half=math.hypot(one.half, other.half),
        conditions=one.conditions,
    )


def recovered(loss: float, usual: Estimate, later: Sequence[Estimate]) -> bool:
    """Return whether the last of `later` leave less than `LEAST_SHARE` of a loss.

    All are changes against one baseline; `usual` is what was measured without the loss.
    """
    return any(minus(pooled(w), usual).most < LEAST_SHARE * loss for w in _windows(later))


def _windows(nights: Sequence[Estimate]) -> Iterator[Sequence[Estimate]]:
    """Return the last night, the last two, and so on to `REACH`."""
    return (nights[-count:] for count in range(1, min(len(nights), REACH) + 1))


@define
class Course:
    """One figure from night to night: whether its loss stands."""

    stands: bool = False
    _proven: list[Estimate] = field(factory=list)  # from the first proof on
    _since: list[Estimate] = field(factory=list)  # after the last proof

    def add(self, measured: Estimate | None, *, proven: bool, exact: bool = False) -> bool:
        """Take what a night measured, and return whether the loss stands.

        `proven`: its verdict is a regression.  `exact`: nothing can differ, as where base and new
        are one image.  A night that measured nothing changes nothing.
        """
        if proven:
            if not self.stands:
                self._proven.clear()
            self.stands = True
            self._proven += self._since if measured is None else [*self._since, measured]
            self._since.clear()
        elif self.stands and measured is not None:
            self._since.append(measured)
            self.stands = not self._excluded()
        elif self.stands and exact:
            self.stands = False
        if not self.stands:
            self._since.clear()
        return self.stands

    def copy(self) -> Course:
        """Return another one that has come as far."""
        return Course(stands=self.stands, proven=[*self._proven], since=[*self._since])

    def _excluded(self) -> bool:
        """Return whether the last nights leave less than `LEAST_SHARE` of the loss."""
        for window in _windows(self._since):
            if window[0].conditions != window[-1].conditions:
                break
            earlier = [*self._proven, *self._since[: -len(window)]]
            # Without an interval of the proof nothing says how large the loss was.
            left = LEAST_SHARE * pooled(earlier[-REACH:]).change if earlier else 0.0
            if pooled(window).most < left:
                return True
        return False
