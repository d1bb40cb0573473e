# SPDX-License-Identifier: GPL-2.0-only
"""Searches for a commit on boards whose boots scatter: how often the answer is right.

Commits are those of a real repository, their boots are drawn; all else is what the service runs.
Beside it stands `git bisect run` with five boots a commit, as people do it by hand, on the same
draws.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from attrs import frozen

from bench.bad_boots import interval
from bench.evidence import table, write
from tests.repositories import WorkTree
from vlag.config import catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror
from vlag.search.bisection import MOST_NOISY, Bisection
from vlag.search.measure import figure
from vlag.search.searches import BOOTS

COMMITS = 64
SEARCHES = 40
RIGHT, NONE, WRONG = "right", "none named", "wrong"


@frozen
class Cell:
    """What boots are like, and what the culprit costs."""

    loss: float
    scatter: float  # of boots of one kernel, as a share
    off: float  # share of boots that are off
    factor: float  # by which they are


CELLS = (
    Cell(0.03, 0.01, 0, 1),
    Cell(0.03, 0.02, 0, 1),
    Cell(0.03, 0.02, 0.05, 1.3),
    Cell(0.10, 0.03, 0, 1),
    Cell(0.10, 0.03, 0.05, 1.3),
    Cell(0.10, 0.03, 0.10, 1.3),
)


class Drawn:
    """Boots that are drawn, as `vlag.search.measure.Measures` gives them."""

    def __init__(self, commits: Sequence[str], culprit: int, cell: Cell, lot: int) -> None:
        known = catalogue.load()
        self.figure = figure(known.benchmark("stress-ng-switch"), None, {}, {})
        self.board_type = known.board_types["rpi5"]
        self._commits, self._culprit, self._cell, self._lot = commits, culprit, cell, lot
        self.boots: set[tuple[str, int]] = set()  # none is made twice

    def build(self, commit: str) -> Path:
        """Return a path that nobody reads."""
        return Path(commit)

    def search_mode(self) -> None:
        """Do nothing."""

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Draw boots of a commit."""
        self.boots |= {(commit, seed) for seed in seeds}
        level = 100.0
        if self._commits.index(commit) >= self._culprit:
            level *= 1 - self._cell.loss
        return [self._value(level, random.Random(f"{self._lot} {commit} {s}")) for s in seeds]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Draw boots of several commits."""
        return [self.values(commit, seeds) for commit, seeds in seeds_of.items()]

    def _value(self, level: float, lot: random.Random) -> float:
        scattered = level * math.exp(lot.gauss(0, self._cell.scatter))
        return scattered / self._cell.factor if lot.random() < self._cell.off else scattered


def searched(repository: Path, commits: Sequence[str], drawn: Drawn, culprit: int) -> str:
    """Return what the service answers."""
    good, bad = (mirror.resolve(repository, c) for c in (commits[0], commits[-1]))
    search = Bisection(
        measurer=drawn, mirror=repository, scratch=repository.parent / "scratch", good=good,
        bad=bad, boots=BOOTS, most=MOST_NOISY, noisy=True, reverts=False,
    )  # fmt: skip
    try:
        answer = search.run(())
    except UsageError:
        return NONE
    if answer.doubt is not None:
        return NONE
    return RIGHT if answer.commits[0].sha == commits[culprit] else WRONG


def by_hand(commits: Sequence[str], drawn: Drawn, culprit: int) -> str:
    """Return what a search by hand finds: five boots, and the nearer of both ends by the mean."""
    seeds = range(1, BOOTS + 1)

    def level(n: int) -> float:
        return fmean(drawn.values(commits[n], seeds))

    first, last = 0, len(commits) - 1
    border = (level(first) + level(last)) / 2
    while last - first > 1:
        middle = (first + last) // 2
        if level(middle) < border:
            last = middle
        else:
            first = middle
    return RIGHT if last == culprit else WRONG


def row(cell: Cell, repository: Path, commits: Sequence[str]) -> tuple[object, ...]:
    """Return a line of the table."""
    answers: Counter[str] = Counter()
    hand: Counter[str] = Counter()
    boots = []
    for lot in range(SEARCHES):
        culprit = random.Random(lot).randrange(1, COMMITS + 1)
        drawn = Drawn(commits, culprit, cell, lot)
        answers[searched(repository, commits, drawn, culprit)] += 1
        boots.append(len(drawn.boots))
        hand[by_hand(commits, Drawn(commits, culprit, cell, lot), culprit)] += 1
    off = "none" if not cell.off else f"{cell.off:.0%} x {cell.factor:g}"
    return (
        f"{cell.loss:.0%}", f"{cell.scatter:.0%}", off, _share(answers, RIGHT), answers[NONE],
        answers[WRONG], f"{median(boots):.0f}", _share(hand, RIGHT),
    )  # fmt: skip


def _share(answers: Mapping[str, int], word: str) -> str:
    return interval(answers[word], SEARCHES)


def main() -> None:
    """Draw the searches and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        tree = WorkTree(Path(folder) / "tree")
        commits = [tree.commit(f"change {n}", file=f"{n}\n") for n in range(COMMITS + 1)]
        lines = []
        for cell in CELLS:
            lines.append(row(cell, tree.folder / ".git", commits))
            print(*lines[-1], file=sys.stderr, flush=True)
    write(
        "noisy-searches",
        "The commit of a regression on boards whose boots scatter",
        "python -m bench noisy_searches",
        ["the boots are drawn; git, the steps and the tests are the service's own"],
        [
            f"{SEARCHES} searches a line, each among {COMMITS} commits with one culprit. A commit",
            f"is named only if a rerun tells it from its parent; it gets up to {MOST_NOISY} boots.",
            f"By hand: `git bisect run` with {BOOTS} boots a commit, the nearer end by the mean.",
            "",
            *table(
                ("loss", "scatter", "boots off", RIGHT, NONE, WRONG, "boots", "by hand"),
                lines,
            ),
        ],
    )
