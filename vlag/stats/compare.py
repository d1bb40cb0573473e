"""Is one kernel slower than another: one metric, two sets of boots, one verdict.

A boot is the unit of replication and gives one value.  All work is on logarithms, so
that a change of +10 % and its way back weigh the same.  Two named tests stand between
two sets and a flag: `is_significant` (could chance have made it?) and `is_relevant`
(does it matter, and could the tool have seen it at all?).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from scipy import stats

from vlag.model import Direction, Verdict

# Raised whenever equal boots may get another verdict than before: stored comparisons
# are made anew then.
METHOD = 1
# Boots a side below which nothing is ever decided: with two, a variance rests on one
# difference.
BOOTS_MINIMUM = 3
# Level of the test for a change beyond the relevance.  A night makes some hundred
# comparisons, so 0.05 would make several false flags each night.
SIGNIFICANCE = 0.01
# Each of the two one-sided tests for "unchanged"; the usual level, as an error here
# only delays a finding by a night.
EQUIVALENCE = 0.05
# Half-width of "unchanged": below it, five boots of 2 % scatter would hardly ever do.
EQUIVALENCE_MARGIN = 0.03
# Level of the interval that is shown (two-sided, Welch).
CONFIDENCE = 0.95
# Chance of a decision that a recommended number of boots must give, the usual one.
POWER = 0.8
# More boots than this a side are not worth a night.
BOOTS_MAXIMUM = 100

# Least relative step: values closer than this differ by floating-point rounding.
_ROUNDING = 1e-12


@frozen(kw_only=True)
class Comparison:
    """Answer of one comparison; relative changes are new / base - 1, 0.1 = +10 %."""

    verdict: Verdict
    effect: float | None  # of the geometric means; None where there is no ratio
    ci_low: float | None  # 95 % interval (`CONFIDENCE`) of the effect; None where
    ci_high: float | None  # the boots are too few for one or a value is 0
    n_base: int  # boots
    n_new: int
    p: float | None  # of the null "the change is within the relevance"; None as above
    reason: str  # one sentence


@frozen(kw_only=True)
class _Difference:
    """Difference of the means of logarithms, with what Welch's t makes of it."""

    log_ratio: float
    error: float  # standard error
    freedom: float  # degrees, Welch and Satterthwaite
    variance: float  # of one boot, mean of both sides
    step: float  # the tool's step as a log ratio; 0 where the boots scatter wider

    def beyond(self, margin: float) -> float:
        """Return p of the null |log ratio| <= `margin`, at its worst point."""
        size = abs(self.log_ratio)
        ends = np.asarray([size - margin, size + margin]) / self.error
        return min(1.0, float(np.sum(stats.t.sf(ends, self.freedom))))

    def within(self, margin: float) -> float:
        """Return p of the null |log ratio| >= `margin`: the worse of two one-sided tests."""
        return float(stats.t.sf((margin - abs(self.log_ratio)) / self.error, self.freedom))

    def interval(self) -> tuple[float, float]:
        """Return the ends of the confidence interval, as log ratios."""
        reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, self.freedom)) * self.error
        return self.log_ratio - reach, self.log_ratio + reach


def is_significant(p: float) -> bool:
    """Return whether chance is ruled out as the cause of a change beyond the relevance."""
    return p < SIGNIFICANCE


def is_relevant(log_ratio: float, *, margin: float, step: float) -> bool:
    """Return whether a change is large enough to matter and to be more than rounding.

    All three are log ratios.  `step` is one step of the tool where the boots scatter
    less than that: 20.99 and 21.01 are then read as 20 and 21 by every single boot, and
    no number of boots makes a difference out of it.
    """
    return abs(log_ratio) > max(margin, step + _ROUNDING)


def _relative(log_ratio: float) -> float:
    # expm1 overflows beyond this; an interval of so few and wild boots has no end.
    return math.expm1(log_ratio) if log_ratio < 700 else math.inf


def _percent(relative: float) -> str:
    percent = 100 * abs(relative)
    if percent < 0.01:
        return "less than 0.01 %"
    return f"{percent:.3g} %" if percent < 100 else f"{percent:.0f} %"


def _difference(base: Sequence[float], new: Sequence[float], resolution: float) -> _Difference:
    means, variances, steps = [], [], []
    for values in (base, new):
        logs = np.log(np.asarray(values, dtype=float))
        centre = float(np.mean(logs))
        # A value below the step is known to be below it, no worse.
        step = min(1.0, max(resolution / math.exp(centre), _ROUNDING))
        # A uniform error of one step has this variance; values that are all alike for
        # being rounded still have it.
        floor = step**2 / 12
        scatter = float(np.var(logs, ddof=1))
        means.append(centre)
        variances.append(max(scatter, floor))
        steps.append(math.log1p(step) if scatter < floor else 0.0)
    parts = variances[0] / len(base), variances[1] / len(new)
    share = parts[0] / sum(parts)
    return _Difference(
        log_ratio=means[1] - means[0],
        error=math.sqrt(sum(parts)),
        freedom=1 / (share**2 / (len(base) - 1) + (1 - share) ** 2 / (len(new) - 1)),
        variance=sum(variances) / 2,
        step=max(steps),
    )


