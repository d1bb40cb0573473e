"""The verdict on two kernels: one metric, two sets of boots.

A boot is the unit of replication and gives one value.  All work is on logarithms, so
that a change of +10 % and its reverse weigh the same.  A flag needs two named tests:
`is_significant` (chance is ruled out) and `is_relevant` (the change matters, and the tool
can resolve it).  A third, `is_suspicious`, only requests fresh boots
(`vlag.stats.stages`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from vlag.model import Direction, Verdict
from vlag.stats import modes as two_modes
from vlag.stats.controls import Controls
from vlag.stats.difference import BOOTS_MAXIMUM, ROUNDING, Differences, differences
from vlag.stats.modes import Modes
from vlag.stats.prior import Prior

# Increment it whenever equal boots may get another verdict than before: stored comparisons
# are then repeated.
METHOD = 3
# Fewest boots a side for a decision: with two, a variance depends on one difference.
BOOTS_MINIMUM = 3
# Level of the test for a change beyond the relevance.  A night makes about a hundred
# comparisons, so 0.05 would make several false flags each night.
SIGNIFICANCE = 0.01
# Level of the test that requests fresh boots: one in eleven pairs of equal kernels is run
# again, and five boots a side miss a change of 5 % at 2 % scatter once in twenty.
SCREEN = 0.09
# Each of the two one-sided tests for "unchanged"; the usual level, as an error here
# only delays a finding by a night.
EQUIVALENCE = 0.05
# Half-width of "unchanged": below it, five boots of 2 % scatter would hardly ever suffice.
EQUIVALENCE_MARGIN = 0.03
# Confidence level of the reported interval (two-sided).
CONFIDENCE = 0.95
# Relative change above which a set-up fault is likelier than a kernel.
GROSS = 0.5


@frozen(kw_only=True)
class Question:
    """Two sets of boots, one value a boot, both in the metric's unit."""

    base: Sequence[float]
    new: Sequence[float]
    direction: Direction
    relevance: float  # smallest relative change that matters, 0.01 = 1 %
    resolution: float  # smallest step that the tool can print, in the metric's unit
    prior: Prior | None = None  # of the series on this board
    paired: bool = False  # equal places hold equal seeds, and these go together
    modes: Modes | None = None  # of the series on this board
    controls: Controls | None = None  # of the base, on earlier nights


@frozen(kw_only=True)
class Comparison:
    """Result of one comparison; relative changes are new / base - 1, 0.1 = +10 %."""

    verdict: Verdict
    effect: float | None  # of the levels (`levels`); None where there is no ratio
    ci_low: float | None  # 95 % interval (`CONFIDENCE`) of the effect; None where
    ci_high: float | None  # the boots are too few for one or a value is 0
    n_base: int  # boots
    n_new: int
    p: float | None  # of the null "the change is within the relevance"; None as above
    p_zero: float | None  # of the null "no change at all"; None as above
    boots_needed: int | None  # a side, to decide an INCONCLUSIVE row; None: no such number
    suspect: bool  # worth fresh boots
    reason: str  # one sentence


def is_significant(p: float) -> bool:
    """Return whether chance is ruled out as the cause of a change beyond the relevance."""
    return p < SIGNIFICANCE


def is_suspicious(p_zero: float) -> bool:
    """Return whether chance alone is unlikely enough to request fresh boots."""
    return p_zero < SCREEN


def is_relevant(log_ratio: float, *, margin: float, step: float) -> bool:
    """Return whether a change is large enough to matter and to be more than rounding.

    All three are log ratios.  `step` is one step of the tool if the boots scatter less
    than that: every boot then reads 20.99 and 21.01 as 20 and 21, and no number of boots
    can prove a difference.
    """
    return abs(log_ratio) > max(margin, step + ROUNDING)


def _relative(log_ratio: float) -> float:
    # expm1 overflows beyond this; an interval of so few and scattered boots has no end.
    return math.expm1(log_ratio) if log_ratio < 700 else math.inf


def _percent(relative: float) -> str:
    percent = 100 * abs(relative)
    if percent < 0.01:
        return "less than 0.01 %"
    return f"{percent:.3g} %" if percent < 100 else f"{percent:.0f} %"


def levels(
    base: Sequence[float], new: Sequence[float], controls: Controls | None = None
) -> tuple[float | None, float | None]:
    """Return the two levels whose ratio is the effect: new / base = 1 + effect.

    A level is the geometric mean over the boots of a side, in the metric's unit.  With a 0
    among the boots of either side both levels are plain means.  A side without boots has
    none.  `controls` join the base's boots as they do in the test.
    """
    geometric = all(base) and all(new)
    found = _level(base, geometric=geometric)
    if controls is not None and geometric and found is not None:
        share = controls.boots / (len(base) + controls.boots)
        found = math.exp((1 - share) * math.log(found) + share * controls.level)
    return found, _level(new, geometric=geometric)


