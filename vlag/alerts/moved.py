"""What goes on under another name: renamed branches, and commits of rewritten ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, evolve, field

from vlag.alerts.causes import Culprit
from vlag.alerts.measured import Measured
from vlag.store import alerts, branch_order
from vlag.store.database import Connection
from vlag.store.findings import Pair


@define(kw_only=True)
class Moved:
    """The names that branches and commits with alerts have now."""

    conn: Connection
    measured: Measured
    _branches: dict[tuple[str, str], str] = field(factory=dict)  # tree and old name -> name now
    _commits: dict[tuple[str, str], str] = field(factory=dict)  # the same of commits
    _dropped: dict[tuple[str, str, str], int | None] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Look for the branches that are not watched under their old names."""
        for tree, branch in alerts.branches(self.conn):
            now: str | None = branch
            while now is not None and not self.measured.watches(tree, now):
                now = branch_order.continued(self.conn, tree, now)
            if now is not None and now != branch:
                self._branches[tree, branch] = now

    def pairs(self, found: Sequence[Pair]) -> list[Pair]:
        """Return comparisons by the names that their branches have now.

        What a renamed branch had before comes before all that it has.  Of a comparison that
        belongs to several branches, those that are watched count.
        """
        known = {(p.id, p.branch) for p in found}
        now = []
        for p in found:
            name = self._branches.get((p.tree, p.branch or ""))
            if name is None:
                now.append(p)
            elif (p.id, name) not in known:
                now.append(evolve(p, branch=name, place=[-1, *p.place]))
        watched = {p.id for p in now if self._watches(p)}
        return [p for p in now if p.id not in watched or self._watches(p)]

    def names(self, tree: str, branch: str | None) -> list[str | None]:
        """Return all names that a branch had, its present one first."""
        of = self._branches.items()
        return [branch, *(old for (at, old), now in of if (at, now) == (tree, branch))]

    def culprits(self, found: Iterable[Culprit]) -> set[Culprit]:
        """Return commits by the names that they have now."""
        every = set(found)
        for tree in {c.tree for c in every}:
            commits = sorted({c.commit for c in every if c.tree == tree})
            for old, now in branch_order.rewritten(self.conn, tree, commits).items():
                self._commits[tree, old] = now
        return {evolve(c, commit=self._commits.get((c.tree, c.commit), c.commit)) for c in every}

    def commits(self, culprit: Culprit) -> list[str]:
        """Return all names that a commit had, its present one first."""
        of = self._commits.items()
        older = [old for (tree, old), now in of if (tree, now) == (culprit.tree, culprit.commit)]
        return [culprit.commit, *older]

    def dropped(self, culprit: Culprit, branch: str | None) -> int | None:
        """Return from which line on a branch has a commit no longer (`branch_order.dropped`)."""
        if branch is None:
            return None
        key = culprit.tree, branch, culprit.commit
        if key not in self._dropped:
            self._dropped[key] = branch_order.dropped(self.conn, *key)
        return self._dropped[key]

    def _watches(self, pair: Pair) -> bool:
        return pair.branch is not None and self.measured.watches(pair.tree, pair.branch)
