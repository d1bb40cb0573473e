# SPDX-License-Identifier: GPL-2.0-only
"""The second stage: a rerun confirms or refutes a suspicion of the screening.

A change that only the screening has seen is never reported: the same chance that made it
a suspect would confirm it.  A rerun goes in rounds, until they decide.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from itertools import pairwise

import scipy
from attrs import evolve, frozen

from vlag.model import Verdict
from vlag.stats import modes as two_modes
from vlag.stats import passage, sentences
from vlag.stats.compare import (
    CONFIDENCE,
    Comparison,
    Question,
    change_of,
    clip,
    equivalence_margin,
    is_better,
    judge,
    off_words,
)
from vlag.stats.ranks import mixed

# Total of rerun boots a side at the end of each round: ten decide on 5 % at 2 % scatter,
# forty on 3 %, and on 5 % at 5 % in half of the cases.
ROUNDS = (10, 20, 40)
# Level of "no change at all", split evenly over the rounds: one pair of equal kernels in
# eleven gets here, and half of these have the other sign, so 1 in 55,000 is reported.
LEVEL = 4e-4
# The same where boots are off, for ranks: about as many small changes pass as by means.
LEVEL_OFF = 2.4e-4
# Level of "a change within the relevance"; "no change at all" has its own test.
LEVEL_RELEVANCE = 0.05
# What is so many errors beyond all that it had to pass, passes for sure.
_FAR = 8.0
# Degrees of freedom that an earlier round has at least.
_LEAST_FREEDOM = 3.0


class Stand(enum.Enum):
    """State of a suspicion after a round."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    OPEN = "open"  # more boots will decide
    UNDECIDED = "undecided"  # the last round is over


@frozen(kw_only=True)
class Decision:
    """Decision of a rerun on a suspicion."""

    stand: Stand
    # Of the rerun, with the verdict and reason of the decision.
    comparison: Comparison
    next_boots: int | None  # boots a side, in all, of the next round; only when OPEN
    p: float | None  # of "no change at all", allowing for the rounds; None: no test made
    reason: str  # one sentence
    # Of a confirmed change, given that it passed, with its interval; None: as it is measured.
    given: sentences.Change | None = None


def confirm(
    question: Question,
    *,
    rounds: Sequence[int] = ROUNDS,
    suspicion: float | None = None,
    asked: int | None = None,
) -> Decision:
    """Decide on a suspicion by only the rerun boots of all rounds so far.

    `suspicion` is the effect in the screening; only its sign counts, and a change in the
    other direction refutes it.  See `decide` for the rules and errors.
    """
    comparison = judge([question])[0]
    return decide(question, comparison, rounds=rounds, suspicion=suspicion, asked=asked)


def decide(
    question: Question,
    comparison: Comparison,
    *,
    rounds: Sequence[int] = ROUNDS,
    suspicion: float | None = None,
    asked: int | None = None,
) -> Decision:
    """Decide on a suspicion, given `judge`'s answer to the question of its rerun.

    Confirmed: significant against no change at all at `LEVEL` (`LEVEL_OFF` where ranks decide),
    split evenly over the rounds, beyond the relevance at `LEVEL_RELEVANCE`, and relevant. Refuted:
    the interval holds no change of the suspected kind beyond `equivalence_margin` (an equivalence
    test at half the level of the verdict's, because there are several rounds), or a change the
    other way is confirmed. Boots that are off and alone would be a change of the suspected kind
    keep it from being refuted. Else more boots, until the last round. Only what is confirmed is a
    REGRESSION or IMPROVEMENT; where the rerun alone would be one, the verdict is MARGINAL.
    `asked` are the boots a side that the rounds so far were to give, some of which may have
    failed; None: those that there are.

    Raises ValueError for rounds that do not rise.
    """
    if not rounds or any(a >= b for a, b in pairwise(rounds)):
        raise ValueError(f"the rounds are {list(rounds)}, they must rise")
    boots = min(comparison.n_base, comparison.n_new)
    later = next((r for r in rounds if r > (boots if asked is None else asked)), None)
    p_zero = _any_change(question, comparison)
    p = None if p_zero is None else min(1.0, p_zero * len(rounds))
    stand = Stand.UNDECIDED if later is None else Stand.OPEN
    if boots >= rounds[0]:
        stand = _decided(question, comparison, p, suspicion) or stand
    verdict = _verdict(stand, question, comparison)
    given = None
    if stand is Stand.CONFIRMED and p is not None:
        given = _given_passed(question, comparison, rounds, boots if asked is None else asked, p)
    reason = _reason(stand, later, question, comparison, p, suspicion)
    if given is not None:
        reason += sentences.passed(given)
    if comparison.p is not None:  # else the comparison's own reason, which says it, is in it
        reason += off_words(question, comparison.off, by_ranks=_by_ranks(comparison))
    return Decision(
        stand=stand,
        comparison=evolve(comparison, verdict=verdict, reason=reason),
        next_boots=later if stand is Stand.OPEN else None,
        p=p,
        reason=reason,
        given=given,
    )


