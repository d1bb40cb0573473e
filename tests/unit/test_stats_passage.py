# SPDX-License-Identifier: GPL-2.0-only
"""The figure of a confirmed change, given that it had to pass."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.bad_boots import Noise
from bench.confirmed_figures import cell
from bench.shapes import Shape
from vlag.model import Direction
from vlag.stats import passage
from vlag.stats.compare import CONFIDENCE, Question, judge
from vlag.stats.passage import Figure, Round
from vlag.stats.stages import ROUNDS, Decision, Stand, decide

SHAPE = Shape(seeds=5, rounds=ROUNDS, relevance=0.01, deterministic=False)
#: Where some pass, most and nearly all, as (scatter, share of boots off, change, reruns).
CELLS = [
    (0.05, 0.0, 0.03, 700),
    (0.02, 0.0, 0.02, 300),
    (0.01, 0.0, 0.03, 200),
    (0.02, 0.05, 0.02, 200),
]


@pytest.mark.parametrize(("scatter", "off", "change", "reruns"), CELLS)
def test_the_interval_of_what_is_confirmed_holds_the_change(
    scatter: float, off: float, change: float, reruns: int
) -> None:
    noise = Noise(name="", cv=scatter, share=off, factor=2.0)
    one = cell(SHAPE, noise, change, reruns, seed=1)
    count = len(one.given)
    assert count >= 20
    # As many as 0.94 leaves of so few.
    assert one.covered(one.given) >= 0.94 * count - 2 * math.sqrt(0.94 * 0.06 * count)


def test_the_interval_of_the_boots_alone_does_not() -> None:
    """Negative control: a change that one rerun in ten confirms."""
    one = cell(SHAPE, Noise(name="", cv=0.05), 0.03, 700, seed=1)
    count = len(one.measured)
    assert one.covered(one.measured) < 0.94 * count - 3 * math.sqrt(0.94 * 0.06 * count)
    assert one.size(one.measured) > 0.045
    assert abs(one.size(one.given) - 0.03) < 0.012
    assert any(c.reaches_relevance for c in one.given)
    assert not any(c.low <= SHAPE.relevance for c in one.measured)


def decided(change: float) -> Decision:
    base = [1000.0 * (1 + 0.002 * (i % 5 - 2)) for i in range(10)]
    question = Question(
        base=base,
        new=[v * (1 + change) for v in base],
        direction=Direction.LOWER,
        relevance=0.01,
        resolution=0.01,
    )
    [alone] = judge([question])
    made = decide(question, alone)
    assert made.stand is Stand.CONFIRMED
    # The figure of the boots and its sentence stay as they are.
    assert (made.comparison.effect, made.comparison.ci_low) == (alone.effect, alone.ci_low)
    return made


def test_what_passes_for_sure_keeps_its_figure() -> None:
    sure, narrow = decided(0.1), decided(0.0135)
    assert sure.given is None
    assert "passed" not in sure.reason
    # Negative control: what barely passes is told as less.
    assert narrow.given is not None
    assert 0 < narrow.given.effect < (narrow.comparison.effect or 0.0)
    assert narrow.given.high == pytest.approx(narrow.comparison.ci_high)
    assert narrow.reason.endswith(f"; passed narrowly: given that, {narrow.given.size}")


@pytest.mark.parametrize("new", [1100.0, 1e-9])
@pytest.mark.parametrize("step", [1e-9, 0.01, 1.0])
def test_boots_without_scatter_pass_for_sure(step: float, new: float) -> None:
    question = Question(
        base=[1000.0] * 10,
        new=[new] * 10,
        direction=Direction.LOWER,
        relevance=0.01,
        resolution=step,
    )
    made = decide(question, judge([question])[0])
    assert (made.stand, made.given) == (Stand.CONFIRMED, None)


def drawn(size: float, rounds: tuple[Round, ...], count: int) -> float:
    """Return the share of drawn reruns of a change, at a scatter of 1, that pass."""
    random = np.random.default_rng(3)
    boots = random.normal(size, 1.0, (count, rounds[-1].boots))
    left, passed = np.ones(count, dtype=bool), 0
    for look in rounds:
        mean = boots[:, : look.boots].mean(axis=1)
        passed += int(np.sum(left & (mean > look.passed)))
        left &= (mean <= look.passed) & (mean >= look.refuted)
    return passed / count


@pytest.mark.parametrize("size", [0.0, 0.5, 1.0])
def test_the_chance_to_pass_is_that_of_drawn_reruns(size: float) -> None:
    rounds = (
        Round(boots=4, passed=1.2, refuted=-0.3),
        Round(boots=9, passed=0.8, refuted=0.1),
        Round(boots=16, passed=0.5, refuted=0.2),
    )
    [chance] = passage._chance(np.asarray([size]), 1.0, rounds)
    assert drawn(size, rounds, 40_000) == pytest.approx(chance, abs=0.01)
    # Negative control: without the first rounds' refusals more would pass.
    [alone] = passage._chance(np.asarray([size]), 1.0, [*rounds[:1], rounds[2]])
    assert size == 1.0 or abs(alone - chance) > 0.001


def test_a_narrow_passage_gives_less_than_is_measured() -> None:
    rounds = (Round(boots=10, passed=0.04, refuted=0.0),)
    sizes = []
    for size in (0.0401, 0.045, 0.06, 0.2):
        measured = Figure(size=size, low=size - 0.0196, high=size + 0.0196)
        given = passage.figure(measured, error=0.01, boots=10, rounds=rounds, confidence=CONFIDENCE)
        assert 0 < given.low < given.size <= measured.size < given.high == measured.high
        sizes.append(given.size / size)
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.5
    assert sizes[-1] == 1.0
