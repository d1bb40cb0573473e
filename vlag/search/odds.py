# SPDX-License-Identifier: GPL-2.0-only
"""What a search by chances says: the likeliest commits, and over which a change grew."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from vlag.kernel import mirror as mirrors


@frozen(kw_only=True)
class Likely:
    """A commit, and the chance that it changed the figure."""

    commit: mirrors.Commit
    chance: float


@frozen(kw_only=True)
class Progress:
    """What the boots of a search say so far."""

    likeliest: tuple[Likely, ...]  # those with a chance worth a line, the likeliest first
    credible: int  # the fewest commits that together have the culprit surely enough
    several: float  # chance that no single commit made the change


@frozen(kw_only=True)
class Growth:
    """A change that came in several steps: where the first and the last of them are."""

    chance: float
    first: tuple[mirrors.Commit, ...]  # candidates, in the order of the history
    last: tuple[mirrors.Commit, ...]
    share: float  # of the change, by the first step
    between: int  # commits from the first candidate to the last

    @property
    def sentence(self) -> str:
        """Return it as a person reads it."""
        parts = (self.first, self.share), (self.last, 1 - self.share)
        steps = [f"{100 * share:.0f} % in {_one_of(commits)}" for commits, share in parts]
        return (
            f"no single commit: the change grows over {self.between} commits, about"
            f" {' and '.join(steps)}"
        )


def _one_of(commits: Sequence[mirrors.Commit]) -> str:
    first = commits[0].sha[:12]
    if len(commits) == 1:
        return first
    return f"one of {len(commits)} commits from {first} to {commits[-1].sha[:12]}"


@frozen(kw_only=True)
class Side:
    """What boots say of one commit that was asked about."""

    commit: mirrors.Commit
    word: str  # good, bad or skip
    why: str | None  # of a skip
    values: tuple[float, ...]


@frozen(kw_only=True)
class Odds:
    """The result of a search by chances."""

    likeliest: tuple[Likely, ...]
    growth: Growth | None
    commits: tuple[mirrors.Commit, ...]  # one: it is named; several: together `SIDE`
    doubt: str | None  # why none is named
    again: int  # fresh boots of the commit, and of its parent
    sides: tuple[Side, ...]
    log: str  # in the words of `git bisect log`
