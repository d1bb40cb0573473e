"""Whether later heads have back what a commit lost, where no baseline ever showed the loss.

A branch may be so much better than its baseline that a commit's loss does not show against it.  The
heads before the commit and after it are compared with the same baseline, so that the difference
between them says what is left of the loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from vlag.alerts.causes import Finding, Scope, measured, subject
from vlag.stats.healing import Estimate, minus, recovered
from vlag.store import findings
from vlag.store.database import Connection
from vlag.store.findings import BASELINE, Pair


def head_without(
    conn: Connection, found: Sequence[Finding], heads: Mapping[Scope, Sequence[Pair]]
) -> Pair | None:
    """Return the newest head that has back what a commit lost, all of `found`; None without one.

    `heads` are comparisons by what they ask, the newest head last.
    """
    newest: list[Pair] = []
    for finding in found:
        head = _of_one(conn, finding, heads)
        if head is None:
            return None
        newest.append(head)
    return max(newest, key=lambda p: (p.place, p.id), default=None)


def _of_one(
    conn: Connection, finding: Finding, heads: Mapping[Scope, Sequence[Pair]]
) -> Pair | None:
    lost, of = measured(finding.row), finding.pair
    if lost is None:
        return None
    for scope, pairs in heads.items():
        if not _concerns(scope, of):
            continue
        for baseline in sorted({p.baseline for p in pairs}):
            course = _course(conn, finding, [p for p in pairs if p.baseline == baseline])
            before = [e for p, e in course if p.place < of.place]
            after = [(p, e) for p, e in course if p.place >= of.place]
            # Without a head before the commit, the first one that has it lacks what it lost.
            usual = before[-1] if before else minus(after[0][1], lost) if after else None
            later = [e for p, e in after if p.place > of.place]
            if usual is not None and recovered(lost.change, usual, later):
                return after[-1][0]
    return None


def _concerns(scope: Scope, of: Pair) -> bool:
    """Return whether a scope has the heads of a commit's branch, compared with its baselines."""
    asked = Scope.of(evolve(of, role=BASELINE))
    return evolve(scope, base_knobs=asked.base_knobs) == asked


def _course(
    conn: Connection, finding: Finding, pairs: Sequence[Pair]
) -> list[tuple[Pair, Estimate]]:
    """Return what comparisons say of a finding's figure, those under the newest's conditions."""
    by_id = {p.id: p for p in pairs}
    found = [
        (by_id[row.comparison], e)
        for row in findings.rows(conn, list(by_id))
        if subject(row) == subject(finding.row)
        if (e := measured(row)) is not None
    ]
    found.sort(key=lambda x: (x[0].place, x[0].id))
    return [(p, e) for p, e in found if e.conditions == found[-1][1].conditions]
