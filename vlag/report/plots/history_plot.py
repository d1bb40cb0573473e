# SPDX-License-Identifier: GPL-2.0-only
"""A figure over the commits of a branch."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import number, percent
from vlag.report.plots.canvas import NAME, Rows, canvas, median, unit_of
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 3.8
_TICK_NAMES = 6  # of kernels below a history
_LEGEND = 16  # characters of the baseline's name beside the other marks; it stands at its line, too
_RELEASES = 12  # more would cover the boots
_DOTTED = 60  # medians; more dots would hide their line
# From this factor on between the largest and the smallest median, a linear axis hides the small.
_LOGARITHMIC = 10.0
# A baseline that needs more than this many times the height of all boots is off the scale.
# With fewer kernels the distance to the baseline is all that there is to see.
_FLAT = 4.0
_FEW = 5
_COMMIT = re.compile(r"-[0-9]+-g[0-9a-f]+$")  # of a kernel that was never built
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_DOWN, _UP = "\N{DOWNWARDS ARROW}", "\N{UPWARDS ARROW}"


def history(
    points: Rows, band: Mapping[str, Any] | None = None, changes: Rows = (), *, title: str = "",
    unit: str = "", direction: str = "lower", alerts: Rows = (),
) -> str:  # fmt: skip
    """Return a metric's boots, kernel after kernel, against the band of the baseline.

    A point has `value`, `kernel` (equal for boots of one), `name`, and may have `url`, `label`
    and `marked` (a kernel alarm on the console); `band` has `low`, `high`, `middle`,
    `name` and `boots`; a change has `kernel`, `effect` and `worsening`, and may have `levels` by
    kernel where it is known for two kernels only; an alert has `kernel`, `name`, and may have
    `url` and `label`.  Points come in order.

    The line joins the medians, and the band around it is the middle half of a kernel's boots.
    A baseline too far away for the axis is named at the edge, with its value.
    """
    if not points:
        return ""
    groups = [list(g) for _, g in itertools.groupby(points, key=lambda p: p["kernel"])]
    at = {group[0]["kernel"]: x for x, group in enumerate(groups)}
    alerts = [a for a in alerts if a["kernel"] in at]
    middles = [median([p["value"] for p in group]) for group in groups]
    with canvas(_HEIGHT) as (figure, axes):
        axes.set_xlim(-0.6, len(groups) - 0.4)
        logarithmic = _logarithmic([p["value"] for p in points], middles, band)
        if logarithmic:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(lambda value, _: number(value))
        _boots(axes, groups, points)
        _medians(axes, groups, middles)
        _segments(axes, at, middles, changes)
        away = _baseline(axes, points, band, logarithmic=logarithmic)
        _steps(axes, at, changes)
        _releases(axes, groups)
        _alerts(axes, at, points, alerts)
        _name_kernels(axes, groups)
        axes.set_ylabel(unit_of(unit, direction) + (", log scale" if logarithmic else ""))
        _legend(axes)
        words = [
            f"{len(points)} boots of {len(groups)} kernels, {_span(points)} {unit};"
            f" the last kernel's median is {number(middles[-1])}.",
            *_of_band(band, away=bool(away)),
            *([f"Alerts: {', '.join(str(a['name']) for a in alerts)}."] if alerts else []),
        ]
        return svg(figure, title or "History", " ".join(words), [*points, *alerts])


def _boots(axes: Axes, groups: Sequence[Rows], points: Rows) -> None:
    """Draw a dot for each boot; one with a kernel alarm has another shape."""
    place = {id(p): x for x, group in enumerate(groups) for p in group}
    for marked, shape, words in ((False, "o", "a boot"), (True, "^", "with a kernel alarm")):
        some = [p for p in points if bool(p.get("marked")) is marked]
        if some:
            dots = axes.scatter([place[id(p)] for p in some], [p["value"] for p in some],
                                s=20 if marked else 12, marker=shape, color=colours.INK,
                                alpha=0.75 if marked else 0.3, lw=0,
                                label=words)  # fmt: skip
            dots.set_urls(_marks(points, some))


def _alerts(axes: Axes, at: Mapping[Any, int], points: Rows, alerts: Rows) -> None:
    """Draw a diamond below each kernel that an alert begins with."""
    if alerts:
        marks = axes.scatter([at[a["kernel"]] for a in alerts], [0.03] * len(alerts),
                             transform=axes.get_xaxis_transform(), marker="D", s=26,
                             color=colours.WORSE, lw=0, label="an alert")  # fmt: skip
        marks.set_urls(_marks([*points, *alerts], alerts))


def _span(points: Rows) -> str:
    values = [p["value"] for p in points]
    return f"from {number(min(values))} to {number(max(values))}"


def _of_band(band: Mapping[str, Any] | None, *, away: bool) -> list[str]:
    """Return the sentence on the baseline, if there is one."""
    if band is None:
        return []
    span = f"from {number(band['low'])} to {number(band['high'])}"
    return [f"The baseline {band['name']} lies {span}{', off the scale' if away else ''}."]


def tail(name: str, most: int) -> str:
    """Return a kernel's name in at most so many characters: the end distinguishes it.

    The last words are kept whole where they fit: "6.12.117 1b522e2eb1f1" is "...1b522e2eb1f1" in
    14 characters, with an ellipsis.  A short last word tells too little: "... eevdf-lag full".
    """
    if len(name) <= most:
        return name
    end = name[len(name) - most + 1 :]
    whole = end if name[len(name) - most].isspace() else end.partition(" ")[2]
    return _ELLIPSIS + (whole if 2 * len(whole) >= most else end.lstrip())


def _logarithmic(
    values: Sequence[float], middles: Sequence[float], band: Mapping[str, Any] | None
) -> bool:
    known = [*middles, *([] if band is None else [band["middle"]])]
    least = min([*values, *([] if band is None else [band["low"]])])
    return bool(least > 0 and max(known) > _LOGARITHMIC * min(known))


def _medians(axes: Axes, groups: Sequence[Rows], middles: Sequence[float]) -> None:
    quarters = [
        quantiles([p["value"] for p in group], n=4, method="inclusive")
        if len(group) > 1
        else [group[0]["value"]] * 3
        for group in groups
    ]
    places = range(len(groups))
    low, high = [q[0] for q in quarters], [q[2] for q in quarters]
    label = "middle half of its boots"
    band = (places, low, high) if len(groups) > 1 else ([-0.2, 0.2], low * 2, high * 2)
    axes.fill_between(*band, color=colours.INK, alpha=0.13, lw=0, label=label)
    dot = "." if len(groups) <= _DOTTED else ""
    axes.plot(places, middles, color=colours.INK, lw=1.1, marker=dot, ms=5, zorder=3,
              label="median of a kernel's boots")  # fmt: skip


def _segments(axes: Axes, at: Mapping[Any, int], middles: Sequence[float], changes: Rows) -> None:
    """Draw the level of each segment between lasting steps, and levels that a step brings."""
    for kernel, level in (pair for c in changes for pair in c.get("levels", {}).items()):
        if kernel in at:
            _level(axes, level, at[kernel], at[kernel] + 1, "level in the comparison")
    lasting = {at[c["kernel"]] for c in changes if c["kernel"] in at and "levels" not in c} - {0}
    edges = [0, *sorted(lasting), len(middles)] if lasting else []
    for start, end in itertools.pairwise(edges):
        _level(axes, median(middles[start:end]), start, end, "level between steps")


def _level(axes: Axes, level: float, start: int, end: int, words: str) -> None:
    axes.hlines(level, start - 0.5, end - 0.5, color=colours.INK, lw=2.2, zorder=2,
                alpha=0.6, label=words)  # fmt: skip


def _steps(axes: Axes, at: Mapping[Any, int], changes: Rows) -> None:
    for change in changes:
        x = at.get(change["kernel"])
        if x is None:
            continue
        worse = (change.get("worsening") or 0) > 0
        colour = colours.WORSE if worse else colours.BETTER
        word = "worse" if worse else "better"
        axes.axvline(x - 0.5, lw=1.4, ls=":" if worse else "-.", color=colour)
        axes.annotate(f"step {word}: {percent(change['effect'])} %", (x - 0.5, 1),
                      xycoords=("data", "axes fraction"), xytext=(0, 2),
                      textcoords="offset points", fontsize=8, color=colours.INK,
                      ha="left" if x == 0 else "center",
                      bbox={"facecolor": colours.PAPER, "edgecolor": colour, "pad": 1.5,
                            "linewidth": 0.8}, zorder=5)  # fmt: skip


def _baseline(
    axes: Axes, points: Rows, band: Mapping[str, Any] | None, *, logarithmic: bool
) -> bool:
    """Draw the baseline, named at its end; return whether it is off the scale."""
    if band is None:
        return False
    values = [p["value"] for p in points]
    low, high = min(values), max(values)
    middle = band["middle"]
    name = tail(str(band["name"]), NAME // 2)
    beyond = max(low - middle, middle - high)
    few = len({p["kernel"] for p in points}) < _FEW
    if not (logarithmic or few) and beyond > (_FLAT - 1) * (high - low or abs(high) / 100):
        below = middle < low
        axes.annotate(
            f"{_DOWN if below else _UP} baseline {name}: {number(middle)}, off the scale"
            f" {'below' if below else 'above'}",
            (0.99, 0 if below else 1), xycoords="axes fraction", fontsize=8,
            xytext=(0, 9 if below else -9), textcoords="offset points", ha="right", va="center",
            bbox={"facecolor": colours.PAPER, "edgecolor": colours.UNCHANGED, "pad": 2,
                  "linewidth": 0.8}, zorder=5,
        )  # fmt: skip
        return True
    boots = f"range of {band['boots']} boots" if band["boots"] > 1 else "one boot"
    axes.axhspan(band["low"], band["high"], color=colours.UNCHANGED, alpha=0.2, lw=0,
                 label=f"{boots} of {tail(name, _LEGEND)}")  # fmt: skip
    axes.axhline(middle, color=colours.UNCHANGED, lw=1, ls="--")
    axes.annotate(name, (1, middle), xycoords=("axes fraction", "data"), xytext=(3, 0),
                  textcoords="offset points", fontsize=8, va="center",
                  annotation_clip=False)  # fmt: skip
    return False


def _releases(axes: Axes, groups: Sequence[Rows]) -> None:
    """Mark the kernels with which a release begins; its number is their names' first word."""
    releases = [_COMMIT.sub("", str(group[0]["name"]).split()[0]) for group in groups]
    starts = [x for x in range(1, len(groups)) if releases[x] != releases[x - 1]]
    # Where each kernel is a release, the axis names them already.
    if not 0 < len(starts) <= min(_RELEASES, (len(groups) - 1) // 2):
        return
    for x in starts:
        axes.axvline(x - 0.5, lw=0.6, color=colours.UNCHANGED, zorder=0)
        axes.annotate(tail(releases[x], NAME // 3), (x - 0.5, 0.99), fontsize=7, rotation=90,
                      xycoords=("data", "axes fraction"), xytext=(-2, 0), va="top", ha="right",
                      textcoords="offset points", zorder=0)  # fmt: skip


def _marks(points: Rows, some: Rows) -> list[str | None]:
    numbers = {id(p): i for i, p in enumerate(points)}
    return [f"point:{numbers[id(p)]}" if p.get("url") else None for p in some]


def _legend(axes: Axes) -> None:
    """Name each mark once, below the axes: inside, it would cover boots."""
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    axes.legend(once.values(), once.keys(), loc="upper left", bbox_to_anchor=(0, -0.17),
                ncols=3, frameon=False, fontsize=8, borderaxespad=0)  # fmt: skip


def _name_kernels(axes: Axes, groups: Sequence[Rows]) -> None:
    step = max(1, math.ceil(len(groups) / _TICK_NAMES))
    # The newest kernel is the one that a reader came for.
    shown = range(len(groups) - 1, -1, -step)
    axes.set_xticks(list(shown))
    most = 2 * NAME // max(2, len(shown)) - 1
    axes.set_xticklabels([tail(str(groups[x][0]["name"]), most) for x in shown], fontsize=8)
    axes.set_xlabel("kernels in the order of their commits")
