"""Figures and verdicts as a page shows them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from flask import Flask
from markupsafe import Markup

from vlag.report.colours import BETTER, PAPER, UNCHANGED, WORD_COLOURS
from vlag.report.compared import hinted, number

#: Share of a verdict's colour in a table cell: the text on it stays easy to read.
_TINT = 0.25
#: Below this share, a tenth of a percent means nothing.
_SMALL = 0.001
#: From this share on, a tenth of a percent means nothing either.
_TENFOLD = 10.0

#: Keeps a figure and its sign on one line.
_PERCENT = "\N{NO-BREAK SPACE}%"

#: Tooltips: the meaning of each verdict.
MEANINGS: Mapping[str, str] = {
    "REGRESSION": "worse by more than chance and more than matters",
    "IMPROVEMENT": "better by more than chance and more than matters",
    "MIXED": "worse in one figure, better in another",
    "FAILED": "a build or a boot failed",
    "SUSPECTED": "fresh boots must say whether it is real",
    "REGRESSION (hint)": "worse in figures that this board cannot prove; nothing else is worse",
    "MARGINAL": "a certain change, about as large as what matters",
    "NOT_COMPARABLE": "the two sides differ in more than the kernel",
    "INCONCLUSIVE": "too few boots to say",
    "UNCHANGED": "any difference is smaller than what matters",
}

#: Standings of a change that nothing has confirmed yet.
_DOUBT = ("hint", "suspected", "refuted")


def change(effect: float | None) -> str:
    """Return a relative change in percent with its sign; "-" for none."""
    if effect is None:
        return "-"
    places = 2 if abs(effect) < _SMALL else 1 if abs(effect) < _TENFOLD else 0
    return f"{100 * effect:+,.{places}f}{_PERCENT}"


def share(of: float | None) -> str:
    """Return a share in percent; "-" for none."""
    return "-" if of is None else f"{100 * of:,.{1 if of < _TENFOLD else 0}f}{_PERCENT}"


def chance(p: float | None) -> str:
    """Return a probability with two digits; "-" for none."""
    return "-" if p is None else f"{p:.2g}"


def moment(at: datetime.datetime | None) -> str:
    """Return date and time in UTC, to the minute; "-" for None."""
    return "-" if at is None else f"{at.astimezone(datetime.UTC):%Y-%m-%d %H:%M}"


def duration(seconds: float | None) -> str:
    """Return a time as hours, minutes or seconds; "-" for none."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def colour(word: str) -> str:
    """Return the colour of a verdict's word."""
    return WORD_COLOURS.get(word, UNCHANGED)


def tint(word: str) -> str:
    """Return a verdict's colour mixed with the page's background, as "#RRGGBB"."""
    return _mixed(colour(word), _TINT)


def shade(of: float) -> str:
    """Return the colour of a share in a heat map: its root, so that a thin tail is visible."""
    return _mixed(BETTER, math.sqrt(of))


def _mixed(ink: str, part: float) -> str:
    pairs = ((int(ink[i : i + 2], 16), int(PAPER[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part * a + (1 - part) * b):02X}" for a, b in pairs)


def ground(row: Mapping[str, Any]) -> str:
    """Return the background of a row of the view `verdict`; unconfirmed changes get SUSPECTED."""
    changed = row["verdict"] in ("REGRESSION", "IMPROVEMENT")
    return tint("SUSPECTED" if changed and row["standing"] in _DOUBT else row["verdict"])


def verdict(word: str) -> Markup:
    """Return a verdict as HTML: its word and its colour."""
    return Markup('<span class="verdict" style="border-color: {}" title="{}">{}</span>').format(
        colour(word), MEANINGS.get(word, ""), word
    )


def register(app: Flask) -> None:
    """Make these words known to the templates."""
    for function in (
        change, share, chance, moment, duration, number, shade, colour, tint, ground, verdict,
        hinted,
    ):  # fmt: skip
        app.add_template_filter(function)
