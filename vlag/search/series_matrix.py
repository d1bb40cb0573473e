# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of a matrix, booted: each patch of a series alone, on those before it and left out."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import define, field, frozen

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel.mirror import Commit
from vlag.kernel.series import FULL, NONE, Application, select
from vlag.model import Benchmark, Board, BoardType, Outcome, Plan, PlanEntry
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.boot import estimate_s
from vlag.pipeline.build_stage import (
    Built,
    Request,
    build,
    commit_of,
    refuse_unboxed,
    select_patches,
)
from vlag.pipeline.forecast import COLD_BUILD_S
from vlag.pipeline.lab_boards import BoardPool

log = logging.getLogger(__name__)

#: Alone, on those before it, left out of the whole.
MODES = ("solo", "prefix", "without")
#: A kernel with such a first boot gets no other.
_FATAL = (Outcome.PANIC.value, Outcome.HANG.value)


@frozen
class Patched:
    """A kernel of a matrix: how much of a series is applied."""

    series: str
    application: Application


@frozen(kw_only=True)
class Measured:
    """A kernel of a matrix and its boots."""

    build: Built
    runs: tuple[Path, ...]  # bundles; empty if it was not built


def of_benchmarks(
    board_type: BoardType,
    benchmarks: Sequence[Benchmark],
    parameters: Mapping[str, str],
    boots: int,
    timeout_s: int,
) -> list[PlanEntry]:
    """Return what is to be booted of each kernel: each benchmark, with the same parameters."""
    return [
        PlanEntry(
            benchmark=b.name, parameters=dict(parameters), board_types=(board_type.name,),
            seeds=boots, timeout_s=timeout_s,
        )
        for b in benchmarks
    ]  # fmt: skip


def of_plan(board_type: BoardType, plan: Plan) -> list[PlanEntry]:
    """Return what a plan boots on a board type; UsageError if that is nothing."""
    entries = list(plan.entries_on(board_type.name, {}))
    if not entries:
        there = sorted({name for e in plan.entries for name in e.board_types})
        raise UsageError(
            f"plan {plan.name} boots nothing on {board_type.name}; it has: {', '.join(there)}"
        )
    return entries


def applications(count: int, modes: Sequence[str]) -> list[Application]:
    """Return the applications of a series of `count` patches, without patches first.

    Each set of patches is there once: the first on those before it is the first alone, and the
    last is the whole series.
    """
    numbers = range(1, count + 1)
    asked = [Application(mode, i) for mode in MODES if mode in modes for i in numbers]
    by_patches: dict[tuple[int, ...], Application] = {}
    for a in (NONE, FULL, *asked):
        by_patches.setdefault(_chosen(a, count), a)
    return sorted(by_patches.values(), key=lambda a: a == FULL)


def _chosen(application: Application, count: int) -> tuple[int, ...]:
    numbers, i = tuple(range(1, count + 1)), application.number
    if i is None:
        return numbers if application == FULL else ()
    return {
        "solo": (i,),
        "prefix": numbers[:i],
        "without": tuple(n for n in numbers if n != i),
    }[application.kind]


