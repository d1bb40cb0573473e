# SPDX-License-Identifier: GPL-2.0-only
"""Figures of commits as they are on record, and what of them is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import chain, zip_longest
from math import exp
from pathlib import Path
from typing import Protocol

from attrs import define, field, frozen

from vlag.bundle_records import KernelRecord
from vlag.config import Settings
from vlag.kernel import mirror as mirrors
from vlag.kernel import series
from vlag.model import BoardType, Outcome
from vlag.pipeline.build_stage import identify
from vlag.search.asked import AskedBoot, AskedBuild, boot
from vlag.search.measure import Figure, Unmeasurable
from vlag.stats import blocks
from vlag.stats.blocks import Observation
from vlag.stats.compare import clip
from vlag.store import builds, kernels
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.kernels import Kernel
from vlag.store.profiles import Changed

#: A mode that some boots show, and boots that scatter, take so many times the boots of a level.
TIMES = 4
#: Kernels whose boots say how boots scatter, and how many commits before good they are looked for.
_KERNELS, _HISTORY = 12, 2000


class Booted(Protocol):
    """The boots of one kernel that count, by seed."""

    @property
    def values(self) -> Mapping[int, float]:
        """Return the figure of each, in the metric's unit."""
        ...

    @property
    def failed(self) -> Mapping[int, str]:
        """Return outcome and reason of those without a value."""
        ...

    @property
    def boards(self) -> Mapping[int, str]:
        """Return the board of each value."""
        ...


#: Returns what reads the boots of a kernel, by its id, as a comparison has its own.
Reader = Callable[[Comparison, Changed], Callable[[int], Booted]]


class Missing(Exception):  # noqa: N818 - no error: what a search needs next
    """A build or boots that a search needs before it goes on.

    With boots, `builds` are those that it may need after them.
    """

    def __init__(
        self, *, builds: Sequence[AskedBuild] = (), boots: Sequence[AskedBoot] = ()
    ) -> None:
        super().__init__("not on record")
        self.builds, self.boots = tuple(builds), tuple(boots)


class Exhausted(Exception):  # noqa: N818 - no error: the settings allow no more
    """A search that needs more kernels or boots than the settings allow."""


@frozen(kw_only=True)
class Question:
    """A figure that got worse between two commits with others between them."""

    comparison: Comparison
    changed: Changed
    good: Kernel
    bad: Kernel
    between: int  # commits