def _verdict(stand: Stand, question: Question, comparison: Comparison) -> Verdict:
    if stand is Stand.CONFIRMED:
        better = is_better(comparison.effect or 0.0, question.direction)
        return Verdict.IMPROVEMENT if better else Verdict.REGRESSION
    if comparison.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT):
        return Verdict.MARGINAL
    return comparison.verdict


def _any_change(question: Question, comparison: Comparison) -> float | None:
    """Return p of "no change at all".

    Of boots that are off, and of two modes, a test of the whole distribution sees what ranks do
    not: that both modes have moved.
    """
    p_zero = comparison.p_zero
    boots = min(comparison.n_base, comparison.n_new)
    several = question.modes is not None and boots >= two_modes.BOOTS_MINIMUM
    alike = comparison.off is not None and comparison.off.alike
    if p_zero is None or not (several or alike):
        return p_zero
    base, new = (clip(side, question.resolution) for side in (question.base, question.new))
    if alike and not _by_ranks(comparison):
        # Means are certain: what runs see more of a change counts as much as where ranks decide.
        return min(p_zero, 2 * LEVEL / LEVEL_OFF * mixed(base, new))
    # The smallest p of two tests, or of three: two modes have two of their own.
    return min(1.0, (1.5 if several else 2) * p_zero, (3 if several else 2) * mixed(base, new))


def _by_ranks(comparison: Comparison) -> bool:
    return comparison.levels is not None


def _need(comparison: Comparison) -> float:
    """Return the level that a rerun's test against no change at all must reach."""
    return LEVEL_OFF if _by_ranks(comparison) else LEVEL


def _decided(
    question: Question, comparison: Comparison, p: float | None, suspicion: float | None
) -> Stand | None:
    if comparison.verdict is Verdict.UNCHANGED and p is None:
        return Stand.REFUTED  # every boot gave 0
    if p is None or comparison.p is None or comparison.effect is None:
        return None
    # A suspect is relevant, the tool's step included.
    if p < _need(comparison) and comparison.p < LEVEL_RELEVANCE and comparison.suspect:
        same = suspicion is None or (suspicion > 0) == (comparison.effect > 0)
        return Stand.CONFIRMED if same else Stand.REFUTED
    tolerance = equivalence_margin(question.relevance)
    more = comparison.ci_high is None or comparison.ci_high >= tolerance
    less = comparison.ci_low is None or comparison.ci_low <= 1 / (1 + tolerance) - 1
    if suspicion is not None:
        more, less = more and suspicion > 0, less and suspicion < 0
    signs = (1.0, -1.0) if suspicion is None else (suspicion,)
    if comparison.off is not None and any(map(comparison.off.toward, signs)):
        return None  # the boots that are off may be the change
    return None if more or less else Stand.REFUTED


