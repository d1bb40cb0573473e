# SPDX-License-Identifier: GPL-2.0-only
"""Boots drawn around one reported figure, so that their mean equals that figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vlag.model import digest
from vlag.scenario.data import Figure

# Whole numbers, as a tool prints them, shift a mean off the figure; take the best of this
# many draws.
_CANDIDATES = 400


def draw(figure: float, *, boots: int, spread: float, step: float, seed: int) -> list[float]:
    """Return one value per boot, each a multiple of `step`, in the figure's unit.

    Logarithms lie in pairs around the figure's, with the figure itself once or twice, and
    are scaled to the coefficient of variation `spread`: median and geometric mean are the
    figure, as far as `step` allows.
    """
    if boots < 3 or spread == 0:
        return [_round(figure, step)] * boots
    rng = np.random.default_rng(seed)
    pairs = (boots - 1) // 2
    half = np.abs(rng.standard_normal((_CANDIDATES, pairs)))
    residuals = np.concatenate([half, -half, np.zeros((_CANDIDATES, boots - 2 * pairs))], axis=1)
    residuals *= spread / np.std(residuals, axis=1, ddof=1, keepdims=True)
    values = np.maximum(np.round(figure * np.exp(residuals) / step), 1) * step
    logs = np.log(values)
    off = (
        np.abs(np.mean(logs, axis=1) - math.log(figure))
        + np.abs(np.median(values, axis=1) / figure - 1)
        # Rounding may widen or narrow a set as well; that matters less.
        + np.abs(np.std(logs, axis=1, ddof=1) - spread) / 100
    )
    best = values[int(np.argmin(off))]
    rng.shuffle(best)
    return [_round(float(v), step) for v in best]


def _round(value: float, step: float) -> float:
    return round(round(value / step) * step, 9)


def boots_of(
    figure: Figure,
    *,
    stages: Sequence[int],
    step: float,
    seed: int,
    words: Sequence[str],
    listed: bool = False,
) -> list[Any]:
    """Return each boot's value, shaped as the figure; `stages` are numbers of boots.

    Every stage has its own mean.  `words` name the figure: equal words give equal draws.
    A text stays as it is.  With `listed` a figure's own runs are its boots, where it has them.
    """
    value = figure.value
    if listed and figure.runs:
        return [_round(run, step) for run in figure.runs]
    if isinstance(value, Mapping):
        parts = {
            key: boots_of(
                Figure(value=inner, spread=figure.spreads.get(str(key), figure.spread), fixed={}),
                stages=stages,
                step=step,
                seed=seed,
                words=(*words, str(key)),
            )
            for key, inner in value.items()
        }
        return [
            {key: part[boot] for key, part in parts.items()} | dict(figure.fixed)
            for boot in range(sum(stages))
        ]
    if isinstance(value, list):
        rows = [
            boots_of(
                Figure(value=inner, spread=figure.spread, fixed={}),
                stages=stages,
                step=step,
                seed=seed,
                words=(*words, str(i)),
            )
            for i, inner in enumerate(value)
        ]
        return [list(boot) for boot in zip(*rows, strict=True)]
    if isinstance(value, str):
        return [value] * sum(stages)
    return [
        v
        for stage, boots in enumerate(stages)
        for v in draw(
            float(value),
            boots=boots,
            spread=figure.spread,
            step=step,
            seed=int(digest([seed, *words, stage])[:15], 16),
        )
    ]
