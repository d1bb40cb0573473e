# SPDX-License-Identifier: GPL-2.0-only
"""Drawn boots taken through the rounds of a rerun, and the bound on a counted rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from bench.drift import STEP
from bench.shapes import Shape
from vlag.compare.history import Known
from vlag.model import Direction
from vlag.stats.compare import Question, judge
from vlag.stats.controls import Controls
from vlag.stats.prior import Prior
from vlag.stats.stages import Decision, Stand, decide

Floats = npt.NDArray[np.float64]
# Takes the places of suspects and a number of boots; returns logarithms of the shape
# (suspects, 2 sides, boots).
Draw = Callable[[npt.NDArray[np.int64], int], Floats]


def questions(
    base: Floats,
    new: Floats,
    priors: Sequence[Prior | None] | Prior | None = None,
    *,
    relevance: float,
    known: Sequence[Controls | None] | None = None,
    histories: Sequence[Known] | None = None,
) -> list[Question]:
    """Return a question a row of logarithms; the tool's step is negligible."""
    given = [priors] * len(base) if priors is None or isinstance(priors, Prior) else priors
    known_ = histories or [Known(prior=p) for p in given]
    joined = known or [None] * len(base)
    pairs = zip(np.exp(base).tolist(), np.exp(new).tolist(), known_, joined, strict=True)
    return [
        Question(
            base=b, new=n, direction=Direction.HIGHER, relevance=relevance, resolution=STEP,
            prior=k.prior, modes=k.modes, one_mode=k.one_mode, controls=c,
        )
        for b, n, k, c in pairs
    ]  # fmt: skip


def confirmed(
    shape: Shape,
    draw: Draw,
    effects: Sequence[float | None],
    priors: Sequence[Prior | None] | None = None,
    *,
    histories: Sequence[Known] | None = None,
) -> tuple[list[Decision], int]:
    """Take suspects through the rounds; return their last decisions and the boots run."""
    final: dict[int, Decision] = {}
    places = np.arange(len(effects))
    have = np.zeros((len(effects), 2, 0))
    ran = 0
    for boots in shape.rounds:
        if not places.size:
            break
        fresh = draw(places, boots - have.shape[2])
        have = np.concatenate((have, fresh), axis=2)
        ran += fresh.size
        known = [priors[i] if priors else None for i in places.tolist()]
        known_ = [histories[i] for i in places.tolist()] if histories else None
        asked = questions(
            have[:, 0], have[:, 1], known, relevance=shape.relevance, histories=known_
        )
        made = [
            decide(q, answer, rounds=shape.rounds, suspicion=effects[i])
            for i, q, answer in zip(places.tolist(), asked, judge(asked), strict=True)
        ]
        final.update(zip(places.tolist(), made, strict=True))
        left = [d.stand is Stand.OPEN for d in made]
        places, have = places[left], have[left]
    return [final[i] for i in range(len(effects))], ran


def bound(count: int, total: int, level: float = 0.95) -> float:
    """Return the upper end of Clopper and Pearson's one-sided interval of a level."""
    return float(stats.beta.ppf(level, count + 1, total - count)) if count < total else 1.0
