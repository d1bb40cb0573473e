# SPDX-License-Identifier: GPL-2.0-only
"""What goes on under another name: renamed branches, and commits of rewritten ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, evolve, field

from vlag.alerts.causes import Culprit
from vlag.alerts.measured import Measured
from vlag.store import alerts, branch_order
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.judged import Pair


@define(kw_only=True)
class Asked:
    """What the record says of the order of branches, whichever derivation asked first."""

    #: By tree, branch and commit: what `branch_order.dropped` says.
    lines: dict[tuple[str, str, str], int | None] = field(factory=dict)
    alike: dict[tuple[str, str], list[str]] = field(factory=dict)  # by tree and branch
    continued: dict[tuple[str, str], str | None] = field(factory=dict)


@define(kw_only=True)
class Moved:
    """The names that branches and commits with alerts have now."""

    conn: Connection
    measured: Measured
    #: Tree and old name -> name now, and how many renamings are between them.
    _branches: dict[tuple[str, str], tuple[str, int]] = field(factory=dict)
    #: Tree and branch -> the place of each commit that it had under its first name.
    _first: dict[tuple[str, str], dict[str, list[int]]] = field(factory=dict)
    _commits: dict[tuple[str, str], str] = field(factory=dict)  # the same of commits
    asked: Asked = field(factory=Asked)

    def __attrs_post_init__(self) -> None:
        """Look for the branches that are not watched under their old names."""
        # An alert may have the new name already, and what was compared has the old one.
        watched = [b for b in branch_order.branches(self.conn) if self.measured.watches(*b)]
        places = list(dict.fromkeys([*alerts.branches(self.conn), *watched]))
        for tree, branch in places:
            alike = self._alike(tree, branch)
            places += [(tree, old) for old in alike if (tree, old) not in places]
            now: str | None = branch
            times = 0
            while now is not None and not self.measured.watches(tree, now):
                now = self._continued(tree, now)
                times += 1
            if now is not None and times:
                self._branches[tree, branch] = now, times

    def pairs(self, recorded: Sequence[Pair]) -> list[Pair]:
        """Return comparisons by the names that their branches have now.

        What a renamed branch had before comes before all that it has, and so does what is compared
        with its parent only now.  Of a comparison that belongs to several branches, those that
        are watched count.
        """
        known = {(p.id, p.branch) for p in recorded}
        now = []
        for p in recorded:
            name, times = self._branches.get((p.tree, p.branch or ""), (None, 0))
            if name is None:
                now.append(self._earliest(p))
            elif (p.id, name) not in known:
                moved = evolve(p, branch=name, place=[_before(times), *p.place])
                now.append(self._earliest(moved))
        watched = {p.id for p in now if self._watches(p)}
        return [p for p in now if p.id not in watched or self._watches(p)]

    def names(self, tree: str, branch: str | None) -> list[str | None]:
        """Return all names that a branch had, its present one first."""
        renamed = self._branches.items()
        return [
            branch,
            *(old for (at, old), (now, _times) in renamed if (at, now) == (tree, branch)),
        ]

    def culprits(self, culprits: Iterable[Culprit]) -> set[Culprit]:
        """Return commits by the names that they have now."""
        every = set(culprits)
        for tree in {c.tree for c in every}:
            commits = sorted({c.commit for c in every if c.tree == tree})
            for old, now in branch_order.rewritten(self.conn, tree, commits).items():
                self._commits[tree, old] = now
        return {evolve(c, commit=self._commits.get((c.tree, c.commit), c.commit)) for c in every}

    def commits(self, culprit: Culprit) -> list[str]:
        """Return all names that a commit had, its present one first."""
        renamed = self._commits.items()
        older = [
            old for (tree, old), now in renamed if (tree, now) == (culprit.tree, culprit.commit)
        ]
        return [culprit.commit, *older]

    def dropped(self, culprit: Culprit, branch: str | None) -> int | None:
        """Return from which line on a branch has a commit no longer (`branch_order.dropped`)."""
        if branch is None:
            return None
        key = culprit.tree, branch, culprit.commit
        lines = self.asked.lines
        if key not in lines:
            lines[key] = branch_order.dropped(self.conn, *key)
        return lines[key]

    def _alike(self, tree: str, branch: str) -> list[str]:
        alike = self.asked.alike
        if (tree, branch) not in alike:
            alike[tree, branch] = branch_order.alike(self.conn, tree, branch)
        return alike[tree, branch]

    def _continued(self, tree: str, branch: str) -> str | None:
        continued = self.asked.continued
        if (tree, branch) not in continued:
            continued[tree, branch] = branch_order.continued(self.conn, tree, branch)
        return continued[tree, branch]

    def _earliest(self, pair: Pair) -> Pair:
        """Return a comparison with a parent at the place that its commit had first.

        A head that is compared with a baseline stays: the branch may have been reset to it.
        """
        if pair.role != PARENT or pair.branch is None:
            return pair
        branch = pair.tree, pair.branch
        if branch not in self._first:
            renamed = [(n, old) for (tree, old), (now, n) in self._branches.items()
                       if (tree, now) == branch]  # fmt: skip
            self._first[branch] = {
                commit: [_before(times), *at]
                for times, old in sorted(renamed)
                for commit, at in branch_order.places(self.conn, pair.tree, old).items()
            }
        place = self._first[branch].get(pair.commit)
        return pair if place is None else evolve(pair, place=[*place, *pair.place[-2:]])

    def _watches(self, pair: Pair) -> bool:
        return pair.branch is not None and self.measured.watches(pair.tree, pair.branch)


def _before(times: int) -> int:
    """Return how the places of a branch begin that was renamed so many times since."""
    return -1 - times
