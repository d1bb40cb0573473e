# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench slow`: how often a slow loss is said, of histories whose truth is known.

Effects of thirty heads against a baseline are drawn with the error of ten boots a side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vlag.stats.healing import Estimate
from vlag.stats.slow import slow_loss

_HEADS = 30
_MATTERS = 0.02
_SCATTERS = (0.005, 0.01, 0.015)  # of boots
_BOOTS = 10


def shapes() -> dict[str, np.ndarray]:
    """Return the truth of each history, log ratios by head."""
    heads = np.arange(_HEADS)
    return {
        "level": 0.0 * heads,
        "one step of 3.5 %": 0.035 * (heads >= 15),
        "one step of 8 %": 0.08 * (heads >= 15),
        "two steps, back again": 0.05 * ((heads >= 10) & (heads < 20)),
        "five steps of 0.7 %": 0.007 * np.minimum(5, (heads + 1) // 5),
        "a slope to 3.5 %": 0.035 * heads / (_HEADS - 1),
        "five steps of 1 %": 0.010 * np.minimum(5, (heads + 1) // 5),
    }


def share(truth: np.ndarray, scatter: float, worlds: int, rng: np.random.Generator) -> float:
    """Return the share of drawn histories of which a slow loss is said."""
    error = scatter * np.sqrt(2 / _BOOTS)
    count = 0
    for _ in range(worlds):
        drawn = truth + rng.normal(0, error, len(truth))
        estimates = [Estimate(change=float(x), half=1.96 * error) for x in drawn]
        count += slow_loss(estimates, matters=_MATTERS) is not None
    return count / worlds


def main(words: Sequence[str]) -> None:
    """Print the shares."""
    worlds = int(words[0]) if words else 1000
    rng = np.random.Generator(np.random.PCG64(8))
    print(f"{'':24}" + "".join(f"{f'{s:.1%} scatter':>16}" for s in _SCATTERS))
    for name, truth in shapes().items():
        row = [share(truth, scatter, worlds, rng) for scatter in _SCATTERS]
        print(f"{name:24}" + "".join(f"{x:16.3f}" for x in row), flush=True)
