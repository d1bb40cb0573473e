# SPDX-License-Identifier: GPL-2.0-only
"""Who calls the functions in which two kernels differ, as a flame graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from vlag.report import colours
from vlag.report.plots.canvas import Rows, canvas, short
from vlag.report.svg import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.6  # inches, as of the functions' bars
_ROW = 0.19  # inches of a level
_EDGES = 0.75  # above and below the levels
_CHARACTERS = 132  # of the small print that fit into the whole width
#: Least own change that has a colour, as a share of the kernel's instructions.
_LEAST = 0.001
_KINDS = {True: ("more of its own", colours.WORSE), False: ("fewer of its own", colours.BETTER)}


@frozen(kw_only=True)
class _Box:
    depth: int
    name: str
    left: float
    width: float
    own: float  # change of what it executes itself


def flame(profile: Mapping[str, Any]) -> str:
    """Return the tree of calls: a function above its caller, as wide as what it executes.

    `profile` has `frames` of `vlag.profile.flame`, `functions` and `operation`, as the data of a
    report.  The width is the mean of both kernels.  A function of which it is sure that it
    differs, and that executes more or fewer instructions itself, has a colour.  "" without frames.
    """
    rows: Rows = profile.get("frames") or ()
    if not rows:
        return ""
    sure = {f["name"] for f in profile["functions"] if f["certain"]}
    boxes = list(_boxes(rows))
    whole = boxes[0].width
    depth = max(b.depth for b in boxes) + 1
    with canvas(_EDGES + _ROW * depth) as (figure, axes):
        figure.set_figwidth(_WIDTH)
        named = set()
        for box in boxes:
            kind = None
            if box.name in sure and abs(box.own) >= _LEAST * whole:
                kind = _KINDS[box.own > 0]
            _draw(axes, box, kind, whole, label=kind is not None and kind[0] not in named)
            named.add(kind[0] if kind else "")
        axes.set_xlim(0, whole)
        axes.set_ylim(-0.5, depth - 0.5)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"instructions a {profile['operation']}, mean of base and new")
        if named - {""}:
            figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=8)
        changed = sorted((b for b in boxes if b.name in sure), key=lambda b: -abs(b.own))[:10]
        description = "; ".join(f"{b.name} {b.own:+.1f}" for b in changed)
        return svg(figure, f"Calls a {profile['operation']}, by caller", description or "no change")


def _boxes(rows: Rows) -> Iterator[_Box]:
    """Return a box for each frame; those of one caller stand side by side from its left end."""
    lefts: list[float] = []  # where the next frame of each depth begins
    for n, row in enumerate(rows):
        depth, width = row["depth"], (row["base"] + row["new"]) / 2
        left = lefts[depth] if depth < len(lefts) else 0.0
        below = 0.0
        for other in rows[n + 1 :]:
            if other["depth"] <= depth:
                break
            if other["depth"] == depth + 1:
                below += other["new"] - other["base"]
        own = row["new"] - row["base"] - below
        yield _Box(depth=depth, name=str(row["name"]), left=left, width=width, own=own)
        lefts[depth:] = [left + width, left]


def _draw(
    axes: Axes, box: _Box, kind: tuple[str, str] | None, whole: float, *, label: bool
) -> None:
    word, colour = kind or ("", colours.BAND)
    axes.barh(
        box.depth, box.width, left=box.left, height=1, color=colour, ec=colours.LINE, lw=0.6,
        label=word if label else None,
    )  # fmt: skip
    room = int(_CHARACTERS * box.width / whole)
    if room >= 4:
        axes.text(
            box.left + 0.003 * whole, box.depth, short(box.name, room), va="center", fontsize=6.5,
            color=colours.INK if kind is None else colours.ink_on(colour),
        )  # fmt: skip
