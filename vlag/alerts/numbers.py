# SPDX-License-Identifier: GPL-2.0-only
"""Which alert tells which cause: a cause keeps the lowest number that it had."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from attrs import define

from vlag.alerts.grouping import Unit, may_be_one, pins_of, proofs_of
from vlag.store.alerts import Alert


@define(kw_only=True)
class Numbered:
    """A cause, and the standing alerts that told of it so far."""

    units: list[Unit]  # what has the cause
    alerts: set[int]

    @property
    def places(self) -> Set[tuple[str, str]]:
        """Return where it was seen: board types and benchmarks."""
        return {place for u in self.units for place in u.places}


def numbered(
    grouped: Sequence[Sequence[Unit]],
    claims: Callable[[Unit], Sequence[int]],
    places: Mapping[int, Set[tuple[str, str]]],
) -> list[Numbered]:
    """Return causes with the standing alerts that each of them goes on with.

    `claims` are the alerts that a unit may belong to, `places` what each alert stands on.  What
    one alert told stays together unless two causes of it are proven, or people have split it: then
    the alert stays with the one that people gave it or that has most of its places, and the other
    gets a number of its own.
    """
    every: list[Numbered] = []
    for units in grouped:
        one = Numbered(units=[*units], alerts={i for u in units for i in claims(u)})
        for other in list(every):
            if other.alerts & one.alerts and may_be_one(other.units, one.units):
                every.remove(other)
                one = Numbered(units=[*other.units, *one.units], alerts=other.alerts | one.alerts)
        every.append(one)
    for id_ in sorted({i for one in every for i in one.alerts}):
        holders = [one for one in every if id_ in one.alerts]
        keeper = max(
            holders,
            key=lambda one: (id_ in pins_of(one.units), len(one.places & places.get(id_, set()))),
        )
        for one in holders:
            if one is not keeper:
                one.alerts.discard(id_)
    return every


def lowest(alerts: Sequence[Alert]) -> Alert | None:
    """Return the alert whose number a cause keeps: the lowest open one, or the lowest."""
    return min(alerts, key=lambda a: (not a.open, a.id), default=None)


def why_one(units: Sequence[Unit]) -> str:
    """Return why parts of a cause are one, in words."""
    proofs = proofs_of(units)
    if proofs:
        return f"it is {next(iter(proofs)).words} as well"
    boards = {u.scope.board_type for u in units}
    where = f" on {len(boards)} board types" if len(boards) > 1 else ""
    return f"the same became worse at the same time{where}"