def _level(values: Sequence[float], *, geometric: bool) -> float | None:
    if not values:
        return None
    if min(values) == max(values):
        return float(values[0])  # without the rounding of a logarithm
    return math.exp(fmean(map(math.log, values))) if geometric else fmean(values)


def _plain_effect(base: Sequence[float], new: Sequence[float]) -> float | None:
    """Return the effect where no test is made; None where there is no ratio."""
    if not base or not new or not any(base):
        return None
    if all(base) and all(new):
        return _relative(float(np.mean(np.log(new)) - np.mean(np.log(base))))
    return float(np.mean(new) / np.mean(base)) - 1


def _check(question: Question) -> None:
    for name, values in (("base", question.base), ("new", question.new)):
        for value in values:
            # Written so that NaN fails too.
            if not 0 <= value < math.inf:
                raise ValueError(
                    f"{name} holds {value}, where a finite number of 0 or more must be"
                )
    if not 0 <= question.relevance < math.inf:
        raise ValueError(
            f"the relevance is {question.relevance}, it must be a finite number of 0 or more"
        )
    if not 0 < question.resolution < math.inf:
        raise ValueError(
            f"the resolution is {question.resolution}, it must be a finite number above 0"
        )
    if question.paired and len(question.base) != len(question.new):
        raise ValueError(
            f"{len(question.base)} boots cannot be paired with {len(question.new)}:"
            " equal places must hold equal seeds"
        )


def _untestable(question: Question) -> Comparison | None:
    """Return the answer to a question without a possible test, or None."""
    base, new = question.base, question.new
    verdict, boots = Verdict.INCONCLUSIVE, None
    if min(len(base), len(new)) < BOOTS_MINIMUM:
        boots = BOOTS_MINIMUM
        reason = (
            f"{len(base)} against {len(new)} boots are too few: "
            f"at least {BOOTS_MINIMUM} a side are needed"
        )
    elif all(base) and all(new):
        return None
    elif any(base) or any(new):
        reason = "at least one boot gave 0, from which no relative change follows"
    else:
        verdict, reason = Verdict.UNCHANGED, "every boot of both sides gave 0"
    return Comparison(
        verdict=verdict,
        effect=0.0 if verdict is Verdict.UNCHANGED else _plain_effect(base, new),
        ci_low=None,
        ci_high=None,
        n_base=len(base),
        n_new=len(new),
        p=None,
        p_zero=None,
        boots_needed=boots,
        suspect=False,
        reason=reason,
    )


@frozen(kw_only=True)
class _Figures:
    """Test results of one question; margins and steps are log ratios."""

    log_ratio: float
    low: float  # ends of the interval
    high: float
    step: float
    margin: float  # relevance
    zero: float  # p of "no change at all"
    beyond: float  # p of "within the relevance"
    within: float  # p of "not within the larger of relevance and `EQUIVALENCE_MARGIN`"
    boots: int  # a side, that would decide; 0: more than the bound


def _answer(question: Question, figures: _Figures) -> Comparison:
    words = ""
    if question.modes is not None:
        if min(len(question.base), len(question.new)) < two_modes.BOOTS_MINIMUM:
            return _too_few_for_modes(question, figures)
        seen = two_modes.contrast(
            question.base, question.new, modes=question.modes, margin=figures.margin
        )
        figures = evolve(figures, zero=seen.p_zero, beyond=seen.p)
        words = f"; {seen.words}"
    relevance = question.relevance
    tolerance = max(EQUIVALENCE_MARGIN, relevance)
    effect = _relative(figures.log_ratio)
    better = (effect > 0) == (question.direction is Direction.HIGHER)
    changed = abs(figures.log_ratio) > ROUNDING
    size = f"{_percent(effect)} {'better' if better else 'worse'}" if changed else "no change"
    relevant = is_relevant(figures.log_ratio, margin=figures.margin, step=figures.step)
    boots = None
    if is_significant(figures.beyond) and relevant:
        verdict = Verdict.IMPROVEMENT if better else Verdict.REGRESSION
        reason = f"{size}, {_percent(1 - SIGNIFICANCE)} sure it is more than {_percent(relevance)}"
        if abs(effect) > GROSS:
            words += (
                f"; a change above {_percent(GROSS)} is more often a fault of the set-up:"
                " check tools and config first"
            )
    elif figures.step > math.log1p(tolerance) + ROUNDING and not relevant:
        verdict = Verdict.INCONCLUSIVE
        reason = (
            f"{size}, but one step of the tool is {_percent(_relative(figures.step))} here, "
            f"so no number of boots can show a change of {_percent(tolerance)}"
        )
    elif figures.within < EQUIVALENCE:
        verdict = Verdict.UNCHANGED
        reason = f"{size}, {_percent(1 - EQUIVALENCE)} sure it is less than {_percent(tolerance)}"
    else:
        verdict = Verdict.INCONCLUSIVE
        boots = figures.boots or None
        now = min(len(question.base), len(question.new))
        many = f"about {boots}" if boots else f"more than {max(BOOTS_MAXIMUM, now)}"
        reason = f"{size}, which chance can explain; {many} boots a side would decide"
    return Comparison(
        verdict=verdict,
        effect=effect,
        ci_low=_relative(figures.low),
        ci_high=_relative(figures.high),
        n_base=len(question.base),
        n_new=len(question.new),
        p=figures.beyond,
        p_zero=figures.zero,
        boots_needed=boots,
        suspect=is_suspicious(figures.zero) and relevant,
        reason=reason + words,
    )


