# SPDX-License-Identifier: GPL-2.0-only
"""Cells of boots: a table's means, and effects and shares between them with intervals.

A cell holds the boots of one kernel under one setting, one value a boot.  All cells of a
table share one variance of a boot's natural logarithm, pooled within the cells (and moved
towards the history's, if a prior is given), so that all boots of the table contribute to
the judgement of a cell of three boots.  Every interval is simultaneous: Bonferroni's over
the intervals of its family, which the function that makes it names.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
import scipy
from attrs import field, frozen

from vlag.model import Outcome
from vlag.stats.compare import BOOTS_MINIMUM, CONFIDENCE, clip, equivalence_margin
from vlag.stats.prior import Prior

#: Largest share that is a figure: "343 % of -2.6 %" tells nobody anything.
LARGEST_SHARE = 1.25
# Least relative step: values closer than this differ by floating-point rounding.
_ROUNDING = 1e-12

K = TypeVar("K", bound=Hashable)

_FAILED = {
    Outcome.PATCH_FAILED: "does not apply",
    Outcome.BUILD_FAILED: "did not build",
    Outcome.PANIC: "panicked",
    Outcome.HANG: "hung",
    Outcome.BENCHMARK_FAILED: "its benchmark failed",
}
#: Problem of a cell without boots.
NOT_RUN = "not run"


def _floats(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


@frozen(kw_only=True)
class Cell:
    """Boots of one kernel under one setting, or the reason why there are none.

    Raises ValueError for a value that is negative or not finite, and if boots and outcome
    contradict each other.
    """

    boots: tuple[float, ...] = field(default=(), converter=_floats)  # in the metric's unit
    outcome: Outcome | None = field()  # None: not run

    @outcome.default
    def _complete(self) -> Outcome | None:
        return Outcome.COMPLETE if self.boots else None

    def __attrs_post_init__(self) -> None:
        """Refuse contradictions."""
        for value in self.boots:
            if not math.isfinite(value) or value < 0:
                raise ValueError(
                    f"a cell holds {value}, where a finite number of 0 or more must be"
                )
        if bool(self.boots) != (self.outcome is Outcome.COMPLETE):
            raise ValueError(f"a cell of {len(self.boots)} boots cannot have {self.outcome}")

    @property
    def problem(self) -> str | None:
        """Return the reason why the cell cannot be judged, or None."""
        if self.outcome is None:
            return NOT_RUN
        if self.outcome is not Outcome.COMPLETE:
            return _FAILED[self.outcome]
        if self.is_short:
            return f"too few boots ({len(self.boots)} of {BOOTS_MINIMUM})"
        return None

    @property
    def is_short(self) -> bool:
        """Return whether the cell has boots that can be judged, but too few."""
        return 0 < len(self.boots) < BOOTS_MINIMUM


class Finding(enum.Enum):
    """Judgement of an effect by its interval."""

    MATTERS = "matters"  # the interval lies beyond the relevance
    NEGLIGIBLE = "negligible"  # the interval lies within the equivalence margin
    OPEN = "too few boots to say"


@frozen(kw_only=True)
class Effect:
    """Relative change, 0.1 = +10 %, with its simultaneous 95 % interval."""

    size: float
    low: float
    high: float
    finding: Finding

    @property
    def sign(self) -> int:
        """Return 1 or -1 where the interval excludes no change, else 0."""
        return (self.low > 0) - (self.high < 0)


@frozen(kw_only=True)
class Share:
    """Part of a whole change, 1 = all of it, with its simultaneous 95 % interval.

    The interval is Fieller's; `low` and `high` are None if it has no ends, that is, if the
    whole change itself is not significant at this level.
    """

    size: float
    low: float | None
    high: float | None


@frozen(kw_only=True)
class Pool(Generic[K]):
    """Means of the cells without a problem, with their pooled variance."""

    logs: Mapping[K, float]  # mean of natural logarithms
    variance: Mapping[K, float]  # of that mean
    spread: float  # standard deviation of one boot's logarithm, pooled
    freedom: float  # degrees of freedom of the spread

    def effect(self, weights: Mapping[K, float], *, relevance: float, family: int) -> Effect:
        """Return the change that is the weighted sum of the cells' logarithms.

        `family` is the number of simultaneous intervals at 95 %.
        """
        log = sum(w * self.logs[k] for k, w in weights.items())
        variance = sum(w**2 * self.variance[k] for k, w in weights.items())
        return self.interval(log, math.sqrt(variance), relevance=relevance, family=family)

    def interval(self, log: float, error: float, *, relevance: float, family: int) -> Effect:
        """Return a log ratio with that standard error as an effect."""
        reach = self.quantile(family) * error
        low, high = log - reach, log + reach
        margin = math.log1p(relevance)
        equal = math.log1p(equivalence_margin(relevance))
        finding = Finding.OPEN
        if low > margin or high < -margin:
            finding = Finding.MATTERS
        elif -equal < low and high < equal:
            finding = Finding.NEGLIGIBLE
        return Effect(
            size=_relative(log), low=_relative(low), high=_relative(high), finding=finding
        )

    def share(
        self,
        part: Mapping[K, float],
        whole: Mapping[K, float],
        *,
        family: int,
        logs: bool = False,
    ) -> Share:
        """Return the ratio of two weighted sums of the cells' geometric means, or logarithms.

        A share of a loss is in the metric's unit, as people reckon it: of 76 MB/s lost,
        67 came back.  The interval is Fieller's.  The delta method's is too narrow and
        off to one side if the whole is only a few of its errors away from 0, and five
        boots a cell give a bootstrap too few different draws.
        """
        keys = [*dict.fromkeys([*part, *whole])]
        a, b = (np.asarray([w.get(k, 0.0) for k in keys]) for w in (part, whole))
        log = np.asarray([self.logs[k] for k in keys])
        variance = np.asarray([self.variance[k] for k in keys])
        # One factor for all means cancels in the ratio and keeps exp finite.
        means = log if logs else np.exp(log - log.max())
        if not logs:
            variance = means**2 * variance
        top, bottom = float(a @ means), float(b @ means)
        squared = self.quantile(family) ** 2
        leading = bottom**2 - squared * float(b**2 @ variance)
        middle = top * bottom - squared * float((a * b) @ variance)
        last = top**2 - squared * float(a**2 @ variance)
        size = top / bottom if bottom else math.nan
        if leading <= 0:
            return Share(size=size, low=None, high=None)
        # Rounding can make a perfect square slightly negative.
        root = math.sqrt(max(0.0, middle**2 - leading * last))
        return Share(size=size, low=(middle - root) / leading, high=(middle + root) / leading)

    def quantile(self, family: int) -> float:
        """Return Student's quantile of a two-sided interval, Bonferroni's over a family."""
        return -float(scipy.special.stdtrit(self.freedom, (1 - CONFIDENCE) / (2 * max(family, 1))))


def _relative(log: float) -> float:
    # expm1 overflows beyond this; an interval of so few and scattered boots has no end.
    return math.expm1(log) if log < 700 else math.inf


def pool(cells: Mapping[K, Cell], *, resolution: float, prior: Prior | None = None) -> Pool[K]:
    """Return the means of the cells without a problem and the variance pooled over them.

    `resolution` is the smallest step that the tool can print, in the metric's unit; a boot
    below it counts as one step.  A cell's scatter is at least a uniform error of one step.  If
    its boots scatter less than that, the error of its mean does not shrink with their number:
    all of them were rounded alike.  Cells of too few boots still contribute to the variance.

    Raises ValueError for a resolution that is not a finite number above 0.
    """
    if not math.isfinite(resolution) or resolution <= 0:
        raise ValueError(f"the resolution is {resolution}, it must be a finite number above 0")
    logs: dict[K, float] = {}
    stuck: dict[K, float] = {}
    squares = freedom = 0.0
    for key, cell in cells.items():
        if not cell.boots:
            continue
        values = np.log(clip(cell.boots, resolution))
        centre, degrees = float(np.mean(values)), len(values) - 1
        floor = max(resolution / math.exp(centre), _ROUNDING) ** 2 / 12
        scatter = float(np.sum((values - centre) ** 2))
        squares += max(scatter, degrees * floor)
        freedom += degrees
        if cell.problem is None:
            logs[key] = centre
            stuck[key] = floor if scatter < degrees * floor else 0.0
    if prior is not None:
        squares += prior.freedom * prior.variance
        freedom += prior.freedom
    variance = squares / freedom if freedom else math.nan
    return Pool(
        logs=logs,
        variance={k: variance / len(cells[k].boots) + stuck[k] for k in logs},
        spread=math.sqrt(variance),
        freedom=freedom,
    )


def change(effect: Effect) -> str:
    """Return an effect as text: "-29.3 % [-31.0, -27.7]"."""
    return f"{100 * effect.size:+.1f} % [{100 * effect.low:+.1f}, {100 * effect.high:+.1f}]"


def share_text(share: Share) -> str:
    """Return a share as text: "88 % [80, 95]"; "[?]" where the interval has no ends.

    Beyond `LARGEST_SHARE` it is words, without a figure.
    """
    if share.size > LARGEST_SHARE:
        return "more than all"
    if share.low is None or share.high is None:
        return f"{100 * share.size:.0f} % [?]"
    return f"{100 * share.size:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"
