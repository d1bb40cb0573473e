# SPDX-License-Identifier: GPL-2.0-only
"""How the shipped plans screen and confirm: what the figures of the evidence follow from."""

from __future__ import annotations

from collections import Counter

from attrs import frozen

from vlag.compare.occasions import NIGHTS
from vlag.config import catalogue
from vlag.model import BoardType, Metric, PlanEntry

THROUGHPUT = "stress-ng-switch"


@frozen(kw_only=True)
class Shape:
    """How plans as shipped screen and confirm one kind of figure."""

    seeds: int
    rounds: tuple[int, ...]
    relevance: float
    deterministic: bool  # the boards count instructions: no night differs from another

    def __str__(self) -> str:
        rounds = ", ".join(map(str, self.rounds))
        boards = "deterministic" if self.deterministic else "noisy"
        return f"{self.seeds} + {self.seeds}; {rounds}; {self.relevance:.1%}; {boards}"

    @property
    def nights(self) -> tuple[int, ...]:
        """The numbers of earlier nights for which power is given."""
        return () if self.deterministic else (4, NIGHTS)

    @property
    def changes(self) -> tuple[float, ...]:
        """The changes for which power is given: 2, 3 and 5 %, or what a relevance leaves."""
        return (0.02, 0.03, 0.05) if self.relevance < 0.02 else (2 * self.relevance,)


def shipped() -> tuple[Shape, Shape, dict[Shape, int]]:
    """Return the shapes of nightly and weekly throughput, and how many figures have each shape.

    The nightly plan runs on deterministic boards, the weekly one on real ones.  Only plans
    that confirm count.
    """
    known = catalogue.load()
    shapes: Counter[Shape] = Counter()
    for plan in known.plans.values():
        for entry in plan.entries:
            for name in entry.board_types if entry.rounds else ():
                board = known.board_type(name)
                for metric in known.benchmark(entry.benchmark).metrics:
                    if metric.compared:
                        shapes[of_entry(entry, metric, board)] += 1
    throughput = []
    for name in ("nightly", "weekly"):
        first = next(e for e in known.plan(name).entries if e.benchmark == THROUGHPUT)
        headline = next(m for m in known.benchmark(first.benchmark).metrics if m.headline)
        throughput.append(of_entry(first, headline, known.board_type(first.board_types[0])))
    return throughput[0], throughput[1], dict(shapes.most_common())


def mode_rounds() -> tuple[int, ...]:
    """Return the further rounds of a suspicion of a new mode: nightly throughput's."""
    entries = catalogue.load().plan("nightly").entries
    return next(e.mode_rounds for e in entries if e.benchmark == THROUGHPUT)


def of_entry(entry: PlanEntry, metric: Metric, board: BoardType) -> Shape:
    """Return how an entry of a plan screens and confirms a metric on a type of board."""
    return Shape(
        seeds=entry.seeds,
        rounds=entry.rounds,
        relevance=metric.relevance_on(board),
        deterministic=board.deterministic,
    )
