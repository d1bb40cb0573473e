"""Cells, their pool and the factors' model: what is told, with which error, and what is not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.unit.drawn import Board
from vlag.model import Outcome
from vlag.report.matrix import WIDTH, text
from vlag.stats.factorial import Factorial, factorial
from vlag.stats.matrix import Cell, Finding, pool
from vlag.stats.prior import Prior


def fitted(
    cells: Mapping[tuple[str, ...], Cell], *, factors: tuple[str, ...] = ("preempt", "patch")
) -> Factorial:
    return factorial(factors, cells, base=next(iter(cells)), relevance=0.01, resolution=0.001)


def test_a_cell_says_why_it_has_no_figure() -> None:
    assert Cell().problem == "not run"
    assert Cell(outcome=Outcome.PATCH_FAILED).problem == "does not apply"
    assert Cell(outcome=Outcome.BUILD_FAILED).problem == "did not build"
    assert Cell(outcome=Outcome.PANIC).problem == "panicked"
    assert Cell(boots=[1, 2]).problem == "too few boots (2 of 3)"
    assert Cell(boots=[1, 2, 0]).problem == "a boot gave 0"
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


def test_effects_and_interaction_of_two_factors() -> None:
    board = Board(40)
    truth: dict[tuple[str, ...], float] = {
        ("full", "old"): 100,
        ("lazy", "old"): 60,
        ("full", "new"): 110,
        ("lazy", "new"): 110,
    }
    found = fitted({k: board.cell(v) for k, v in truth.items()})
    sizes = {t.name: t.effect for t in found.terms}
    expected = {"preempt=lazy": -0.4, "patch=new": 0.1, "preempt=lazy x patch=new": 110 / 66 - 1}
    for name, size in expected.items():
        effect = sizes[name]
        assert effect is not None
        assert effect.low < size < effect.high
        assert effect.finding is Finding.MATTERS
    # Two factors that do not act on each other have no interaction.
    flat = fitted({k: board.cell(100 * (0.6 if k[0] == "lazy" else 1)) for k in truth})
    last = flat.terms[-1].effect
    assert last is not None
    assert last.sign == 0


def test_a_cell_that_was_not_run_hides_what_only_it_could_tell() -> None:
    board = Board(41)
    cells: dict[tuple[str, ...], Cell] = {
        ("full", "cpu"): board.cell(50),
        ("lazy", "cpu"): board.cell(13),
    }
    cells[("lazy", "unbound")] = board.cell(50)
    found = fitted(cells)
    by_name = {t.name: t for t in found.terms}
    assert by_name["preempt=lazy"].effect is not None
    assert by_name["patch=unbound"].effect is None
    assert by_name["patch=unbound"].problem == "cannot be told from preempt=lazy x patch=unbound"
    assert "not run: preempt=full patch=unbound" in found.sentence
    # Their product is known: what the patch does under lazy.
    both = found.combined[0].effect
    assert both is not None
    assert both.low < 50 / 13 - 1 < both.high
    full = fitted({**cells, ("full", "unbound"): board.cell(50)})
    assert all(t.effect is not None for t in full.terms)
    assert full.combined == ()


def test_an_interaction_whose_cell_failed_says_so() -> None:
    board = Board(42)
    cells: dict[tuple[str, ...], Cell] = {
        ("a", "x"): board.cell(1),
        ("b", "x"): board.cell(1),
        ("a", "y"): board.cell(1),
    }
    cells[("b", "y")] = Cell(outcome=Outcome.PANIC)
    found = fitted(cells)
    assert [t.problem for t in found.terms] == [None, None, "panicked"]
    nothing = fitted({k: Cell() for k in cells})
    assert nothing.sentence.startswith("no effect can be told")
    assert {t.problem for t in nothing.terms} == {"not run"}


def test_three_factors_that_act_together_are_no_pairs() -> None:
    def found(extra: float) -> Factorial:
        board = Board(43)
        keys: list[tuple[str, ...]] = [(a, b, c) for a in "01" for b in "01" for c in "01"]
        cells = {k: board.cell(100 * (extra if k == ("1", "1", "1") else 1.0)) for k in keys}
        return fitted(cells, factors=("a", "b", "c"))

    pairs, three = found(1.0), found(0.7)
    assert three.misfit is not None
    assert three.misfit < 1e-6
    assert "more than two factors" in three.sentence
    assert "more than two factors" not in pairs.sentence


def test_intervals_of_factors_hold_the_truth() -> None:
    board = Board(44, cv=0.02)
    truth: dict[tuple[str, ...], float] = {
        ("a", "x"): 100,
        ("b", "x"): 90,
        ("a", "y"): 103,
        ("b", "y"): 95,
    }
    expected = (-0.1, 0.03, 95 * 100 / (90 * 103) - 1)
    held = 0
    for _ in range(300):
        found = fitted({k: board.cell(v) for k, v in truth.items()})
        effects = [t.effect for t in found.terms]
        held += all(
            e is not None and e.low <= x <= e.high for e, x in zip(effects, expected, strict=True)
        )
    assert 0.93 <= held / 300 <= 0.995


def test_a_key_needs_a_level_of_each_factor() -> None:
    with pytest.raises(ValueError, match="one level of preempt, patch"):
        fitted({("full",): Cell()})


def test_the_text_is_narrow_and_says_what_the_report_says() -> None:
    board = Board(51)
    found = fitted({("full", "cpu"): board.cell(50), ("lazy", "unbound"): board.cell(13)})
    lines = text(found).split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(" ".join(lines).split()).startswith(found.sentence)
    assert "cannot be told from" in text(found)
