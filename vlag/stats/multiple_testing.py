# SPDX-License-Identifier: GPL-2.0-only
"""Multiple testing: the false discovery rate of a night, the family of a distribution's rows.

A change is reported if a screening found it and a rerun confirmed it.  The two use
different boots, so the probability of both is the product of their probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vlag.stats.compare import SCREEN

# Share of the reported changes that may be false, in the mean over nights.
DISCOVERY_RATE = 0.05


def combined(p_confirm: float) -> float:
    """Return the p of a suspect that a rerun confirmed with `p_confirm`.

    Without any change a comparison is a suspect with probability `SCREEN` at most, and
    then reaches `p_confirm` with that probability at most.  `p_confirm` already allows for
    the rounds (`vlag.stats.stages.Decision.p`).
    """
    return SCREEN * p_confirm


def discoveries(p: Sequence[float], *, tests: int, q: float = DISCOVERY_RATE) -> list[bool]:
    """Return which of the confirmed suspects may be reported, in the order of `p`.

    `p` are those of `combined`; `tests` is the number of all comparisons the night
    made, confirmed or not, since the others count with a p of 1 (Benjamini and
    Hochberg's procedure at `q`).

    Raises ValueError for fewer tests than p and for a p outside 0 to 1.
    """
    if tests < len(p):
        raise ValueError(f"{len(p)} confirmed suspects cannot come of {tests} comparisons")
    if not p:
        return []
    family = np.ones(tests)
    family[: len(p)] = p
    return [bool(v <= q) for v in step_up(family)[: len(p)]]


def step_up(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return each p adjusted for all of them, in their order (Benjamini and Hochberg's procedure).

    `scipy.stats` has it, too, and takes longer to import than a comparison to judge.  Raises
    ValueError for a p outside 0 to 1.
    """
    given = np.asarray(p, dtype=np.float64)
    if not np.all((given >= 0) & (given <= 1)):
        raise ValueError("a p is not within 0 and 1")
    order = np.argsort(given)
    scaled = given[order] * (len(given) / np.arange(1, len(given) + 1))
    # The least of its own and of all larger ones, which a larger p may not undercut.
    least = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty_like(least)
    adjusted[order] = np.clip(least, 0.0, 1.0)
    return adjusted


def holm(p: Sequence[float]) -> list[float]:
    """Return each p adjusted for all of them, in the order given (Holm's procedure).

    With any dependence between the tests, the chance that some adjusted p of a test without
    a change is below a level is at most that level.
    """
    adjusted = [0.0] * len(p)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = largest
    return adjusted
