# SPDX-License-Identifier: GPL-2.0-only
"""What is said of searches whose boots are drawn: what the hours can hold, and what is wrong."""

from __future__ import annotations

from collections import Counter

from attrs import evolve

from bench import noisy_boots, noisy_searches
from bench.noisy_searches import NONE, RIGHT, WRONG, Answers, Cell


def cell(hours: int) -> Cell:
    return Cell(name="as drawn", losses=(0.05,), noise=noisy_boots.normal(0.02), hours=hours)


def answered(hours: int = 8) -> Answers:
    """Return four searches, of which one has a limit of 50 boots."""
    words = [RIGHT, RIGHT, WRONG, NONE]
    return Answers(
        cell=cell(hours), ours=Counter(words), words=words, boots=[20, 24, 24, 32],
        by_hand=Counter([RIGHT]), limits=[10.0, 12.0, 12.0, 50.0],
    )  # fmt: skip


def test_the_commit_that_is_asked_about_first_is_so_far_from_the_culprit() -> None:
    commits = [str(n) for n in range(noisy_searches.COMMITS + 1)]
    named = [evolve(cell(8), named=n) for n in (0, 1, -1)]
    assert [noisy_searches.elsewhere(c, commits, [9]) for c in named] == [["9"], ["10"], ["8"]]
    # Round the end of the history; the good end is never named.
    assert [noisy_searches.elsewhere(c, commits, [64]) for c in named] == [["64"], ["1"], ["63"]]
    assert noisy_searches.elsewhere(named[2], commits, [1]) == ["64"]
    assert noisy_searches.elsewhere(cell(8), commits, [9]) == []


def test_what_the_board_hours_cannot_hold_is_said_apart() -> None:
    made = answered()
    assert (made.cell.budget, made.beyond, made.right_within) == (43, 1, 2)
    said = noisy_searches.summary([made])
    assert said[0].startswith("- Of all 4 searches 1 named wrongly: 0.250 [0.006, 0.806]")
    assert said[1].endswith(". Those that named none have limits from 50 to 50.")
    assert "in 1 of 4 the limit is beyond the 43 boots; of the other 3 2 are right" in said[1]
    # Negative control: in twice the hours nothing is beyond.
    made = answered(hours=16)
    assert (made.cell.budget, made.beyond) == (87, 0)
    assert len(noisy_searches.summary([made])) == 1
