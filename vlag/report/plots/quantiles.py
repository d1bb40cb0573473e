# SPDX-License-Identifier: GPL-2.0-only
"""Shifts of the quantiles of a distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vlag.report import colours
from vlag.report.compared import percent
from vlag.report.plots import change_axes
from vlag.report.plots.canvas import Rows, canvas, high_of, legend, low_of
from vlag.report.svg import svg

_HEIGHT = 2.4  # inches


def shift(
    quantiles: Rows, *, title: str = "", direction: str = "lower", relevance: float | None = None
) -> str:
    """Return a plot of the quantiles' shifts with their 95 % intervals.

    A quantile has `name`, `effect`, `ci_low`, `ci_high` and `moved`.  `relevance` is the smallest
    relative change that matters: smaller ones lie on a band.
    """
    known = [q for q in quantiles if q["effect"] is not None]
    if not known:
        return ""
    with canvas(_HEIGHT) as (figure, axes):
        ends = [100 * x for q in known for x in (low_of(q), high_of(q))]
        if relevance is not None:
            low, high = -100 * relevance / (1 + relevance), 100 * relevance
            axes.axhspan(low, high, color=colours.UNCHANGED, alpha=0.18, lw=0, zorder=0,
                         label="too small to matter")  # fmt: skip
            ends += [low, high]
        axes.axhline(0, color=colours.INK, lw=0.8)
        for word, colour, shape in (
            ("worse", colours.WORSE, "^"), ("better", colours.BETTER, "v"),
            ("no move shown", colours.UNCHANGED, "o"),
        ):  # fmt: skip
            some = [(x, q) for x, q in enumerate(known) if _moved(q, direction) == word]
            if some:
                axes.errorbar(
                    [x for x, _ in some], [100 * q["effect"] for _, q in some],
                    yerr=[[100 * (q["effect"] - low_of(q)) for _, q in some],
                          [100 * (high_of(q) - q["effect"]) for _, q in some]],
                    fmt=shape, color=colour, ms=5, lw=1.2, capsize=3, label=word,
                )  # fmt: skip
        change_axes.scale(axes, "y", ends, signed=True)
        axes.set_xticks(range(len(known)))
        axes.set_xticklabels([str(q["name"]) for q in known])
        axes.set_xlim(-0.5, len(known) - 0.5)
        axes.set_xlabel("quantile")
        axes.set_ylabel("change in %")
        legend(axes)
        description = ", ".join(f"{q['name']} {percent(q['effect'])} %" for q in known)
        return svg(figure, title or "Shift function", description)


def _moved(q: Mapping[str, Any], direction: str) -> str:
    if not q["moved"]:
        return "no move shown"
    return "worse" if (q["effect"] > 0) == (direction == "lower") else "better"
