# SPDX-License-Identifier: GPL-2.0-only
"""The first commit that changed a figure: git chooses, boots decide."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from attrs import define, field

from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel.search import BAD, GOOD, SKIP, End, Search, reverted
from vlag.search.ahead import Builder
from vlag.search.found import (
    AlikeError,
    Check,
    Found,
    ModeOfEnds,
    OutOfBootsError,
    Step,
    is_sure,
    step_text,
)
from vlag.search.measure import Measures, Unmeasurable
from vlag.search.noisy_search import AGAIN, FRESH, MOST_IN_ALL, NoisySearch, first_seeds
from vlag.search.odds import Odds, Progress
from vlag.stats import rare_modes
from vlag.stats.compare import Comparison, Question, clip, is_better, judge
from vlag.stats.nearer import calmed, nearer, nearer_by_share

log = logging.getLogger(__name__)

#: Boots of both ends that say how common a mode is: fewer make each step need more.
_ENDS = 40
#: Boots of a commit that is not clearly on a side, and of boards whose boots scatter.
MOST, MOST_NOISY = 20, 80


@define(kw_only=True)
class Bisection:
    """A search for the commit that changed one figure, or gave some of its boots a new mode."""

    measurer: Measures
    mirror: Path
    scratch: Path  # folder for git's notes
    good: mirrors.Commit
    bad: mirrors.Commit
    boots: int  # of each commit
    most: int  # boots of a commit whose side is not clear
    most_of_mode: int = rare_modes.BOOTS_MAXIMUM  # the same where a mode's share decides
    # Boots of both ends that are there already, from the first seed on: they may show a rare mode.
    recorded: int = 0
    # Seeds 1 to this raised the suspicion, by whatever lot made them look worse: none is evidence.
    screened: int = 0
    ahead: Builder | None = None  # builds what may come next; None: no core is idle
    # Boots of a kernel scatter: both ends get as many as a step, a result as many as it needs.
    noisy: bool = False
    # False: git would touch the times of objects that the mirror shares with a person's tree.
    reverts: bool = True
    # Boots that are not there yet, those of the ends and of a mode too; None: a search by chances
    # alone has a bound.
    budget: int | None = None
    candidates: Sequence[
        str
    ] = ()  # commits that are asked about before all others, with their parents
    most_of_commit: int | None = None  # of such a search; None: `most`
    _values: dict[str, list[float]] = field(factory=dict)
    _steps: dict[str, Step] = field(factory=dict)
    _mode: ModeOfEnds | None = None
    _search: Search = field(init=False)
    _by_chances: NoisySearch | None = field(default=None, init=False)

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
        log.info(f"{len(every)} commits, {len(named)} of them in {' '.join(paths) or 'all paths'}")
        change = self._ends()
        if not named:
            log.info("none touches these paths; searching all commits")
            named, paths = every, ()
        if self.noisy and self._mode is None:
            return self._found(change, len(every), odds=self._odds(paths))
        end = self._first_of(every) or search.run(self._judge, paths)
        if len(end.commits) == 1 and len(named) < len(every):
            before = self._parent(end.commits[0]).sha
            if before != self.good.sha and self._judge(before, 1) == BAD:
                log.info(
                    "its parent is bad as well: the culprit touches other paths; searching all"
                )
                end = search.run(self._judge)
        return self._found(change, len(every), end=end)

    @property
    def so_far(self) -> str | None:
        """Return the likeliest commits with their chances; None where there are none yet."""
        return None if self._by_chances is None else self._by_chances.so_far

    @property
    def progress(self) -> Progress | None:
        """Return the same as data."""
        return None if self._by_chances is None else self._by_chances.progress

    def _first_of(self, every: Sequence[str]) -> End | None:
        """Return the first of the commits that are asked about before others; None: it is none."""
        ahead, self.ahead = self.ahead, None  # git's search has not begun
        try:
            for sha in self.candidates:
                if sha not in every or self._judge(sha, 1) != BAD:
                    continue
                before = self._parent(sha).sha
                if before == self.good.sha or self._judge(before, 1) == GOOD:
                    words = [(BAD, self.bad.sha), (GOOD, self.good.sha), (BAD, sha), (GOOD, before)]
                    lines = [f"git bisect {word} {commit}" for word, commit in words]
                    return End(commits=(sha,), log="\n".join(["git bisect start", *lines]))
        finally:
            self.ahead = ahead
        return None

    def _odds(self, paths: Sequence[str]) -> Odds:
        """Search by the chances of all commits."""
        self._by_chances = NoisySearch(
            measurer=self.measurer, mirror=self.mirror, good=self.good, bad=self.bad,
            ends=(len(self._values[self.good.sha]), len(self._values[self.bad.sha])),
            screened=self.screened,
            most=self.most_of_commit or self.most,
            budget=MOST_IN_ALL if self.budget is None else max(self.budget - self._made({}), 0),
            ahead=self.ahead, first=self.candidates,
        )  # fmt: skip
        odds = self._by_chances.run(paths)
        for side in odds.sides:
            self._steps[side.commit.sha] = Step(
                commit=side.commit, word=side.word, level=self._level(side.values),
                boots=len(side.values), why=side.why,
            )  # fmt: skip
        return odds

    def _found(
        self, change: Comparison, between: int, *, end: End | None = None, odds: Odds | None = None
    ) -> Found:
        """Return the result of either search, the commit verified."""
        if odds is not None:
            commits, text = odds.commits, odds.log
            check = self._check(commits[0], odds.again) if odds.again else None
        else:
            assert end is not None  # noqa: S101 - one of both
            commits = tuple(mirrors.resolve(self.mirror, sha) for sha in end.commits)
            text = end.log
            boots = self.boots if self._mode is None else self._mode.boots
            self._allow({}, 3 * boots)
            check = self._check(commits[0], boots) if len(commits) == 1 else None
        return Found(
            good=self.good,
            bad=self.bad,
            change=change,
            levels=(math.exp(self._log(self.good.sha)), math.exp(self._log(self.bad.sha))),
            worse=self._mode.mode.worse
            if self._mode is not None
            else not is_better(change.effect or 0.0, self.measurer.figure.metric.direction),
            commits=commits,
            between=between,
            steps=tuple(self._steps.values()),
            log=text,
            check=check,
            mode=self._mode,
            noisy=self.noisy,
            odds=odds,
        )

    # Deciding.

    def _ends(self) -> Comparison:
        """Return how the ends differ; raises UsageError if they do not, or give no figure."""
        # Where boots scatter, they also say by how much boards differ; all on record are read, as
        # to stop at the first that tell the ends apart would choose among them.
        n = max(min(2 * self.boots, self.most), self.recorded) if self.noisy else self.boots
        while True:
            if self.noisy:
                with contextlib.suppress(Unmeasurable):  # the next lines say of which
                    self._measure_together((self.good, self.bad), n)
            for end in (self.good, self.bad):
                try:
                    self._measure(end, n)
                except Unmeasurable as e:
                    raise UsageError(f"{end.describe} {end.sha[:12]} {e}") from e
            good, bad = (self._values[c.sha] for c in (self.good, self.bad))
            change = self._compare(good, bad)
            mode = self._suspected(good, bad)
            if is_sure(change if mode is None else self._compare(good, mode.others(bad))):
                return change
            most = self.most if mode is None else self.most_of_mode
            if self.budget is not None:  # half of it, so that something is left to search with
                most = min(most, self.recorded + self.budget // 4)
            most = max(most, self.recorded)
            proven = mode is not None and rare_modes.surely_more(mode.good, mode.bad)
            if proven and n >= min(most, max(_ENDS, self.recorded)):
                self._mode = mode
                self.measurer.search_mode()
                return change
            if n >= most:
                raise AlikeError(
                    f"after {n} boots of each, {self.good.describe} and {self.bad.describe} do not"
                    f" surely differ in {self.measurer.figure.name}: {change.reason}"
                )
            n = min(2 * n, most)
            if n > self.most:
                self.measurer.search_mode()

    def _suspected(self, good: Sequence[float], bad: Sequence[float]) -> ModeOfEnds | None:
        """Return the mode that some boots of the bad end show; None for none."""
        metric = self.measurer.figure.metric
        sides = [clip(side, metric.resolution) for side in (good, bad)]
        mode = rare_modes.suspected(
            *sides, direction=metric.direction, resolution=metric.resolution,
            relevance=metric.relevance_on(self.measurer.board_type),
        )  # fmt: skip
        if mode is None:
            return None
        counts = [(sum(map(mode.holds, side)), len(side)) for side in sides]
        return ModeOfEnds(mode=mode, good=counts[0], bad=counts[1])

    def _judge(self, sha: str, left: int) -> str:
        """Answer git about a commit, and note the step."""
        if sha in self._steps:
            return self._steps[sha].word
        commit = mirrors.resolve(self.mirror, sha)
        log.info(f'about {left} steps left: {sha[:12]} ("{commit.subject}")')
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
        step = Step(
            commit=commit, word=word, level=self._level(values), boots=len(values), why=why,
            in_mode=self._in_mode(values),
        )  # fmt: skip
        self._steps[sha] = step
        log.info(f"  {step_text(step, self.measurer.figure.metric.unit)}")
        return word

    def _side(self, commit: mirrors.Commit) -> bool | None:
        """Return whether a commit is like the bad one; None: its boots do not say."""
        n = self.boots
        most = self.most if self._mode is None else self.most_of_mode
        while True:
            if self.noisy:
                self._measure_together((self.good, self.bad, commit), n)
            else:
                self._measure(commit, n)
            answer = self._nearer(self._values[commit.sha])
            if answer is not None or n >= most:
                return answer
            n = min(2 * n, most)

    def _nearer(self, values: Sequence[float]) -> bool | None:
        """Return whether boots are like the bad commit's; None: they do not say."""
        if self._mode is not None:
            in_mode = self._in_mode(values) or 0
            return nearer_by_share((in_mode, len(values)), self._mode.good, self._mode.bad)
        return nearer(
            values, *(self._values[c.sha] for c in (self.good, self.bad)),
            resolution=self.measurer.figure.metric.resolution,
        )  # fmt: skip

    def _in_mode(self, values: Sequence[float]) -> int | None:
        """Return how many boots lie in the mode; None where levels decide."""
        if self._mode is None:
            return None
        clipped = clip(values, self.measurer.figure.metric.resolution)
        return sum(map(self._mode.mode.holds, clipped))

    # Verifying.

    def _check(self, culprit: mirrors.Commit, boots: int) -> Check | None:
        """Boot parent and culprit with fresh seeds, and the bad commit without the culprit."""
        before = self._parent(culprit.sha)
        if self.ahead is not None:
            self.ahead.want(None)
        log.info(f"verifying {culprit.sha[:12]} against its parent with other seeds")
        seeds = range(FRESH + 1, FRESH + 1 + boots)
        try:
            base, new = self.measurer.values_of({before.sha: seeds, culprit.sha: seeds})
        except Unmeasurable:
            return None
        level, without = None, None
        revert, why = self._reverted(culprit)
        if revert is not None:
            log.info(f"booting {self.bad.describe} with {culprit.sha[:12]} reverted")
            try:
                count = AGAIN if self.noisy and self._mode is None else len(new)
                whole = self._first(len(self._values[self.bad.sha]))
                # Together: what is known of their boards is the same.
                values, bad = self.measurer.values_of(
                    {revert: self._first(count), self.bad.sha: whole}
                )
                level = self._level(values)
                without = self._part(values, bad)
            except Unmeasurable as e:
                why = f"with it reverted, the kernel {e}"
        in_mode = self._in_mode(base), self._in_mode(new)
        return Check(
            parent=before, change=self._compare(base, new),
            levels=(math.exp(self._mean(base)), math.exp(self._mean(new))),
            share=self._part(base, new), reverted=level, recovered=without, no_revert=why,
            boots=len(new),
            in_mode=None if None in in_mode else (in_mode[0] or 0, in_mode[1] or 0),
        )  # fmt: skip

    def _part(self, base: Sequence[float], new: Sequence[float]) -> float:
        """Return which part of the whole change lies between two kernels' boots."""
        if self._mode is None:
            whole = self._log(self.bad.sha) - self._log(self.good.sha)
            return (self._mean(new) - self._mean(base)) / whole
        shares = [(self._in_mode(side) or 0) / len(side) for side in (base, new)]
        return (shares[1] - shares[0]) / self._mode.difference

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
            self._allow({commit.sha: n})
            more = self.measurer.values(commit.sha, self._seeds(commit, n)[len(have) :])
            self._values[commit.sha] = [*have, *more]

    def _measure_together(self, commits: Sequence[mirrors.Commit], n: int) -> None:
        """Boot commits in turns, each with the first `n` seeds: what drifts meets all alike.

        Boots that are there are read again: what is known of their boards grows.
        """
        booted = {c.sha: max(n, len(self._values.get(c.sha, []))) for c in commits}
        self._allow(booted)
        values = self.measurer.values_of({sha: self._first(k) for sha, k in booted.items()})
        self._values |= dict(zip(booted, values, strict=True))

    def _made(self, asked: Mapping[str, int]) -> int:
        """Return the boots of the search with so many of each commit; those on record are none."""
        boots = {**{sha: len(values) for sha, values in self._values.items()}, **asked}
        there = dict.fromkeys((self.good.sha, self.bad.sha), self.recorded)
        return sum(max(n - there.get(sha, 0), 0) for sha, n in boots.items())

    def _allow(self, asked: Mapping[str, int], more: int = 0) -> None:
        """Raise OutOfBootsError where so many boots of commits, and more, are beyond the budget."""
        if self.budget is not None and self._made(asked) + more > self.budget:
            raise OutOfBootsError(
                f"the settings allow {self.budget} more boots of the search, and it needs more"
            )

    def _first(self, n: int) -> range:
        """Return the seeds of the first so many boots that are evidence."""
        return first_seeds(self.screened, n)

    def _seeds(self, commit: mirrors.Commit, n: int) -> list[int]:
        """Return the seeds of a commit's first boots: those that show a mode come first."""
        if self._mode is None or commit.sha in (self.good.sha, self.bad.sha):
            return list(self._first(n))
        ends = [self._values[c.sha] for c in (self.good, self.bad)]
        pairs = zip(self._first(len(ends[0])), *ends, strict=True)
        holds = self._mode.mode.holds
        shown = [seed for seed, good, bad in pairs if holds(bad) and not holds(good)]
        return [*shown, *(s for s in self._first(n) if s not in shown)][:n]

    def _compare(self, base: Sequence[float], new: Sequence[float]) -> Comparison:
        metric = self.measurer.figure.metric
        question = Question(
            base=base, new=new, direction=metric.direction, resolution=metric.resolution,
            relevance=metric.relevance_on(self.measurer.board_type),
        )  # fmt: skip
        return judge([question])[0]

    def _mean(self, values: Sequence[float]) -> float:
        logs = [math.log(v) for v in clip(values, self.measurer.figure.metric.resolution)]
        return fmean(calmed([logs])[0] if self.noisy and self._mode is None else logs)

    def _log(self, sha: str) -> float:
        return self._mean(self._values[sha])

    def _level(self, values: Sequence[float]) -> float | None:
        return math.exp(self._mean(values)) if values else None
