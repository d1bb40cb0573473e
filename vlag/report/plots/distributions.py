# SPDX-License-Identifier: GPL-2.0-only
"""Histograms of two kernels, and their tails."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vlag.report import colours
from vlag.report.compared import number
from vlag.report.plots.canvas import canvas
from vlag.report.svg import svg
from vlag.stats.numbers import grouped, plain
from vlag.stats.summary import QUANTILES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Buckets = Sequence[tuple[float, int]]

_BINS = 160  # steps of a distribution: more are invisible at this width
_HEIGHT = 5.0  # inches
_WIDE = 50  # ends of values this many times apart need a logarithmic axis


def distributions(
    base: Buckets, new: Buckets, *, title: str = "", unit: str = "",
    names: tuple[str, str] = ("base", "new"),
) -> str:  # fmt: skip
    """Return two histograms, (lower bound, samples) each in order, one over the other.

    A second plot has the share of samples beyond each value, on a logarithmic axis: it shows
    the tail.  There each quantile that both sides know has its name and a dot on either line.
    """
    if not base or not new:
        return ""
    edges = _edges(sorted({b for b, _ in base} | {b for b, _ in new}))
    with canvas(_HEIGHT) as (figure, axes):
        axes.remove()
        # A layout that measures all texts takes as long as the rest of the plot.
        figure.set_layout_engine("none")
        top, bottom = figure.subplots(2, 1, sharex=True, gridspec_kw={
            "height_ratios": (2, 3), "left": 0.11, "right": 0.94, "bottom": 0.1, "top": 0.9,
            "hspace": 0.08,
        })  # fmt: skip
        for side, colour, style, name in (
            (base, colours.BASE, "--", names[0]), (new, colours.NEW, "-", names[1]),
        ):  # fmt: skip
            total = sum(count for _, count in side)
            shares = [0.0] * (len(edges) - 1)
            for bound, count in side:
                shares[_bin(edges, bound)] += count / total
            label = f"{name} ({total:,} samples)"
            top.stairs(shares, edges, color=colour, lw=1.3, ls=style, label=label)
            top.stairs(shares, edges, color=colour, alpha=0.12, fill=True)
            beyond = [max(0.0, 1 - x) for x in itertools.accumulate([0.0, *shares[:-1]])]
            # Ignore a share that comes from rounding.
            kept = [b if b * total > 0.5 else math.nan for b in beyond]
            bottom.stairs(kept, edges, baseline=None, color=colour, lw=1.3, ls=style, label=label)
        top.set_ylabel("share of samples")
        top.yaxis.set_major_formatter(lambda y, _: f"{plain(100 * y, 6)} %")
        bottom.set_ylabel("samples at or beyond")
        bottom.set_yscale("log")
        bottom.yaxis.set_major_formatter(lambda y, _: f"{plain(100 * y, 6)} %")
        bottom.set_xlabel(unit or "value")
        if edges[0] > 0 and edges[-1] / edges[0] > _WIDE:
            bottom.set_xscale("log")
            bottom.xaxis.minorticks_off()
        bottom.yaxis.minorticks_off()
        bottom.xaxis.set_major_formatter(lambda x, _: grouped(x, 6))
        marked = _mark(bottom, base, new)
        # Above the histograms: within them no corner is free for sure.
        top.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, frameon=False,
                   fontsize=8)  # fmt: skip
        description = "; ".join(
            f"{name}: {sum(c for _, c in side):,} samples from {number(side[0][0])} to"
            f" {number(side[-1][0])} {unit}"
            for side, name in ((base, names[0]), (new, names[1]))
        )
        return svg(figure, title or "Distributions", "; ".join([description, *marked]))


def _mark(axes: Axes, base: Buckets, new: Buckets) -> list[str]:
    """Draw the quantiles that both sides know; return them as text."""
    marked = []
    for name, q in QUANTILES.items():
        one, other = quantile(base, q), quantile(new, q)
        if one is None or other is None:
            continue
        axes.plot([one, other], [1 - q] * 2, color=colours.INK, lw=0.7, ls=":")
        for value, colour in ((one, colours.BASE), (other, colours.NEW)):
            axes.plot([value], [1 - q], "o", color=colour, ms=4)
        axes.annotate(
            name, (max(one, other), 1 - q), xytext=(5, 2), textcoords="offset points", fontsize=8
        )
        marked.append(f"{name} {number(one)} and {number(other)}")
    return marked


def quantile(buckets: Buckets, q: float) -> float | None:
    """Return the bucket that holds a quantile; None where less than one sample is beyond it."""
    total = sum(count for _, count in buckets)
    if round(total * (1 - q), 6) < 1:
        return None
    ends = list(itertools.accumulate(count for _, count in buckets))
    return buckets[bisect.bisect_left(ends, q * total)][0]


def _edges(bounds: Sequence[float]) -> list[float]:
    """Return the edges of at most `_BINS` steps: the buckets' own if they are few."""
    if len(bounds) == 1:
        return [bounds[0], bounds[0] + 1]
    last = bounds[-1] + (bounds[-1] - bounds[-2])
    if len(bounds) <= _BINS:
        return [*bounds, last]
    low, high = bounds[0], last
    if low > 0 and high / low > _WIDE:
        ratio = (high / low) ** (1 / _BINS)
        return [low * ratio**i for i in range(_BINS)] + [high]
    return [low + (high - low) * i / _BINS for i in range(_BINS)] + [high]


def _bin(edges: Sequence[float], value: float) -> int:
    return min(max(bisect.bisect_right(edges, value) - 1, 0), len(edges) - 2)
