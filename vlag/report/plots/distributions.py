"""Histograms of two kernels."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vlag.report import colours
from vlag.report.compared import number
from vlag.report.plots.canvas import (
    HEIGHT,
    canvas,
    legend,
)
from vlag.report.svg import svg

if TYPE_CHECKING:
    pass

_BINS = 160  # steps of a distribution: more are invisible at this width


def distributions(
    base: Sequence[tuple[float, int]], new: Sequence[tuple[float, int]], *, title: str = "",
    unit: str = "", names: tuple[str, str] = ("base", "new"),
) -> str:  # fmt: skip
    """Return two histograms, (lower bound, samples) each in order, one over the other.

    A second plot has the share of samples beyond each value, on a logarithmic axis: it shows
    the tail.
    """
    if not base or not new:
        return ""
    bounds = sorted({b for b, _ in base} | {b for b, _ in new})
    edges = _edges(bounds)
    with canvas(2 * HEIGHT) as (figure, axes):
        axes.remove()
        top, bottom = figure.subplots(2, 1, sharex=True)
        for side, colour, style, name in (
            (base, colours.UNCHANGED, "--", names[0]), (new, colours.INK, "-", names[1]),
        ):  # fmt: skip
            total = sum(count for _, count in side)
            shares = [0.0] * (len(edges) - 1)
            for bound, count in side:
                shares[_place(edges, bound)] += count / total
            told = f"{name} ({total:,} samples)"
            top.stairs(shares, edges, color=colour, lw=1.3, ls=style, label=told)
            top.stairs(shares, edges, color=colour, alpha=0.12, fill=True)
            beyond = [max(0.0, 1 - x) for x in itertools.accumulate([0.0, *shares[:-1]])]
            # Ignore a share that comes from rounding.
            kept = [b if b * total > 0.5 else math.nan for b in beyond]
            bottom.stairs(kept, edges, baseline=None, color=colour, lw=1.3, ls=style, label=told)
        top.set_ylabel("share of samples")
        bottom.set_ylabel("share at or beyond")
        bottom.set_yscale("log")
        bottom.set_xlabel(unit or "value")
        if edges[0] > 0 and edges[-1] / edges[0] > 50:
            bottom.set_xscale("log")
        legend(top)
        said = "; ".join(
            f"{name}: {sum(c for _, c in side):,} samples from {number(side[0][0])} to"
            f" {number(side[-1][0])} {unit}"
            for side, name in ((base, names[0]), (new, names[1]))
        )
        return svg(figure, title or "Distributions", said)


def _edges(bounds: Sequence[float]) -> list[float]:
    """Return the edges of at most `_BINS` steps: the buckets' own if they are few."""
    if len(bounds) == 1:
        return [bounds[0], bounds[0] + 1]
    last = bounds[-1] + (bounds[-1] - bounds[-2])
    if len(bounds) <= _BINS:
        return [*bounds, last]
    low, high = bounds[0], last
    if low > 0 and high / low > 50:
        ratio = (high / low) ** (1 / _BINS)
        return [low * ratio**i for i in range(_BINS)] + [high]
    return [low + (high - low) * i / _BINS for i in range(_BINS)] + [high]


def _place(edges: Sequence[float], value: float) -> int:
    return min(max(bisect.bisect_right(edges, value) - 1, 0), len(edges) - 2)
