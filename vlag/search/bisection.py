# SPDX-License-Identifier: GPL-2.0-only
"""The first commit that changed a figure: git chooses, boots decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from attrs import define, field, frozen

from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel.search import BAD, GOOD, SKIP, Search, reverted
from vlag.search.ahead import Builder
from vlag.search.measure import Measures, Unmeasurable
from vlag.stats.compare import Comparison, Question, clip, is_better, is_certain, judge
from vlag.stats.nearer import nearer
from vlag.stats.numbers import plain

#: Seeds of what verifies a result: no step has seen them.
FRESH = 1000


@frozen(kw_only=True)
class Step:
    """One commit that was asked about."""

    commit: mirrors.Commit
    word: str  # good, bad or skip
    level: float | None  # geometric mean of its boots; None where it was skipped unmeasured
    boots: int
    why: str | None = None  # of a skip


@frozen(kw_only=True)
class Check:
    """The first bad commit and its parent, booted again with seeds that no step has seen."""

    parent: mirrors.Commit
    change: Comparison
    levels: tuple[float, float]
    share: float  # of the whole change, by logarithms
    reverted: float | None  # level of the bad commit with the culprit reverted
    recovered: float | None  # share of the whole change that the revert takes back
    no_revert: str | None  # why there is none


@frozen(kw_only=True)
class Found:
    """Result of a search."""

    good: mirrors.Commit
    bad: mirrors.Commit
    change: Comparison  # of bad against good
    levels: tuple[float, float]
    worse: bool  # bad is worse than good, not only another
    commits: tuple[mirrors.Commit, ...]  # one; or several that skips leave
    between: int  # commits between good and bad
    steps: tuple[Step, ...]
    log: str  # git's, to be replayed
    check: Check | None  # None where several commits are left


@define(kw_only=True)
class Bisection:
    """A search for the commit that changed one figure."""

    measurer: Measures
    mirror: Path
    scratch: Path  # folder for git's notes
    good: mirrors.Commit
    bad: mirrors.Commit
    boots: int  # of each commit
    most: int  # boots of a commit whose side is not clear
    say: Callable[[str], None]
    ahead: Builder | None = None  # builds what may come next; None: no core is idle
    # False: git would touch the times of objects that the mirror shares with a person's tree.
    reverts: bool = True
    _values: dict[str, list[float]] = field(factory=dict)
    _steps: dict[str, Step] = field(factory=dict)
    _search: Search = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare git's search."""
        self._search = Search(self.mirror, self.scratch, self.good.sha, self.bad.sha)

    def run(self, paths: Sequence[str]) -> Found:
        """Find the first commit that is like the bad one.

        Commits that touch `paths` are asked about first, all others only if the culprit is not
        among these.  Raises UsageError if one cannot search between the two, or if they do not
        differ.
        """
        try:
            return self._run(paths)
        finally:
            if self.ahead is not None:
                self.ahead.end()

    def _run(self, paths: Sequence[str]) -> Found:
        search = self._search
        every = search.commits()
        named = search.commits(paths) if paths else every
        self.say(f"{len(every)} commits, {len(named)} of them in {' '.join(paths) or 'all paths'}")
        change = self._ends()
        if not named:
            self.say("none touches these paths; searching all commits")
            named, paths = every, ()
        end = search.run(self._judge, paths)
        if len(end.commits) == 1 and len(named) < len(every):
            before = self._parent(end.commits[0]).sha
            if before != self.good.sha and self._judge(before, 1) == BAD:
                self.say(
                    "its parent is bad as well: the culprit touches other paths; searching all"
                )
                end = search.run(self._judge)
        commits = tuple(mirrors.resolve(self.mirror, sha) for sha in end.commits)
        return Found(
            good=self.good,
            bad=self.bad,
            change=change,
            levels=(math.exp(self._log(self.good.sha)), math.exp(self._log(self.bad.sha))),
            worse=not is_better(change.effect or 0.0, self.measurer.figure.metric.direction),
            commits=commits,
            between=len(every),
            steps=tuple(self._steps.values()),
            log=end.log,
            check=self._check(commits[0]) if len(commits) == 1 else None,
        )

    # Deciding.

    def _ends(self) -> Comparison:
        """Return how the ends differ; raises UsageError if they do not, or give no figure."""
        n = self.boots
        while True:
            for end in (self.good, self.bad):
                try:
                    self._measure(end, n)
                except Unmeasurable as e:
                    raise UsageError(f"{end.describe} {end.sha[:12]} {e}") from e
            change = self._compare(self._values[self.good.sha], self._values[self.bad.sha])
            if change.p_zero is not None and is_certain(change.p_zero):
                return change
            if n >= self.most:
                raise UsageError(
                    f"after {n} boots of each, {self.good.describe} and {self.bad.describe} do not"
                    f" surely differ in {self.measurer.figure.name}: {change.reason}"
                )
            n = min(2 * n, self.most)

    def _judge(self, sha: str, left: int) -> str:
        """Answer git about a commit, and note the step."""
        if sha in self._steps:
            return self._steps[sha].word
        commit = mirrors.resolve(self.mirror, sha)
        self.say(f'about {left} steps left: {sha[:12]} ("{commit.subject}")')
        word, why = SKIP, None
        try:
            if self.ahead is not None:
                self.ahead.want(sha)
                self.measurer.build(sha)
                self.ahead.begin(self._search.after(sha))
            is_bad = self._side(commit)
            if is_bad is None:
                why = f"undecided after {len(self._values[sha])} boots"
            else:
                word = BAD if is_bad else GOOD
        except Unmeasurable as e:
            why = str(e)
        values = self._values.get(sha, [])
        step = Step(commit=commit, word=word, level=self._level(values), boots=len(values), why=why)
        self._steps[sha] = step
        self.say(f"  {told(step, self.measurer.figure.metric.unit)}")
        return word

    def _side(self, commit: mirrors.Commit) -> bool | None:
        """Return whether a commit is like the bad one; None: its boots do not say."""
        n = self.boots
        while True:
            self._measure(commit, n)
            answer = nearer(
                *(self._values[c.sha] for c in (commit, self.good, self.bad)),
                resolution=self.measurer.figure.metric.resolution,
            )
            if answer is not None or n >= self.most:
                return answer
            n = min(2 * n, self.most)

    # Verifying.

    def _check(self, culprit: mirrors.Commit) -> Check | None:
        """Boot parent and culprit with fresh seeds, and the bad commit without the culprit."""
        before = self._parent(culprit.sha)
        if self.ahead is not None:
            self.ahead.want(None)
        self.say(f"verifying {culprit.sha[:12]} against its parent with other seeds")
        seeds = range(FRESH + 1, FRESH + 1 + self.boots)
        try:
            base, new = (self.measurer.values(c.sha, seeds) for c in (before, culprit))
        except Unmeasurable:
            return None
        bad = self.bad
        whole = self._log(bad.sha) - self._log(self.good.sha)
        level, without = None, None
        revert, why = self._reverted(culprit)
        if revert is not None:
            self.say(f"booting {bad.describe} with {culprit.sha[:12]} reverted")
            try:
                values = self.measurer.values(revert, range(1, self.boots + 1))
                level = self._level(values)
                without = (self._log(bad.sha) - self._mean(values)) / whole
            except Unmeasurable as e:
                why = f"with it reverted, the kernel {e}"
        return Check(
            parent=before, change=self._compare(base, new),
            levels=(math.exp(self._mean(base)), math.exp(self._mean(new))),
            share=(self._mean(new) - self._mean(base)) / whole,
            reverted=level, recovered=without, no_revert=why,
        )  # fmt: skip

    def _reverted(self, culprit: mirrors.Commit) -> tuple[str | None, str | None]:
        """Return the bad commit with the culprit reverted, or None and why there is none."""
        if not self.reverts:
            return None, "the tree is only read"
        index = self.scratch.with_suffix(".index")
        made = reverted(self.mirror, self.bad.sha, culprit.sha, index)
        return made, None if made else "it does not revert cleanly"

    def _parent(self, sha: str) -> mirrors.Commit:
        return mirrors.resolve(self.mirror, f"{sha}^1")

    # Figures.

    def _measure(self, commit: mirrors.Commit, n: int) -> None:
        have = self._values.get(commit.sha, [])
        if len(have) < n:
            more = self.measurer.values(commit.sha, range(len(have) + 1, n + 1))
            self._values[commit.sha] = [*have, *more]

    def _compare(self, base: Sequence[float], new: Sequence[float]) -> Comparison:
        metric = self.measurer.figure.metric
        question = Question(
            base=base, new=new, direction=metric.direction, resolution=metric.resolution,
            relevance=metric.relevance_on(self.measurer.board_type),
        )  # fmt: skip
        return judge([question])[0]

    def _mean(self, values: Sequence[float]) -> float:
        return fmean(map(math.log, clip(values, self.measurer.figure.metric.resolution)))

    def _log(self, sha: str) -> float:
        return self._mean(self._values[sha])

    def _level(self, values: Sequence[float]) -> float | None:
        return math.exp(self._mean(values)) if values else None


def told(step: Step, unit: str) -> str:
    """Return what a step has found, in one line."""
    if step.word == SKIP:
        return f"{step.word}: {step.why}"
    level = "" if step.level is None else f"{plain(step.level, 6)} {unit} "
    return f"{step.word}: {level}in {step.boots} boots"
