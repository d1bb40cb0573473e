"""Shifts of the quantiles of a distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import percent
from vlag.report.plots.canvas import (
    Rows,
    canvas,
    high_of,
    legend,
    low_of,
)
from vlag.report.svg import svg

if TYPE_CHECKING:
    pass


def shift(quantiles: Rows, *, title: str = "", direction: str = "lower") -> str:
    """Return a plot of the quantiles' shifts with simultaneous 95 % intervals.

    A quantile has `name`, `effect`, `ci_low`, `ci_high` and `moved`.
    """
    known = [q for q in quantiles if q["effect"] is not None]
    if not known:
        return ""
    with canvas() as (figure, axes):
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
        axes.set_xticks(range(len(known)))
        axes.set_xticklabels([str(q["name"]) for q in known])
        axes.set_xlabel("quantile")
        axes.set_ylabel("change in %")
        legend(axes)
        said = ", ".join(f"{q['name']} {percent(q['effect'])} %" for q in known)
        return svg(figure, title or "Shift function", said)


def _moved(q: Mapping[str, Any], direction: str) -> str:
    if not q["moved"]:
        return "no move shown"
    return "worse" if (q["effect"] > 0) == (direction == "lower") else "better"
