"""The colours of verdicts: one home for reports, pages and panels.

The set is that of Okabe and Ito, which people with any common kind of colour blindness can tell
apart.  A word always stands beside a colour, and the colour of "worse" is the same whatever the
direction of the metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vlag.stats.severity import HINTED

WORSE = "#D55E00"  # vermillion
BETTER = "#0072B2"  # blue
UNCHANGED = "#7F7F7F"  # grey
UNSURE = "#E69F00"  # orange
NOT_COMPARABLE = "#CC79A7"  # purple
SUSPECTED = "#F0E442"  # yellow
MARGINAL = "#009E73"  # bluish green
GAIN = "#6DB0EE"  # pale blue: maybe better

#: The two sides of a comparison: no verdict has these.
BASE, NEW = "#009E73", "#56B4E9"

# Every word that a figure or a comparison can have, in the order of `vlag.stats.severity`.
VERDICT_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "REGRESSION": WORSE,
        "MIXED": WORSE,
        "FAILED": WORSE,
        "SUSPECTED": SUSPECTED,
        "MARGINAL": MARGINAL,
        "NOT_COMPARABLE": NOT_COMPARABLE,
        "INCONCLUSIVE": UNSURE,
        "IMPROVEMENT": BETTER,
        "UNCHANGED": UNCHANGED,
    }
)

#: With the word of a comparison that has only hints.
WORD_COLOURS: Mapping[str, str] = MappingProxyType({**VERDICT_COLOURS, HINTED: SUSPECTED})

INK = "#111111"  # on a light ground
PAPER = "#FFFFFF"  # a plot's ground, also on a dark page: the colours are made for white


def _luminance(colour: str) -> float:
    """Return the relative luminance of "#RRGGBB", 0 to 1 (WCAG 2.1, "relative luminance")."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours "#RRGGBB", 1 to 21 (WCAG 2.1, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(ground: str) -> str:
    """Return `INK` or `PAPER`, whichever is easier to read on a colour "#RRGGBB"."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, ground))
