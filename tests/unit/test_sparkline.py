# SPDX-License-Identifier: GPL-2.0-only
"""Sparklines: their scale, gaps, marks, words and size."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from vlag.report import colours
from vlag.report.plots import sparkline

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - our own text


def dots(svg: str) -> list[tuple[float, float, str]]:
    return [
        (float(c.attrib["cx"]), float(c.attrib["cy"]), c.attrib["fill"])
        for c in parsed(svg).iter(f"{SVG}circle")
    ]


def path(svg: str) -> str:
    found = parsed(svg).find(f"{SVG}path")
    assert found is not None
    return found.attrib["d"]


def test_no_value_gives_no_picture() -> None:
    assert sparkline([], title="x") == sparkline([None, None], title="x") == ""


def test_higher_values_lie_higher_and_the_last_has_a_dot() -> None:
    up, down = dots(sparkline([1, 2, 3], title="x")), dots(sparkline([3, 2, 1], title="x"))
    assert [(x, ink) for x, _, ink in up] == [(118, "currentColor")]
    assert up[0][1] == 2
    assert down[0][1] == 22


def test_a_gap_breaks_the_line() -> None:
    assert path(sparkline([1, 2, None, 3, 4], title="x")).count("M") == 2
    assert path(sparkline([1, 2, 2, 3, 4], title="x")).count("M") == 1


def test_marked_places_have_the_colour_of_worse() -> None:
    inks = [ink for *_, ink in dots(sparkline([1, 2, 9, 9], title="x", marked=[2]))]
    assert inks == [colours.WORSE, "currentColor"]


def test_the_scale_holds_a_band_far_away() -> None:
    near = sparkline([100, 101], title="x", band=(100, 101))
    far = sparkline([100, 101], title="x", band=(1, 2))
    assert abs(float(path(near).split()[-1]) - 2) < 0.1
    box = parsed(far).find(f"{SVG}rect")
    assert box is not None
    assert 0 <= float(box.attrib["y"]) <= 24 - float(box.attrib["height"])
    # The line is flat: the distance to the band is what there is to see.
    ys = re.findall(r"[ML][\d.]+ ([\d.]+)", path(far))
    assert abs(float(ys[0]) - float(ys[1])) < 1


def test_a_reader_hears_title_range_band_and_marks() -> None:
    text = "".join(
        parsed(sparkline([1.5, 2, 3], title="p99 <us>", band=(1, 2), marked=[1])).itertext()
    )
    assert text == ("p99 <us>3 values from 1.5 to 3, the last is 3; band from 1 to 2; marked: 2")


def test_a_long_row_stays_small_and_keeps_its_peak_and_its_marks() -> None:
    values = [float(i % 3) for i in range(2000)]
    values[777] = 900.0
    svg = sparkline(values, title="x", marked=[1234])
    assert len(svg) < 1500
    assert " 2L" in path(svg)  # the peak is at the top
    assert len(dots(svg)) == 2
    assert " 2L" not in path(sparkline([*values[:777], 0.0, *values[778:], 900.0], title="x"))
