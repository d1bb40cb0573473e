# SPDX-License-Identifier: GPL-2.0-only
"""Figures and verdicts as a page shows them."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any

from flask import Flask
from markupsafe import Markup

from vlag.report import colours
from vlag.report.compared import (
    board_types,
    confirmed_against_parent,
    counted,
    duration,
    hinted,
    number,
    share,
    unmeasured,
)
from vlag.report.overview import news
from vlag.stats import severity
from vlag.stats.sentences import probability
from vlag.store.kernels import UNDATED
from vlag.web import declared_rows

#: Below this share, a tenth of a percent means nothing.
_SMALL = 0.001
#: From this share on, a tenth of a percent means nothing either.
_TENFOLD = 10.0

#: A change that rounds to nothing has no sign.
_NOTHING = "0.00"
#: What a name is made of: a knob, a branch or a patch breaks behind these signs.
_PARTS = re.compile(r"[^=_/,]+[=_/,]*|[=_/,]+")

#: Keeps a figure and its sign on one line.
_PERCENT = "\N{NO-BREAK SPACE}%"

#: Tooltips: the meaning of each word of `severity.RANKS`; docs/verdict.md has the same.
MEANINGS: Mapping[str, str] = {
    "REGRESSION": "worse by more than chance and more than matters",
    "IMPROVEMENT": "better by more than chance and more than matters",
    "MIXED": "worse in one figure, better in another",
    "FAILED": "a build or a boot failed",
    "SUSPECTED": "a rerun must say whether it is real",
    "REGRESSION (hint)": "worse in figures that this board cannot prove; nothing else is worse",
    "MIXED (hint)": "worse in one figure, better in another; this board can prove neither",
    "MARGINAL": "a certain change, about as large as what matters",
    "NOT_COMPARABLE": "the two sides differ in more than the kernel",
    "INCONCLUSIVE": "the boots leave it open",
    "MARGINAL (hint)": "about as large as what matters, in figures that this board cannot prove",
    "IMPROVEMENT (hint)": "better in figures that this board cannot prove",
    "UNCHANGED": "any difference is smaller than what matters",
}

#: The start of a reason that repeats change and interval.
_NUMBERS = re.compile(r"^(worse|better) by [^;,]*(\[[^]]*\])?(; |, which )")

#: Standings of a change that nothing has confirmed yet.
_DOUBT = ("hint", "suspected", "refuted")


def change(effect: float | None) -> str:
    """Return a relative change in percent with its sign; "-" for none."""
    if effect is None:
        return "-"
    places = 2 if abs(effect) < _SMALL else 1 if abs(effect) < _TENFOLD else 0
    text = f"{100 * effect:+,.{places}f}"
    return f"{text if text.strip('+-0.') else _NOTHING}{_PERCENT}"


def direction(effect: float | None, worsening: float | None) -> str:
    """Return "worse" or "better"; "" for a change that is none in its printed digits."""
    if not worsening or not change(effect).startswith(("+", "-")):
        return ""
    return "worse" if worsening > 0 else "better"


def parted(text: str) -> Markup:
    """Return text that may break after its signs: knobs and branches have no spaces."""
    return Markup("<wbr>").join(_PARTS.findall(text))


def chance(p: float | None) -> str:
    """Return a probability with two digits; "-" for none."""
    return "-" if p is None else probability(p).removeprefix("p = ").removeprefix("p ")


def moment(at: datetime.datetime | None) -> str:
    """Return date and time in UTC, to the minute; "-" for None."""
    if at == UNDATED:
        return "date unknown"
    return "-" if at is None else f"{at.astimezone(datetime.UTC):%Y-%m-%d %H:%M}"


def day(at: datetime.datetime) -> str:
    """Return the date in UTC; nothing for an unknown one."""
    return "" if at == UNDATED else f"{at.astimezone(datetime.UTC):%Y-%m-%d}"


def colour(word: str) -> str:
    """Return the colour of a verdict's word as CSS, for lines and marks."""
    return colours.var(colours.variable(word))


def tint(word: str) -> str:
    """Return the background of a cell with a verdict's word as CSS."""
    return colours.ground(colours.variable(word))


def shade(share: float) -> str:
    """Return the colour of a share in a heat map: its root, so that a thin tail is visible."""
    return f"color-mix(in srgb, {colours.var('better')} {100 * math.sqrt(share):.0f}%, transparent)"


def stopped(sentence: str) -> str:
    """Return a sentence with the stop at its end, unless it ends with one."""
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def brief(reason: str) -> str:
    """Return the part of a figure's reason that its row does not have in numbers."""
    return _NUMBERS.sub("", reason)


def rank(row: Mapping[str, Any]) -> int:
    """Return the place of a row's verdict in the order "worst first"; an unknown one is last."""
    try:
        return severity.severity(row["verdict"], row["standing"] or "")
    except KeyError:
        return len(severity.RANKS)


def ground(row: Mapping[str, Any]) -> str:
    """Return the background of a row of the view `verdict`; unconfirmed changes are hatched."""
    if row["standing"] in _DOUBT:
        unproved = {"REGRESSION": "hint", "IMPROVEMENT": "gain"}.get(row["verdict"])
        if unproved:
            return colours.ground(unproved)
    return tint(row["verdict"])


def verdict(word: str) -> Markup:
    """Return a verdict as HTML: its word and its colour."""
    return Markup('<span class="verdict" style="border-color: {}" title="{}">{}</span>').format(
        colour(word), MEANINGS.get(word, ""), word
    )


def register(app: Flask) -> None:
    """Make these words known to the templates."""
    for function in (
        change, direction, parted, share, chance, probability, moment, day, duration, number,
        shade, colour, tint, ground, verdict, hinted, unmeasured, confirmed_against_parent, news,
        stopped, brief, rank, board_types, declared_rows.settings,
    ):  # fmt: skip
        app.add_template_filter(function)
    app.add_template_global(counted)
