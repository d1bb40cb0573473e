# SPDX-License-Identifier: GPL-2.0-only
"""The palette: told apart by everybody, light and dark, and readable."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping

import pytest

from vlag.report import colours
from vlag.stats.severity import HINTED, WORDS
from vlag.web import words

# Linear RGB as people see it who lack one kind of cone: Machado, Oliveira and Fernandes, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.0.
SIGHTS = {
    "common": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip
# OKLab (Ottosson, 2020): linear RGB to cones, their cube roots to lightness and two opponents.
CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)  # fmt: skip
OPPONENTS = (
    (0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)  # fmt: skip
#: Distance in OKLab; about 0.02 is just noticeable side by side.
APART, TINTS_APART = 0.085, 0.025
READABLE = 4.5  # WCAG 2.1 AA

#: The verdicts' colours before this palette: that of Okabe and Ito with a grey.
BEFORE = {
    "worse": "#D55E00", "better": "#0072B2", "same": "#7F7F7F", "unsure": "#E69F00",
    "apart": "#CC79A7", "hint": "#F0E442", "marginal": "#009E73",
}  # fmt: skip

Matrix = tuple[tuple[float, ...], ...]


def times(matrix: Matrix, of: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, of, strict=True)) for row in matrix]


def seen(colour: str, sight: Matrix) -> list[float]:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    shown = [min(1.0, max(0.0, c)) for c in times(sight, linear)]
    return times(OPPONENTS, [c ** (1 / 3) for c in times(CONES, shown)])


def closest(of: Mapping[str, str]) -> tuple[float, str]:
    """Return the least distance of two colours in any sight, and which."""
    return min(
        (math.dist(seen(of[a], sight), seen(of[b], sight)), f"{a}, {b}: {name}")
        for name, sight in SIGHTS.items()
        for a, b in itertools.combinations(of, 2)
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everybody_tells_verdicts_apart(dark: bool) -> None:
    distance, which = closest({name: forms[dark] for name, forms in colours.PALETTE.items()})
    assert distance > APART, which
    distance, which = closest({name: colours.tint(name, dark=dark) for name in colours.PALETTE})
    assert distance > TINTS_APART, which


def test_the_measure_finds_colours_that_some_people_confuse() -> None:
    """Negative control: green and grey are one to people without green cones."""
    distance, which = closest(BEFORE)
    assert distance < APART / 2
    assert which == "same, marginal: deuteranopia"
    assert closest({"red": "#CC0000", "green": "#6B6B00"})[1].endswith("anopia")
    assert closest({"a": "#000000", "b": "#FFFFFF"})[0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read_on_its_ground(dark: bool) -> None:
    page = {name: forms[dark] for name, forms in colours.PAGE.items()}
    grounds = {name: page[name] for name in ("ground", "band")}
    grounds |= {f"{name}-tint": colours.tint(name, dark=dark) for name in colours.PALETTE}
    # The hatch is a tint and the ground in turn.
    for ink, ground in itertools.product(("ink", "quiet", "link"), grounds):
        assert colours.contrast(page[ink], grounds[ground]) >= READABLE, f"{ink} on {ground}"
    for verdict in ("worse", "better"):  # also as text
        for ground in ("ground", "band"):
            assert colours.contrast(colours.PALETTE[verdict][dark], page[ground]) >= READABLE


def test_a_page_has_all_variables_light_and_dark_and_light_on_paper() -> None:
    css = colours.css()
    light, dark = css.split("@media screen and (prefers-color-scheme: dark)")
    for name, forms in (*colours.PALETTE.items(), *colours.PAGE.items()):
        assert f"--{name}: {forms[0]};" in light
        assert f"--{name}: {forms[1]};" in dark
    for name in colours.PALETTE:
        assert f"--{name}-tint: {colours.tint(name)};" in light
        assert f"--{name}-tint: {colours.tint(name, dark=True)};" in dark
    assert set(re.findall(r"var\(--([a-z-]+)\)", css)) <= set(re.findall(r"--([a-z-]+):", css))


def test_every_word_has_a_colour_and_what_is_not_proved_is_hatched() -> None:
    assert list(colours.VARIABLES) == list(WORDS)
    assert set(colours.VARIABLES.values()) | set(colours.UNPROVED) == set(colours.PALETTE)
    assert words.tint("REGRESSION") == f"var(--worse-tint, {colours.tint('worse')})"
    for word in ("SUSPECTED", HINTED):
        assert words.tint(word).startswith("var(--hint-hatch, ")
    grounds = {
        (verdict, standing): words.ground({"verdict": verdict, "standing": standing})
        for verdict in ("REGRESSION", "IMPROVEMENT", "UNCHANGED")
        for standing in (None, "told", "confirmed", "hint", "suspected", "refuted")
    }
    for (verdict, standing), ground in grounds.items():
        unproved = verdict != "UNCHANGED" and standing in ("hint", "suspected", "refuted")
        assert ("-hatch" in ground) is unproved, (verdict, standing)
    assert "--gain" in grounds["IMPROVEMENT", "hint"]
    assert "--hint" in grounds["REGRESSION", "hint"]


def test_what_nobody_knows_is_neutral() -> None:
    """A person reads orange as a warning."""
    for name in ("unsure", "same"):
        for colour in (*colours.PALETTE[name], colours.tint(name), colours.tint(name, dark=True)):
            channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
            assert max(channels) - min(channels) <= 16, name
    assert colours.VERDICT_COLOURS["INCONCLUSIVE"] == colours.UNSURE
