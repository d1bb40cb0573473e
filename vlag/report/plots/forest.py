# SPDX-License-Identifier: GPL-2.0-only
"""Effects with their intervals, one below the other."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vlag.model import CHANGES
from vlag.report import colours
from vlag.report.compared import percent
from vlag.report.plots import change_axes
from vlag.report.plots.canvas import Rows, canvas, high_of, low_of
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.6  # inches: names and figures stand beside the plot
_ROW = 0.23  # inches of a row
_TALL = 0.34  # of rows with a name of two lines
_EDGES = 0.95  # above and below the rows
_NAME = 44  # characters of a line of a row's name
# Standings without a proof: a change of theirs is drawn hollow.
_OPEN = ("hint", "suspected", "refuted")
_PALE = {"REGRESSION": colours.HINT, "IMPROVEMENT": colours.GAIN}
_GAP = "\N{NO-BREAK SPACE}" * 6
_DIRECTIONS = f"\N{LEFTWARDS ARROW} better{_GAP}change in %{_GAP}worse \N{RIGHTWARDS ARROW}"


def effects(rows: Rows, *, title: str = "") -> str:
    """Return effects with their intervals, the first row on top: a forest plot.

    A row has `name`, `effect`, `ci_low`, `ci_high`, `worse` and `verdict`, and may have `hint`,
    `standing`, and `relevance`: the smallest relative change that matters.  Smaller ones lie on
    a band.  Worse is on the right, whatever the direction of the metric.  A change that nothing
    has proven is pale, hollow and dashed.
    """
    known = [r for r in rows if r["effect"] is not None]
    if not known:
        return ""
    names = [label(str(r["name"])) for r in known]
    row = _TALL if any("\n" in name for name in names) else _ROW
    with canvas(_EDGES + row * len(known)) as (figure, axes):
        figure.set_figwidth(_WIDTH)
        ends = [100 * x for r in known for x in _turned(r)[1:]] + _bands(axes, known)
        axes.axvline(0, color=colours.INK, lw=0.8)
        for (word, verdict, proven), some in _kinds(known).items():
            colour = colours.VERDICT_COLOURS.get(verdict, colours.UNCHANGED)
            if not proven:
                colour = _PALE.get(verdict, colour)
            marks = axes.errorbar(
                [100 * e for _, e, _, _ in some], [y for y, *_ in some],
                xerr=[[100 * (e - low) for _, e, low, _ in some],
                      [100 * (high - e) for _, e, _, high in some]],
                fmt="o", color=colour, mfc=colour if proven else colours.PAPER, ms=5, lw=1.6,
                capsize=2.5, label=word,
            )  # fmt: skip
            if not proven:
                for line in marks[2]:
                    line.set_linestyle("--")
        change_axes.scale(axes, "x", ends, signed=False)
        axes.use_sticky_edges = False  # a margin beside the band
        axes.autoscale_view(scaley=False)
        axes.set_yticks(range(len(known)))
        axes.set_yticklabels(names, linespacing=1)
        axes.set_ylim(len(known) - 0.4, -0.6)
        for y, r in enumerate(known):
            axes.text(1.01, y, f"{percent(r['effect'])} %", va="center", fontsize=8,
                      transform=axes.get_yaxis_transform())  # fmt: skip
        axes.set_xlabel(_DIRECTIONS)
        figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=8)
        description = "; ".join(f"{r['name']} {percent(r['effect'])} %: {_word(r)}" for r in known)
        return svg(figure, title or "Effects, worst first", description)


def label(name: str) -> str:
    """Return a name in at most two lines; of a longer one the middle is left out.

    Names of one plot start alike and end with what sets them apart.
    """
    lines = textwrap.wrap(name, _NAME, break_on_hyphens=False) or [name]
    if len(lines) > 2:
        lines = [lines[0], f"\N{HORIZONTAL ELLIPSIS}{name[1 - _NAME :]}"]
    return "\n".join(lines)


def _bands(axes: Axes, known: Rows) -> list[float]:
    """Draw what is too small to matter in each row; return its ends in per cent."""
    ends: list[float] = []
    for y, r in enumerate(known):
        relevance = r.get("relevance")
        if relevance is not None:
            # An increase and the decrease that undoes it matter alike.
            low, high = -100 * relevance / (1 + relevance), 100 * relevance
            if (r["effect"] > 0) != (_turned(r)[0] > 0):
                low, high = -high, -low
            axes.barh(y, high - low, left=low, height=1, color=colours.UNCHANGED, alpha=0.18,
                      lw=0, zorder=0, label=None if ends else "too small to matter")  # fmt: skip
            ends += [low, high]
    return ends


def _kinds(
    known: Rows,
) -> dict[tuple[str, str, bool], list[tuple[int, float, float, float]]]:
    """Return places, effects and intervals by word, verdict and whether it is proven."""
    by_look: dict[tuple[str, str, bool], list[tuple[int, float, float, float]]] = {}
    order = {verdict: i for i, verdict in enumerate(colours.VERDICT_COLOURS)}
    for y, r in enumerate(known):
        kind = _word(r), str(r["verdict"]), _word(r) == r["verdict"]
        by_look.setdefault(kind, []).append((y, *_turned(r)))
    # The legend has the order of the colours, proven before not proven.
    return dict(
        sorted(by_look.items(), key=lambda k: (order.get(k[0][1], len(order)), not k[0][2]))
    )


def _word(row: Mapping[str, Any]) -> str:
    """Return the verdict, with its standing where nothing has proven it."""
    standing = row.get("standing") or ("hint" if row.get("hint") else "")
    unproven = standing in _OPEN and row["verdict"] in CHANGES
    return f"{row['verdict']} ({standing})" if unproven else str(row["verdict"])


def _turned(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return effect, low and high of a row so that above 0 is worse."""
    effect, low, high = float(row["effect"]), low_of(row), high_of(row)
    if row["worse"] is None or (effect > 0) == bool(row["worse"]):
        return effect, low, high
    return -effect, -high, -low