@define(kw_only=True)
class Measurement:
    """Builds the kernels of a matrix and boots them; what is on record is not made again."""

    settings: Settings
    catalogue: Catalogue
    tree: str
    base: str  # branch, tag or commit
    board_type: BoardType
    entries: Sequence[PlanEntry]  # what each kernel boots
    build_s: float | None = None  # mean of the builds on record; None: there is none
    strange: bool = False  # the patches are of somebody whom nobody vouches for
    _boards: list[Board] = field(init=False)
    _pool: BoardPool | None = field(init=False, default=None)  # of labs; None: of this host
    _head: Commit | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        """Raise UsageError where there is no such board, or no sandbox for strangers."""
        if self.strange:
            refuse_unboxed(self.settings)
        name = self.board_type.name
        if self.catalogue.has_boards_here(name):
            self._boards = side_by_side.boards_at_once(self.catalogue, name)
        else:
            self._pool = lab_boards.pool(self.settings, self.catalogue, name)
            self._boards = self._pool.in_use

    def head(self) -> Commit:
        """Return the commit of the base; the first call brings the tree up to date.

        All kernels have this one: a branch may move while they are built.
        """
        if self._head is None:
            self._head = commit_of(self.settings, self.tree, self.base)
        return self._head

    def run(self, kernels: Sequence[Patched]) -> Iterator[Measured]:
        """Yield each kernel after its boots, the base first.

        In labs all are built before the first boot, and take turns on each board.
        A patch that does not apply, a kernel that does not build and one that panics are results.
        Raises UsageError if the base does not build.
        """
        boots = len(kernels) * sum(e.seeds for e in self.entries)
        about = len(kernels) * self._estimate_s() / 60
        builds = len(kernels) * (COLD_BUILD_S if self.build_s is None else self.build_s) / 60
        guess = ", a guess: no build is on record" if self.build_s is None else ""
        log.info(
            f"{len(kernels)} kernels, {boots} boots: the builds take up to {max(1, builds):.0f} min"
            f"{guess}; the boots about {max(1, about):.0f} min"
        )
        if self._pool is not None:
            yield from self._in_labs(self._pool, list(self._built(kernels)))
            return
        for made in self._built(kernels):
            runs: list[Path] = []
            if made.outcome is Outcome.COMPLETE:
                runs = [r for entry in self.entries for r in self._boot(made.folder, entry)]
            yield Measured(build=made, runs=tuple(runs))

    def _built(self, kernels: Sequence[Patched]) -> Iterator[Built]:
        """Build one kernel after the other; raises UsageError if the first does not build."""
        for number, patched in enumerate(kernels, 1):
            patches = select_patches(patched.series, str(FULL))[1]
            names = ", ".join(p.name for p in select(patches, patched.application)) or "no patch"
            log.info(f"kernel {number} of {len(kernels)}: {patched.application} ({names})")
            made = self._build(patched)
            log.info(f"  {made.outcome.value}: {made.reason or made.folder.name}")
            if made.outcome is not Outcome.COMPLETE and number == 1:
                what = (
                    "without patches" if patched.application == NONE else f"with {patched.series}"
                )
                raise UsageError(f"{self.base} {what}: {made.reason}")
            yield made

    def _in_labs(self, pool: BoardPool, built: Sequence[Built]) -> Iterator[Measured]:
        """Boot all kernels; of each seed all are booted on one board, one after the other.

        A kernel that panics or hangs on a board gets no further boot.
        """
        runs: dict[int, list[Path]] = {number: [] for number in range(len(built))}
        there = [n for n, made in enumerate(built) if made.outcome is Outcome.COMPLETE]
        fatal: set[int] = set()
        for entry in self.entries:

            def one(
                board: Board, asked: tuple[int, int], entry: PlanEntry = entry
            ) -> tuple[int, Path] | None:
                number, seed = asked
                if number in fatal:
                    return None
                answer = side_by_side.boot(
                    built[number].folder, board, benchmark=entry.benchmark, seed=seed,
                    parameters=entry.parameters, knobs={}, timeout_s=entry.timeout_s,
                    request=f"matrix {self.head().sha}", reuse_failed=True,
                )  # fmt: skip
                if answer["outcome"] in _FATAL:
                    fatal.add(number)
                name = built[number].document["kernel"]["application"]
                log.info(f"  {name}: {entry.benchmark} seed {seed}: {answer['outcome']}")
                return number, Path(answer["bundle"])

            by_seed = {
                seed: [(n, seed) for n in (there if seed % 2 else there[::-1])]
                for seed in range(1, entry.seeds + 1)
            }
            for booted in pool.run(by_seed, one):
                if booted is not None:
                    runs[booted[0]].append(booted[1])
        for number, made in enumerate(built):
            yield Measured(build=made, runs=tuple(runs[number]))

    def _build(self, kernel: Patched) -> Built:
        patched, head = kernel.application != NONE, self.head()
        request = Request(
            tree=self.tree,
            ref=head.sha if head.is_branch else self.base,
            branch=self.base if head.is_branch else None,
            board_type=self.board_type.name,
            series=kernel.series if patched else None,
            application=str(kernel.application) if patched else None,
            strange=self.strange and patched,
        )
        return build(settings=self.settings, catalogue=self.catalogue, request=request)

    def _boot(self, kernel: Path, entry: PlanEntry) -> list[Path]:
        def one(board: Board, seed: int) -> side_by_side.RunAnswer:
            answer = side_by_side.boot(
                kernel, board, benchmark=entry.benchmark, seed=seed, parameters=entry.parameters,
                knobs={}, timeout_s=entry.timeout_s,
            )  # fmt: skip
            log.info(f"  {entry.benchmark} seed {seed}: {answer['outcome']}")
            return answer

        answers = side_by_side.side_by_side(self._boards, [1], one)
        if answers[0]["outcome"] not in _FATAL:
            answers += side_by_side.side_by_side(self._boards, range(2, entry.seeds + 1), one)
        return [Path(a["bundle"]) for a in answers]

    def _estimate_s(self) -> float:
        """Return the expected duration of the boots of one kernel."""
        total = 0.0
        for entry in self.entries:
            benchmark = self.catalogue.benchmark(entry.benchmark)
            rounds = 1 + -(-(entry.seeds - 1) // len(self._boards))
            values = {**benchmark.parameters, **entry.parameters}
            total += rounds * estimate_s(benchmark, self.board_type, values)
        return total
