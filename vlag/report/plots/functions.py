# SPDX-License-Identifier: GPL-2.0-only
"""In which functions two kernels differ, one bar each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vlag.report import colours
from vlag.report.plots.canvas import Rows, canvas, short
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.6  # inches: names and figures stand beside the bars
_ROW = 0.27  # inches of a row
_EDGES = 1.05  # above and below the rows
_NAME = 34  # characters of a function's name
# Right ends of the columns of figures, in points from the axes.
_BASE, _NEW, _CHANGE = 54, 108, 162
_GAP = "\N{NO-BREAK SPACE}" * 6
# Word, colour, and whether it is hollow.
_KINDS = {
    ("more", True): ("more", colours.WORSE),
    ("more", False): ("more, not sure", colours.HINT),
    ("fewer", True): ("fewer", colours.BETTER),
    ("fewer", False): ("fewer, not sure", colours.GAIN),
}


def functions(profile: Mapping[str, Any]) -> str:
    """Return the functions of a profile by their change, then all others, then the total.

    `profile` has `sentence`, `operation`, `functions`, `others`, and `instructions` of the
    kernel, as the data of a report.  Bars are instructions an operation, new less base; what
    boots of one kernel may differ by is pale and hollow.  "" where nothing differs.
    """
    rows: Rows = profile["functions"]
    if not rows:
        return ""
    others, (base, new) = profile["others"], profile["instructions"]["kernel"]
    names = [short(str(f["name"]), _NAME) for f in rows]
    count = others["count"]
    bars = [(f["change"], f["certain"]) for f in rows]
    figures = [(f["base_instructions"], f["new_instructions"], f["change"]) for f in rows]
    if count:
        names.append(f"{count} other function{'' if count == 1 else 's'}")
        bars.append((others["change"], None))
        figures.append((None, None, others["change"]))
    names.append("all of the kernel")
    bars.append((new - base, None))
    figures.append((base, new, new - base))
    with canvas(_EDGES + _ROW * len(names)) as (figure, axes):
        figure.set_figwidth(_WIDTH)
        _bars(axes, bars, len(names) - 1)
        axes.axvline(0, color=colours.INK, lw=0.8)
        axes.axhline(len(names) - 1.5, color=colours.LINE, lw=0.8)
        axes.set_yticks(range(len(names)))
        axes.set_yticklabels(names)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(names) - 0.4, -1.3)
        axes.margins(x=0.06)
        _columns(axes, figures)
        axes.set_xlabel(
            f"\N{LEFTWARDS ARROW} fewer{_GAP}change in instructions a {profile['operation']}{_GAP}"
            "more \N{RIGHTWARDS ARROW}"
        )
        figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=8)
        description = "; ".join(
            f"{name} {change:+.1f}" for name, (_, _, change) in zip(names, figures, strict=True)
        )
        return svg(figure, str(profile["sentence"]), description)


def _bars(axes: Axes, bars: list[tuple[float, bool | None]], last: int) -> None:
    """Draw a bar in each row; `certain` is None for a sum."""
    named = set()
    for y, (change, certain) in enumerate(bars):
        if certain is None:
            colour = colours.INK if y == last else colours.UNCHANGED
            axes.barh(y, change, height=0.62, color=colour, lw=0)
            continue
        word, colour = _KINDS["more" if change > 0 else "fewer", bool(certain)]
        axes.barh(
            y, change, height=0.62, color=colour if certain else "none", ec=colour, lw=1.2,
            ls="-" if certain else "--", label=None if word in named else word,
        )  # fmt: skip
        named.add(word)


def _columns(axes: Axes, figures: list[tuple[float | None, float | None, float]]) -> None:
    """Write base, new and change beside the bars."""

    def write(x: int, y: float, text: str, **look: Any) -> None:
        # Offsets in points, unlike shares of the axes, stay as they are when the axes shrink.
        axes.annotate(
            text, (1, y), (x, 0), xycoords=axes.get_yaxis_transform(),
            textcoords="offset points", ha="right", va="center", fontsize=8, annotation_clip=False,
            **look,
        )  # fmt: skip

    for x, word in ((_BASE, "base"), (_NEW, "new"), (_CHANGE, "change")):
        write(x, -0.85, word, weight="bold")
    for y, (base, new, change) in enumerate(figures):
        write(_BASE, y, _number(base))
        write(_NEW, y, _number(new))
        write(_CHANGE, y, f"{change:+,.1f}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}"
