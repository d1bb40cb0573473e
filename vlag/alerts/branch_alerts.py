# SPDX-License-Identifier: GPL-2.0-only
"""The alerts about what heads of branches have lost and no commit's alert tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from vlag.alerts.causes import Culprit, Finding, Scope
from vlag.alerts.drafts import SMALL, Drafts
from vlag.alerts.ended import Ends
from vlag.alerts.grouping import Grouping, Unit, began, pins_of
from vlag.alerts.known import Known, Standing
from vlag.alerts.lifecycle import withdraw
from vlag.alerts.numbers import Numbered, lowest, numbered, why_one
from vlag.alerts.pinned import Pinned
from vlag.model import digest
from vlag.store import alerts
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.judged import Pair


@define(kw_only=True)
class Told:
    """What commits account for of what heads have lost, and what is left of it."""

    attached: dict[Culprit, list[Finding]] = field(factory=dict)
    explained: dict[Scope, dict[str, set[Culprit]]] = field(factory=dict)  # by benchmark
    units: list[Unit] = field(factory=list)


@define(kw_only=True)
class BranchAlerts:
    """Those of one derivation."""

    conn: Connection
    known: Known
    pinned: Pinned
    drafts: Drafts
    ends: Ends

    def settle(
        self,
        grouping: Grouping,
        told: Told,
        standing: Sequence[Standing],
        heads: Mapping[Scope, Sequence[Pair]],
    ) -> list[Alert | None]:
        """Settle them: each cause has one, wherever it is seen.

        A standing alert that shares a board type and a benchmark with a cause belongs to it,
        whatever commit or baseline was known when it was opened.
        """
        mine = {s.alert.id: s for s in standing if s.scopes and s.alert.role != PARENT}
        earlier = {id(u): self._earlier(u) for u in told.units}
        joined = self.pinned.joined(mine.values())

        def claims(unit: Unit) -> list[int]:
            if unit.pin is not None:
                return [unit.pin]
            own = earlier[id(unit)]
            if own is not None and own.id in mine and own.id not in joined:
                return [own.id]
            its = [
                i for i, s in mine.items()
                if i not in joined and unit.scope in s.scopes and s.places & unit.places
            ]  # fmt: skip
            return its[:1]

        places = {i: s.places for i, s in mine.items()}
        every = numbered(grouping.causes(told.units, claims), claims, places)
        done: list[Alert | None] = []
        for one in every:
            one.alerts |= {i for i, into in joined.items() if into in pins_of(one.units)}
            done += self._cause(one, [a for u in one.units if (a := earlier[id(u)]) is not None])
        claimed = {i for one in every for i in one.alerts}
        for id_, s in mine.items():
            if id_ not in claimed:
                why = self.ends.why_gone(s, heads, told.explained)
                if why is not None:
                    done.append(withdraw(self.conn, s.alert, why))
        return done

    def _earlier(self, unit: Unit) -> Alert | None:
        """Return the alert that a unit has or had, also from before its cause was found."""
        known = self.known.of_scope(unit.scope, began(unit, self.conn))
        if known is None and unit.proof is not None:
            known = self.known.of_scope(unit.scope, None)
        return known

    def _cause(self, one: Numbered, earlier: Sequence[Alert]) -> list[Alert | None]:
        """Settle the alert of a cause; `earlier` are those that its units have or had."""
        standing = [a for i in sorted(one.alerts) if (a := alerts.by_id(self.conn, i)) is not None]
        before = [a for a in earlier if a.withdrawn_at is not None]
        pins = pins_of(one.units)
        named = lowest([a for a in standing if a.id in pins])
        known = named or lowest(standing) or lowest(before)
        worst = self.drafts.losses(one.units)[0]
        lead = next(u for u in one.units if worst in u.findings)
        known, words = self._key(lead.scope.words(began(lead, self.conn)), known)
        told = self.drafts.of_branch(one.units, known, words)
        if told is None or told.withdrawn_at is not None:
            return [told, *(withdraw(self.conn, a, SMALL) for a in standing)]
        done: list[Alert | None] = [told]
        for a in standing:
            if a.id != told.id:
                why = (self.pinned.why(a) if pins else None) or why_one(one.units)
                done.append(withdraw(self.conn, a, f"alert {told.id} tells its figures: {why}"))
        return done

    def _key(
        self, words: Mapping[str, Any], known: Alert | None
    ) -> tuple[Alert | None, Mapping[str, Any]]:
        """Return the alert of a cause and the parts of its key, which no other alert has.

        What was hidden in another alert began as that did, as far as a history tells.
        """
        holder = alerts.by_key(self.conn, digest(words))
        while known is None and holder is not None:
            if holder.withdrawn_at is not None:
                return holder, words
            words = {**words, "beside": holder.id}
            holder = alerts.by_key(self.conn, digest(words))
        return known, words
