# SPDX-License-Identifier: GPL-2.0-only
"""Boots that scatter, drawn for searches: of a model, or like real runs of one build."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench import holdout
from vlag.config import catalogue
from vlag.search.measure import figure
from vlag.stats import blocks
from vlag.stats.scatter import Scatter

Floats = npt.NDArray[np.float64]
#: Draws how far a boot is from its kernel's level, as a natural logarithm.
Draw = Callable[[random.Random], float]
#: What boots of a search are like, by its number.
Noise = Callable[[int], Draw]

#: Levels of the boards, natural logarithms; a board has every fourth seed.
BOARDS = {"one": 0.0, "two": 0.02, "three": -0.03, "four": 0.05}
#: Earlier kernels of the series, and boots of each.
KERNELS, BOOTS = 12, 5
# Boots that say how much one boot can say, and points of the density.
_MANY, _POINTS = 1500, 2001


def normal(scatter: float, off: float = 0.0, factor: float = 1.0) -> Noise:
    """Return boots that scatter by a share, of which some are off by a factor."""

    def draw(lot: random.Random) -> float:
        apart = lot.gauss(0, scatter)
        return apart - math.log(factor) if lot.random() < off else apart

    return lambda _: draw


def two_modes(scatter: float, share: float, apart: float) -> Noise:
    """Return boots of every kernel that are in one of two modes."""

    def draw(lot: random.Random) -> float:
        return lot.gauss(0, scatter) - (apart if lot.random() < share else 0.0)

    return lambda _: draw


def real(rows: Floats) -> Noise:
    """Return boots like the runs of one real build, another benchmark each search.

    Ten runs are few: each draw is one of them, moved by half of their robust spread.
    """

    def of(number: int) -> Draw:
        row = rows[number % len(rows)]
        width = float(np.median(np.abs(row - np.median(row)))) / 0.6745 / 2
        runs = (row - row.mean()).tolist()
        return lambda lot: float(lot.choice(runs)) + lot.gauss(0, width)

    return of


def runs() -> tuple[Floats, str]:
    """Return the logarithms of runs of one build, [benchmarks, runs], and where they are from."""
    if (folder := holdout.folder()) is not None:
        logs = np.log(holdout.same_build(folder)["p50"])
        np.random.default_rng(53).shuffle(logs)
        return logs, f"{len(logs)} benchmarks, {logs.shape[1]} real runs of one build each"
    return modelled(), f"`{holdout.DATA}` was not given: **no real runs**; a model stands in"


def modelled() -> Floats:
    """Return runs of a model: Student's t of unequal spread, every tenth row with a second mode."""
    lot = np.random.default_rng(3000)
    spread = 0.012 * np.exp(lot.normal(0.0, 1.0, (200, 1)))
    logs = spread * lot.standard_t(5, (200, 10))
    logs[::10] -= 5 * spread[::10] * (lot.random((20, 10)) < 0.2)
    return np.asarray(logs)


class Drawn:
    """Boots that are drawn, as `vlag.search.measure.Measures` gives them."""

    def __init__(
        self, commits: Sequence[str], losses: Mapping[int, float], draw: Draw, lot: int
    ) -> None:
        known = catalogue.load()
        self.figure = figure(known.benchmark("stress-ng-switch"), None, {}, {})
        self.board_type = known.board_types["rpi5"]
        self._commits, self._losses, self._draw, self._lot = commits, losses, draw, lot
        self.boots: dict[str, dict[int, float]] = {}  # by commit and seed: none is made twice

    def build(self, commit: str) -> Path:
        """Return a path that nobody reads."""
        return Path(commit)

    def search_mode(self) -> None:
        """Do nothing."""

    def known(self, commits: Sequence[str]) -> Set[str]:
        """Return those that were booted."""
        return self.boots.keys() & set(commits)

    def history(self) -> Sequence[Sequence[float]]:
        """Draw boots of earlier kernels, whose boards' levels are known."""
        lot = random.Random(f"history {self._lot}")
        return [[100 * math.exp(self._draw(lot)) for _ in range(BOOTS)] for _ in range(KERNELS)]

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Draw boots of a commit; the levels of boards are taken off as far as they are known."""
        return self.values_of({commit: seeds})[0]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Draw boots of several commits."""
        for commit, seeds in seeds_of.items():
            there = self.boots.setdefault(commit, {})
            there |= {s: self._value(commit, s) for s in seeds if s not in there}
        level = blocks.offsets(
            [
                blocks.Observation(kernel=commit, board=_board(s), log=math.log(v))
                for commit, by_seed in self.boots.items()
                for s, v in by_seed.items()
            ]
        )
        return [
            [self.boots[commit][s] / math.exp(level.get(_board(s), 0.0)) for s in seeds]
            for commit, seeds in seeds_of.items()
        ]

    def _value(self, commit: str, seed: int) -> float:
        # A revert is good, and its boots are its own; a commit's name changes with its date.
        place = self._commits.index(commit) if commit in self._commits else 0
        name = place if commit in self._commits else "reverted"
        kept = math.prod(1 - loss for n, loss in self._losses.items() if place >= n)
        apart = self._draw(random.Random(f"{self._lot} {name} {seed}"))
        return 100 * kept * math.exp(apart + BOARDS[_board(seed)])


def _board(seed: int) -> str:
    return list(BOARDS)[seed % len(BOARDS)]


def least_boots(draw: Draw, loss: float, commits: int, error: float) -> float:
    """Return the boots without which no search can name a commit with this error.

    As many as the bits of the choice need, at most so many in a boot, and then those that tell
    two commits apart as surely (Burnashev's bound for a channel with feedback).
    """
    lot = random.Random(1)
    boots = np.asarray([draw(lot) for _ in range(_MANY)])
    scatter = Scatter([boots])
    change = math.log1p(-loss)
    reach = float(np.abs(boots - np.median(boots)).max()) + abs(change)
    at = np.linspace(-reach, reach, _POINTS)
    middle, step = float(np.median(boots)), at[1] - at[0]

    def density(shift: float) -> Floats:
        chances = np.exp(scatter.log_chances(np.zeros(1), middle + shift - at))
        return np.asarray(chances / (chances.sum() * step))

    good, bad = density(0.0), density(change)
    mixed = (good + bad) / 2
    bits = sum(float(np.sum(p * np.log2(p / mixed)) * step) / 2 for p in (good, bad))
    apart = float(np.sum(good * np.log(good / bad)) * step)
    return (1 - error) * math.log2(commits) / bits + math.log(1 / error) / apart
