# SPDX-License-Identifier: GPL-2.0-only
"""What people have said of which alert tells a figure, for the derivation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, evolve, field

from vlag.alerts.causes import Scope
from vlag.alerts.known import Standing
from vlag.alerts.moved import Moved
from vlag.model import digest
from vlag.store import alerts, pins
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.pins import Pin


def digest_of(scope: Scope) -> str:
    """Return the name that a scope has on record."""
    return digest(scope.words(None))


@define(kw_only=True)
class Pinned:
    """The pins of one derivation, by scope and benchmark."""

    conn: Connection
    moved: Moved
    _pins: Mapping[tuple[str, str], Pin] | None = None
    _digests: dict[Scope, list[str]] = field(factory=dict)  # by all names that a branch had

    def of(self, scope: Scope, benchmark: str) -> Pin | None:
        """Return which alert tells of a benchmark of a scope; None: nobody has said."""
        if self._pins is None:
            self._pins = {(p.scope, p.benchmark): p for p in pins.standing(self.conn)}
        if not self._pins:
            return None
        if scope not in self._digests:
            names = self.moved.names(scope.tree, scope.branch)
            self._digests[scope] = [digest_of(evolve(scope, branch=name)) for name in names]
        found = (self._pins.get((name, benchmark)) for name in self._digests[scope])
        return next((pin for pin in found if pin is not None), None)

    def joined(self, standing: Iterable[Standing]) -> Mapping[int, int]:
        """Return the alerts of whose parts others tell wholly, with the one that does."""
        into = {}
        for s in standing:
            told = {None if (pin := self.of(*part)) is None else pin.alert for part in s.parts}
            if len(told) == 1 and (by := told.pop()) is not None and by != s.alert.id:
                into[s.alert.id] = by
        return into

    def why(self, alert: Alert) -> str | None:
        """Return who joined an alert with another one, in words; None: nobody did."""
        last = alerts.last_event(self.conn, alert.id, "joined")
        return None if last is None else f"{last.by} joined them"

    def end(self) -> None:
        """Forget what was said of alerts that have ended."""
        if self._pins:
            pins.end(self.conn)
