"""A new mode: a share of the new kernel's boots loses, the others nothing; and equal kernels.

Each line takes pairs of kernels through the screen and the rounds of a plan as shipped, with a
history of kernels without the mode.  Equal kernels have the mode on both sides, or on neither.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import stats

from bench import verdicts
from bench.evidence import table
from bench.shapes import Shape
from vlag.compare import mode_verdict
from vlag.compare.history import Known
from vlag.model import RELEVANT_SHARE
from vlag.stats import rare_modes
from vlag.stats.compare import is_better, judge
from vlag.stats.prior import prior
from vlag.stats.stages import Stand, decide

Floats = npt.NDArray[np.float64]

LOSS = -0.38
CV = 0.01
# Earlier kernels and their boots, which have no mode.
KERNELS, BOOTS = 12, 5
#: Shares of the boots in the mode: of the base, of the new kernel.
SHARES = ((0.0, 0.13), (0.0, 0.05), (0.13, 0.13), (0.05, 0.05), (0.0, 0.0))
FULL, QUICK = 1000, 200


@frozen(kw_only=True)
class Told:
    """What became of one pair."""

    suspected: bool
    stand: Stand | None  # of the last rerun; None: there was none
    worse: bool
    boots: int  # a side, screen and rerun


def _draw(random: np.random.Generator, shares: tuple[float, float], boots: int) -> Floats:
    """Return logarithms of boots of both sides, of the shape (2, boots)."""
    logs = random.normal(0.0, CV, (2, boots))
    held = random.random((2, boots)) < np.asarray(shares)[:, None]
    return np.asarray(logs + np.where(held, np.log1p(LOSS), 0.0))


def taken_through(shape: Shape, shares: tuple[float, float], random: np.random.Generator) -> Told:
    """Take a pair through the screen and, where that suspects it, the rounds of a rerun."""
    earlier = random.normal(0.0, CV, (KERNELS, BOOTS))
    known = Known(prior=prior(np.exp(earlier).tolist()))
    deviations = (earlier - np.median(earlier, axis=1, keepdims=True)).ravel().tolist()
    logs = _draw(random, shares, shape.seeds)
    [asked] = verdicts.questions(logs[:1], logs[1:], relevance=shape.relevance, histories=[known])
    [answer] = judge([asked])
    answer = mode_verdict.suspicion(answer, asked, deviations, range(shape.seeds))
    if not answer.suspect or answer.effect is None:
        return Told(suspected=False, stand=None, worse=False, boots=shape.seeds)
    worse = not is_better(answer.effect, asked.direction)
    mode = rare_modes.suspected(
        asked.base,
        asked.new,
        direction=asked.direction,
        relevance=shape.relevance,
        resolution=asked.resolution,
    )
    have = np.zeros((2, 0))
    decision = None
    for boots in shape.rounds:
        have = np.concatenate((have, _draw(random, shares, boots - have.shape[1])), axis=1)
        [again] = verdicts.questions(
            have[:1], have[1:], relevance=shape.relevance, histories=[known]
        )
        [said] = judge([again])
        decision = decide(again, said, rounds=shape.rounds, suspicion=answer.effect)
        if mode is not None and mode.worse == worse:
            decision = mode_verdict.settled(
                decision, again, mode, matters=RELEVANT_SHARE, rounds=shape.rounds,
                seeds=range(boots),
            )  # fmt: skip
        if decision.stand is not Stand.OPEN:
            break
    return Told(
        suspected=True,
        stand=None if decision is None else decision.stand,
        worse=worse,
        boots=shape.seeds + have.shape[1],
    )


def in_1000(count: int, of: int) -> str:
    """Return how many of 1000, with Clopper and Pearson's 95 % interval."""
    found = stats.binomtest(count, of).proportion_ci(method="exact")
    return f"{1000 * count / of:.1f} [{1000 * found.low:.1f}, {1000 * found.high:.1f}]"


def line(shape: Shape, shares: tuple[float, float], pairs: int, seed: int) -> tuple[str, ...]:
    """Return a line of the table; of equal kernels whatever is told is false."""
    random = np.random.default_rng([8500, seed])
    found = [taken_through(shape, shares, random) for _ in range(pairs)]
    confirmed = [t for t in found if t.stand is Stand.CONFIRMED]
    right = sum(t.worse for t in confirmed) if shares[0] < shares[1] else 0
    refuted = sum(t.stand is Stand.REFUTED for t in found)
    return (
        f"{shares[0]:.0%}",
        f"{shares[1]:.0%}",
        in_1000(sum(t.suspected for t in found), pairs),
        in_1000(right, pairs) if shares[0] < shares[1] else "-",
        in_1000(len(confirmed) - right, pairs),
        in_1000(refuted, pairs),
        f"{np.mean([t.boots for t in found]):.1f}",
    )


def new_modes(shape: Shape, pairs: int) -> list[str]:
    """Return the table of new modes, and of equal kernels."""
    rows = [line(shape, shares, pairs, i) for i, shares in enumerate(SHARES)]
    return [
        f"Shape: {shape}. Boots in the mode lose {-LOSS:.0%}; CV {CV:.0%}; {pairs} pairs a line,"
        f" a history of {KERNELS} kernels without the mode. Counts are of 1000 pairs, brackets are"
        " 95 % intervals; boots are those of a side, screen and reruns.",
        "",
        *table(
            ["base's boots in it", "new kernel's", "suspected", "told", "told falsely", "refuted",
             "boots a side"],
            rows,
        ),
    ]  # fmt: skip
