# SPDX-License-Identifier: GPL-2.0-only
"""What an operation executes in each commit of a history: exact, where a figure would scatter.

A deterministic board boots each kernel once with one seed. Two kernels whose code is the same
execute the same, whatever their layout, so a commit that changes nothing has a change of 0.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel.mirror import Commit
from vlag.model import Benchmark, Board, Outcome
from vlag.pipeline.build_stage import Request, build
from vlag.profile import path
from vlag.profile.profiled_boots import Boot, check
from vlag.search import profiling

log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Asked:
    """What is counted of each kernel."""

    settings: Settings
    catalogue: Catalogue
    tree: str
    board: Board  # a deterministic one of this host
    benchmark: Benchmark
    parameters: Mapping[str, str | int]
    knobs: Mapping[str, str]
    seed: int
    timeout_s: int


@frozen(kw_only=True)
class Executed:
    """What one operation executes in a kernel."""

    metrics: Mapping[str, float]  # by what is counted, as in "kernel/sched"
    functions: Mapping[str, float]  # instructions of their own

    def level(self, name: str) -> float | None:
        """Return a metric's level or a function's instructions; None: the kernel has none."""
        return self.metrics.get(name, self.functions.get(name))


@frozen(kw_only=True)
class Point:
    """A commit of the history; the first one is what the next is compared with."""

    commit: Commit
    executed: Executed | None = None
    why: str | None = None  # it was not counted


def history(asked: Asked, first: str, last: str, paths: Sequence[str]) -> Iterator[Point]:
    """Yield `first` and each commit after it up to `last` that touches `paths`, oldest first.

    A merge is one commit, as it is for its branch. Raises UsageError if `first` is no ancestor,
    or could not be counted.
    """
    mirror = asked.settings.mirror(asked.tree)
    ends = [mirrors.resolve(mirror, ref) for ref in (first, last)]
    if not mirrors.is_ancestor(mirror, *(end.sha for end in ends)):
        raise UsageError(
            f"{first} is no ancestor of {last}, so nothing leads from one to the other; name two"
            " commits of one branch, the older one first"
        )
    between = mirrors.git(
        mirror, "rev-list", "--first-parent", "--reverse", f"{ends[0].sha}..{ends[1].sha}", "--",
        *paths,
    ).split()  # fmt: skip
    log.info(f"{len(between)} commits after {ends[0].describe} touch {' '.join(paths)}")
    for n, sha in enumerate([ends[0].sha, *between]):
        commit = mirrors.resolve(mirror, sha)
        log.info(f'{n} of {len(between)}: {sha[:12]} ("{commit.subject}")')
        try:
            point = Point(commit=commit, executed=_executed(asked, sha))
        except UsageError as e:
            if n == 0:
                raise
            point = Point(commit=commit, why=str(e))
        yield point


def _executed(asked: Asked, commit: str) -> Executed:
    """Build and boot a commit, or take what is on record; UsageError if it gives no counts."""
    made = build(
        settings=asked.settings, catalogue=asked.catalogue,
        request=Request(tree=asked.tree, ref=commit, board_type=asked.board.board_type),
    )  # fmt: skip
    if made.outcome is not Outcome.COMPLETE:
        raise UsageError(f"does not build: {made.reason}")
    boots = profiling.prepared(
        settings=asked.settings, catalogue=asked.catalogue, build=made.folder, board=asked.board,
        benchmark=asked.benchmark, given=asked.parameters, knobs=asked.knobs, seeds=(asked.seed,),
        timeout_s=asked.timeout_s,
    )  # fmt: skip
    counted = profiling.profiled(boots, asked.board, asked.benchmark, asked.settings.runs)
    check(counted, counted, asked.benchmark.operation)
    return executed(asked.catalogue, counted[0])


def executed(catalogue: Catalogue, boot: Boot) -> Executed:
    """Return what an operation executed in a boot."""
    return Executed(
        metrics=path.levels(catalogue.path_metrics, boot),
        functions={
            name: int(f.instructions.sum()) / boot.operations
            for name, f in boot.profile.functions.items()
        },
    )
