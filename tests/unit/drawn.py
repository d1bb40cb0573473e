# SPDX-License-Identifier: GPL-2.0-only
"""Boots drawn around a truth, for the tests of attribution."""

from __future__ import annotations

import numpy as np

from vlag.stats.matrix_cells import Cell

CV = 0.01


class Board:
    """Draws cells of boots around a truth."""

    def __init__(self, seed: int, *, cv: float = CV, n: int = 5) -> None:
        self.rng = np.random.default_rng(seed)
        self.cv, self.n = cv, n

    def cell(self, truth: float, n: int | None = None) -> Cell:
        boots = truth * np.exp(self.rng.normal(0, self.cv, n or self.n))
        return Cell(boots=boots.tolist())
