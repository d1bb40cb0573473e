# SPDX-License-Identifier: GPL-2.0-only
"""Axes of relative changes in per cent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from vlag.stats.numbers import grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Per cent.  A linear axis that holds a larger change shows the small ones as dots on the zero.
_TOO_FAR = 30
# The axis is linear up to here: what matters is between one and fifteen per cent.
_LINEAR = 10
_MOST_TICKS = 6
_SMALL = (5.0, 2.0, 1.0)


def scale(axes: Axes, side: Literal["x", "y"], ends: Sequence[float], *, signed: bool) -> None:
    """Set an axis of changes in per cent so that no large one hides the others.

    `ends` are all values on the axis.  Beyond the reach of a linear axis it is logarithmic,
    with the decades and their threefolds as ticks.
    """
    axis = axes.xaxis if side == "x" else axes.yaxis
    low, high = min(0.0, *ends), max(0.0, *ends)
    if max(-low, high) > _TOO_FAR:
        (axes.set_xscale if side == "x" else axes.set_yscale)("symlog", linthresh=_LINEAR)
        ticks = _ticks(low, high, (1, 3))
        axis.set_ticks(ticks if len(ticks) <= _MOST_TICKS else _ticks(low, high, (1,)))
        axis.set_ticks([], minor=True)

    def named(x: float, _: object) -> str:
        sign = "" if not signed or not x else "-" if x < 0 else "+"
        return f"{sign}{grouped(abs(x), 6)}"

    # A new scale brings its own names of ticks.
    axis.set_major_formatter(named)


def _ticks(low: float, high: float, steps: Sequence[int]) -> list[float]:
    sizes = [float(step * _LINEAR * 10**n) for n in range(12) for step in steps]

    def side(end: float) -> list[float]:
        # A side that ends before the first of them has the largest that it reaches.
        return [s for s in sizes if s <= end] or [s for s in _SMALL if s <= end][:1]

    return sorted([-s for s in side(-low)] + [0.0] + side(high))
