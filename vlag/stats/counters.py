# SPDX-License-Identifier: GPL-2.0-only
"""Counters of a kernel's events: which differ between two kernels, and say more than the figure.

A counter that only follows the operations of a benchmark, or only the time, says what the
benchmark's figure says.  One that explains something has changed for an operation and for a
second as well, by more than boots of one kernel differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import scipy
from attrs import frozen

# How often a benchmark shows any counter if nothing has changed, at most.
ERROR = 0.01
# How often any interval of a benchmark's counters misses what is true, at most.
_MISSED = 0.05
# A change below this is the reason of nothing that is reported: relevances are 0.3 to 3 %.
LEAST = 0.01
# Degrees of freedom from which two kernels' own boots are asked, and kernels of a history.
_OWN, _HISTORY = 2, 3
# Added to a count, so that none has a logarithm.
_HALF = 0.5

_Denominator = Callable[["Boot"], float]


@frozen(kw_only=True)
class Boot:
    """What one boot counted while a benchmark ran."""

    counts: Mapping[str, int]  # events, or ns
    operations: int | None  # of the benchmark; None: it counts none
    seconds: float  # above 0


@frozen(kw_only=True)
class Change:
    """A counter that differs between two kernels."""

    counter: str
    base: float  # for an operation, or for a second if the benchmark counts no operations
    new: float
    effect: float | None  # new / base - 1 of typical boots; None: the base has none
    # Simultaneous 95 % interval of the effect; None where that is.
    interval: tuple[float, float] | None
    size: float  # by which the largest are chosen: |log(new / base)|


def changes(
    base: Sequence[Boot],
    new: Sequence[Boot],
    others: Sequence[Boot],
    names: Mapping[str, bool],
    tests: int,
) -> list[Change]:
    """Return the counters that differ, the largest change first.

    `names` says of each counter whether it counts events, which come at least as irregularly
    as chance has them, or ns.  `tests` is the number of all counters that are looked at.
    `others` are boots of other kernels, one of each: where both kernels together have less
    than four boots, a counter must differ by more than among those.
    """
    if not base or not new:
        return []
    boots = [*base, *new, *others]
    per: list[_Denominator] = [lambda b: b.seconds]
    if all(b.operations for b in boots):
        per.insert(0, lambda b: float(b.operations or 0))
    differing = []
    for name, events in names.items():
        if not any(b.counts[name] for b in (*base, *new)):
            continue
        apart = [_apart(base, new, others, name, events, counts) for counts in per]
        sizes = [abs(d.log_ratio) if d.beyond(ERROR / tests) else 0.0 for d in apart]
        if all(size > math.log1p(LEAST) for size in sizes):
            before, after = (_mean(side, name, per[0]) for side in (base, new))
            differing.append(
                Change(
                    counter=name,
                    base=before,
                    new=after,
                    effect=math.expm1(apart[0].log_ratio) if before else None,
                    interval=apart[0].interval(_MISSED / tests) if before else None,
                    size=min(sizes),
                )
            )
    return sorted(differing, key=lambda change: -change.size)


def _mean(side: Sequence[Boot], name: str, per: _Denominator) -> float:
    return sum(b.counts[name] for b in side) / sum(map(per, side))


@frozen(kw_only=True)
class _Apart:
    """How far two kernels differ in a counter, in logarithms."""

    log_ratio: float  # log(new / base)
    deviation: float  # standard deviation of it; infinite: nothing says what boots differ by
    freedom: int  # degrees of freedom behind the deviation

    def half_width(self, error: float) -> float:
        """Return half the width of an interval that misses the truth with this probability."""
        if math.isinf(self.deviation):
            return math.inf
        return float(scipy.special.stdtrit(self.freedom, 1 - error / 2)) * self.deviation

    def beyond(self, error: float) -> bool:
        """Return whether boots of one kernel differ as much with at most this probability."""
        return abs(self.log_ratio) > self.half_width(error)

    def interval(self, error: float) -> tuple[float, float]:
        """Return new / base - 1 at the ends of such an interval."""
        half = self.half_width(error)
        return math.expm1(self.log_ratio - half), math.expm1(self.log_ratio + half)


def _apart(
    base: Sequence[Boot],
    new: Sequence[Boot],
    others: Sequence[Boot],
    name: str,
    events: bool,
    per: _Denominator,
) -> _Apart:
    """Return how far two kernels differ, and how surely that is known."""
    sides = [np.log([(b.counts[name] + _HALF) / per(b) for b in side]) for side in (base, new)]
    log_ratio = float(sides[1].mean() - sides[0].mean())
    freedom = len(base) + len(new) - 2
    spread = sum(float(((side - side.mean()) ** 2).sum()) for side in sides)
    if freedom < _OWN:
        history = np.log([(b.counts[name] + _HALF) / per(b) for b in others])
        freedom = len(history) - 1
        if freedom < _HISTORY:
            return _Apart(log_ratio=log_ratio, deviation=math.inf, freedom=0)
        spread = float(((history - history.mean()) ** 2).sum())
    variance = 0.0
    for side in (base, new):
        # The logarithm of a number of independent events has the variance 1 / number.
        chance = len(side) / (sum(b.counts[name] for b in side) + _HALF) if events else 0.0
        variance += max(spread / freedom, chance) / len(side)
    return _Apart(log_ratio=log_ratio, deviation=math.sqrt(variance), freedom=freedom)
