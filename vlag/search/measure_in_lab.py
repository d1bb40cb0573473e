# SPDX-License-Identifier: GPL-2.0-only
"""Figures of commits from boards of labs, whose levels differ."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path

from attrs import define, field

from vlag.bundle import read
from vlag.bundle_records import RunRecord
from vlag.model import Board
from vlag.pipeline.boot import shorter_timeout_s
from vlag.pipeline.lab_boards import BoardPool
from vlag.search.measure import Measurer, Unmeasurable
from vlag.stats import blocks
from vlag.stats.blocks import Observation
from vlag.stats.compare import clip


@define(kw_only=True)
class LabMeasurer(Measurer):
    """Builds commits of a tree and boots them in labs: boots of equal seeds share a board.

    A kernel that fails on one board gets no more boots, and is not asked for again.  The longest
    boot of both ends bounds those of the commits between them.
    """

    pool: BoardPool
    ends: Sequence[str]  # commits
    request: str  # names the search: after a restart its boots are the same jobs
    _boards: dict[str, dict[int, str]] = field(factory=dict, init=False)
    _longest_s: float | None = field(default=None, init=False)

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds, in their order, in the metric's unit.

        Raises Unmeasurable if the kernel does not build or a boot gives no figure.
        """
        return self.values_of({commit: seeds})[0]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Return the same of several commits, which take turns on each board."""
        kernels = {commit: self.build(commit) for commit in seeds_of}
        if failed := [self._failed[commit] for commit in seeds_of if commit in self._failed]:
            raise Unmeasurable(failed[0])
        left = {
            seed: boots
            for seed in sorted({s for seeds in seeds_of.values() for s in seeds})
            if (boots := self._left(seed, seeds_of))
        }
        if left:
            commits = dict.fromkeys(c[:12] for boots in left.values() for c, _ in boots)
            self._announce(
                ", ".join(commits), sum(map(len, left.values())), len(self.pool.in_use) or 1
            )
        self.pool.run(left, lambda board, boot: self._in_lab(kernels[boot[0]], board, *boot))
        levels = self._levels()
        return [
            [self._values[commit][s] / exp(levels.get(self._boards[commit][s], 0.0)) for s in seeds]
            for commit, seeds in seeds_of.items()
        ]

    def _left(self, seed: int, seeds_of: Mapping[str, Sequence[int]]) -> list[tuple[str, int]]:
        """Return the boots of a seed that are missing, every other time in reverse."""
        wanted = [commit for commit, seeds in seeds_of.items() if seed in seeds]
        there = [(c, seed) for c in wanted if seed not in self._values.get(c, {})]
        return there if seed % 2 else there[::-1]

    def _in_lab(self, kernel: Path, board: Board, commit: str, seed: int) -> None:
        value, answer = self._figure(commit, kernel, board, seed, self.request)
        self._values.setdefault(commit, {})[seed] = value
        self._boards.setdefault(commit, {})[seed] = board.name
        document = read(RunRecord, Path(answer["bundle"]) / "run.json")
        if commit in self.ends and document is not None:
            self._longest_s = max(self._longest_s or 0, _seconds(document))

    def _timeout_s(self, commit: str) -> int:
        if commit in self.ends:
            return self.timeout_s
        return shorter_timeout_s(self.timeout_s, self._longest_s)

    def _levels(self) -> Mapping[str, float]:
        """Return the levels of the boards, from all boots of the search."""
        if self.board_type.deterministic:
            return {}
        observations: list[Observation] = []
        for commit, by_seed in sorted(self._values.items()):
            seeds = sorted(by_seed)  # boards end in another order each time
            values = clip([by_seed[s] for s in seeds], self.figure.metric.resolution)
            boards = [self._boards[commit][s] for s in seeds]
            observations += blocks.observed(commit, boards, values)
        return blocks.offsets(observations)


def _seconds(document: RunRecord) -> float:
    """Return the seconds from a run's beginning to its end."""
    began, ended = document["started_at"], document["finished_at"]
    read_time = datetime.datetime.fromisoformat
    return (read_time(ended) - read_time(began)).total_seconds()
