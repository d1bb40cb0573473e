# SPDX-License-Identifier: GPL-2.0-only
"""Who blocks the worst wake-ups of one kernel more often than those of another.

A boot is one observation: wake-ups of one resemble each other.  It gives one value for each name,
the share of its worst wake-ups that the name blocked.  Means over boots are compared by all ways to
deal the boots out to two sides (exact permutation test, both directions), and the level is divided
by the number of names that are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

from attrs import frozen

#: Level of all names together.
LEVEL = 0.05
#: The most frequent names of both kernels that are looked at: with more of them, five boots of
#: each, which deal out 252 ways, could never name one.
NAMES = 5
#: Boots of both kernels beyond which the ways to deal them out are too many.
_MOST = 20

# Shares that differ by less are equal.
_ROUNDING = 1e-9


@frozen(kw_only=True)
class Blocker:
    """A name that blocks the worst wake-ups of new more often."""

    name: str
    base: int  # of the base's worst wake-ups, over all boots
    new: int
    p: float  # of one name; LEVEL holds for all together


def more_often(
    base: Sequence[Mapping[str, int]], new: Sequence[Mapping[str, int]]
) -> list[Blocker]:
    """Return the names that surely block more of new's worst wake-ups, most frequent first.

    Each boot is name -> number of its worst wake-ups, with one name for those that nobody alone
    blocked.  Boots without a wake-up say nothing and are left out.
    """
    sides = [[dict(boot) for boot in side if sum(boot.values())] for side in (base, new)]
    boots = [*sides[0], *sides[1]]
    if not all(sides) or len(boots) > _MOST:
        return []
    pooled: Counter[str] = Counter()
    for boot in boots:
        pooled.update(boot)
    names = [name for name, _ in sorted(pooled.items(), key=lambda n: (-n[1], n[0]))][:NAMES]
    found = [
        Blocker(
            name=name,
            base=sum(b.get(name, 0) for b in sides[0]),
            new=sum(b.get(name, 0) for b in sides[1]),
            p=p,
        )
        for name in names
        if (p := _p([b.get(name, 0) / sum(b.values()) for b in boots], len(sides[0]))) is not None
        and p * len(names) <= LEVEL
    ]
    return sorted(found, key=lambda b: -b.new)


def _p(shares: Sequence[float], n_base: int) -> float | None:
    """Return the p of "both kernels alike", base first; None where new has no larger share."""
    total = sum(shares)

    def difference(chosen: Sequence[int]) -> float:
        own = sum(shares[i] for i in chosen)
        return (total - own) / (len(shares) - n_base) - own / n_base

    seen = difference(range(n_base))
    if seen <= _ROUNDING:
        return None
    every = combinations(range(len(shares)), n_base)
    return fmean(abs(difference(chosen)) >= seen - _ROUNDING for chosen in every)
