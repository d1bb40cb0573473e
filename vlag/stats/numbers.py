# SPDX-License-Identifier: GPL-2.0-only
"""Numbers as people read them: without an exponent, unless they are beyond all measures."""

from __future__ import annotations

import math

# Only numbers outside of these have an exponent: as many zeros say less.
_TINY, _HUGE = 1e-9, 1e15


def plain(value: float, significant: int, places: int = 0) -> str:
    """Return a number without an exponent, with so many digits or decimal places at least.

    Of a size below 1e-9, or from 1e15, it has one.
    """
    if value and not _TINY <= abs(value) < _HUGE:
        return f"{value:.{significant}g}"
    exponent = math.floor(math.log10(abs(value))) if value else 0
    places = max(places, significant - 1 - exponent)
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def grouped(value: float, significant: int) -> str:
    """Return a number as `plain` does, with commas between thousands."""
    whole, point, rest = plain(abs(value), significant).partition(".")
    thousands = f"{int(whole):,}" if whole.isdecimal() else whole
    return f"{'-' if value < 0 else ''}{thousands}{point}{rest}"


def chance(share: float) -> str:
    """Return a chance in per cent; one that is not certain is never 100."""
    return f"{min(100 * share, 99.9):.1f} %" if share >= 0.985 else f"{100 * share:.0f} %"