def _too_few_for_modes(question: Question, figures: _Figures) -> Comparison:
    """Return the answer if too few boots can show both modes; it may still be suspect."""
    least = two_modes.BOOTS_MINIMUM
    return Comparison(
        verdict=Verdict.INCONCLUSIVE,
        effect=_relative(figures.log_ratio),
        ci_low=_relative(figures.low),
        ci_high=_relative(figures.high),
        n_base=len(question.base),
        n_new=len(question.new),
        p=figures.beyond,
        p_zero=figures.zero,
        boots_needed=max(least, figures.boots),
        suspect=is_suspicious(figures.zero)
        and is_relevant(figures.log_ratio, margin=figures.margin, step=figures.step),
        reason=(
            f"{len(question.base)} against {len(question.new)} boots are too few for a series"
            f" of two modes: at least {least} a side are needed"
        ),
    )


def judge(questions: Sequence[Question]) -> list[Comparison]:
    """Compare the boots of two kernels for each question; the answers keep the order.

    A REGRESSION or IMPROVEMENT needs a change that is significant beyond the relevance
    (level `SIGNIFICANCE`) and relevant.  UNCHANGED needs two one-sided tests inside the
    larger of `EQUIVALENCE_MARGIN` and the relevance.  Anything else, and anything below
    `BOOTS_MINIMUM` boots a side, is INCONCLUSIVE.  The tests are Welch's t, with
    variances moderated by the prior; a t of the differences for pairs; tests of
    occupancy and ranks for two modes (`vlag.stats.modes`).  One side may hold more
    boots than the other, for example if many control boots are pooled.

    Raises ValueError for a value that is negative or not finite, for an invalid relevance
    or resolution, and for pairs with sides of different length.
    """
    for question in questions:
        _check(question)
    answers = [_untestable(q) for q in questions]
    testable = [q for q, answer in zip(questions, answers, strict=True) if answer is None]
    tested = iter([_answer(q, f) for q, f in zip(testable, _figures(testable), strict=True)])
    return [next(tested) if answer is None else answer for answer in answers]


def _figures(questions: Sequence[Question]) -> list[_Figures]:
    if not questions:
        return []
    difference = differences(
        [q.base for q in questions],
        [q.new for q in questions],
        resolution=np.asarray([q.resolution for q in questions]),
        priors=[q.prior for q in questions],
        paired=np.asarray([q.paired for q in questions]),
        controls=[q.controls for q in questions],
    )
    margin = np.log1p([q.relevance for q in questions])
    equal = np.maximum(margin, math.log1p(EQUIVALENCE_MARGIN))
    columns = (
        difference.log_ratio,
        *difference.interval(CONFIDENCE),
        difference.step,
        margin,
        difference.zero(),
        difference.beyond(margin),
        difference.within(equal),
    )
    boots = _boots(difference, margin, equal, questions)
    names = ("log_ratio", "low", "high", "step", "margin", "zero", "beyond", "within", "boots")
    rows = zip(*(c.tolist() for c in columns), boots.tolist(), strict=True)
    return [_Figures(**dict(zip(names, row, strict=True))) for row in rows]


def _boots(
    difference: Differences,
    margin: npt.NDArray[np.float64],
    equal: npt.NDArray[np.float64],
    questions: Sequence[Question],
) -> npt.NDArray[np.int64]:
    size = np.abs(difference.log_ratio)
    return difference.boots_to_decide(
        [(SIGNIFICANCE, size - margin), (EQUIVALENCE, equal - size)],
        np.asarray([min(len(q.base), len(q.new)) for q in questions], dtype=np.int64),
    )


def compare(
    base: Sequence[float],
    new: Sequence[float],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
    prior: Prior | None = None,
    paired: bool = False,
    modes: Modes | None = None,
) -> Comparison:
    """Return `judge`'s answer to one question; the arguments are those of `Question`."""
    question = Question(
        base=base,
        new=new,
        direction=direction,
        relevance=relevance,
        resolution=resolution,
        prior=prior,
        paired=paired,
        modes=modes,
    )
    return judge([question])[0]
