# SPDX-License-Identifier: GPL-2.0-only
"""A branch whose truth is known: what each commit has lost, and which one lost it.

A loss is a log ratio of the work done: 0.05 is 5 % fewer operations, or 5 % more time.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from tests.integration import bundles

BEGINS = datetime.datetime(2026, 1, 1, 1, 30, tzinfo=datetime.UTC)
#: Shares of the work that a commit loses: from twice what matters to what nobody overlooks.
SIZES = (0.05, 0.06, 0.08, 0.12)
#: A slow loss: so many commits lose this share each, and none of them is worth an alert.
STEPS, STEP = 5, 0.007

#: Where a loss is: board type, benchmark.
Place = tuple[str, str]


@frozen(kw_only=True)
class Commit:
    """A commit of the branch; each mapping is about all commits up to it."""

    id: str
    date: str  # as its author's clock said
    lost: Mapping[Place, float] = field(factory=dict)  # log ratios, below 0 is a gain
    culprits: Mapping[Place, str] = field(factory=dict)  # the commit that lost it
    slow: Mapping[Place, int] = field(factory=dict)  # steps of a slow loss

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        return math.exp(self.lost.get((board_type, benchmark), 0.0)), 1.0


@define(kw_only=True)
class Line:
    """The first-parent history of a branch, its head last."""

    seed: int
    rng: np.random.Generator
    places: Sequence[Place]
    commits: list[Commit] = field(init=False)
    #: Commit -> what it was before a rebase gave it another name.
    first_names: dict[str, str] = field(factory=dict)
    _made: int = 0

    def __attrs_post_init__(self) -> None:
        """Begin with one commit."""
        self.commits = [self._commit()]

    @property
    def head(self) -> Commit:
        """Return the head of the branch."""
        return self.commits[-1]

    def first_name(self, commit: str) -> str:
        """Return a commit's name before all rebases."""
        return self.first_names.get(commit, commit)

    def _commit(self, date: str | None = None, **facts: Any) -> Commit:
        self._made += 1
        at = (BEGINS + datetime.timedelta(hours=self._made)).isoformat()
        name = bundles.sha(f"{self.seed} commit {self._made}")[:40]
        return Commit(id=name, date=date or at, **facts)

    def push(self, date: str | None = None, **facts: Any) -> Commit:
        """Add a commit that changes only what is given."""
        head = self.head
        given = {"lost": head.lost, "culprits": head.culprits, "slow": head.slow, **facts}
        self.commits.append(self._commit(date, **given))
        return self.head

    def _free(self) -> list[Place]:
        """Return the places without a loss or gain: only one at a place can be told apart."""
        return [p for p in self.places if p not in self.head.lost]

    def lose(self) -> None:
        """Add a commit that loses work of one benchmark, on one board type or on all."""
        free = self._free()
        if not free:
            return
        board_type, benchmark = free[int(self.rng.integers(len(free)))]
        everywhere = self.rng.random() < 1 / 3
        size = -math.log1p(-float(self.rng.choice(SIZES)))
        places = [p for p in free if p[1] == benchmark and (everywhere or p[0] == board_type)]
        new = self.push(lost={**self.head.lost, **dict.fromkeys(places, size)})
        culprits = {**new.culprits, **dict.fromkeys(places, new.id)}
        self.commits[-1] = evolve(new, culprits=culprits)

    def gain(self) -> None:
        """Add a commit that gains work at a place, where no other has."""
        free = self._free()
        if free and min(self.head.lost.values(), default=0.0) >= 0:
            place = free[int(self.rng.integers(len(free)))]
            self.push(lost={**self.head.lost, place: math.log1p(-float(self.rng.choice(SIZES)))})

    def lose_slowly(self) -> None:
        """Add the next commit of a slow loss, or the first of a new one."""
        under_way = [p for p, n in self.head.slow.items() if n < STEPS]
        free = self._free()
        if not under_way and free:
            under_way = [free[int(self.rng.integers(len(free)))]]
        for place in under_way[:1]:
            lost = self.head.lost.get(place, 0.0) - math.log1p(-STEP)
            self.push(
                lost={**self.head.lost, place: lost},
                slow={**self.head.slow, place: self.head.slow.get(place, 0) + 1},
            )

    def revert(self) -> None:
        """Add a commit that takes back one loss, wherever it is."""
        bad = sorted({*self.head.culprits.values()})
        whole = sorted(p for p, n in self.head.slow.items() if n >= STEPS)
        what: list[str | Place] = [*bad, *whole]
        if not what:
            return
        gone = what[int(self.rng.integers(len(what)))]
        culprits = {p: c for p, c in self.head.culprits.items() if c != gone}
        healed = {p for p, c in self.head.culprits.items() if c == gone} | {gone}
        self.push(
            lost={p: x for p, x in self.head.lost.items() if p not in healed},
            slow={p: n for p, n in self.head.slow.items() if p not in healed},
            culprits=culprits,
        )

    def reset(self) -> bool:
        """Drop the last one or two commits; return whether there were as many."""
        if len(self.commits) <= 3:
            return False
        del self.commits[-int(self.rng.integers(1, 3)) :]
        return True

    def rebase(self) -> bool:
        """Write the last two commits anew on what they stand on; return whether it was done."""
        if len(self.commits) <= 3:
            return False
        last = self.commits[-2:]
        del self.commits[-2:]
        names: dict[str, str] = {}
        for old in last:
            new = self.push(lost=old.lost, slow=old.slow, culprits=old.culprits)
            names[old.id] = new.id
            self.first_names[new.id] = self.first_name(old.id)
            culprits = {p: names.get(c, c) for p, c in old.culprits.items()}
            self.commits[-1] = evolve(new, culprits=culprits)
        return True
