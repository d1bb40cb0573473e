# SPDX-License-Identifier: GPL-2.0-only
"""A new mode: a share of the new kernel's boots loses, the others nothing; and equal kernels.

Each line takes pairs of kernels through the screen and the rounds of a plan as shipped, with a
history of kernels without the mode.  Equal kernels have the mode on both sides, or on neither.
Pairs whose screen shows a boot in the mode are counted apart from those whose screen shows none:
of these nobody can suspect it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import stats

from bench import shapes, trials
from bench.evidence import announced, table
from bench.shapes import Shape
from vlag.compare import mode_verdict
from vlag.compare.history import Known
from vlag.model import RELEVANT_SHARE
from vlag.stats import rare_modes
from vlag.stats.compare import is_better, judge
from vlag.stats.prior import prior
from vlag.stats.stages import Stand, decide

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

shipped_rounds = cache(shapes.mode_rounds)

LOSS = -0.38
CV = 0.01
# Earlier kernels and their boots, which have no mode.
KERNELS, BOOTS = 12, 5
#: Shares of the boots in the mode: of the base, of the new kernel.
SHARES = (
    (0.0, 0.2), (0.0, 0.13), (0.0, 0.05), (0.0, 0.02), (0.13, 0.13), (0.05, 0.05), (0.0, 0.0),
)  # fmt: skip
FULL, QUICK = 1000, 200


@frozen(kw_only=True)
class Course:
    """What became of one pair."""

    shown: bool  # a boot of the new kernel's screen lies in the mode
    suspected: bool
    stand: Stand | None  # of the last rerun; None: there was none
    worse: bool
    boots: int  # a side, screen and rerun


def _draw(
    random: np.random.Generator, shares: tuple[float, float], boots: int
) -> tuple[Floats, Booleans]:
    """Return logarithms of boots, of the shape (2 sides, boots), and which are in the mode."""
    logs = random.normal(0.0, CV, (2, boots))
    held = random.random((2, boots)) < np.asarray(shares)[:, None]
    return np.asarray(logs + np.where(held, np.log1p(LOSS), 0.0)), held


def taken_through(
    shape: Shape,
    shares: tuple[float, float],
    random: np.random.Generator,
    mode_rounds: Sequence[int] | None = None,
) -> Course:
    """Take a pair through the screen and, where that suspects it, the rounds of a rerun.

    `mode_rounds` follow the shape's where a new mode is suspected; None: those of the plans.
    """
    earlier = random.normal(0.0, CV, (KERNELS, BOOTS))
    known = Known(prior=prior(np.exp(earlier).tolist()))
    deviations = (earlier - np.median(earlier, axis=1, keepdims=True)).ravel().tolist()
    logs, held = _draw(random, shares, shape.seeds)
    [asked] = trials.questions(logs[:1], logs[1:], relevance=shape.relevance, histories=[known])
    [answer] = judge([asked])
    answer = mode_verdict.suspicion(answer, asked, deviations, range(shape.seeds))
    shown = bool(held[1].any())
    if not answer.suspect or answer.effect is None:
        return Course(shown=shown, suspected=False, stand=None, worse=False, boots=shape.seeds)
    worse = not is_better(answer.effect, asked.direction)
    mode = rare_modes.suspected(
        asked.base,
        asked.new,
        direction=asked.direction,
        relevance=shape.relevance,
        resolution=asked.resolution,
    )
    if mode is not None and mode.worse is not worse:
        mode = None
    further = shipped_rounds() if mode_rounds is None else mode_rounds
    rounds = (*shape.rounds, *(further if mode is not None else ()))
    have = np.zeros((2, 0))
    decision = None
    for boots in rounds:
        more, _ = _draw(random, shares, boots - have.shape[1])
        have = np.concatenate((have, more), axis=1)
        [again] = trials.questions(have[:1], have[1:], relevance=shape.relevance, histories=[known])
        [compared] = judge([again])
        decision = decide(again, compared, rounds=rounds, suspicion=answer.effect)
        if mode is not None:
            decision = mode_verdict.settled(
                decision, again, mode, matters=RELEVANT_SHARE, rounds=shape.rounds,
                mode_rounds=further, seeds=range(boots), deviations=deviations,
            )  # fmt: skip
        if decision.stand is not Stand.OPEN:
            break
    return Course(
        shown=shown,
        suspected=True,
        stand=None if decision is None else decision.stand,
        worse=worse,
        boots=shape.seeds + have.shape[1],
    )


def in_1000(count: int, total: int) -> str:
    """Return how many of 1000, with Clopper and Pearson's 95 % interval."""
    ends = stats.binomtest(count, total).proportion_ci(method="exact")
    return f"{1000 * count / total:.1f} [{1000 * ends.low:.1f}, {1000 * ends.high:.1f}]"


def line(shares: tuple[float, float], screen: str, courses: Sequence[Course]) -> tuple[str, ...]:
    """Return a line of the table; of equal kernels whatever is confirmed is false."""
    pairs = len(courses)
    confirmed = [c for c in courses if c.stand is Stand.CONFIRMED]
    right = sum(c.worse for c in confirmed) if shares[0] < shares[1] else 0
    undecided = sum(c.stand is Stand.UNDECIDED for c in courses)
    return (
        f"{shares[0]:.0%}",
        f"{shares[1]:.0%}",
        screen,
        str(pairs),
        in_1000(sum(c.suspected for c in courses), pairs),
        in_1000(right, pairs) if shares[0] < shares[1] else "-",
        in_1000(len(confirmed) - right, pairs),
        in_1000(sum(c.stand is Stand.REFUTED for c in courses), pairs),
        in_1000(undecided, pairs),
        f"{np.mean([c.boots for c in courses]):.1f}",
    )


def lines(
    shape: Shape, shares: tuple[float, float], pairs: int, seed: int
) -> list[tuple[str, ...]]:
    """Return the lines of pairs with these shares: of all, and by what their screens show."""
    random = np.random.default_rng([8500, seed])
    courses = [taken_through(shape, shares, random) for _ in range(pairs)]
    shown, none = ([c for c in courses if c.shown is is_] for is_ in (True, False))
    parts = [("any", courses), ("shows the mode", shown), ("shows none", none)]
    return [
        line(shares, word, counted) for word, counted in (parts if shown and none else parts[:1])
    ]


def new_modes(shape: Shape, pairs: int) -> list[str]:
    """Return the table of new modes, and of equal kernels."""
    rows = (row for i, shares in enumerate(SHARES) for row in lines(shape, shares, pairs, i))
    further = " and ".join(map(str, shipped_rounds()))
    return [
        f"Shape: {shape}; a suspected mode gets {further} boots a side. Boots in the mode"
        f" lose {-LOSS:.0%}; CV {CV:.0%}; {pairs} pairs of each two shares, a history of {KERNELS}"
        " kernels without the mode. Counts are of 1000 pairs, brackets are 95 % intervals; boots"
        " are those of a side, screen and reruns.",
        "",
        *table(
            ["base's boots in it", "new kernel's", "screen", "pairs", "suspected", "told",
             "told falsely", "refuted", "undecided", "boots a side"],
            announced("new modes", rows),
        ),
    ]  # fmt: skip
