"""Plots as self-contained SVG text: no script, no font, no other file.

Equal data gives equal bytes.  The background is white on a dark page too, since the colours
need it.  Each plot has a title and a description for screen readers, and a word beside each
colour.  Values are in the unit of their series, effects relative (0.01 = 1 %).
"""

from __future__ import annotations

import bisect
import itertools
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.compared import number, percent
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]

# Inches of 72 units; a page scales the whole.
_WIDTH = 7.2
_HEIGHT = 3.0
_ROW = 0.27  # of a forest plot
_EDGES = 0.95  # above and below its rows
_NAME = 44  # characters of a row's name
_TICK_NAMES = 6  # of kernels below a history
_TOO_FAR = 300  # per cent, for a linear axis
_BINS = 160  # steps of a distribution: more are invisible at this width
_BASE, _NEW = "base", "new"
# matplotlib's settings belong to the process, and several threads make pages.
_ALONE = threading.Lock()
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "vlag",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": colours.INK,
    "axes.labelcolor": colours.INK,
    "text.color": colours.INK,
    "xtick.color": colours.INK,
    "ytick.color": colours.INK,
    "path.simplify": True,
}


@contextmanager
def _plot(height: float = _HEIGHT) -> Iterator[tuple[Figure, Axes]]:
    # Import takes half a second: only plots need it.
    import matplotlib  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure as NewFigure  # noqa: PLC0415

    with _ALONE, matplotlib.rc_context(_STYLE):
        figure = NewFigure(figsize=(_WIDTH, height), layout="constrained", facecolor=colours.PAPER)
        FigureCanvasSVG(figure)
        yield figure, figure.add_subplot()


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
    with _plot() as (figure, axes):
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
        middles = [_median([p["value"] for p in group]) for group in groups]
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
        axes.set_ylabel(_unit(unit, direction))
        axes.set_xlim(-0.6, len(groups) - 0.4)
        _legend(axes)
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
        [_short(str(groups[x][0]["name"]), 2 * _NAME // max(2, len(shown))) for x in shown]
    )
    axes.set_xlabel("kernels in the order of their commits")


def distributions(
    base: Sequence[tuple[float, int]], new: Sequence[tuple[float, int]], *, title: str = "",
    unit: str = "", names: tuple[str, str] = (_BASE, _NEW),
) -> str:  # fmt: skip
    """Return two histograms, (lower bound, samples) each in order, one over the other.

    A second plot has the share of samples beyond each value, on a logarithmic axis: it shows
    the tail.
    """
    if not base or not new:
        return ""
    bounds = sorted({b for b, _ in base} | {b for b, _ in new})
    edges = _edges(bounds)
    with _plot(2 * _HEIGHT) as (figure, axes):
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
        _legend(top)
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


def shift(quantiles: Rows, *, title: str = "", direction: str = "lower") -> str:
    """Return a plot of the quantiles' shifts with simultaneous 95 % intervals.

    A quantile has `name`, `effect`, `ci_low`, `ci_high` and `moved`.
    """
    known = [q for q in quantiles if q["effect"] is not None]
    if not known:
        return ""
    with _plot() as (figure, axes):
        axes.axhline(0, color=colours.INK, lw=0.8)
        for word, colour, shape in (
            ("worse", colours.WORSE, "^"), ("better", colours.BETTER, "v"),
            ("no move shown", colours.UNCHANGED, "o"),
        ):  # fmt: skip
            some = [(x, q) for x, q in enumerate(known) if _moved(q, direction) == word]
            if some:
                axes.errorbar(
                    [x for x, _ in some], [100 * q["effect"] for _, q in some],
                    yerr=[[100 * (q["effect"] - _low(q)) for _, q in some],
                          [100 * (_high(q) - q["effect"]) for _, q in some]],
                    fmt=shape, color=colour, ms=5, lw=1.2, capsize=3, label=word,
                )  # fmt: skip
        axes.set_xticks(range(len(known)))
        axes.set_xticklabels([str(q["name"]) for q in known])
        axes.set_xlabel("quantile")
        axes.set_ylabel("change in %")
        _legend(axes)
        said = ", ".join(f"{q['name']} {percent(q['effect'])} %" for q in known)
        return svg(figure, title or "Shift function", said)


def _moved(q: Mapping[str, Any], direction: str) -> str:
    if not q["moved"]:
        return "no move shown"
    return "worse" if (q["effect"] > 0) == (direction == "lower") else "better"


def _low(q: Mapping[str, Any]) -> float:
    return float(q["effect"] if q["ci_low"] is None else min(q["ci_low"], q["effect"]))


def _high(q: Mapping[str, Any]) -> float:
    return float(q["effect"] if q["ci_high"] is None else max(q["ci_high"], q["effect"]))


def effects(rows: Rows, *, title: str = "") -> str:
    """Return effects with their intervals, the first row on top: a forest plot.

    A row has `name`, `effect`, `ci_low`, `ci_high`, `worse` and `verdict`.  Worse is on the
    right, whatever the direction of the metric.
    """
    known = [r for r in rows if r["effect"] is not None]
    if not known:
        return ""
    with _plot(_EDGES + _ROW * len(known)) as (figure, axes):
        axes.axvline(0, color=colours.INK, lw=0.8)
        for verdict, colour in colours.VERDICT_COLOURS.items():
            some = [(y, *_turned(r)) for y, r in enumerate(known) if r["verdict"] == verdict]
            if some:
                axes.errorbar(
                    [100 * e for _, e, _, _ in some], [y for y, *_ in some],
                    xerr=[[100 * (e - low) for _, e, low, _ in some],
                          [100 * (high - e) for _, e, _, high in some]],
                    fmt="o", color=colour, ms=5, lw=1.6, capsize=2.5, label=verdict,
                )  # fmt: skip
        most = max(100 * max(abs(_low(r)), abs(_high(r))) for r in known)
        if most > _TOO_FAR:
            # One huge effect would shrink all intervals to dots.
            axes.set_xscale("symlog", linthresh=10)
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set_yticks(range(len(known)))
        axes.set_yticklabels([_short(str(r["name"]), _NAME) for r in known])
        axes.set_ylim(len(known) - 0.4, -0.6)
        axes.set_xlabel("change in %; worse is on the right")
        figure.legend(loc="outside upper right", ncols=4, frameon=False, fontsize=8)
        said = "; ".join(f"{r['name']} {percent(r['effect'])} %: {r['verdict']}" for r in known)
        return svg(figure, title or "Effects, worst first", said)


def _turned(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return effect, low and high of a row so that above 0 is worse."""
    effect, low, high = float(row["effect"]), _low(row), _high(row)
    if row["worse"] is None or (effect > 0) == bool(row["worse"]):
        return effect, low, high
    return -effect, -high, -low


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _unit(unit: str, direction: str) -> str:
    return f"{unit} ({direction} is better)" if unit else f"{direction} is better"


def _legend(axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    if once:
        axes.legend(once.values(), once.keys(), loc="best", frameon=False, fontsize=8)
