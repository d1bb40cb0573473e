"""Figures of one commit: build it, boot it on boards side by side, read what came out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from attrs import define, field, frozen

from vlag import parsers
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, InfrastructureError, UsageError
from vlag.model import Benchmark, Board, BoardType, Histogram, Metric, Outcome, Sample
from vlag.pipeline.boot import estimate_s
from vlag.pipeline.build import build
from vlag.stats.summary import STATISTICS, value_of


class Unmeasurable(Exception):  # noqa: N818 - no error of ours: what a commit is
    """A commit without figures: it does not build, or does not boot, or its benchmark fails."""


@frozen(kw_only=True)
class Figure:
    """One statistic of one metric of a benchmark."""

    benchmark: Benchmark
    metric: Metric
    statistic: str
    parameters: Mapping[str, str]  # given ones; the others have their defaults
    knobs: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return its name for people."""
        statistic = "" if self.statistic == "median" else f" {self.statistic}"
        return f"{self.benchmark.name} {self.metric.name}{statistic} [{self.metric.unit}]"


def figure(
    benchmark: Benchmark,
    named: str | None,
    parameters: Mapping[str, str],
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


def lanes_of(catalogue: Catalogue, board_type: str) -> list[Board]:
    """Return the boards of a type that this host boots side by side; UsageError without any."""
    boards = [b for b in catalogue.boards if b.board_type == board_type and b.lab is None]
    if not boards:
        raise UsageError(
            f"this host has no board of type {board_type}; boards of a lab are compared with"
            " `vlag compare`"
        )
    return boards[: os.cpu_count() or 1]


def boot(
    kernel: Path, board: Board, benchmark: str, seed: int, timeout_s: int, *options: str
) -> dict[str, Any]:
    """Boot once in a process of its own, which ends with us; return the answer of `vlag run`.

    A boot on record is not made again.  Raises UsageError or InfrastructureError as it does.
    """
    words = [
        sys.executable, "-m", "vlag.cli.main", "run", str(kernel), "--board", board.name,
        "--benchmark", benchmark, "--seed", str(seed), "--reuse", "--timeout", str(timeout_s),
        "--format", "json", *options,
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (ExitCode.OK, ExitCode.KERNEL_FAILED):
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        error = UsageError if done.returncode == ExitCode.USAGE else InfrastructureError
        raise error(said.removeprefix("vlag: "))
    return dict(json.loads(done.stdout.splitlines()[-1]))


@define(kw_only=True)
class Measurer:
    """Builds commits of a tree and boots them; what is on record is not made again."""

    settings: Settings
    catalogue: Catalogue
    tree: str
    board_type: BoardType
    figure: Figure
    timeout_s: int
    say: Callable[[str], None]
    builds: dict[str, Path] = field(factory=dict)  # commit -> bundle

    def lanes(self) -> list[Board]:
        """Return the boards of this host that boot side by side."""
        return lanes_of(self.catalogue, self.board_type.name)

    def build(self, commit: str) -> Path:
        """Return the build of a commit; raises Unmeasurable if there is none."""
        if commit not in self.builds:
            made = build(
                settings=self.settings, catalogue=self.catalogue, tree=self.tree, ref=commit,
                branch=None, board_type=self.board_type.name, fresh=False, say=self.say,
            )  # fmt: skip
            if made.outcome is not Outcome.COMPLETE:
                raise Unmeasurable(f"does not build: {made.document['reason']}")
            self.builds[commit] = made.folder
        return self.builds[commit]

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds, in their order, in the metric's unit.

        Raises Unmeasurable if the kernel does not build or a boot gives no figure.
        """
        kernel = self.build(commit)
        free: SimpleQueue[Board] = SimpleQueue()
        lanes = self.lanes()
        rounds = -(-len(seeds) // len(lanes))
        values = {**self.figure.benchmark.parameters, **self.figure.parameters}
        about = rounds * estimate_s(self.figure.benchmark, self.board_type, values)
        self.say(f"booting {commit[:12]}, {len(seeds)} boots, about {about:.0f} s")
        for board in lanes:
            free.put(board)

        def one(seed: int) -> float:
            board = free.get()
            try:
                return self._boot(kernel, board, seed)
            finally:
                free.put(board)

        with ThreadPoolExecutor(len(lanes)) as pool:
            return list(pool.map(one, seeds))

    def _boot(self, kernel: Path, board: Board, seed: int) -> float:
        answer = boot(
            kernel, board, self.figure.benchmark.name, seed, self.timeout_s,
            *(f"--param={k}={v}" for k, v in self.figure.parameters.items()),
            *(f"--knob={k}={v}" for k, v in self.figure.knobs.items()),
        )  # fmt: skip
        if answer["output"] is None:
            raise Unmeasurable(f"{answer['outcome']}: {answer['reason']}")
        return self._read(Path(answer["output"]))

    def _read(self, output: Path) -> float:
        """Return the figure of a raw output."""
        parsed = parsers.parse(self.figure.benchmark.tool, output.read_bytes(), path=str(output))
        every: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
        for found in every:
            if found.metric == self.figure.metric.name:
                value = value_of(found, self.figure.statistic)
                if value is not None:
                    return value
        raise Unmeasurable(f"{output} has no {self.figure.name}")