def _given_passed(
    question: Question, comparison: Comparison, rounds: Sequence[int], asked: int, p: float
) -> sentences.Change | None:
    """Return a confirmed change as its boots show it, given that it had to pass.

    `asked` are the boots a side that the rounds so far were to give.  None where that makes no
    difference.
    """
    effect, low, high = comparison.effect, comparison.ci_low, comparison.ci_high
    if effect is None or low is None or high is None or comparison.p is None:
        return None
    if _ahead(comparison, rounds, p) > _FAR or min(effect, low, high) <= -1:
        return None
    sign = 1.0 if effect > 0 else -1.0
    ends = sorted(sign * math.log1p(end) for end in (low, high))
    if not 0 < ends[1] - ends[0] < math.inf:
        return None  # without scatter, or without a bound
    measured = passage.Figure(size=abs(math.log1p(effect)), low=ends[0], high=ends[1])
    boots = max((r for r in rounds if r <= asked), default=rounds[0])
    given = passage.figure(
        measured,
        # As wide as the interval, which allows for a scatter that few boots know.
        error=(ends[1] - ends[0]) / 2 / _critical((1 - CONFIDENCE) / 2, None),
        boots=boots,
        rounds=_bounds(question, comparison, rounds, boots, p),
        confidence=CONFIDENCE,
    )
    if given == measured:
        return None
    size, *both = (math.expm1(sign * log) for log in (given.size, given.low, given.high))
    return change_of(question, size, min(both), max(both))


def _ahead(comparison: Comparison, rounds: Sequence[int], p: float) -> float:
    """Return by how many errors a confirmed change is beyond what it had to pass."""
    share = 2 * len(rounds)
    pairs = (p / share, _need(comparison) / share), (comparison.p or 0.0, LEVEL_RELEVANCE)
    return min(
        _critical(each, comparison.freedom) - _critical(level, comparison.freedom)
        for each, level in pairs
    )


def _bounds(
    question: Question, comparison: Comparison, rounds: Sequence[int], boots: int, p: float
) -> list[passage.Round]:
    """Return what each round confirms and refutes, by the error and the tests of one of them.

    Tests that see more or less than the means move all bounds alike.
    """
    size = abs(math.log1p(comparison.effect or 0.0))
    low, high = (math.log1p(end or 0.0) for end in (comparison.ci_low, comparison.ci_high))
    margin, tolerance = (
        math.log1p(m) for m in (question.relevance, equivalence_margin(question.relevance))
    )
    side = (1 - CONFIDENCE) / 2
    error = (high - low) / 2 / _critical(side, comparison.freedom)
    none = size / error - _critical(p / len(rounds) / 2, comparison.freedom)
    within = (size - margin) / error - _critical(comparison.p or 0.0, comparison.freedom)
    looks = []
    for each in rounds:
        freedom = comparison.freedom
        if freedom is not None:
            freedom = max(_LEAST_FREEDOM, freedom * (each - 1) / max(boots - 1, 1))
        here = error * math.sqrt(boots / each)
        certain = _critical(_need(comparison) / len(rounds) / 2, freedom) + none
        relevant = _critical(LEVEL_RELEVANCE, freedom) + within
        passed = max(certain * here, margin + relevant * here)
        looks.append(
            passage.Round(
                boots=each,
                passed=min(passed, size) if each == boots else passed,
                refuted=tolerance - _critical(side, freedom) * here,
            )
        )
    return looks


def _critical(level: float, freedom: float | None) -> float:
    """Return what a statistic exceeds with a probability: a t, without freedom a normal one."""
    if freedom is None:
        return -float(scipy.special.ndtri(level))
    return -float(scipy.special.stdtrit(freedom, level))


def _reason(
    stand: Stand,
    later: int | None,
    question: Question,
    comparison: Comparison,
    p: float | None,
    suspicion: float | None,
) -> str:
    boots = min(comparison.n_base, comparison.n_new)
    effect, low, high = comparison.effect, comparison.ci_low, comparison.ci_high
    if effect is None or low is None or high is None or p is None or comparison.p is None:
        refuted = stand is Stand.REFUTED
        return sentences.untested(comparison.reason, boots=boots, later=later, refuted=refuted)
    change = change_of(question, effect, low, high)
    if stand is Stand.CONFIRMED:
        return sentences.confirmed(change, comparison.p, boots=boots)
    if stand is Stand.REFUTED:
        return sentences.refuted(change, boots=boots, suspicion=suspicion)
    matters = comparison.p < LEVEL_RELEVANCE
    need = _need(comparison)
    return sentences.left(change, p, boots=boots, later=later, need=need, matters=matters)
