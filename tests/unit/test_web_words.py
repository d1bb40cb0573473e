# SPDX-License-Identifier: GPL-2.0-only
"""Figures and names as a page shows them."""

from __future__ import annotations

import pytest

from vlag.web import words


@pytest.mark.parametrize(
    ("effect", "worsening", "said", "way"),
    [
        (0.05, 0.05, "+5.0\N{NO-BREAK SPACE}%", "worse"),
        (-0.05, 0.05, "-5.0\N{NO-BREAK SPACE}%", "worse"),
        (-0.0003, -0.0003, "-0.03\N{NO-BREAK SPACE}%", "better"),
        # What rounds to nothing is neither worse nor better.
        (-0.00004, -0.00004, "0.00\N{NO-BREAK SPACE}%", ""),
        (0.00004, 0.00004, "0.00\N{NO-BREAK SPACE}%", ""),
        (0.0, 0.0, "0.00\N{NO-BREAK SPACE}%", ""),
        (359.49, 359.49, "+35,949\N{NO-BREAK SPACE}%", "worse"),
        (None, None, "-", ""),
    ],
)
def test_a_change_has_a_direction_if_it_has_digits(
    effect: float | None, worsening: float | None, said: str, way: str
) -> None:
    assert words.change(effect) == said
    assert words.direction(effect, worsening) == way


def test_a_name_breaks_behind_its_signs_and_is_text() -> None:
    assert words.parted("sched_features=NO_<b>") == "sched_<wbr>features=<wbr>NO_<wbr>&lt;b&gt;"
    assert words.parted("_a__b") == "_<wbr>a__<wbr>b"
    assert words.parted("") == ""


def test_a_sentence_has_one_stop() -> None:
    assert words.stopped("Attempted to kill init!") == "Attempted to kill init!"
    assert words.stopped("the board was away") == "the board was away."
