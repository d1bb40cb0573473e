# SPDX-License-Identifier: GPL-2.0-only
"""A plot's canvas: its size, its style, and the words that plots share."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vlag.report import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]

# Inches of 72 units; a page scales the whole.
_WIDTH = 7.2
HEIGHT = 3.0
#: Characters of a row's name.
NAME = 44

# matplotlib's settings belong to the process, and several threads make pages.
_ALONE = threading.Lock()
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "vlag",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.edgecolor": colours.INK,
    "axes.labelcolor": colours.INK,
    "text.color": colours.INK,
    "xtick.color": colours.INK,
    "ytick.color": colours.INK,
    "path.simplify": True,
}


@contextmanager
def canvas(height: float = HEIGHT) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of so many inches and its axes; other threads wait meanwhile."""
    # Import takes half a second: only plots need it.
    import matplotlib  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure as NewFigure  # noqa: PLC0415

    with _ALONE, matplotlib.rc_context(_STYLE):
        figure = NewFigure(figsize=(_WIDTH, height), layout="constrained", facecolor="none")
        FigureCanvasSVG(figure)
        yield figure, figure.add_subplot()


def warm() -> None:
    """Load the plotting library and its fonts, which the first plot would wait for."""
    with canvas() as (figure, axes):
        axes.set_xlabel("x")
        figure.savefig(io.BytesIO(), format="svg")


def low_of(q: Mapping[str, Any]) -> float:
    """Return the lower end of the interval, or the effect where there is none."""
    return float(q["effect"] if q["ci_low"] is None else min(q["ci_low"], q["effect"]))


def high_of(q: Mapping[str, Any]) -> float:
    """Return the upper end of the interval, or the effect where there is none."""
    return float(q["effect"] if q["ci_high"] is None else max(q["ci_high"], q["effect"]))


def median(values: Sequence[float]) -> float:
    """Return the median of at least one value."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def short(name: str, most: int) -> str:
    """Return a name of at most so many characters."""
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def unit_of(unit: str, direction: str) -> str:
    """Return the name of an axis: the unit, and which direction is better."""
    return f"{unit} ({direction} is better)" if unit else f"{direction} is better"


def legend(axes: Axes) -> None:
    """Add a legend with each name once."""
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    if once:
        axes.legend(once.values(), once.keys(), loc="best", frameon=False, fontsize=8)
