# SPDX-License-Identifier: GPL-2.0-only
"""The verdict on two kernels: one metric, two sets of boots.

A boot is the unit of replication and gives one value.  All work is on logarithms, so
that a change of +10 % and its reverse weigh the same.  A flag needs two named tests:
`is_significant` (chance is ruled out) and `is_relevant` (the change matters, and the tool
can resolve it).  A third, `is_suspicious`, only requests a rerun
(`vlag.stats.stages`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from vlag.model import Direction, Verdict
from vlag.stats import modes as two_modes
from vlag.stats import outliers, ranks, sentences
from vlag.stats.blocks import Blocks
from vlag.stats.controls import Controls
from vlag.stats.difference import BOOTS_MAXIMUM, ROUNDING, Differences, differences
from vlag.stats.modes import Modes
from vlag.stats.outliers import Off
from vlag.stats.prior import Prior

# Increment it whenever equal boots may get another verdict than before: stored comparisons
# are then repeated.
METHOD = 8
# Fewest boots a side for a decision: with two, a variance depends on one difference.
BOOTS_MINIMUM = 3
# Level of the test for a change beyond the relevance.  A night makes about a hundred
# comparisons, so 0.05 would make several false flags each night.
SIGNIFICANCE = 0.01
# Level of the test that requests a rerun: one in eleven pairs of equal kernels is run
# again, and five boots a side miss a change of 5 % at 2 % scatter once in twenty.
SCREEN = 0.09
# Level of what requests a rerun besides: the test of ranks (of five boots a side at most two of 25
# pairs are in the other order), and the shift of ranks where boots are off.
SCREEN_RANKS = 0.04
# Each of the two one-sided tests for "unchanged"; the usual level, as an error here
# only delays a finding by a night.
EQUIVALENCE = 0.05
# Half-width of "unchanged" (`equivalence_margin`): below it, five boots of 2 % scatter would
# hardly ever suffice.
EQUIVALENCE_MARGIN = 0.03
# It is at most this many times the relevance: where tenths of a percent matter, boots scatter
# little enough to exclude a few of them.
EQUIVALENCE_FACTOR = 3
# Confidence level of the reported interval (two-sided).
CONFIDENCE = 0.95
# Boots that are off lie at least so many steps of the tool from the others.
_STEPS = 3.0
# Variance of Hodges and Lehmann's shift of normal boots, in variances of the means' difference.
_BY_RANKS = math.pi / 3
# A rerun by ranks needs a p so many times smaller than one by means: the test of runs doubles it,
# and the level is lower.
_PRICE = 3.3
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
    one_mode: bool = False  # its history shows that it has no second mode
    controls: Controls | None = None  # of the base, on earlier nights
    blocks: Blocks | None = None  # boards whose levels were taken off the values


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
    boots_needed: int | None  # a side, to decide what is open; None: no such number
    suspect: bool  # worth a rerun
    reason: str  # one sentence
    freedom: float | None = None  # degrees, of the t test; None: no such test
    off: Off | None = None  # boots that are off
    levels: tuple[float, float] | None = None  # of base and new, where ranks decide
    mode: str | None = None  # the boots in a new mode, in words; None: no boot is in one


def is_significant(p: float) -> bool:
    """Return whether chance is ruled out as the cause of a change beyond the relevance."""
    return p < SIGNIFICANCE


def equivalence_margin(relevance: float) -> float:
    """Return the half-width of "unchanged" as a relative increase, never below the relevance."""
    return max(relevance, min(EQUIVALENCE_MARGIN, EQUIVALENCE_FACTOR * relevance))


def is_certain(p_zero: float) -> bool:
    """Return whether chance is ruled out as the cause of any change at all."""
    return p_zero < SIGNIFICANCE


def is_suspicious(p_zero: float) -> bool:
    """Return whether chance alone is unlikely enough to request a rerun."""
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


def levels(
    base: Sequence[float],
    new: Sequence[float],
    *,
    resolution: float,
    controls: Controls | None = None,
) -> tuple[float | None, float | None]:
    """Return the two levels whose ratio is the effect: new / base = 1 + effect.

    A level is the geometric mean over the boots of a side, in the metric's unit.  A boot below
    the resolution counts as the resolution, unless every boot of both sides gave 0: both levels
    are then 0.  A side without boots has none.  `controls` join the base's boots as they do in
    the test.
    """
    if not any(base) and not any(new) and controls is None:
        return (0.0 if base else None), (0.0 if new else None)
    level = _level(clip(base, resolution))
    if controls is not None and level is not None:
        share = controls.boots / (len(base) + controls.boots)
        level = math.exp((1 - share) * math.log(level) + share * controls.level)
    return level, _level(clip(new, resolution))


def clip(values: Sequence[float], resolution: float) -> list[float]:
    """Return the values with those below one step of the tool raised to the step.

    Such a value is only known to be below the step, and a 0 has no logarithm.
    """
    return [max(float(v), resolution) for v in values]


def _level(values: Sequence[float]) -> float | None:
    if not values:
        return None
    if min(values) == max(values):
        return values[0]  # without the rounding of a logarithm
    return math.exp(fmean(map(math.log, values)))


def _clipped(question: Question) -> tuple[list[float], list[float]]:
    return clip(question.base, question.resolution), clip(question.new, question.resolution)


def _plain_effect(question: Question) -> float | None:
    """Return the effect where no test is made; None for a side without boots."""
    base, new = _clipped(question)
    if not base or not new:
        return None
    return _relative(fmean(map(math.log, new)) - fmean(map(math.log, base)))


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
    if min(len(base), len(new)) < BOOTS_MINIMUM:
        verdict, boots, effect = Verdict.INCONCLUSIVE, BOOTS_MINIMUM, _plain_effect(question)
        reason = sentences.few(len(base), len(new), least=BOOTS_MINIMUM)
    elif any(base) or any(new):
        return None
    else:
        verdict, boots, effect, reason = Verdict.UNCHANGED, None, 0.0, sentences.ZEROS
    return Comparison(
        verdict=verdict,
        effect=effect,
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
    within: float  # p of "not within the equivalence margin"
    boots: int  # a side, that would decide; 0: more than the bound
    freedom: float | None  # None: ranks
    screen: float  # p of "no change", as far as the boots that are not off say; else that of zero
    off: Off | None = None

    @property
    def by_ranks(self) -> bool:
        """Whether ranks decide: boots are off on both sides alike, and means see no more."""
        return self.off is not None and self.freedom is None

    @property
    def known_small(self) -> bool:
        """Whether the interval excludes a change of the relevance, either way."""
        return -self.margin < self.low and self.high < self.margin


def change_of(question: Question, effect: float, low: float, high: float) -> sentences.Change:
    """Return an effect with its interval for a sentence."""
    return sentences.Change(
        effect=effect,
        low=low,
        high=high,
        better=is_better(effect, question.direction),
        relevance=question.relevance,
        margin=equivalence_margin(question.relevance),
    )


def is_better(effect: float, direction: Direction) -> bool:
    """Return whether a change is one for the better."""
    return (effect > 0) == (direction is Direction.HIGHER)


def _answer(question: Question, figures: _Figures) -> Comparison:
    few, words = False, ""
    if question.modes is not None:
        few = min(len(question.base), len(question.new)) < two_modes.BOOTS_MINIMUM
        if not few:
            seen = two_modes.contrast(
                *_clipped(question), modes=question.modes, margin=figures.margin
            )
            figures = evolve(figures, zero=seen.p_zero, beyond=seen.p)
            words = f"; {seen.words}"
    open_ = Comparison(
        verdict=Verdict.INCONCLUSIVE,
        effect=_relative(figures.log_ratio),
        ci_low=_relative(figures.low),
        ci_high=_relative(figures.high),
        n_base=len(question.base),
        n_new=len(question.new),
        p=figures.beyond,
        p_zero=figures.zero,
        boots_needed=None,
        suspect=_asks_again(question, figures),
        reason="",
        freedom=figures.freedom,
        off=figures.off,
        levels=_middles(question, figures.log_ratio) if figures.by_ranks else None,
    )
    words += off_words(question, figures.off, by_ranks=figures.by_ranks)
    answer = _too_few_for_modes(open_, figures) if few else _tested(question, figures, open_)
    if any(v < question.resolution for v in (*question.base, *question.new)):
        words += sentences.clipped(question.resolution)
    return evolve(answer, reason=answer.reason + words)


def off_words(question: Question, off: Off | None, *, by_ranks: bool) -> str:
    """Return what a sentence says of the boots that are off; nothing where none is."""
    if off is None:
        return ""
    prior = question.prior
    earlier = (prior.off, prior.boots) if prior is not None else (0, 0)
    return outliers.words(off, question.base, question.new, by_ranks=by_ranks, earlier=earlier)


def _asks_again(question: Question, figures: _Figures) -> bool:
    """Return whether the boots request a rerun, by their values or by their order."""
    if not is_relevant(figures.log_ratio, margin=figures.margin, step=figures.step):
        return False
    if figures.off is None:
        return is_suspicious(figures.zero)
    screen = SCREEN_RANKS if figures.by_ranks else SCREEN
    if figures.screen < screen:
        return True
    by_order = _shift(question, figures.margin, figures.margin)
    return by_order.zero < SCREEN_RANKS and by_order.shift * figures.log_ratio > 0


def _shift(question: Question, margin: float, equal: float) -> ranks.Shift:
    base, new = ([math.log(v) for v in side] for side in _clipped(question))
    return ranks.shift(base, new, margin=margin, equal=equal, confidence=CONFIDENCE)


def _middles(question: Question, log_ratio: float) -> tuple[float, float]:
    """Return two levels a shift apart: the medians of all boots, the shift taken off one side."""
    base, new = ([math.log(v) for v in side] for side in _clipped(question))
    middle = median([*base, *(v - log_ratio for v in new)])
    return math.exp(middle), math.exp(middle + log_ratio)


def _tested(question: Question, figures: _Figures, open_: Comparison) -> Comparison:
    """Return the answer of the tests, `open_` with its verdict and reason."""
    interval = _relative(figures.low), _relative(figures.high)
    change = change_of(question, _relative(figures.log_ratio), *interval)
    relevant = is_relevant(figures.log_ratio, margin=figures.margin, step=figures.step)
    rounding = abs(figures.log_ratio) <= figures.step + ROUNDING
    boots = figures.boots or None
    step = _relative(figures.step)
    if is_significant(figures.beyond) and relevant:
        reason = sentences.flag(change, figures.beyond)
        if abs(change.effect) > GROSS:
            reason += sentences.gross(GROSS)
        flag = Verdict.IMPROVEMENT if change.better else Verdict.REGRESSION
        return evolve(open_, verdict=flag, reason=reason)
    if figures.step > math.log1p(change.margin) + ROUNDING and not relevant:
        return evolve(open_, reason=sentences.coarse(change, step))
    equal, certain = figures.within < EQUIVALENCE, is_certain(figures.zero)
    # A certain change that may be as large as what matters is not "unchanged".
    if equal and (figures.known_small or not certain):
        reason = sentences.unchanged(change, figures.within)
        return evolve(open_, verdict=Verdict.UNCHANGED, reason=reason)
    if certain and rounding:
        return evolve(open_, reason=sentences.rounded(change, step))
    if certain:
        reason = sentences.marginal(change, figures.zero, boots, within=equal)
        return evolve(open_, verdict=Verdict.MARGINAL, boots_needed=boots, reason=reason)
    reason = sentences.undecided(
        change,
        figures.zero,
        level=SIGNIFICANCE,
        boots=boots,
        most=max(BOOTS_MAXIMUM, min(open_.n_base, open_.n_new)),
    )
    return evolve(open_, boots_needed=boots, reason=reason)


def _too_few_for_modes(open_: Comparison, figures: _Figures) -> Comparison:
    """Return the answer if too few boots can show both modes; it may still be suspect."""
    least = two_modes.BOOTS_MINIMUM
    reason = sentences.few(
        open_.n_base, open_.n_new, least=least, what=" for a metric of two modes"
    )
    # A t test's p would let a rerun confirm what two modes explain.
    return evolve(open_, p=None, boots_needed=max(least, figures.boots), reason=reason)


def _guarded(question: Question, answer: Comparison) -> Comparison:
    """Withhold a change that two modes of the series could explain; it stays a suspicion."""
    known = question.modes is not None or question.one_mode or question.paired
    change = answer.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT, Verdict.MARGINAL)
    if known or not change or not two_modes.unsafe(*_clipped(question)):
        return answer
    few = min(answer.n_base, answer.n_new) < two_modes.UNKNOWN_BOOTS
    least = two_modes.UNKNOWN_BOOTS if few else two_modes.BOOTS_MINIMUM
    return evolve(
        answer,
        verdict=Verdict.INCONCLUSIVE,
        boots_needed=least,
        suspect=True,
        reason=sentences.unknown_modes(
            change_of(question, answer.effect or 0.0, answer.ci_low or 0.0, answer.ci_high or 0.0),
            answer.n_base,
            answer.n_new,
            least=least,
        ),
    )


def judge(questions: Sequence[Question]) -> list[Comparison]:
    """Compare the boots of two kernels for each question; the answers keep the order.

    A REGRESSION or IMPROVEMENT needs a change that is significant beyond the relevance (level
    `SIGNIFICANCE`) and relevant. UNCHANGED needs two one-sided tests inside `equivalence_margin`,
    and of a change that is certain (`is_certain`) an interval that excludes the relevance.
    MARGINAL is any other change that is certain and larger than rounding: it is about as large as
    what matters. Anything else, and anything below `BOOTS_MINIMUM` boots a side, is INCONCLUSIVE.
    So is a flag that two modes could explain where the history does not show one mode
    (`vlag.stats.modes.unsafe`); it stays a suspicion. The tests are Welch's t, with variances
    moderated by the prior; a t of the differences for pairs; tests of occupancy and ranks for two
    modes (`vlag.stats.modes`). One side may hold more boots than the other, for example if many
    control boots are pooled. A boot below the resolution counts as the resolution (`clip`).

    Raises ValueError for a value that is negative or not finite, for an invalid relevance
    or resolution, and for pairs with sides of different length.
    """
    for question in questions:
        _check(question)
    answers = [_untestable(q) for q in questions]
    testable = [q for q, answer in zip(questions, answers, strict=True) if answer is None]
    tested = iter(
        [_guarded(q, _answer(q, f)) for q, f in zip(testable, _figures(testable), strict=True)]
    )
    return [next(tested) if answer is None else answer for answer in answers]


def _figures(questions: Sequence[Question]) -> list[_Figures]:
    if not questions:
        return []
    margin = np.log1p([q.relevance for q in questions])
    equal = np.log1p([equivalence_margin(q.relevance) for q in questions])
    means = _means(questions, margin, equal)
    return _with_ranks(questions, _with_off(questions, means, margin, equal), margin, equal)


def _means(
    questions: Sequence[Question],
    margin: npt.NDArray[np.float64],
    equal: npt.NDArray[np.float64],
) -> list[_Figures]:
    """Return the figures of means, or of pairs."""
    base, new = zip(*map(_clipped, questions), strict=True)
    difference = differences(
        base,
        new,
        resolution=np.asarray([q.resolution for q in questions]),
        priors=[q.prior for q in questions],
        paired=np.asarray([q.paired for q in questions]),
        controls=[q.controls for q in questions],
        blocks=[q.blocks for q in questions],
    )
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
    names = (
        "log_ratio", "low", "high", "step", "margin", "zero", "beyond", "within", "boots",
        "freedom", "screen",
    )  # fmt: skip
    rows = zip(
        *(c.tolist() for c in columns), boots.tolist(), difference.freedom.tolist(),
        columns[5].tolist(), strict=True,
    )  # fmt: skip
    return [_Figures(**dict(zip(names, row, strict=True))) for row in rows]


def _with_off(
    questions: Sequence[Question],
    figures: list[_Figures],
    margin: npt.NDArray[np.float64],
    equal: npt.NDArray[np.float64],
) -> list[_Figures]:
    """Return the figures with the boots that are off.

    Where the sides have them in unlike shares, means decide by the scatter of these boots alone:
    a history's spread has no such boots, and would make a few of them certain of a change.
    """
    seen = {i: o for i, q in enumerate(questions) if (o := _off(q, figures[i])) is not None}
    for i, off in seen.items():
        figures[i] = evolve(figures[i], off=off)
    places = [i for i, off in seen.items() if not off.alike and questions[i].prior is not None]
    if places:
        alone = [evolve(questions[i], prior=None) for i in places]
        for i, own in zip(places, _means(alone, margin[places], equal[places]), strict=True):
            figures[i] = evolve(own, off=seen[i])
    return figures


def _with_ranks(
    questions: Sequence[Question],
    figures: list[_Figures],
    margin: npt.NDArray[np.float64],
    equal: npt.NDArray[np.float64],
) -> list[_Figures]:
    """Return the figures of ranks where both sides have boots that are off.

    Not where means without a history are certain of a change and more so than ranks: boots that
    are off only hide one from them.
    """
    alike = {i: f.off for i, f in enumerate(figures) if f.off is not None and f.off.alike}
    if not alike:
        return figures
    places = list(alike)
    shifts = [_shift(questions[i], float(margin[i]), float(equal[i])) for i in places]
    sizes = np.asarray([(len(questions[i].base), len(questions[i].new)) for i in places], float)
    scale = np.asarray([o.scale for o in alike.values()]) ** 2 * _BY_RANKS
    apart = Differences(
        log_ratio=np.asarray([s.shift for s in shifts]),
        error=np.sqrt(np.sum(scale[:, None] / sizes, axis=1)) + ROUNDING,
        freedom=np.sum(sizes, axis=1) - 2,
        step=np.asarray([figures[i].step for i in places]),
        variance=2 * scale + ROUNDING,
        sides=np.full(len(places), 2.0),
        prior=np.zeros(len(places)),
    )
    boots = _boots(apart, margin[places], equal[places], [questions[i] for i in places])
    for i, by_rank, screen, needed in zip(places, shifts, apart.zero(), boots, strict=True):
        alone = questions[i].prior is None  # a history's spread has no such boots
        if alone and is_certain(figures[i].zero) and figures[i].zero < _PRICE * by_rank.zero:
            continue
        figures[i] = evolve(
            figures[i],
            log_ratio=by_rank.shift,
            low=by_rank.low,
            high=by_rank.high,
            zero=by_rank.zero,
            beyond=by_rank.beyond,
            within=by_rank.within,
            boots=int(needed),
            freedom=None,
            screen=float(screen),
        )
    return figures


def _off(question: Question, figures: _Figures) -> Off | None:
    """Return the boots that are off, where the tests can do without their values.

    Pairs have a test of their own, as have enough boots of two modes.  Levels of boards that are
    not certain widen an interval of means alone.
    """
    enough = min(len(question.base), len(question.new)) >= two_modes.BOOTS_MINIMUM
    if question.paired or (question.modes is not None and enough):
        return None
    if question.blocks is not None and question.blocks.variance:
        return None
    base, new = ([math.log(v) for v in side] for side in _clipped(question))
    spread = math.sqrt(question.prior.variance) if question.prior is not None else None
    # A few steps of the tool are no distance, whatever the scatter.
    steps = _STEPS * question.resolution / math.exp(min(median(base), median(new)))
    least = max(figures.margin, figures.step, math.log1p(steps))
    return outliers.off(base, new, least=least, spread=spread)


def _boots(
    difference: Differences,
    margin: npt.NDArray[np.float64],
    equal: npt.NDArray[np.float64],
    questions: Sequence[Question],
) -> npt.NDArray[np.int64]:
    size = np.abs(difference.log_ratio)
    # What lies within the equivalence margin already is decided by the relevance.
    held = difference.within(equal) < EQUIVALENCE
    level = np.where(held, (1 - CONFIDENCE) / 2, EQUIVALENCE)
    return difference.boots_to_decide(
        [(SIGNIFICANCE, size - margin), (level, np.where(held, margin, equal) - size)],
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
    one_mode: bool = False,
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
        one_mode=one_mode,
    )
    return judge([question])[0]
