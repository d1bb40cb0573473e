# SPDX-License-Identifier: GPL-2.0-only
"""Whether a branch has back what a commit lost, as later commits or heads say.

A later commit may take it back: its own comparison with its parent proves that it gains as much.
Else heads say it, of which none may ever have shown the loss: a branch may be so much better than
its baseline.  The heads before the commit and after it are compared with the same baseline, so
that the difference between them says what is left of the loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, evolve, field, frozen

from vlag.alerts.causes import Finding, Scope
from vlag.alerts.moved import Moved
from vlag.stats.attribution import LEAST_SHARE
from vlag.stats.healing import Estimate, minus, plus, recovered
from vlag.store import findings
from vlag.store.database import Connection
from vlag.store.findings import BASELINE
from vlag.store.judged import Pair, Row


@frozen(kw_only=True)
class TakenBack:
    """What later commits have taken back of a commit's loss."""

    #: Figure -> the commit with which it is back, and what is left then, as a log ratio.
    ends: Mapping[tuple[object, ...], tuple[Pair, float]]
    whole: bool  # all figures are back

    @property
    def by(self) -> Pair | None:
        """Return the commit with which the whole loss is back, or None."""
        return max((p for p, _left in self.ends.values()), key=_along) if self.whole else None

    def leaves(self, finding: Finding) -> bool:
        """Return whether what a head has lost may be left of it."""
        end = self.ends.get(_figure(finding))
        if end is not None:
            return finding.pair.place < end[0].place or end[1] >= LEAST_SHARE * finding.size
        return self.by is None or finding.pair.place < self.by.place


@define(kw_only=True)
class Recovered:
    """What the record says of losses of commits, read once."""

    conn: Connection
    moved: Moved
    _rows: dict[int, list[Row]] = field(factory=dict)  # by comparison
    _changed: dict[tuple[str, str], list[Pair]] = field(factory=dict)  # by tree and branch

    def taken_back(self, losses: Sequence[Finding]) -> TakenBack:
        """Return what later commits have taken back of `losses`, which a commit lost.

        What is lost later is another commit's.
        """
        ends: dict[tuple[object, ...], tuple[Pair, float]] = {}
        for finding in losses:
            lost = finding.row.measured
            if lost is None:
                continue
            rest = lost
            for pair, change in self._later(finding):
                rest = plus(rest, change)
                if rest.most_once < LEAST_SHARE * lost.change:
                    ends[_figure(finding)] = pair, rest.change
                    break
        whole = bool(losses) and all(_figure(f) in ends for f in losses)
        return TakenBack(ends=ends, whole=whole)

    def head_without(
        self, losses: Sequence[Finding], heads: Mapping[Scope, Sequence[Pair]]
    ) -> Pair | None:
        """Return the newest head that has back all of `losses`; None without one.

        `heads` are comparisons by what they ask, the newest head last.
        """
        newest: list[Pair] = []
        for finding in losses:
            head = self._of_one(finding, heads)
            if head is None:
                return None
            newest.append(head)
        return max(newest, key=_along, default=None)

    def _of_one(self, finding: Finding, heads: Mapping[Scope, Sequence[Pair]]) -> Pair | None:
        lost, caused = finding.row.measured, finding.pair
        if lost is None:
            return None
        for scope, pairs in heads.items():
            if not _concerns(scope, caused):
                continue
            for baseline in sorted({p.baseline for p in pairs}):
                course = self._course(finding, [p for p in pairs if p.baseline == baseline])
                before = [e for p, e in course if p.place < caused.place]
                after = [(p, e) for p, e in course if p.place >= caused.place]
                if not after:
                    continue
                usual = before[-1] if before else self._without(finding, lost, *after[0])
                later = [e for p, e in after if p.place > caused.place]
                if recovered(lost.change, usual, later):
                    return after[-1][0]
        return None

    def _without(self, finding: Finding, lost: Estimate, head: Pair, stated: Estimate) -> Estimate:
        """Return what the first head after a commit would be without it and those between."""
        usual = minus(stated, lost)
        for pair, change in self._later(finding):
            if pair.place <= head.place:
                usual = minus(usual, change)
        return usual

    def _later(self, finding: Finding) -> list[tuple[Pair, Estimate]]:
        """Return the changes of a figure by later commits of the branch, in their order."""
        cause = finding.pair
        its: dict[str, tuple[Pair, Estimate]] = {}
        for pair in self._changes(cause.tree, cause.branch) if cause.branch is not None else ():
            if pair.place <= cause.place or _asked(pair) != _asked(cause):
                continue
            for row in self._read([pair]):
                if row.subject != finding.row.subject:
                    continue
                change = row.measured
                if change is not None:
                    its.pop(pair.commit, None)  # it was compared again
                    if abs(change.change) > change.half:
                        its[pair.commit] = pair, change
        return sorted(its.values(), key=lambda x: x[0].place)

    def _changes(self, tree: str, branch: str) -> list[Pair]:
        if (tree, branch) not in self._changed:
            names = [n for n in self.moved.names(tree, branch) if n is not None]
            changed = [p for n in names for p in findings.changed(self.conn, tree, n)]
            self._changed[tree, branch] = [
                p for p in self.moved.pairs(changed) if p.branch == branch
            ]
            self._read(self._changed[tree, branch])
        return self._changed[tree, branch]

    def _course(self, finding: Finding, pairs: Sequence[Pair]) -> list[tuple[Pair, Estimate]]:
        """Return what comparisons say of a figure, those under the newest's conditions."""
        by_id = {p.id: p for p in pairs}
        estimates = [
            (by_id[row.comparison], e)
            for row in self._read(pairs)
            if row.subject == finding.row.subject
            if (e := row.measured) is not None
        ]
        estimates.sort(key=lambda x: (x[0].place, x[0].id))
        return [(p, e) for p, e in estimates if e.conditions == estimates[-1][1].conditions]

    def _read(self, pairs: Sequence[Pair]) -> list[Row]:
        """Return the verdicts of comparisons."""
        missing = sorted({p.id for p in pairs} - self._rows.keys())
        if missing:
            self._rows |= {id_: [] for id_ in missing}
            for row in findings.rows(self.conn, missing):
                self._rows[row.comparison].append(row)
        return [row for id_ in dict.fromkeys(p.id for p in pairs) for row in self._rows[id_]]


def _along(pair: Pair) -> tuple[list[int], int]:
    return pair.place, pair.id


def _figure(finding: Finding) -> tuple[object, ...]:
    return finding.pair.board_type, *finding.row.subject


def _asked(pair: Pair) -> tuple[object, ...]:
    """Return what two comparisons with a parent share, if they measure one branch's figures."""
    return (
        pair.board_type, pair.series, pair.application, pair.variant, pair.synthetic,
        dict(pair.knobs), dict(pair.base_knobs),
    )  # fmt: skip


def _concerns(scope: Scope, pair: Pair) -> bool:
    """Return whether a scope has the heads of a commit's branch, compared with its baselines."""
    asked = Scope.of(evolve(pair, role=BASELINE))
    return evolve(scope, base_knobs=asked.base_knobs) == asked
