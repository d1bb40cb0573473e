# SPDX-License-Identifier: GPL-2.0-only
"""Figures of one commit: build it, boot it on boards side by side, read what came out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Protocol

from attrs import define, field, frozen

from vlag import parsers
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Benchmark, Board, BoardType, Histogram, Metric, Outcome, Sample
from vlag.pipeline import side_by_side
from vlag.pipeline.boot import estimate_s
from vlag.pipeline.build_stage import Request, build
from vlag.pipeline.side_by_side import RunAnswer
from vlag.stats.summary import STATISTICS, value_of

log = logging.getLogger(__name__)


class Unmeasurable(Exception):  # noqa: N818 - no error of ours: what a commit is
    """A commit without figures: it does not build, or does not boot, or its benchmark fails."""


@frozen(kw_only=True)
class Figure:
    """One statistic of one metric of a benchmark."""

    benchmark: Benchmark
    metric: Metric
    statistic: str
    parameters: Mapping[str, str | int]  # given ones; the others have their defaults
    knobs: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return its name for people."""
        statistic = "" if self.statistic == "median" else f" {self.statistic}"
        return f"{self.benchmark.name} {self.metric.name}{statistic} [{self.metric.unit}]"


def figure(
    benchmark: Benchmark,
    named: str | None,
    parameters: Mapping[str, str | int],
    knobs: Mapping[str, str],
) -> Figure:
    """Return the figure METRIC or METRIC:STATISTIC; None: the benchmark's headline.

    Raises UsageError for a name that the benchmark does not have, naming those that it has.
    """
    name, _, statistic = (named or "").partition(":")
    headline = next((m for m in benchmark.metrics if m.headline), benchmark.metrics[0])
    metric = benchmark.metric(name) if name else headline
    if metric is None:
        there = ", ".join(m.name for m in benchmark.metrics)
        raise UsageError(f"{benchmark.name} has no metric {name!r}; it has: {there}")
    known = STATISTICS if metric.histogram else ("median",)
    statistic = statistic or ("p50" if metric.histogram else "median")
    if statistic not in known:
        raise UsageError(
            f"{metric.name} of {benchmark.name} has no statistic {statistic!r}; it has:"
            f" {', '.join(known)}"
        )
    return Figure(
        benchmark=benchmark, metric=metric, statistic=statistic, parameters=parameters, knobs=knobs
    )


class Measures(Protocol):
    """Gives figures of commits."""

    figure: Figure
    board_type: BoardType

    def build(self, commit: str) -> Path:
        """Return the build of a commit; raises Unmeasurable if there is none."""
        ...

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds; raises Unmeasurable if one has none."""
        ...

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Return the same of several commits, whose boots take turns where they can."""
        ...

    def known(self, commits: Sequence[str]) -> Set[str]:
        """Return those that have boots already: asking about these costs least."""
        ...

    def history(self) -> Sequence[Sequence[float]]:
        """Return the figure in boots of other kernels, a row each: how boots scatter."""
        ...

    def search_mode(self) -> None:
        """Allow as many boots as the share of a mode needs, which is more than a level does."""
        ...


@define(kw_only=True)
class Measurer:
    """Builds commits of a tree and boots them; what is on record is not made again.

    A kernel that fails in one boot gets no more, and is not asked for again.
    """

    settings: Settings
    catalogue: Catalogue
    tree: str
    board_type: BoardType
    figure: Figure
    timeout_s: int
    builds: dict[str, Path] = field(factory=dict)  # commit -> bundle
    _values: dict[str, dict[int, float]] = field(factory=dict, init=False)  # commit -> by seed
    _failed: dict[str, str] = field(factory=dict, init=False)  # commit -> why it gives no figure

    def build(self, commit: str) -> Path:
        """Return the build of a commit; raises Unmeasurable if there is none."""
        if commit not in self.builds:
            request = Request(tree=self.tree, ref=commit, board_type=self.board_type.name)
            made = build(settings=self.settings, catalogue=self.catalogue, request=request)
            if made.outcome is not Outcome.COMPLETE:
                raise Unmeasurable(f"does not build: {made.reason}")
            self.builds[commit] = made.folder
        return self.builds[commit]

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds, in their order, in the metric's unit.

        Raises Unmeasurable if the kernel does not build or a boot gives no figure.
        """
        kernel = self.build(commit)
        values = self._values.setdefault(commit, {})
        left = [seed for seed in seeds if seed not in values]
        if left:
            boards = side_by_side.boards_at_once(self.catalogue, self.board_type.name)
            self._announce(commit[:12], len(left), len(boards))
            made = side_by_side.side_by_side(
                boards, left, lambda board, seed: self._figure(commit, kernel, board, seed)[0]
            )
            values |= dict(zip(left, made, strict=True))
        return [values[seed] for seed in seeds]

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Return the same of several commits, one after the other."""
        return [self.values(commit, seeds) for commit, seeds in seeds_of.items()]

    def known(self, commits: Sequence[str]) -> Set[str]:
        """Return those that this search has booted."""
        return {c for c in commits if self._values.get(c)}

    def history(self) -> Sequence[Sequence[float]]:
        """Return nothing: the boots of the search itself say how they scatter."""
        return ()

    def search_mode(self) -> None:
        """Do nothing: a person's search has no bound."""

    def _figure(
        self, commit: str, kernel: Path, board: Board, seed: int, request: str | None = None
    ) -> tuple[float, RunAnswer]:
        """Return the figure of one boot, and the boot; raises Unmeasurable once one has failed."""
        if commit in self._failed:
            raise Unmeasurable(self._failed[commit])
        answer = side_by_side.boot(
            kernel, board, benchmark=self.figure.benchmark.name, seed=seed,
            parameters=self.figure.parameters, knobs=self.figure.knobs,
            timeout_s=self._timeout_s(commit), request=request, reuse_failed=True,
        )  # fmt: skip
        try:
            if answer["output"] is None:
                raise Unmeasurable(f"{answer['outcome']}: {answer['reason']}")
            return self._read(Path(answer["output"])), answer
        except Unmeasurable as e:
            self._failed[commit] = str(e)
            raise

    def _timeout_s(self, commit: str) -> int:
        """Return the seconds for the benchmark on a commit's kernel."""
        del commit
        return self.timeout_s

    def _announce(self, what: str, boots: int, boards: int) -> None:
        """Log how many boots come, and how long they take on so many boards."""
        values = {**self.figure.benchmark.parameters, **self.figure.parameters}
        about = -(-boots // boards) * estimate_s(self.figure.benchmark, self.board_type, values)
        log.info(f"booting {what}, {boots} boots, about {about:.0f} s")

    def _read(self, output: Path) -> float:
        """Return the figure of a raw output."""
        parsed = parsers.parse(
            self.figure.benchmark.tool, output.read_bytes(), path=str(output), told=False
        )
        every: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
        for measured in every:
            if measured.metric == self.figure.metric.name:
                value = value_of(measured, self.figure.statistic)
                if value is not None:
                    return value
        raise Unmeasurable(f"{output} has no {self.figure.name}")
