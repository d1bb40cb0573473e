"""A figure over the commits of a branch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import number, percent
from vlag.report.plots.canvas import (
    NAME,
    Rows,
    canvas,
    legend,
    median,
    short,
    unit_of,
)
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TICK_NAMES = 6  # of kernels below a history


def history(
    points: Rows, band: Mapping[str, Any] | None = None, changes: Rows = (), *, title: str = "",
    unit: str = "", direction: str = "lower",
) -> str:  # fmt: skip
    """Return a metric's boots, kernel after kernel, against the band of the baseline.

    A point has `value`, `kernel` (equal for boots of one), `name`, and may have `url`, `label`
    and `marked` (a kernel alarm on the console); `band` has `low`, `high`, `middle`,
    `name` and `boots`; a change has `kernel`, `effect` and `worsening`.  Points come in order.
    """
    if not points:
        return ""
    groups = [list(g) for _, g in itertools.groupby(points, key=lambda p: p["kernel"])]
    place = {id(p): x for x, group in enumerate(groups) for p in group}
    with canvas() as (figure, axes):
        if band is not None:
            axes.axhspan(band["low"], band["high"], color=colours.UNCHANGED, alpha=0.2, lw=0,
                         label=f"range of {band['boots']} boots of {band['name']}")  # fmt: skip
            axes.axhline(band["middle"], color=colours.UNCHANGED, lw=0.8, ls="--")
        for marked, shape, words in ((False, "o", "a boot"), (True, "^", "with a kernel alarm")):
            some = [p for p in points if bool(p.get("marked")) is marked]
            if some:
                dots = axes.scatter([place[id(p)] for p in some], [p["value"] for p in some],
                                    s=14, marker=shape, color=colours.INK, alpha=0.75, lw=0,
                                    label=words)  # fmt: skip
                dots.set_urls(_marks(points, some))
        middles = [median([p["value"] for p in group]) for group in groups]
        axes.plot(range(len(groups)), middles, color=colours.UNCHANGED, lw=1, zorder=1,
                  label="median of a kernel's boots")  # fmt: skip
        for change in changes:
            at = [x for x, group in enumerate(groups) if group[0]["kernel"] == change["kernel"]]
            if at:
                worse = (change.get("worsening") or 0) > 0
                axes.axvline(at[0] - 0.5, lw=1.4, ls=":" if worse else "-.",
                             color=colours.WORSE if worse else colours.BETTER,
                             label=f"step {'worse' if worse else 'better'}:"
                             f" {percent(change['effect'])} %")  # fmt: skip
        _name_kernels(axes, groups)
        axes.set_ylabel(unit_of(unit, direction))
        axes.set_xlim(-0.6, len(groups) - 0.4)
        legend(axes)
        values = [p["value"] for p in points]
        said = (
            f"{len(points)} boots of {len(groups)} kernels, from {number(min(values))} to"
            f" {number(max(values))} {unit}; the last kernel's median is {number(middles[-1])}."
        )
        if band is not None:
            said += f" The baseline {band['name']} lies from {number(band['low'])} to"
            said += f" {number(band['high'])}."
        return svg(figure, title or "History", said, points)


def _marks(points: Rows, some: Rows) -> list[str | None]:
    numbers = {id(p): i for i, p in enumerate(points)}
    return [f"point:{numbers[id(p)]}" if p.get("url") else None for p in some]


def _name_kernels(axes: Axes, groups: Sequence[Rows]) -> None:
    step = max(1, math.ceil(len(groups) / _TICK_NAMES))
    shown = range(0, len(groups), step)
    axes.set_xticks(list(shown))
    axes.set_xticklabels(
        [short(str(groups[x][0]["name"]), 2 * NAME // max(2, len(shown))) for x in shown]
    )
    axes.set_xlabel("kernels in the order of their commits")
