# SPDX-License-Identifier: GPL-2.0-only
"""The commit that changed a figure, from boots that scatter: each step is the one that says most.

Nothing is decided by one commit's boots.  All boots together give each commit a chance
(`vlag.stats.culprits`), and the next boots are those from which most bits are expected for what
they cost.  The likeliest commit is booted again beside its parent, and only these fresh boots
verify it.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from attrs import define, field

from vlag.kernel import mirror as mirrors
from vlag.kernel.ancestry import Ancestry, Contains, between
from vlag.kernel.git import git
from vlag.kernel.search import BAD, GOOD, SKIP
from vlag.search.ahead import Builder
from vlag.search.measure import Measures, Unmeasurable
from vlag.search.odds import Growth, Likely, Odds, Progress, Side
from vlag.stats.compare import clip
from vlag.stats.culprits import Beliefs, beliefs, information, log_step
from vlag.stats.numbers import chance as percent
from vlag.stats.scatter import Array, Scatter

log = logging.getLogger(__name__)

#: Seeds of what verifies a result: no step has seen them.
FRESH = 1000
#: Chance of a commit that is named, and of "several steps"; a side of a commit that was booted.
SURE, SIDE = 0.99, 0.95
#: Fresh boots must explain a step so many times better than one level.
FACTOR = 20.0
#: Boots of a search in all.
MOST_IN_ALL = 600
# Chance from which a commit is booted again beside its parent.
_LIKELY = 0.8
# Boots of a kernel at a time; a kernel that has none yet costs so many more, for its build.
_SIZES, _BUILD = (2, 4, 8), 3.0
# A commit is named though the rest of the change may be another's with this chance: its share of
# the change is said.
_APART = 0.2
# First fresh boots of a commit and of its parent.
AGAIN = 4
# Chance that one of the named paths was changed by the commit.
_IN_PATHS = 0.9
# Chance that one of the commits that are asked about first made the change: a guess, by which boots
# are chosen.  A commit is named by its chance without it, so that a wrong guess costs boots alone.
_SAID = 0.9
# Expected bits below which boots are not worth it.
_LEAST_BITS = 0.01
# A commit that does not build or boot makes its neighbour at this distance fail with this chance.
_NEAR = 0.8
# A commit with boots is preferred to one without, if it has this part of the bits for the cost.
_KNOWN = 0.8
_NAMED = 3  # commits in a sentence
# Commits in a list, and the chance from which one has a line.
_LISTED, _LEAST_CHANCE = 8, 0.01


@define(kw_only=True)
class NoisySearch:
    """A search between two commits whose boots are known to differ."""

    measurer: Measures
    mirror: Path
    good: mirrors.Commit
    bad: mirrors.Commit
    ends: tuple[int, int]  # their boots
    most: int  # boots of a commit
    screened: int = 0  # seeds 1 to this raised the suspicion: none is evidence
    budget: int = MOST_IN_ALL  # boots beside those of the ends
    ahead: Builder | None = None
    first: Sequence[str] = ()  # commits that are asked about first, for what is known elsewhere
    _graph: Ancestry = field(init=False)
    _prior: Array = field(init=False)
    _guess: Array | None = field(default=None, init=False)  # with `first`; chooses, never judges
    _history: list[Array] = field(init=False)
    _boots: dict[str, int] = field(factory=dict, init=False)  # by commit; no fresh ones
    _fresh: dict[str, int] = field(factory=dict, init=False)
    _values: dict[str, list[float]] = field(factory=dict, init=False)  # of both, these first
    _failed: dict[str, str] = field(factory=dict, init=False)
    _verified: dict[str, int] = field(factory=dict, init=False)  # commit -> fresh boots
    _refuted: dict[str, int] = field(factory=dict, init=False)
    _resolved: dict[str, mirrors.Commit] = field(factory=dict, init=False)
    _now: Beliefs | None = field(default=None, init=False)
    _guided: Beliefs | None = field(default=None, init=False)  # the same by `_guess`

    def run(self, paths: Sequence[str]) -> Odds:
        """Search until a commit is verified, several share the change, or boots say no more."""
        self._prepare(paths)
        while True:
            now = self._believe()
            log.info(f"so far: {self.so_far}")
            if now.several >= SURE:
                return self._result(None)
            i = int(np.argmax(now.single))
            top = self._graph.commits[i]
            chance = self._chance(now, top)
            if chance >= SURE and now.several <= _APART and top in self._verified:
                return self._result(top)
            if self._left() < 2 * AGAIN:
                return self._result(None)
            likely = self._to_verify()
            if likely is not None:
                self._verify(likely)
                continue
            asked = None if top in self._refuted else self._next_of_both()
            if asked is None:
                return self._result(None)
            self._ask(*asked)

    @property
    def so_far(self) -> str | None:
        """Return the likeliest commits with their chances; None before any is known."""
        if self._now is None:
            return None
        parts = [f"{c[:12]} {percent(chance)}" for c, chance in self._top(self._now)]
        if self._now.several >= 0.01:
            parts.append(f"several commits {percent(self._now.several)}")
        return ", ".join(parts[: _NAMED + 1])

    @property
    def progress(self) -> Progress | None:
        """Return the same with subjects, for people who wait; None before any is known."""
        if self._now is None:
            return None
        return Progress(
            likeliest=tuple(
                Likely(commit=self._commit(c), chance=p)
                for c, p in self._top(self._now, _LISTED)
                if p >= _LEAST_CHANCE
            ),
            credible=len(self._credible(self._now)),
            several=self._now.several,
        )

    # What boots say.

    def _prepare(self, paths: Sequence[str]) -> None:
        self._graph = between(self.mirror, self.good.sha, self.bad.sha)
        count = len(self._graph.commits)
        self._prior = np.full(count, 1 / count)
        if paths:
            words = ("rev-list", f"{self.good.sha}..{self.bad.sha}", "--", *paths)
            named = set(git(self.mirror, *words).split())
            inside = np.asarray([c in named for c in self._graph.commits])
            if inside.any() and not inside.all():
                shares = _IN_PATHS / inside.sum(), (1 - _IN_PATHS) / (~inside).sum()
                self._prior = np.where(inside, *shares)
        said = np.asarray([c in self.first for c in self._graph.commits])
        if said.any() and not said.all():
            rest = np.where(said, 0, self._prior)
            self._guess = (1 - _SAID) * rest / rest.sum() + _SAID * said / said.sum()
        self._history = [self._logs(kernel) for kernel in self.measurer.history()]

    def _believe(self) -> Beliefs:
        """Return what all boots together say."""
        self._read()
        logs = {c: self._logs(values) for c, values in self._values.items()}
        columns = [self._contained(c) for c in logs]
        scatter = Scatter([*self._history, *logs.values()])
        said = list(logs.values()), np.stack(columns, axis=1)
        self._now = beliefs(*said, self._prior, scatter)
        if self._guess is not None:
            self._guided = beliefs(*said, self._guess, scatter)
        return self._now

    def _to_verify(self) -> str | None:
        """Return the commit that is likely enough to be booted beside its parent; None: none."""
        for now in self._both():
            top = self._graph.commits[int(np.argmax(now.single))]
            seen = top in self._verified or top in self._refuted
            if not seen and self._chance(now, top) >= _LIKELY:
                return top
        return None

    def _both(self) -> Iterator[Beliefs]:
        """Yield what is believed with the guess, until fresh boots have judged it, and without."""
        if self._guided is not None:
            top = self._graph.commits[int(np.argmax(self._guided.single))]
            if top not in self._verified and top not in self._refuted:
                yield self._guided
        if self._now is not None:
            yield self._now

    def _chance(self, now: Beliefs, commit: str) -> float:
        """Return the chance that a commit changed the figure, alone or with another one."""
        i = self._graph.commits.index(commit)
        return float(now.single[i] + now.step_at[i])

    def _read(self) -> None:
        """Read the boots of all kernels at once: what is known of their boards grows."""
        seeds = {
            commit: [
                *first_seeds(self.screened, self._first(commit)),
                *_fresh_seeds(self._fresh.get(commit, 0)),
            ]
            for commit in (self.good.sha, self.bad.sha, *self._boots, *self._fresh)
        }
        self._values = dict(zip(seeds, self.measurer.values_of(seeds), strict=True))

    def _first(self, commit: str) -> int:
        """Return how many boots a commit has that are not fresh."""
        ends = dict(zip((self.good.sha, self.bad.sha), self.ends, strict=True))
        return max(ends.get(commit, 0), self._boots.get(commit, 0))

    def _contained(self, commit: str) -> Contains:
        if commit not in self._graph.commits:
            return np.zeros(len(self._graph.commits), dtype=bool)
        return self._graph.contained(self._graph.commits.index(commit))

    def _logs(self, values: Sequence[float]) -> Array:
        clipped = clip(values, self.measurer.figure.metric.resolution)
        return np.asarray(np.log(np.asarray(clipped, dtype=np.float64)))

    # What comes next.

    def _next_of_both(self) -> tuple[str, int] | None:
        """Return what the guess asks next, and where it asks nothing what boots alone ask."""
        every = (self._next(believed) for believed in self._both())
        return next((asked for asked in every if asked is not None), None)

    def _next(self, now: Beliefs) -> tuple[str, int] | None:
        """Return the commit and the number of boots from which most is expected for the cost.

        While one commit is the likelier answer, boots are to tell which: that it is not two shows
        beside it.  Asked for alone, it takes boots of one kernel without end.
        """
        bad, middle = self._sides(now)
        if now.several < 0.5:
            alone = np.clip(bad / np.maximum(1 - middle, 1e-9), 0, 1)
            asked = self._most_telling(alone, np.zeros_like(middle), now.apart)
            if asked is not None:
                return asked
        return self._most_telling(bad, middle, now.apart)

    def _most_telling(self, bad: Array, middle: Array, apart: float) -> tuple[str, int] | None:
        """Return the same for chances that a commit is like bad, and that it is in between."""
        have = np.asarray([self._boots.get(c, 0) for c in self._graph.commits])
        works = self._works()
        known = self.measurer.known(self._graph.commits)
        cheap = np.asarray([c in known for c in self._graph.commits])
        best: tuple[float, str, int] | None = None
        for size in _SIZES:
            bits = information(bad, middle, apart, size) * works
            bits[have + size > self.most] = 0
            if size > self._left():
                break
            if bits.max(initial=0) < _LEAST_BITS:
                continue
            worth = bits / (size + _BUILD * (have == 0))
            i = int(np.argmax(worth))
            there = np.where(cheap, worth, 0)
            if there.max() >= _KNOWN * worth[i]:
                i = int(np.argmax(there))
            if best is None or worth[i] > best[0]:
                best = float(worth[i]), self._graph.commits[i], int(have[i]) + size
        return None if best is None else best[1:]

    def _sides(self, now: Beliefs) -> tuple[Array, Array]:
        """Return for each commit the chance that it is like bad, and that it is in between."""
        sums = self._graph.sums(np.stack([now.single, now.step_at], axis=1))
        steps = float(now.step_at.sum())
        part = sums[:, 1] / steps if steps > 0 else np.zeros(len(sums))
        bad = sums[:, 0] + now.several * part**2
        return np.clip(bad, 0, 1), now.several * 2 * part * (1 - part)

    def _works(self) -> Array:
        """Return the chance that a commit builds and boots, by how near those are that do not."""
        chances = np.ones(len(self._graph.commits))
        places = np.arange(len(chances))
        for commit in self._failed:
            if commit in self._graph.commits:
                apart = np.abs(places - self._graph.commits.index(commit))
                chances *= 1 - _NEAR ** np.maximum(apart, 0)
        for end in (self.bad.sha,):
            chances[self._graph.commits.index(end)] = 0
        return chances

    def _left(self) -> int:
        """Return the boots that the search may still make; those of a revert are kept for it."""
        made = sum((*self._boots.values(), *self._fresh.values()))
        return self.budget - AGAIN - made

    def _ask(self, commit: str, boots: int) -> None:
        """Boot a commit until it has so many boots; note why where it has none."""
        subject = self._commit(commit).subject
        log.info(f'{boots} boots of {commit[:12]} ("{subject}")')
        try:
            if self.ahead is not None:
                self.ahead.want(commit)
                self.measurer.build(commit)
                self.ahead.begin(self._after(commit))
            self.measurer.values(commit, first_seeds(self.screened, boots))
            self._boots[commit] = boots
        except Unmeasurable as e:
            self._fail(commit, str(e))

    def _fail(self, commit: str, why: str) -> None:
        log.info(f"  {SKIP}: {commit[:12]} {why}")
        self._failed[commit] = why
        self._boots.pop(commit, None)

    def _after(self, commit: str) -> list[str]:
        """Return the commits that come next where this one is like bad, and like good."""
        if self._now is None:
            return []
        inside, known = self._contained(commit), {commit, *self._failed, self.bad.sha}
        commits = []
        for side in (inside, ~inside):
            chances = self._now.single * side
            if chances.sum() <= 0:
                continue
            halves = np.abs(self._graph.sums(chances / chances.sum()) - 0.5)
            i = int(np.argmin(halves))
            if halves[i] < 0.5 and self._graph.commits[i] not in known:
                commits.append(self._graph.commits[i])
        return commits

    # Verifying.

    def _verify(self, commit: str) -> None:
        """Boot a commit beside its parent with fresh seeds until these tell them apart, or not."""
        parent = self._graph.parents[self._graph.commits.index(commit)] or self.good.sha
        log.info(f"verifying {commit[:12]} against its parent with other seeds")
        if self.ahead is not None:
            self.ahead.want(None)
        # Those that it has from an earlier look stay.
        boots = max(AGAIN, *(self._fresh.get(c, 0) for c in (parent, commit)))
        while True:
            seeds = _fresh_seeds(boots)
            try:
                base, new = self.measurer.values_of({parent: seeds, commit: seeds})
            except Unmeasurable as e:
                log.info(f"  {e}")
                self._refuted[commit] = 0
                return
            self._fresh |= {parent: boots, commit: boots}
            before = self._now
            assert before is not None  # noqa: S101 - it named the commit
            now = self._believe()
            chance = max(self._chance(b, commit) for b in (now, self._guided or now))
            ends = [
                self._logs(self._values[c.sha][: self._first(c.sha)]) for c in (self.good, self.bad)
            ]
            factor = log_step(
                self._logs(base),
                self._logs(new),
                before.levels[1] - before.levels[0],
                Scatter([*self._history, *ends, self._logs(base), self._logs(new)]),
            )
            if factor >= math.log(FACTOR):
                self._verified[commit] = boots
                return
            if chance < _LIKELY / 2:
                return
            over = 2 * boots > self._left()
            if factor <= -math.log(FACTOR) or boots >= self.most or over:
                self._refuted[commit] = boots
                return
            boots = min(2 * boots, self.most)

    # The result.

    def _result(self, named: str | None) -> Odds:
        now = self._now
        assert now is not None  # noqa: S101 - there is a result
        likeliest = self._likeliest(now)
        growth = self._growth(now) if named is None and now.several >= SURE else None
        if named is not None:
            commits: tuple[mirrors.Commit, ...] = (self._commit(named),)
        elif growth is not None:
            commits = tuple(dict.fromkeys((*growth.first, *growth.last)))
        else:
            commits = tuple(self._commit(c) for c in self._credible(now))
        return Odds(
            likeliest=likeliest, growth=growth, commits=commits,
            doubt=None if named is not None or growth is not None else self._doubt(likeliest),
            again=self._verified.get(named, 0) if named is not None else 0,
            sides=tuple(self._asked(now)), log=self._log(now),
        )  # fmt: skip

    def _doubt(self, likeliest: Sequence[Likely]) -> str:
        """Return why no commit is named."""
        top = likeliest[0].commit.sha
        if top in self._refuted:
            boots = self._refuted[top]
            if not boots:
                return (
                    f"{top[:12]} is the likeliest commit, but it or its parent gave no figure in a"
                    " rerun"
                )
            return (
                f"{top[:12]} is the likeliest commit, but {boots} + {boots} boots of a rerun do not"
                " surely tell it from its parent"
            )
        return f"commits are left that boots do not tell apart: {self.so_far}"

    def _likeliest(self, now: Beliefs) -> tuple[Likely, ...]:
        return tuple(Likely(commit=self._commit(c), chance=p) for c, p in self._top(now))

    def _top(self, now: Beliefs, most: int = _NAMED) -> list[tuple[str, float]]:
        order = np.argsort(-now.single, kind="stable")[:most]
        return [(self._graph.commits[i], float(now.single[i])) for i in order]

    def _credible(self, now: Beliefs) -> list[str]:
        """Return the fewest commits that have the culprit with `SIDE`, the likeliest first."""
        order = np.argsort(-now.single, kind="stable")
        sums = np.cumsum(now.single[order])
        count = int(np.searchsorted(sums, SIDE * now.single.sum())) + 1
        return [self._graph.commits[i] for i in order[:count]]

    def _growth(self, now: Beliefs) -> Growth | None:
        if now.steps is None:
            return None
        both = [[self._commit(self._graph.commits[i]) for i in side]
                for side in (now.steps.first, now.steps.second)]  # fmt: skip
        return Growth(
            chance=now.several, first=tuple(both[0]), last=tuple(both[1]), share=now.steps.share,
            between=max(now.steps.second) - min(now.steps.first) + 1,
        )  # fmt: skip

    def _asked(self, now: Beliefs) -> Iterator[Side]:
        """Yield the commits that were asked about, in turn, with what all boots say of them."""
        bad, middle = self._sides(now)
        for commit in dict.fromkeys((*self._boots, *self._failed)):
            i = self._graph.commits.index(commit)
            word, why = SKIP, self._failed.get(commit)
            if why is None and max(bad[i], 1 - bad[i] - middle[i]) >= SIDE:
                word = BAD if bad[i] >= SIDE else GOOD
            elif why is None:
                why = f"undecided after {self._boots[commit]} boots"
            values = tuple(self._values.get(commit, ())[: self._boots.get(commit, 0)])
            yield Side(commit=self._commit(commit), word=word, why=why, values=values)

    def _log(self, now: Beliefs) -> str:
        ends = ((BAD, self.bad), (GOOD, self.good))
        words = [*ends, *((side.word, side.commit) for side in self._asked(now))]
        lines = ["git bisect start"]
        for word, commit in words:
            lines += [f"# {word}: [{commit.sha}] {commit.subject}"]
            lines += [f"git bisect {word} {commit.sha}"]
        return "\n".join(lines)

    def _commit(self, sha: str) -> mirrors.Commit:
        if sha not in self._resolved:
            self._resolved[sha] = mirrors.resolve(self.mirror, sha)
        return self._resolved[sha]


def first_seeds(screened: int, boots: int) -> range:
    """Return the seeds of the first so many boots after those of a screen."""
    return range(screened + 1, screened + 1 + boots)


def _fresh_seeds(boots: int) -> range:
    """Return the seeds of the first so many boots that verify a commit."""
    return first_seeds(FRESH, boots)
