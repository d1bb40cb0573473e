# SPDX-License-Identifier: GPL-2.0-only
"""Board hours in 24 hours that boots which explain something may take of boards that scatter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from attrs import define, field

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.pipeline.boot import estimate_s
from vlag.search.asked import AskedBoot
from vlag.store import durations
from vlag.store.database import Connection


@define(kw_only=True)
class Hours:
    """What is left of the board hours of one purpose, by board type."""

    conn: Connection
    catalogue: Catalogue
    purpose: str  # "toggles": in the sentence that none is left
    allowed: float  # hours in 24 hours
    most: int  # boots at a time
    _left: dict[str, float] = field(factory=dict, init=False)

    def cut(
        self,
        board_type: str,
        benchmark: str,
        parameters: Mapping[str, str | int],
        boots: Sequence[AskedBoot],
    ) -> list[AskedBoot]:
        """Return as many boots as there are hours left for, by their seeds, and take these.

        The last one may exceed them, or a long benchmark would never be booted.  Raises
        UsageError where none is left.
        """
        kind = self.catalogue.board_type(board_type)
        if kind.name not in self._left:
            used = durations.unplanned_hours(self.conn, kind.name)
            self._left[kind.name] = self.allowed - used
        left = self._left[kind.name]
        if boots and left <= 0:
            raise UsageError(
                f"the settings allow {self.purpose} {self.allowed:g} board hours of {kind.name} in"
                " 24 hours, and these are used; they go on after a later night"
            )
        seconds = estimate_s(self.catalogue.benchmark(benchmark), kind, parameters)
        hours = seconds * durations.ratios(self.conn).get(kind.name, 1.0) / 3600
        # Boots of one seed are of both kernels: what a cut leaves is comparable.
        chosen = sorted(boots, key=lambda asked: asked["seed"])
        chosen = chosen[: min(ceil(left / hours), self.most)]
        self._left[kind.name] = left - len(chosen) * hours
        return chosen
