# SPDX-License-Identifier: GPL-2.0-only
"""What alerts about regressions say now, settled with what they said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import define, evolve

from vlag.alerts import body as alertbody
from vlag.alerts import causes
from vlag.alerts.causes import Culprit, Finding
from vlag.alerts.grouping import Unit
from vlag.alerts.lifecycle import settle, told_elsewhere, withdraw
from vlag.alerts.limits import Limits
from vlag.alerts.surroundings import Surroundings
from vlag.config.catalogue import Catalogue
from vlag.model import digest
from vlag.store import alerts
from vlag.store.alerts import CLOSED, REGRESSION, SERVICE, SLOW, Alert, Draft
from vlag.store.database import Connection
from vlag.store.findings import PARENT

#: Why an alert is over whose loss is hardly there any more.
SMALL = "what is left of it is far below the threshold of an alert"


@define(kw_only=True)
class Drafts:
    """The texts of one derivation."""

    conn: Connection
    catalogue: Catalogue
    limits: Limits
    around: Surroundings | None

    def of_commit(
        self,
        culprit: Culprit,
        known: Alert | None,
        losses: Sequence[Finding],
        attached: Sequence[Finding],
    ) -> Alert | None:
        """Settle the alert of a commit that has lost something.

        What is `attached` is on record with it, but is not its size.
        """
        # What is too small for an alert brings none back.
        gone = None if known is None or self.limits.above(attached) else known.withdrawn_at
        old = gone is not None and all(f.pair.created_at <= gone for f in losses)
        if known is not None and old and not told_elsewhere(self.conn, known):
            return None  # a commit does not change: a finding known before is not new
        title, body = alertbody.of_commit(self.conn, self.catalogue, losses, attached, self.around)
        pair = losses[0].pair
        draft = self._draft(culprit.words, losses, title, body, attached)
        one_board = {f.pair.board_type for f in losses}
        draft = evolve(
            draft,
            role=PARENT,
            board_type=pair.board_type if len(one_board) == 1 else None,
            base_kernel=pair.base_kernel,
            new_kernel=pair.new_kernel,
        )
        # Only a later head can show that a fix did not help.
        seen = causes.newest(attached) if attached else None
        self._unmute(known, [*losses, *attached])
        more = self._more(known, [*losses, *attached])
        return settle(self.conn, known, draft, seen=seen, more=more)

    def of_branch(
        self, units: Sequence[Unit], known: Alert | None, words: Mapping[str, Any]
    ) -> Alert | None:
        """Settle the alert of what heads have lost by one cause.

        `words` are the parts of its key.
        """
        losses = self.losses(units)
        if not self.limits.keeps(known, losses):
            return withdraw(self.conn, known, SMALL)
        change = next((u.change for u in units if losses[0] in u.findings), None)
        slow = next((f.slow for f in losses if f.slow is not None and change is None), None)
        title, body = alertbody.of_branch(
            self.conn, self.catalogue, losses, change, self.around, slow
        )
        draft = self._draft(words, losses, title, body)
        # It stays what it was found to be, as its beginning leaves the heads that are read.
        was = known is not None and known.kind == SLOW and change is None
        draft = evolve(
            draft,
            kind=SLOW if was or slow is not None else REGRESSION,
            change_point=None if change is None else change.id,
        )
        self._unmute(known, losses)
        more = self._more(known, losses)
        return settle(self.conn, known, draft, seen=causes.newest(losses), more=more)

    def losses(self, units: Sequence[Unit]) -> list[Finding]:
        """Return what the parts of a cause have lost, worst first.

        Of a series the whole comes before the parts of it that show the same.
        """
        every = causes.worst_first(self.catalogue, (f for u in units for f in u.findings))
        return sorted(every, key=lambda f: f.pair.application not in ("none", "full"))

    def _unmute(self, known: Alert | None, losses: Sequence[Finding]) -> None:
        """End the mute of an alert that has grown beyond what was muted."""
        if known is None or known.muted_at is None or known.muted_until is None:
            return
        more = causes.larger(losses, known.muted_at)
        if self.limits.above(more) and known.muted_until > datetime.now(UTC):
            alerts.set_muted(self.conn, known.id, None)
            worst = causes.worst_first(self.catalogue, more)
            why = f"{alertbody.worst(worst)} is more than what was muted"
            alerts.add_event(self.conn, known.id, by=SERVICE, action="unmuted", why=why)

    def _more(self, known: Alert | None, losses: Sequence[Finding]) -> bool:
        """Return whether findings beyond a closed alert would open a new one."""
        if known is None or known.triage not in CLOSED:
            return False
        return self.limits.above(causes.beyond(losses, alerts.grounds(self.conn, [known.id])))

    def _draft(
        self,
        words: Mapping[str, Any],
        losses: Sequence[Finding],
        title: str,
        body: str,
        attached: Sequence[Finding] = (),
    ) -> Draft:
        """Return an alert's draft.

        Its size is that of `losses`.  What is `attached` is on record with it, but a commit is
        not to blame for what a head lost since its baseline before that commit.
        """
        every = [*losses, *attached]
        mine = [f.pair for f in every if f.pair.application == losses[0].pair.application]
        newest = max(mine, key=lambda p: (p.place, p.id))

        def largest(*, latency: bool) -> float | None:
            return max((f.worsening for f in losses if f.row.latency is latency), default=None)

        return Draft(
            key=digest(words),
            kind=REGRESSION,
            title=title,
            body=body,
            tree=newest.tree,
            branch=newest.branch,
            board_type=newest.board_type if len({f.pair.board_type for f in losses}) == 1 else None,
            base_kernel=newest.base_kernel,
            new_kernel=newest.new_kernel,
            role=newest.role,
            throughput=largest(latency=False),
            latency=largest(latency=True),
            synthetic=newest.synthetic,
            verdicts=tuple(sorted({f.row.id for f in every})),
        )
