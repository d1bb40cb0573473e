# SPDX-License-Identifier: GPL-2.0-only
"""What an operation executes in each commit of a history: exact, where a figure would scatter.

A deterministic board boots each kernel once with one seed. Two kernels whose code is the same
execute the same, whatever their layout, so a commit that changes nothing has a change of 0.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    between: bool = False  # not booted, as a commit before it and one behind it execute the same


def history(
    asked: Asked, first: str, last: str, paths: Sequence[str], *, ends_first: bool
) -> Iterator[Point]:
    """Yield `first` and each commit after it up to `last` that touches `paths`, oldest first.

    A merge is one commit, as it is for its branch. With `ends_first` commits between two that
    execute the same are not built. Raises UsageError if `first` is no ancestor, or could not be
    counted.
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
    commits = [mirrors.resolve(mirror, sha) for sha in (ends[0].sha, *between)]

    def count(n: int) -> Point:
        commit = commits[n]
        log.info(f'{n} of {len(between)}: {commit.sha[:12]} ("{commit.subject}")')
        try:
            return Point(commit=commit, executed=_executed(asked, commit.sha))
        except UsageError as e:
            if n == 0:
                raise
            return Point(commit=commit, why=str(e))

    if not ends_first:
        yield from map(count, range(len(commits)))
        return
    yield from filled(commits, from_ends(len(commits), count))


def from_ends(commits: int, count: Callable[[int], Point]) -> dict[int, Point]:
    """Return what `count` says of the commits that have to be counted, by their numbers from 0 on.

    The first and the last one are counted, and the middle of each range whose ends do not execute
    the same to the last instruction; counts are exact, so where they do, nothing changed, or what
    did was taken back. In place of one that gives no counts the next one is taken, or one before.
    """
    known = {0: count(0)}

    def nearest(wanted: Iterable[int]) -> int | None:
        for n in wanted:
            if n not in known:
                known[n] = count(n)
            if known[n].executed is not None:
                return n
        return None

    end = nearest(range(commits - 1, 0, -1))
    open_ = [] if end is None else [(0, end)]
    while open_:
        low, high = open_.pop()
        if known[low].executed == known[high].executed:
            continue
        middle = (low + high) // 2
        there = nearest((*range(middle, high), *range(middle - 1, low, -1)) if middle > low else ())
        if there is not None:
            open_ += [(there, high), (low, there)]
    return known


def filled(commits: Sequence[Commit], known: Mapping[int, Point]) -> Iterator[Point]:
    """Yield all commits in order; one that was not counted executes what the one before does."""
    before = known[0]
    for n, commit in enumerate(commits):
        point = known.get(n)
        if point is None:
            point = Point(commit=commit, executed=before.executed, between=True)
        elif point.executed is not None:
            before = point
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
