# SPDX-License-Identifier: GPL-2.0-only
"""What a night or push of a rehearsal cannot change, as nothing has that it depends on.

Branches that no cause can have together are parts, which are derived independently.  A derivation
depends on the alerts of a part, on its comparisons and on what is measured; it is a function of
these.  So where one without new comparisons changed nothing, neither does the next one until one of
these is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import define, field

from vlag.store import rehearsal_links, rehearsals
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.nights import NightBranch
from vlag.store.rehearsal_links import Node
from vlag.store.rehearsals import Moment

if TYPE_CHECKING:
    from scipy.cluster.hierarchy import DisjointSet

#: Of what is measured.
_KEYS = ("tree", "branch", "board_types", "plans")


@define(kw_only=True)
class AtRest:
    """The parts of a record at one moment after the other."""

    conn: Connection
    _parts: DisjointSet
    _kernels: dict[int, int]  # the new ones, by comparison
    _arrivals: list[tuple[datetime, int]]  # those to come, the next one last
    _nights: list[tuple[datetime, int, list[NightBranch]]]  # the same
    _newest: int = 0  # night
    _measured: object = None  # what the newest night was to measure
    _watched: set[tuple[str, str]] = field(factory=set)  # by any night so far
    #: Parts that may change at the next moment; None: all of them.
    _stirred: set[Node] | None = None

    @classmethod
    def of(cls, conn: Connection, moments: Sequence[Moment]) -> AtRest:
        """Return the parts of the copy that a connection works on; none of them is at rest."""
        # The pages rehearse rarely.
        from scipy.cluster.hierarchy import DisjointSet  # noqa: PLC0415

        parts = DisjointSet()
        for first, *others in rehearsal_links.links(conn):
            parts.add(first)
            for other in others:
                parts.add(other)
                parts.merge(first, other)
        return cls(
            conn=conn,
            parts=parts,
            kernels=dict(
                rehearsal_links.new_kernels(conn, [c for m in moments for c in m.comparisons])
            ),
            arrivals=rehearsal_links.arrivals(conn)[::-1],
            nights=rehearsal_links.measured(conn)[::-1],
        )

    def stirred(self, moment: Moment) -> Stirred:
        """Return what a moment may change, once it has come."""
        every = self._measures_otherwise(moment.at) or self._stirred is None
        stirred = self._stirred or set()
        stirred |= self._of(self._arrived(moment.at))
        about = rehearsals.changed(self.conn)
        stirred |= {self._part(a.tree, a.branch, a.kernel) for a in about}
        new = self._of(self._kernels[c] for c in moment.comparisons if c in self._kernels)
        # What a derivation with new comparisons leaves, one without them may still change.
        self._stirred = new
        return Stirred(rest=self, parts=None if every else stirred | new)

    def has(self, alert: Alert, parts: Set[Node]) -> bool:
        """Return whether an alert is of some parts."""
        return self._part(alert.tree, alert.branch, alert.new_kernel) in parts

    def _part(self, tree: str | None, branch: str | None, kernel: int | None) -> Node:
        node = rehearsal_links.branch(tree, branch)
        if kernel is not None:
            node = rehearsal_links.kernel(kernel)
        root: Node = self._parts[node]
        return root

    def _of(self, kernels: Iterable[int]) -> set[Node]:
        return {self._parts[rehearsal_links.kernel(k)] for k in kernels}

    def _arrived(self, at: datetime) -> list[int]:
        """Return the new kernels of comparisons that were made up to a time."""
        kernels = []
        while self._arrivals and self._arrivals[-1][0] <= at:
            kernels.append(self._arrivals.pop()[1])
        return kernels

    def _measures_otherwise(self, at: datetime) -> bool:
        """Return whether something else is measured up to a time, or was before it."""
        before = self._measured, len(self._watched)
        while self._nights and self._nights[-1][0] <= at:
            _at, id_, branches = self._nights.pop()
            self._watched |= {(b["tree"], b["branch"]) for b in branches}
            if id_ > self._newest:
                self._newest = id_
                self._measured = [[b.get(key) for key in _KEYS] for b in branches]
        return before != (self._measured, len(self._watched))


@define(kw_only=True)
class Stirred:
    """What a moment may change."""

    rest: AtRest
    parts: set[Node] | None  # None: everything

    @property
    def nothing(self) -> bool:
        """Return whether all is at rest."""
        return self.parts is not None and not self.parts

    def concerns(self, alert: Alert) -> bool:
        """Return whether it may change an alert."""
        return self.parts is None or self.rest.has(alert, self.parts)
