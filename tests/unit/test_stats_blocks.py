# SPDX-License-Identifier: GPL-2.0-only
"""Boards as blocks: differences within them, and levels from what they ran in common."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench import boards
from vlag.compare.boards import distributions
from vlag.model import Direction
from vlag.stats import blocks
from vlag.stats.blocks import Observation, levels
from vlag.stats.shift import shift


def test_a_difference_within_boards_is_that_of_the_linear_model() -> None:
    random = np.random.default_rng(1)
    names = ["a"] * 4 + ["b"], ["a", "b", "b", "b", "c", "c"]
    names[0].extend(["c", "c"])
    logs = [random.normal(0.0, 0.01, len(of)) + [0.03 * "abc".index(b) for b in of] for of in names]
    fitted = blocks.within(logs[0], logs[1], names)
    design = np.asarray([[side, *(b == c for c in "abc")] for side, of in enumerate(names)
                         for b in of], dtype=float)  # fmt: skip
    y = np.concatenate(logs)
    best = np.linalg.lstsq(design, y, rcond=None)[0]
    assert fitted.new.mean() - fitted.base.mean() == pytest.approx(best[0])
    exact = np.linalg.inv(design.T @ design)[0, 0]
    mix = fitted.mix(*names, [], 0.0)
    assert 1 / len(names[0]) + 1 / len(names[1]) + mix == pytest.approx(exact)
    assert mix > 0.01
    # Balanced sides pay nothing, and earlier boots of one board do.
    even = blocks.within(logs[0][:4], logs[1][:4], (["a", "a", "b", "b"], ["a", "b", "a", "b"]))
    assert even.mix(["a", "b"], ["a", "b"], [], 0.0) == pytest.approx(0.0)
    assert even.mix(["a", "b"], ["a", "b"], ["a"] * 9, 4.0) > 0.05


def common(nights: int, offsets: dict[str, float], *, scale: float = 0.005) -> list[Observation]:
    """Return kernels that all of some boards ran, one each night."""
    random = np.random.default_rng(nights)
    return [
        Observation(kernel=night, board=board, log=off + random.normal(0, scale), day=night)
        for night in range(nights)
        for board, off in offsets.items()
    ]


def test_levels_are_found_with_an_error_that_holds() -> None:
    off = []
    for count in range(10, 60):
        [known] = levels(common(count, {"a": 0.0, "b": 0.03}))
        error = known.error({"a": -1.0, "b": 1.0})
        off.append((known.offsets["b"] - known.offsets["a"] - 0.03) / error)
        assert error == pytest.approx(0.005 * math.sqrt(2 / count), rel=0.6)
    assert np.std(off) == pytest.approx(1.0, abs=0.35)


def test_bad_boots_move_no_level() -> None:
    seen = common(20, {"a": 0.0, "b": 0.03})
    bad = [Observation(kernel=o.kernel, board="b", log=o.log + math.log(2), day=o.day)
           for o in seen[1:7:2]]  # fmt: skip
    kept = [o for o in seen if (o.kernel, o.board) not in {(b.kernel, b.board) for b in bad}]
    [known] = levels([*kept, *bad])
    assert known.offsets["b"] - known.offsets["a"] == pytest.approx(0.03, abs=0.004)


def test_a_night_a_board_of_one_kernel_connects_them() -> None:
    seen = [Observation(kernel="baseline", board="ab"[n % 2], log=0.03 * (n % 2), day=n)
            for n in range(12)]  # fmt: skip
    [known] = levels(seen)
    assert known.offsets["b"] - known.offsets["a"] == pytest.approx(0.03)


def test_boards_with_nothing_in_common_stay_apart() -> None:
    seen = common(20, {"a": 0.0, "b": 0.03})
    alone = [Observation(kernel=f"own {n}", board="c", log=0.5, day=n) for n in range(20)]
    assert [known.order for known in levels([*seen, *alone])] == [("a", "b"), ("c",)]
    # One kernel in common is no connection, and neither is a board that came after the other.
    assert [k.order for k in levels(common(3, {"a": 0.0, "b": 0.0}))] == [("a",), ("b",)]
    after = [Observation(kernel=n % 4, board="ab"[n > 9], log=0.0, day=n) for n in range(20)]
    assert [k.order for k in levels(after)] == [("a",), ("b",)]


def test_known_levels_cost_more_than_boots_of_one_board() -> None:
    [known] = levels(common(12, {"a": 0.0, "b": 0.03}))
    cost = blocks.apart(known, ["a"] * 5, ["b"] * 5)
    assert cost.variance > known.error({"a": -1.0, "b": 1.0}) ** 2
    assert cost.freedom == pytest.approx(11.0)
    half = blocks.apart(known, ["a"] * 5, ["a", "b"] * 3)
    assert half.variance < cost.variance


@pytest.mark.slow
def test_boards_apart_neither_alarm_nor_widen() -> None:
    one = boards.both_stages(1, 0.0, 0.0, within=True, pairs=400)
    two = boards.both_stages(2, boards.OFF, 0.0, within=True, pairs=400)
    assert two[2] < 1.25 * one[2]
    assert two[0] < 0.13
    assert two[1] == 0
    found = boards.both_stages(2, boards.OFF, -0.03, within=True, pairs=100)
    assert found[1] > 0.9
    # Negative control: as one board they make twice the interval and hide the change.
    pooled = boards.both_stages(2, boards.OFF, 0.0, within=False, pairs=400)
    assert pooled[2] > 1.7 * one[2]
    assert boards.both_stages(2, boards.OFF, -0.03, within=False, pairs=100)[1] < 0.85


@pytest.mark.slow
def test_known_levels_say_no_more_than_they_know() -> None:
    again, flagged = boards.apart(boards.OFF, 0.0, 0.005, pairs=400)
    assert again < 0.13
    assert flagged <= 0.01
    assert boards.apart(boards.OFF, -0.05, 0.005, pairs=200)[0] > 0.9


def moved(change: float, *, within: bool, pairs: int = 300) -> float:
    """Return how often a distribution of runs on three boards is said to have moved."""
    random = np.random.default_rng(5)
    names = ["a", "a", "b", "b", "c"], ["a", "b", "b", "c", "c"]
    found = 0
    for _ in range(pairs):
        sides = [
            [
                {q: math.exp(i + 0.03 * "abc".index(b) + side * change + random.normal(0, 0.02))
                 for i, q in enumerate(("p50", "p90", "p99"))}
                for b in of
            ]
            for side, of in enumerate(names)
        ]  # fmt: skip
        levelled = distributions((sides[0], sides[1]), names, resolution=1e-6)
        found += shift(
            *levelled, direction=Direction.LOWER, relevance=1e-4, resolution=1e-6,
            boards=names if within else ([], []),
        ).suspect  # fmt: skip
    return found / pairs


@pytest.mark.slow
def test_runs_of_a_distribution_change_sides_within_their_board() -> None:
    steady = moved(0.0, within=True)
    assert steady < 0.14  # a screen's level is 0.1
    assert moved(0.08, within=True) > 0.8
    # Negative control: values that are only levelled alarm more often.
    assert moved(0.0, within=False) > 1.4 * steady
