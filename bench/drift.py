# SPDX-License-Identifier: GPL-2.0-only
"""Equal kernels on a board whose level drifts between nights: how often a screen suspects them."""

from __future__ import annotations

import numpy as np

from bench import holdout
from bench.evidence import table
from bench.shapes import Shape
from vlag.compare.occasions import NIGHTS
from vlag.model import Direction
from vlag.stats.compare import Question, judge
from vlag.stats.controls import controls
from vlag.stats.prior import prior

CV = 0.02  # of the drawn levels
STEP = 1e-9  # of the tool


def drifts(shape: Shape) -> list[str]:
    """Return what drift between nights makes of equal kernels in a screen.

    A night's level is a point of a real nightly history (the development part), else of a
    drawn one with correlation 0.3 of neighbouring nights.
    """
    folder = holdout.folder()
    random = np.random.default_rng(7000)
    if folder:
        levels = np.log(np.asarray(holdout.nightly(folder)["y"], dtype=np.float64))
        origin = f"{levels.shape[0]} real nightly histories of {levels.shape[1]} points"
    else:
        levels = random.normal(0.0, CV, (440, 120))
        for i in range(1, levels.shape[1]):
            levels[:, i] = 0.3 * levels[:, i - 1] + np.sqrt(1 - 0.3**2) * levels[:, i]
        origin = "`VLAG_NOISE_DATA` was not given: 440 drawn histories of 120 points"
    width = np.median(np.abs(np.diff(levels, axis=1)), axis=1) / 0.954
    rows = []
    for ratio in (0.5, 1.0, 2.0, 4.0):
        asked: dict[str, list[Question]] = {"controls": [], "one pool": [], "this night only": []}
        for series, scatter in zip(levels, ratio * width, strict=True):
            for night in range(NIGHTS, len(series), 9):
                size = (NIGHTS + 1, shape.seeds)
                place = series[night - NIGHTS : night + 1, None]
                boots = np.exp(place + random.normal(0.0, scatter, size))
                new = np.exp(series[night] + random.normal(0.0, scatter, shape.seeds))
                fit = prior(boots[:-1].tolist())
                known = controls(boots[-1].tolist(), boots[:-1].tolist(), resolution=STEP)
                base = {"one pool": boots.ravel().tolist()}
                for name, questions_ in asked.items():
                    questions_.append(
                        Question(
                            base=base.get(name, boots[-1].tolist()),
                            new=new.tolist(),
                            direction=Direction.HIGHER,
                            relevance=shape.relevance,
                            resolution=STEP,
                            prior=fit,
                            controls=known if name == "controls" else None,
                        )
                    )
        shares = [np.mean([a.suspect for a in judge(q)]) for q in asked.values()]
        worth = np.median([q.controls.boots if q.controls else 0.0 for q in asked["controls"]])
        rows.append((f"{ratio:g}", len(asked["controls"]), f"{worth:.1f}",
                     *(f"{s:.1%}" for s in shares)))  # fmt: skip
    return [
        f"Levels: {origin}. Each night has {shape.seeds} boots of the base about its level; the new"
        f" kernel is equal. {NIGHTS} earlier nights; the prior is fitted to them.",
        "",
        *table(
            [
                "scatter of boots / scatter of neighbouring nights", "pairs",
                f"worth of {NIGHTS * shape.seeds} earlier boots (median)",
                "run again with controls", "with all boots in one pool", "with this night's only",
            ],
            rows,
        ),
    ]  # fmt: skip
