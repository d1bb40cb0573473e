# SPDX-License-Identifier: GPL-2.0-only
"""The colours of verdicts and pages: one home for reports, pages, plots and panels.

Each colour has a light and a dark form.  People with any common kind of colour blindness can
tell the colours of verdicts apart, a word stands beside each of them, and the colour of "worse"
is the same whatever the direction of the metric.  What nothing has proved is pale and hatched;
what nobody knows is neutral.

Constants are the light forms, for files and for Grafana.  A page has `css()` and uses variables:
`var(--worse)` for lines and marks, `var(--worse-tint)` for the ground of a cell with text.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vlag.stats.severity import HINTED

WORSE = "#C2410C"  # vermillion
BETTER = "#1F5FA6"  # blue
HINT = "#EBA264"  # pale vermillion: maybe worse
GAIN = "#6DB0EE"  # pale blue: maybe better
UNSURE = "#C3C6CB"  # light grey: a warning would be a claim
UNCHANGED = "#84878B"  # grey
MARGINAL = "#EFE15C"  # yellow
NOT_COMPARABLE = "#552B60"  # dark purple
SUSPECTED = HINT

INK = "#1A1A1A"  # text and axes
QUIET = "#4A4F55"  # text of less weight
LINK = "#00508A"
LINE = "#C8C8C8"
PAPER = "#FFFFFF"  # the ground
BAND = "#F3F5F7"  # the ground of what stands out from the ground

#: The two sides of a comparison: no verdict has these.
BASE, NEW = "#009E73", "#56B4E9"

#: Colours of verdicts: CSS variable, light, dark.
PALETTE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "worse": (WORSE, "#FA8332"),
        "better": (BETTER, "#4A90F0"),
        "hint": (HINT, "#9A6A48"),
        "gain": (GAIN, "#2A5CA0"),
        "unsure": (UNSURE, "#4E5156"),
        "same": (UNCHANGED, "#9CA0A4"),
        "marginal": (MARGINAL, "#F3EC7C"),
        "apart": (NOT_COMPARABLE, "#E0B0FA"),
    }
)
#: All other colours of a page.
PAGE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ink": (INK, "#E4E7EA"),
        "quiet": (QUIET, "#B4BAC1"),
        "link": (LINK, "#8CC4F8"),
        "line": (LINE, "#3A4047"),
        "ground": (PAPER, "#15181C"),
        "band": (BAND, "#1E2328"),
        "base": (BASE, BASE),
        "new": (NEW, NEW),
    }
)
#: Share of a colour in its tint, light and dark: text and links on it stay easy to read.
_TINTS = (0.30, 0.24)
#: Variables of what is not proved.
UNPROVED = ("hint", "gain")

#: Variable of every word that a figure or a comparison can have, as `vlag.stats.severity` orders.
VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "REGRESSION": "worse",
        "MIXED": "worse",
        "FAILED": "worse",
        "SUSPECTED": "hint",
        "MARGINAL": "marginal",
        "NOT_COMPARABLE": "apart",
        "INCONCLUSIVE": "unsure",
        "IMPROVEMENT": "better",
        "UNCHANGED": "same",
    }
)
VERDICT_COLOURS: Mapping[str, str] = MappingProxyType(
    {word: PALETTE[name][0] for word, name in VARIABLES.items()}
)
#: With the word of a comparison that has only hints.
WORD_COLOURS: Mapping[str, str] = MappingProxyType({**VERDICT_COLOURS, HINTED: HINT})


def variable(word: str) -> str:
    """Return the name of a word's colour: "worse" for REGRESSION, "same" for an unknown word."""
    return "hint" if word == HINTED else VARIABLES.get(word, "same")


def var(name: str) -> str:
    """Return a colour as CSS: its variable, or its light form where a page lacks the variable."""
    return f"var(--{name}, {(PALETTE.get(name) or PAGE[name])[0]})"


def ground(name: str) -> str:
    """Return the background of a cell as CSS: the colour's tint, hatched if it is unproved."""
    return f"var(--{name}-{'hatch' if name in UNPROVED else 'tint'}, {tint(name)})"


def tint(name: str, *, dark: bool = False) -> str:
    """Return a colour mixed with the page's ground, as "#RRGGBB"."""
    return mixed(PALETTE[name][dark], PAGE["ground"][dark], _TINTS[dark])


def mixed(one: str, other: str, share: float) -> str:
    """Return a mix of two colours "#RRGGBB" with this share, 0 to 1, of the first."""
    pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02X}" for a, b in pairs)


def css() -> str:
    """Return a style sheet with all variables, light and dark; paper is light."""
    light, dark = (_variables(dark=dark) for dark in (False, True))
    hatches = " ".join(
        f"--{name}-hatch: repeating-linear-gradient(135deg, var(--{name}-tint) 0 4px,"
        " var(--ground) 4px 7px);"
        for name in UNPROVED
    )
    return (
        f":root {{ color-scheme: light; {light} {hatches} }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f":root {{ color-scheme: dark; {dark} }}\n}}\n"
    )


def _variables(*, dark: bool) -> str:
    colours = {name: forms[dark] for name, forms in (*PAGE.items(), *PALETTE.items())}
    colours |= {f"{name}-tint": tint(name, dark=dark) for name in PALETTE}
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


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