@define(kw_only=True)
class Recorded:
    """Figures of commits as they are on record; raises `Missing` for what is not."""

    conn: Connection
    settings: Settings
    question: Question
    board_type: BoardType
    figure: Figure
    timeout_s: int
    read: Callable[[int], Booted]
    # Seeds 1 to this raised the suspicion: of the kernels that are searched they are no evidence.
    screened: int = 0
    _kernels: dict[str, KernelRecord] = field(factory=dict)
    _boots: dict[str, set[int]] = field(factory=dict)
    _times: int = 1  # the boots that the settings allow
    _offsets: Mapping[str, float] | None = None  # levels of boards; None: not asked yet

    def search_mode(self) -> None:
        """Allow as many boots as the share of a mode needs, which is more than a level does."""
        self._times = TIMES

    def known(self, commits: Sequence[str]) -> Set[str]:
        """Return those with boots on record that are evidence."""
        return {
            k.commit for k in self._seen(commits)
            if any(seed > self.screened for seed in self.read(k.id).values)
        }  # fmt: skip

    def history(self) -> Sequence[Sequence[float]]:
        """Return the boots on record of the latest kernels before good, without board levels."""
        return [list(self._levelled(self.read(k.id)).values()) for k in self._before()]

    def _before(self) -> Sequence[Kernel]:
        """Return the latest kernels before good."""
        tree, good = self.question.good.tree, self.question.good.commit
        words = ("rev-list", f"--max-count={_HISTORY}", good)
        before = mirrors.git(self.settings.mirror(tree), *words).split()
        return kernels.of_commits(self.conn, tree, before[1:])[:_KERNELS]

    def build(self, commit: str) -> Path:
        """Return the build of a commit; raises Unmeasurable if there is none."""
        kernel = kernels.by_digest(self.conn, self._kernel(commit)["digest"])
        made = builds.of_kernels(self.conn, [kernel.id]) if kernel is not None else []
        for b in reversed(made):
            folder = Path(b.location)
            if b.outcome == Outcome.COMPLETE.value and (folder / "build.json").is_file():
                return folder
        failed = [b for b in made if b.outcome != Outcome.COMPLETE.value]
        if failed:
            raise Unmeasurable(f"does not build: {failed[-1].reason}")
        raise Missing(builds=[self._asked(commit)])

    def ahead(self, commits: Sequence[str]) -> list[AskedBuild]:
        """Return the builds of commits that are not on record, as far as the settings allow."""
        builds_: list[AskedBuild] = []
        for commit in commits:
            try:
                self.build(commit)
            except Missing as missing:
                builds_ += missing.builds
            except Unmeasurable:
                continue
        return builds_[: max(self.settings.bisect.builds - self._counted(), 0)]

    def values(self, commit: str, seeds: Sequence[int]) -> list[float]:
        """Return the figure in boots with these seeds, in their order, in the metric's unit.

        Raises Unmeasurable if the kernel does not build or a boot gives no figure, and
        Exhausted beyond what the settings allow.
        """
        self._count(commit, seeds)
        kernel = kernels.by_digest(self.conn, self._kernel(commit)["digest"])
        values: Mapping[int, float] = {}
        if kernel is not None:
            there = self.read(kernel.id)
            values = self._levelled(there)
            # One that gave no figure in any boot of a night is not booted again.
            failing = seeds if values else there.failed
            if failed := [there.failed[s] for s in failing if s in there.failed]:
                raise Unmeasurable(failed[0])
        left = [s for s in seeds if s not in values]
        if not left:
            return [values[s] for s in seeds]
        build = self.build(commit)
        assert kernel is not None  # noqa: S101 - it has a build
        changed = self.question.changed
        raise Missing(
            boots=[
                boot(
                    kernel, build, "to find the commit", knobs=self.figure.knobs,
                    board_type=self.board_type.name, benchmark=changed.benchmark,
                    parameters=changed.parameters, seed=seed, observes=None,
                    timeout_s=self.timeout_s,
                )
                for seed in left
            ]
        )  # fmt: skip

    def values_of(self, seeds_of: Mapping[str, Sequence[int]]) -> list[list[float]]:
        """Return the same of several commits; their missing boots are asked for in turns."""
        values: list[list[float]] = []
        boots: list[Sequence[AskedBoot]] = []
        for commit, seeds in seeds_of.items():
            try:
                values.append(self.values(commit, seeds))
            except Missing as missing:
                if missing.builds:
                    raise
                boots.append(missing.boots)
        if boots:
            turns = chain.from_iterable(zip_longest(*boots))
            raise Missing(boots=[asked for asked in turns if asked is not None])
        return values

    def on_record(self, commit: str) -> list[float]:
        """Return the figure in all boots of a commit on record, without the levels of boards."""
        made = kernels.by_digest(self.conn, self._kernel(commit)["digest"])
        return [] if made is None else list(self._levelled(self.read(made.id)).values())

    def _levelled(self, there: Booted) -> Mapping[int, float]:
        """Return the values of boots without the levels of their boards."""
        if self.board_type.deterministic:
            return there.values
        if self._offsets is None:
            self._offsets = self._board_levels()
        level = self._offsets.get
        return {s: v / exp(level(there.boards[s], 0.0)) for s, v in there.values.items()}

    def _board_levels(self) -> Mapping[str, float]:
        """Return by how much boards differ, from what they ran in common of the kernels."""
        good, bad = self.question.good.commit, self.question.bad.commit
        mirror = self.settings.mirror(self.question.bad.tree)
        between = mirrors.git(mirror, "rev-list", f"{good}..{bad}").split()
        searched = [(kernel, self.screened) for kernel in self._seen([good, *between])]
        seen = [*searched, *((kernel, 0) for kernel in self._before())]
        return blocks.offsets([o for k, after in seen for o in self._observations(k.id, after)])

    def _observations(self, kernel: int, after: int) -> list[Observation]:
        """Return the boots of a kernel with seeds above `after`, each with its board."""
        there = self.read(kernel)
        seeds = [seed for seed in there.values if seed > after]
        values = clip([there.values[seed] for seed in seeds], self.figure.metric.resolution)
        return blocks.observed(kernel, [there.boards[seed] for seed in seeds], values)

    def _count(self, commit: str, seeds: Sequence[int]) -> None:
        """Raise Exhausted if the search needs more than the settings allow."""
        allowed = self.settings.bisect
        self._boots.setdefault(commit, set()).update(seeds)
        if self._counted() > allowed.builds:
            raise Exhausted(f"the settings allow {allowed.builds} kernels of a search")
        most = self._times * allowed.boots
        if sum(map(len, self._boots.values())) > most:
            raise Exhausted(f"the settings allow {most} boots of a search")

    def _counted(self) -> int:
        """Return how many kernels the search has asked about; the ends were there before it."""
        return len(self._boots.keys() - {self.question.good.commit, self.question.bad.commit})

    def _kernel(self, commit: str) -> KernelRecord:
        """Return the identity of a commit's kernel."""
        if commit not in self._kernels:
            tree = self._tree_of(commit)
            self._kernels[commit] = identify(
                self.board_type, tree=tree, branch=commit,
                commit=mirrors.resolve(self.settings.mirror(tree), commit),
                series=None, applied=series.NONE, patches=(),
            )  # fmt: skip
        return self._kernels[commit]

    def _tree_of(self, commit: str) -> str:
        """Return the tree of a commit's kernel; that of good may be another one than of bad."""
        ends = self.question
        return ends.good.tree if commit == ends.good.commit else ends.bad.tree

    def _seen(self, commits: Sequence[str]) -> list[Kernel]:
        """Return the kernels of commits on record."""
        by_tree: dict[str, list[str]] = {}
        for commit in commits:
            by_tree.setdefault(self._tree_of(commit), []).append(commit)
        of = kernels.of_commits
        return [k for tree, its in by_tree.items() for k in of(self.conn, tree, its)]

    def _asked(self, commit: str) -> AskedBuild:
        """Return a build as the master requests it."""
        kernel = self._kernel(commit)
        return {
            "label": f"{kernel['describe']} to find a commit, on {self.board_type.name}",
            "kernel_name": kernel["describe"],
            "tree": kernel["tree"],
            "ref": commit,
            "board_types": [self.board_type.name],
        }
