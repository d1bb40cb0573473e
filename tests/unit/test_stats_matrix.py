# SPDX-License-Identifier: GPL-2.0-only
"""Cells, their pool and the factors' model: what is told, with which error, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.drawn import Board
from vlag.model import Outcome
from vlag.stats.matrix_cells import Cell, pool
from vlag.stats.prior import Prior


def test_a_cell_says_why_it_has_no_figure() -> None:
    assert Cell().problem == "not run"
    assert Cell(outcome=Outcome.PATCH_FAILED).problem == "does not apply"
    assert Cell(outcome=Outcome.BUILD_FAILED).problem == "did not build"
    assert Cell(outcome=Outcome.PANIC).problem == "panicked"
    assert Cell(boots=[1, 2]).problem == "too few boots (2 of 3)"
    assert Cell(boots=[1, 2, 0]).problem is None
    assert Cell(boots=[1, 2, 3]).problem is None


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_cell_refuses_what_is_no_figure(value: float) -> None:
    with pytest.raises(ValueError, match="finite number of 0 or more"):
        Cell(boots=[1.0, value])


def test_boots_and_outcome_agree() -> None:
    with pytest.raises(ValueError, match="cannot have"):
        Cell(boots=[1.0], outcome=Outcome.PANIC)
    with pytest.raises(ValueError, match="cannot have"):
        Cell(outcome=Outcome.COMPLETE)


def test_pooled_variance_is_within_cells() -> None:
    board = Board(1, n=8)
    near = {"a": board.cell(100), "b": board.cell(101)}
    far = {"a": near["a"], "b": Cell(boots=[10 * v for v in near["b"].boots])}
    one, other = (pool(c, resolution=0.001) for c in (near, far))
    logs = [np.log(c.boots) for c in near.values()]
    assert one.spread == pytest.approx(np.sqrt(np.mean([np.var(x, ddof=1) for x in logs])))
    assert other.spread == pytest.approx(one.spread)
    assert one.freedom == 14


def test_a_prior_moves_the_variance_and_adds_its_freedom() -> None:
    cells = {"a": Cell(boots=[99, 100, 101]), "b": Cell(boots=[99, 100, 101])}
    plain = pool(cells, resolution=0.001)
    moved = pool(cells, resolution=0.001, prior=Prior(variance=0.05**2, freedom=20.0))
    expected = (4 * plain.spread**2 + 20 * 0.05**2) / 24
    assert moved.spread == pytest.approx(np.sqrt(expected))
    assert moved.freedom == plain.freedom + 20


def test_a_boot_below_the_step_counts_as_one_step() -> None:
    zeros = {"a": Cell(boots=[0, 0.4, 1]), "b": Cell(boots=[40, 41, 42])}
    steps = {"a": Cell(boots=[1, 1, 1]), "b": zeros["b"]}
    clipped, plain = (pool(cells, resolution=1.0) for cells in (zeros, steps))
    assert clipped == plain
    assert set(clipped.logs) == {"a", "b"}
    assert pool(zeros, resolution=0.1) != plain


def test_resolution_must_be_a_step() -> None:
    with pytest.raises(ValueError, match="above 0"):
        pool({"a": Cell(boots=[1, 2, 3])}, resolution=0)


def test_fieller_has_no_ends_where_the_whole_is_not_known() -> None:
    cells = {
        "base": Cell(boots=[97, 100, 103]),
        "new": Cell(boots=[96, 100, 103]),
        "off": Cell(boots=[98, 100, 104]),
    }
    gain, loss = {"off": 1.0, "new": -1.0}, {"base": 1.0, "new": -1.0}
    share = pool(cells, resolution=0.001).share(gain, loss, family=1)
    assert (share.low, share.high) == (None, None)
    cells["new"] = Cell(boots=[66, 70, 73])
    known = pool(cells, resolution=0.001).share(gain, loss, family=1)
    assert known.low is not None
    assert known.high is not None
    assert known.low < 1 < known.high
