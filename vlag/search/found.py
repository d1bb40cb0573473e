# SPDX-License-Identifier: GPL-2.0-only
"""What a search for a commit has found, and the steps that led there."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from vlag.errors import UsageError
from vlag.kernel import mirror as mirrors
from vlag.kernel.search import SKIP
from vlag.search.odds import Odds
from vlag.stats import rare_modes
from vlag.stats.compare import Comparison, is_certain
from vlag.stats.numbers import plain
from vlag.stats.rare_modes import ModeStand, RareMode


class AlikeError(UsageError):
    """Both ends do not surely differ: there is no commit to search."""


class OutOfBootsError(UsageError):
    """A search needs more boots than it may make."""


@frozen(kw_only=True)
class Step:
    """One commit that was asked about."""

    commit: mirrors.Commit
    word: str  # good, bad or skip
    level: float | None  # geometric mean of its boots; None where it was skipped unmeasured
    boots: int
    why: str | None = None  # of a skip
    in_mode: int | None = None  # of its boots; None where levels decide


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
    boots: int  # of each
    in_mode: tuple[int, int] | None = None  # boots of parent and culprit; None: levels decide


@frozen(kw_only=True)
class ModeOfEnds:
    """A mode that some boots of the bad commit show: its share decides, not the level."""

    mode: RareMode
    good: tuple[int, int]  # boots in the mode, boots
    bad: tuple[int, int]

    def others(self, values: Sequence[float]) -> list[float]:
        """Return the values outside of the mode: what the levels alone say."""
        return [v for v in values if not self.mode.holds(v)]

    @property
    def difference(self) -> float:
        """Share of the bad commit's boots beyond that of the good one's."""
        return self.bad[0] / self.bad[1] - self.good[0] / self.good[1]

    @property
    def boots(self) -> int:
        """Boots of two kernels that show that only one has the mode."""
        return min(self.bad[1], rare_modes.boots_to_confirm(self.bad[0] / self.bad[1]))

    @property
    def sentence(self) -> str:
        """Return what the ends show: "12 of 90 boots lose 38 %; of the base's 110, none"."""
        return rare_modes.sentence(self.mode, self.good, self.bad, 1.0, ModeStand.CONFIRMED, None)


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
    mode: ModeOfEnds | None = None  # None where levels decide
    noisy: bool = False  # boots of a kernel scatter
    odds: Odds | None = None  # None where each commit was decided alone

    @property
    def doubt(self) -> str | None:
        """Return why boots that scatter do not surely name a commit; None: they do."""
        if self.odds is not None:
            return self.odds.doubt
        if not self.noisy:
            return None
        likeliest = self.commits[0].sha[:12]
        if len(self.commits) > 1:
            return (
                f"{len(self.commits)} commits are left that boots do not tell apart, from"
                f" {likeliest} on"
            )
        if self.check is None:
            return (
                f"{likeliest} is the likeliest commit, but it or its parent gave no figure in a"
                " rerun"
            )
        return None


def is_sure(change: Comparison) -> bool:
    """Return whether two kernels surely differ."""
    return change.p_zero is not None and is_certain(change.p_zero)


def step_text(step: Step, unit: str) -> str:
    """Return what a step has found, in one line."""
    if step.word == SKIP:
        return f"{step.word}: {step.why}"
    if step.in_mode is not None:
        return f"{step.word}: {step.in_mode} of {step.boots} boots in the mode"
    level = "" if step.level is None else f"{plain(step.level, 6)} {unit} "
    return f"{step.word}: {level}in {step.boots} boots"
