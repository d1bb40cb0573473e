# SPDX-License-Identifier: GPL-2.0-only
"""A board that moves against the other boards of its type: which one, how far, and when not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from vlag.stats.siblings import LATELY, REFERENCE, Seen, moves

NIGHTS = REFERENCE + LATELY

Shift = Callable[[str, int], float]


def seen(
    boards: str, shift: Shift, *, nights: int = NIGHTS, baseline: bool = True, seed: int = 1
) -> list[Seen]:
    """Return the nights of boards, on each a kernel of its own and the baseline's."""
    rng = np.random.default_rng(seed)
    levels = {b: rng.normal(0, 0.02) for b in boards}
    return [
        Seen(
            figure="f", kernel=kernel, night=night, board=b,
            log=levels[b] + shift(b, night) + effect + float(rng.normal(0, 0.004)),
        )
        for night in range(nights)
        for kernel, effect in (("base", 0.0), (f"head {night}", float(rng.normal(0, 0.1))))
        for b in boards
        if baseline or kernel != "base"
    ]  # fmt: skip


def step(board: str, size: float, at: int = REFERENCE) -> Shift:
    return lambda b, night: math.log1p(size) * (b == board and night >= at)


def test_of_three_it_is_the_one_that_moved_against_both() -> None:
    [found] = moves(seen("abc", step("b", -0.03), baseline=False))
    assert (found.boards, found.against) == (("b",), ("a", "c"))
    assert found.size == pytest.approx(-0.03, abs=0.005)
    assert abs(math.log1p(found.size)) > math.log1p(found.reach) > 0.02 - 1e-3
    assert found.night == REFERENCE
    # Negative control: heads differ by 10 % from night to night, and boards stay.
    assert moves(seen("abc", lambda _b, _n: 0.0, baseline=False)) == []


def test_of_two_it_is_the_one_that_is_not_what_it_was() -> None:
    [found] = moves(seen("ab", step("a", 0.03)))
    assert (found.boards, found.against) == (("a",), ("b",))
    assert found.size == pytest.approx(0.03, abs=0.005)
    [found] = moves(seen("ab", step("a", 0.03), baseline=False))
    assert found.boards == ("a", "b")


def test_what_all_boards_do_together_is_no_move() -> None:
    """A warm month, or a baseline that was built again."""
    assert moves(seen("abc", lambda _b, night: 0.05 * (night >= REFERENCE))) == []
    assert moves(seen("ab", lambda _b, night: -0.001 * night)) == []


@pytest.mark.parametrize(("size", "expected"), [(-0.01, 0), (-0.04, 1)])
def test_less_than_matters_is_no_move(size: float, expected: int) -> None:
    assert len(moves(seen("abc", step("c", size)))) == expected


def test_a_board_that_came_back_is_what_it_was() -> None:
    back = REFERENCE + LATELY // 2 + 2

    def away(b: str, night: int) -> float:
        return -0.05 * (b == "a" and REFERENCE <= night < back)

    assert moves(seen("abc", away)) == []


def test_too_few_nights_are_not_judged_nor_those_before_a_person_said_good() -> None:
    rows = seen("abc", step("b", -0.05))
    assert moves(rows[: -6 * 3]) == []
    assert moves(rows, {"b": REFERENCE + 1}) == []
    assert len(moves(rows, {"b": REFERENCE})) == 1


def test_a_bad_night_is_no_move() -> None:
    def bad(b: str, night: int) -> float:
        return -0.3 * (b == "b" and night % 7 == 0)

    assert moves(seen("abc", bad)) == []
