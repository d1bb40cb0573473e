# SPDX-License-Identifier: GPL-2.0-only
"""What an operation executes in each commit of a history: exact, where a figure would scatter.

A deterministic board boots each kernel once with one seed. Kernels of one program are booted once,
so that a commit that changes nothing of it has a change of 0. Where anything differs, the images
take other numbers of instructions to unpack, boots do not run in step, and functions whose code is
the same may be called more or less often, by some tenths of a percent.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel import program
from vlag.kernel.mirror import Commit
from vlag.model import Benchmark, Board, Outcome
from vlag.pipeline.build_stage import Request, build
from vlag.profile import path
from vlag.profile.profiled_boots import Boot, check
from vlag.search import profiling
from vlag.store.path_points import Counts

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
    #: Called with the folders of a build and of its run that was counted.
    keep: Callable[[Path, Path], None] | None = None


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
    #: What counts depend on beside the commit; points that differ in it are not compared.
    setup: str | None = None
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
    ends, between = between_ends(mirror, first, last, paths)
    log.info(f"{len(between)} commits after {ends[0].describe} touch {' '.join(paths)}")
    commits = [mirrors.resolve(mirror, sha) for sha in (ends[0].sha, *(c.sha for c in between))]

    programs: dict[str, Executed] = {}

    def count(n: int) -> Point:
        commit = commits[n]
        log.info(f'{n} of {len(between)}: {commit.sha[:12]} ("{commit.subject}")')
        try:
            return Point(commit=commit, executed=_executed(asked, commit.sha, programs))
        except UsageError as e:
            if n == 0:
                raise
            return Point(commit=commit, why=str(e))

    if not ends_first:
        yield from map(count, range(len(commits)))
        return
    yield from filled(commits, from_ends(len(commits), count))


def between_ends(
    mirror: Path, first: str, last: str, paths: Sequence[str]
) -> tuple[tuple[Commit, Commit], list[Commit]]:
    """Return both ends of a history, and the commits after the first that touch `paths`.

    The latter are described by their first digits. Raises UsageError if `first` is no ancestor.
    """
    ends = mirrors.resolve(mirror, first), mirrors.resolve(mirror, last)
    if not mirrors.is_ancestor(mirror, *(end.sha for end in ends)):
        raise UsageError(
            f"{first} is no ancestor of {last}, so nothing leads from one to the other; name two"
            " commits of one branch, the older one first"
        )
    lines = mirrors.git(
        mirror, "log", "--first-parent", "--reverse", "--format=%H %cI %s",
        f"{ends[0].sha}..{ends[1].sha}", "--", *paths,
    ).splitlines()  # fmt: skip
    between = []
    for line in lines:
        sha, at, subject = line.split(" ", 2)
        between.append(Commit(sha=sha, describe=sha[:12], subject=subject, committed_at=at))
    return ends, between


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


def _executed(asked: Asked, commit: str, programs: dict[str, Executed]) -> Executed:
    """Build and boot a commit, or take what is on record; UsageError if it gives no counts.

    A kernel of one of the `programs` that were counted is not booted.
    """
    made = build(
        settings=asked.settings, catalogue=asked.catalogue,
        request=Request(tree=asked.tree, ref=commit, board_type=asked.board.board_type),
    )  # fmt: skip
    if made.outcome is not Outcome.COMPLETE:
        raise UsageError(f"does not build: {made.reason}")
    its = program_of(made.folder)
    if its is not None and its in programs:
        return programs[its]
    boots = profiling.prepared(
        settings=asked.settings, catalogue=asked.catalogue, build=made.folder, board=asked.board,
        benchmark=asked.benchmark, given=asked.parameters, knobs=asked.knobs, seeds=(asked.seed,),
        timeout_s=asked.timeout_s,
    )  # fmt: skip
    runs = profiling.booted(boots, asked.board, asked.settings.runs)
    counted = profiling.read(runs, made.folder, asked.benchmark)
    check(counted, counted, asked.benchmark.operation)
    if asked.keep is not None:
        asked.keep(made.folder, runs[0])
    found = executed(counts(asked.catalogue, counted[0]))
    if its is not None:
        programs[its] = found
    return found


def program_of(build: Path) -> str | None:
    """Return the program of a build's kernel; None: its image is of a kind that is not read."""
    document = json.loads((build / "build.json").read_text(encoding="utf-8"))
    return program.digest(build / document["image"]["path"])


def counts(catalogue: Catalogue, boot: Boot) -> Counts:
    """Return what a boot with operations executed."""
    return Counts(
        operations=boot.operations,
        metrics=list(path.levels(catalogue.path_metrics, boot).items()),
        functions={n: int(f.instructions.sum()) for n, f in boot.profile.functions.items()},
    )


def executed(counts: Counts) -> Executed:
    """Return the same for one operation."""
    return Executed(
        metrics=dict(counts.metrics),
        functions={n: of / counts.operations for n, of in counts.functions.items()},
    )