def _boots_to_decide(difference: _Difference, margin: float, equal: float, now: int) -> str:
    """Return in words how many boots a side would decide, were the effect as measured.

    The power is that of a shifted central t: a rough figure for a plan, no promise.
    """
    boots = np.arange(now + 1, BOOTS_MAXIMUM + 1)
    if boots.size:
        error = np.sqrt(2 * difference.variance / boots)
        freedom = 2 * (boots - 1)
        size = abs(difference.log_ratio)
        power = np.zeros(boots.shape)
        for level, distance in ((SIGNIFICANCE, size - margin), (EQUIVALENCE, equal - size)):
            if distance > 0:
                needed = stats.t.isf(level, freedom)
                power = np.maximum(power, stats.t.sf(needed - distance / error, freedom))
        enough = boots[power >= POWER]
        if enough.size:
            return f"about {enough[0]}"
    return f"more than {max(BOOTS_MAXIMUM, now)}"


def _plain_effect(base: Sequence[float], new: Sequence[float]) -> float | None:
    """Return the effect where no test is made: of geometric means, with zeros of means."""
    if not base or not new or not any(base):
        return None
    if all(base) and all(new):
        return _relative(float(np.mean(np.log(new)) - np.mean(np.log(base))))
    return float(np.mean(new) / np.mean(base)) - 1


def _check(
    base: Sequence[float], new: Sequence[float], relevance: float, resolution: float
) -> None:
    for name, values in (("base", base), ("new", new)):
        for value in values:
            if not math.isfinite(value) or value < 0:
                raise ValueError(
                    f"{name} holds {value}, where a finite number of 0 or more must be"
                )
    if not math.isfinite(relevance) or relevance < 0:
        raise ValueError(f"the relevance is {relevance}, it must be a finite number of 0 or more")
    if not math.isfinite(resolution) or resolution <= 0:
        raise ValueError(f"the resolution is {resolution}, it must be a finite number above 0")


def _undecidable(base: Sequence[float], new: Sequence[float]) -> tuple[Verdict, str] | None:
    """Return the verdict of sets that no test can be made of, or None."""
    if min(len(base), len(new)) < BOOTS_MINIMUM:
        return Verdict.INCONCLUSIVE, (
            f"{len(base)} against {len(new)} boots are too few: "
            f"at least {BOOTS_MINIMUM} a side are needed"
        )
    if not any(base) and not any(new):
        return Verdict.UNCHANGED, "every boot of both sides gave 0"
    if not all(base) or not all(new):
        return (
            Verdict.INCONCLUSIVE,
            "at least one boot gave 0, from which no relative change follows",
        )
    return None


def compare(
    base: Sequence[float],
    new: Sequence[float],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
) -> Comparison:
    """Compare the boots of two kernels: one value a boot, both in the metric's unit.

    `relevance` is the smallest relative change that matters (0.01 = 1 %), `resolution`
    the smallest step that the tool can print, in the metric's unit.

    A REGRESSION or IMPROVEMENT needs a change that is significant beyond the relevance
    (Welch's t, level `SIGNIFICANCE`) and relevant.  UNCHANGED needs two one-sided tests
    inside the larger of `EQUIVALENCE_MARGIN` and `relevance`.  Anything else, and
    anything below `BOOTS_MINIMUM` boots a side, is INCONCLUSIVE.

    Raises ValueError for a value that is negative or not finite, and for a relevance or
    resolution that makes no sense.
    """
    base, new = [float(v) for v in base], [float(v) for v in new]
    _check(base, new, relevance, resolution)
    answer = _undecidable(base, new)
    if answer is not None:
        verdict, reason = answer
        return Comparison(
            verdict=verdict,
            effect=0.0 if verdict is Verdict.UNCHANGED else _plain_effect(base, new),
            ci_low=None,
            ci_high=None,
            n_base=len(base),
            n_new=len(new),
            p=None,
            reason=reason,
        )
    difference = _difference(base, new, resolution)
    margin = math.log1p(relevance)
    tolerance = max(EQUIVALENCE_MARGIN, relevance)
    equal = math.log1p(tolerance)
    p = difference.beyond(margin)
    effect = _relative(difference.log_ratio)
    low, high = difference.interval()
    better = (effect > 0) == (direction is Direction.HIGHER)
    changed = abs(difference.log_ratio) > _ROUNDING
    size = f"{_percent(effect)} {'better' if better else 'worse'}" if changed else "no change"
    relevant = is_relevant(difference.log_ratio, margin=margin, step=difference.step)
    if is_significant(p) and relevant:
        verdict = Verdict.IMPROVEMENT if better else Verdict.REGRESSION
        reason = f"{size}, {_percent(1 - SIGNIFICANCE)} sure it is more than {_percent(relevance)}"
    elif difference.step > equal + _ROUNDING and not relevant:
        verdict = Verdict.INCONCLUSIVE
        reason = (
            f"{size}, but one step of the tool is {_percent(_relative(difference.step))} here, "
            f"so no number of boots can show a change of {_percent(tolerance)}"
        )
    elif difference.within(equal) < EQUIVALENCE:
        verdict = Verdict.UNCHANGED
        reason = f"{size}, {_percent(1 - EQUIVALENCE)} sure it is less than {_percent(tolerance)}"
    else:
        verdict = Verdict.INCONCLUSIVE
        now = min(len(base), len(new))
        boots = _boots_to_decide(difference, margin, equal, now)
        reason = f"{size}, which chance can explain; {boots} boots a side would decide"
    return Comparison(
        verdict=verdict,
        effect=effect,
        ci_low=_relative(low),
        ci_high=_relative(high),
        n_base=len(base),
        n_new=len(new),
        p=p,
        reason=reason,
    )
