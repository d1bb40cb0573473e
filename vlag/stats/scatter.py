# SPDX-License-Identifier: GPL-2.0-only
"""How boots of one kernel scatter about its level, learned from boots of several kernels.

The density is a sum of kernels over the boots' distances, so that two modes stay two modes.  Its
tails are heavy: a boot that is off by a factor says little about a level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import define, field

Array = npt.NDArray[np.float64]

# Share of boots that may lie anywhere near, and how far, in spreads.
_OFF, _FAR = 0.02, 8.0
# Least spread, of natural logarithms: printing and floating point.
_LEAST = 1e-5
# Rounds in which kernels are moved to where the density of all has them.
_ROUNDS = 1
_POINTS = 801
# Distance to which the density is tabulated, in spreads; beyond it, it is as at the end.
_REACH = 40.0
# Median deviation of normal boots, in standard deviations.
_NORMAL = 0.6745


@define(eq=False)
class Scatter:
    """The density of a boot's distance from its kernel's level, natural logarithms."""

    kernels: Sequence[Array]  # boots of each, natural logarithms; those with one say nothing
    spread: float = field(init=False)  # robust standard deviation
    _at: Array = field(init=False)
    _log: Array = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Learn the density; raises ValueError where no kernel has two boots."""
        boots = [np.asarray(k, dtype=np.float64) for k in self.kernels if len(k) > 1]
        if not boots:
            raise ValueError("one kernel needs two boots at least")
        levels = [float(np.median(k)) for k in boots]
        for _ in range(_ROUNDS):
            self._learn([k - level for k, level in zip(boots, levels, strict=True)])
            levels = [self._level(k, level) for k, level in zip(boots, levels, strict=True)]
        self._learn([k - level for k, level in zip(boots, levels, strict=True)])

    def _learn(self, sides: Sequence[Array]) -> None:
        apart = np.concatenate(sides)
        # Each kernel's level takes a part of the scatter.
        apart = apart * math.sqrt(len(apart) / max(1, len(apart) - len(sides)))
        calm = float(np.median(np.abs(apart))) / _NORMAL
        whole = float(np.std(apart))
        self.spread = max(calm, 0.3 * whole, _LEAST)
        width = max(0.9 * min(self.spread, max(whole, _LEAST)) * len(apart) ** -0.2, _LEAST)
        reach = _REACH * self.spread
        self._at = np.linspace(-reach, reach, _POINTS)
        near = _student_4((self._at[:, None] - apart[None, :]) / width).mean(axis=1)
        far = _student_2(self._at / (_FAR * self.spread)) / (_FAR * self.spread)
        self._log = np.log((1 - _OFF) * near / width + _OFF * far)

    def _level(self, boots: Array, near: float) -> float:
        """Return the mean of what a kernel's level may be: the likeliest hides its scatter."""
        grid = near + np.linspace(-3, 3, 121) * self.spread
        chances = self.log_chances(boots, grid)
        weights = np.exp(chances - chances.max())
        return float(np.dot(weights, grid) / weights.sum())

    def log_chances(self, boots: Array, levels: Array) -> Array:
        """Return for each level the logarithm of the boots' density there, [levels]."""
        apart = np.asarray(boots)[None, :] - levels[:, None]
        return np.asarray(np.interp(apart, self._at, self._log).sum(axis=1))


def _student_4(x: Array) -> Array:
    """Return the density of Student's t with four degrees of freedom."""
    return np.asarray(0.375 * (1 + x * x / 4) ** -2.5)


def _student_2(x: Array) -> Array:
    """Return the density of Student's t with two degrees of freedom."""
    return np.asarray((2 + x * x) ** -1.5)
