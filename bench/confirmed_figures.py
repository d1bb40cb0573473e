# SPDX-License-Identifier: GPL-2.0-only
"""Figures of confirmed changes: how often their interval holds the change, as measured and as told.

Each cell takes reruns of a change through the rounds of a plan as shipped.  What is confirmed has
passed a threshold, so its measured figure is too large where many do not pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from bench import trials
from bench.bad_boots import Noise, interval
from bench.evidence import announced, table
from bench.shapes import Shape
from vlag.stats.compare import Comparison, change_of
from vlag.stats.sentences import Change
from vlag.stats.stages import Stand

Floats = npt.NDArray[np.float64]

CHANGES = (0.01, 0.02, 0.03, 0.05, 0.1)
SCATTERS = (0.005, 0.01, 0.02, 0.05)
# Shares of boots that are off, and by which factor.
OFF = ((0.0, 1.0), (0.02, 2.0), (0.05, 2.0), (0.1, 1.3))
# Fewest confirmed changes that show a coverage.
LEAST = 20


@frozen(kw_only=True)
class Cell:
    """What became of the reruns of one change."""

    reruns: int
    change: float
    measured: Sequence[Change]  # of what is confirmed: by its boots alone
    given: Sequence[Change]  # the same as it is told

    @staticmethod
    def size(changes: Sequence[Change]) -> float:
        """Return the mean effect."""
        return float(np.mean([c.effect for c in changes]))

    def covered(self, changes: Sequence[Change]) -> int:
        """Return how many intervals hold the change."""
        return sum(c.low <= self.change <= c.high for c in changes)


def cell(shape: Shape, noise: Noise, change: float, reruns: int, seed: int) -> Cell:
    """Take reruns of one change through all rounds."""
    random = np.random.default_rng([8700, seed])

    def draw(places: npt.NDArray[np.int64], boots: int) -> Floats:
        logs = noise.draw(random, (len(places), 2, boots))
        logs[:, 1] += math.log1p(change)
        return logs

    made, _ = trials.confirmed(shape, draw, [1.0] * reruns)
    passed = [d for d in made if d.stand is Stand.CONFIRMED]
    measured = [_measured(shape, d.comparison) for d in passed]
    return Cell(
        reruns=reruns,
        change=change,
        measured=measured,
        given=[d.given or m for d, m in zip(passed, measured, strict=True)],
    )


def _measured(shape: Shape, comparison: Comparison) -> Change:
    effect, low, high = comparison.effect, comparison.ci_low, comparison.ci_high
    if effect is None or low is None or high is None:
        raise ValueError("what is confirmed has a figure")
    [question] = trials.questions(np.zeros((1, 1)), np.zeros((1, 1)), relevance=shape.relevance)
    return change_of(question, effect, low, high)


def line(shape: Shape, noise: Noise, change: float, reruns: int, seed: int) -> tuple[str, ...]:
    """Return a line of the table; a coverage only where enough are confirmed."""
    one = cell(shape, noise, change, reruns, seed)
    count = len(one.given)
    head = (noise.name, f"{change:+.0%}", interval(count, reruns))
    if count < LEAST:
        return (*head, "-", "-", "-", "-", "-")
    narrow = sum(c.reaches_relevance for c in one.given)
    return (
        *head,
        f"{one.size(one.measured):+.2%}",
        interval(one.covered(one.measured), count),
        f"{one.size(one.given):+.2%}",
        interval(one.covered(one.given), count),
        f"{narrow / count:.0%}",
    )


def confirmed_figures(shape: Shape, reruns: int) -> list[str]:
    """Return the table of confirmed changes by scatter, size and share of boots that are off."""
    noises = [
        Noise(
            name=f"CV {cv:.1%}" + (f", {share:.0%} of boots x {factor:g}" if share else ""),
            cv=cv, share=share, factor=factor,
        )
        for share, factor in OFF
        for cv in SCATTERS
    ]  # fmt: skip
    rows = (
        line(shape, noise, change, reruns, len(CHANGES) * i + k)
        for i, noise in enumerate(noises)
        for k, change in enumerate(CHANGES)
    )
    return [
        f"Shape: {shape}. {reruns} reruns a line, of a change that the screen has suspected,"
        " without a history. Coverage is the share of 95 % intervals that hold the change, of"
        f" what is confirmed; none where fewer than {LEAST} are. Brackets are 95 % intervals.",
        "",
        *table(
            ["boots", "change", "confirmed", "by the boots alone", "coverage", "told", "coverage",
             "passed narrowly"],
            announced("confirmed figures", rows),
        ),
    ]  # fmt: skip
