# SPDX-License-Identifier: GPL-2.0-only
"""A row of values as a picture of a word's size, without axes and without matplotlib."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from statistics import median

from vlag.report import colours
from vlag.report.compared import number

# Most places of a line: more than one in two units of width is invisible.
_UNITS_A_PLACE = 2
_DOT = 2.0  # radius of a dot; the margin, too


def sparkline(
    values: Sequence[float | None],
    *,
    title: str,
    marked: Sequence[int] = (),
    band: tuple[float, float] | None = None,
    width: int = 120,
    height: int = 24,
) -> str:
    """Return values as one line in an `svg` element of so many units; "" without any value.

    A value that is None is a gap.  `marked` are the places of values with a dot in the colour
    of "worse", and `band` is drawn behind the line: the scale holds both.  The line has the
    colour of the text around it.  Of a long row each part shows the value farthest from the
    median of all, so that no peak is lost.
    """
    kept = _thinned(values, frozenset(marked), max(2, width // _UNITS_A_PLACE))
    points = [(place, value) for place, value in kept if value is not None]
    if not points:
        return ""
    low = min([v for _, v in points] + [*(band or ())])
    high = max([v for _, v in points] + [*(band or ())])

    def across(place: int) -> float:
        return _DOT + (width - 2 * _DOT) * (place / (len(values) - 1) if len(values) > 1 else 1)

    def down(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return height - _DOT - (height - 2 * _DOT) * share

    parts = []
    if band is not None:
        top, bottom = down(max(band)), down(min(band))
        parts.append(
            f'<rect width="{width}" y="{_short(top)}" height="{_short(max(1, bottom - top))}"'
            ' fill="currentColor" fill-opacity=".15"/>'
        )
    line, pen = "", "M"
    for place, value in kept:
        if value is not None:
            line += f"{pen}{_short(across(place))} {_short(down(value))}"
        pen = "M" if value is None else "L"
    parts.append(f'<path d="{line}" fill="none" stroke="currentColor" stroke-linejoin="round"/>')
    dots = {points[-1][0]: "currentColor", **dict.fromkeys(marked, colours.WORSE)}
    parts += [
        f'<circle cx="{_short(across(place))}" cy="{_short(down(value))}" r="{_DOT:g}"'
        f' fill="{dots[place]}"/>'
        for place, value in points
        if place in dots
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spark" role="img" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}"><title>{html.escape(title)}</title>'
        f"<desc>{html.escape(_said(values, marked, band))}</desc>{''.join(parts)}</svg>"
    )


def _thinned(
    values: Sequence[float | None], marked: frozenset[int], most: int
) -> list[tuple[int, float | None]]:
    """Return at most so many places with their values, and the marked ones and the last."""
    places = list(enumerate(values))
    if len(places) <= most:
        return places
    known = [v for v in values if v is not None]
    middle = median(known) if known else 0.0
    size = math.ceil(len(places) / most)
    kept = {i for i in marked if 0 <= i < len(places)}
    kept |= {max(i for i, v in places if v is not None)} if known else set()
    for start in range(0, len(places), size):
        part = places[start : start + size]
        kept.add(max(part, key=lambda p: -1 if p[1] is None else abs(p[1] - middle))[0])
    return [places[i] for i in sorted(kept)]


def _said(
    values: Sequence[float | None], marked: Sequence[int], band: tuple[float, float] | None
) -> str:
    known = [v for v in values if v is not None]
    description = f"{len(known)} values from {number(min(known))} to {number(max(known))}"
    description += f", the last is {number(known[-1])}"
    if band is not None:
        low, high = sorted(band)
        description += f"; level {number(low)}" if low == high else ""
        description += f"; band from {number(low)} to {number(high)}" if low < high else ""
    if marked:
        description += f"; marked: {', '.join(str(place + 1) for place in sorted(marked))}"
    return description


def _short(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")
