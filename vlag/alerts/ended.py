# SPDX-License-Identifier: GPL-2.0-only
"""Why an alert about a regression is over: nothing shows it, or another alert tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from attrs import define

from vlag.alerts import causes
from vlag.alerts.causes import Culprit, Finding, Scope
from vlag.alerts.known import Known, Standing, of_alert
from vlag.alerts.limits import KEPT, Limits
from vlag.alerts.measured import Measured, last_figure
from vlag.alerts.moved import Moved
from vlag.alerts.recovered import Recovered
from vlag.stats.healing import NOTHING, recovered
from vlag.store import alerts, findings
from vlag.store.database import Connection
from vlag.store.judged import Pair

_EXPLAINED = "a commit that was compared with its parent accounts for it"
_LEFT = "the branch is compared with another baseline now"


@define(kw_only=True)
class Ends:
    """What ends alerts, by the heads of branches and by what is measured."""

    conn: Connection
    moved: Moved
    measured: Measured
    recovered: Recovered
    known: Known
    limits: Limits

    def reset(self, culprit: Culprit, pairs: Sequence[Pair]) -> str | None:
        """Return that all of its branches were reset to before a commit, or None."""
        branches = sorted({p.branch for p in pairs if p.branch is not None})
        if not branches or any(self.moved.dropped(culprit, b) is None for b in branches):
            return None
        names = " and ".join(f"{culprit.tree}/{b}" for b in branches)
        return f"{names} {'was' if len(branches) == 1 else 'were'} reset to before it"

    def healed(
        self,
        culprit: Culprit,
        of_commit: Sequence[Finding],
        standing: Sequence[Standing],
        heads: Mapping[Scope, Sequence[Pair]],
        losses: Mapping[Scope, Sequence[Finding]],
    ) -> str | None:
        """Return which head it is that has a commit's regression no longer, or None."""
        mine = of_alert(standing, self.known.of_culprit(culprit))
        if mine is None:
            return None
        if not mine.scopes:
            head = self.recovered.head_without(of_commit, heads)
            return None if head is None else _healed_by([head])
        left = [f for scope in mine.scopes for f in losses[scope]]
        if self.limits.above([f for f in left if f.row.benchmark in mine.benchmarks], KEPT):
            return None
        seen = [p for scope in mine.scopes for p in heads[scope]]
        return _healed_by(seen) if seen else None

    def unmeasured(self, standing: Standing) -> str | None:
        """Return why none of an alert's figures is measured any more, with the last; or None."""
        verdicts = {g.verdict for g in alerts.grounds(self.conn, [standing.alert.id])}
        pairs = {p.id: p for p in standing.pairs}
        rows = [r for r in findings.rows(self.conn, sorted(pairs)) if r.id in verdicts]
        # By the names of what was compared last.
        newest = sorted(rows, key=lambda r: r.comparison, reverse=True)
        why = [self.measured.why_not(pairs[r.comparison], r) for r in newest]
        if not why or None in why:
            return None
        return f"no longer measured: {why[0]}; {last_figure(rows)}"

    def why_gone(
        self,
        standing: Standing,
        heads: Mapping[Scope, Sequence[Pair]],
        explained: Mapping[Scope, Mapping[str, Set[Culprit]]],
    ) -> str | None:
        """Return why an alert is over; None where something has not decided on that."""
        its = [by for scope in standing.scopes for by in [explained.get(scope, {})]]
        if culprits := {c for by in its for b in standing.benchmarks for c in by.get(b, ())}:
            return self._told_by(culprits)
        if why := self.unmeasured(standing):
            return why
        ended: list[str | None] = []
        seen: list[Pair] = []
        for scope in standing.scopes:
            mine, now = standing.pairs_of(scope), heads[scope]
            if now and {p.baseline for p in mine} & {p.baseline for p in now}:
                seen += now
            else:
                ended.append(_LEFT if self._excluded(standing, mine, now) else None)
        if None in ended:
            return None
        return _healed_by(seen) if seen else next(iter(ended), None)

    def _told_by(self, culprits: Iterable[Culprit]) -> str:
        """Return which alerts about commits account for what another alert told."""
        known = sorted(a.id for c in culprits if (a := self.known.of_culprit(c)) is not None)
        if not known:
            return _EXPLAINED
        others = "".join(f", alert {id_}" for id_ in known[1:])
        return f"alert {known[0]}{others} is about the commit that accounts for it"

    def _excluded(self, standing: Standing, pairs: Sequence[Pair], heads: Sequence[Pair]) -> bool:
        """Return whether heads exclude half of each loss of an alert in `pairs`.

        They are compared with another base than the alert's.
        """
        rows = findings.rows(self.conn, sorted({p.id for p in (*pairs, *heads)}))
        order = {p.id: n for n, p in enumerate(heads)}
        later = sorted(
            (r for r in rows if r.comparison in order), key=lambda r: order[r.comparison]
        )
        for row in rows:
            lost = row.measured if row.id in standing.verdicts else None
            its = [r for r in later if r.subject == row.subject]
            if lost is None or not heads or any(causes.is_worse(r) is False for r in its):
                continue
            if not recovered(lost.change, NOTHING, [e for r in its if (e := r.measured)]):
                return False
        return True


def _healed_by(heads: Sequence[Pair]) -> str:
    """Say which head it is that shows a regression no longer."""
    newest = max(heads, key=lambda p: (p.place, p.id))
    return f"{newest.new_name} ({newest.commit[:12]}) no longer shows it"
