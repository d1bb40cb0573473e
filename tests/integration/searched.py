# SPDX-License-Identifier: GPL-2.0-only
"""Searches on record: that of a comparison, and earlier ones that say how long the next takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from tests.integration.alerting import BASE, SAME, SLOW, SMALL, Record, head
from tests.integration.planted import planted
from vlag.store import bisections
from vlag.store.bisections import BisectionRow


def search(
    record: Record,
    comparison: int,
    recovered: float | None = 0.97,
    bad: str | None = None,
    board_type: str = SMALL,
) -> None:
    """Put the result of a search on record."""
    found = BisectionRow(
        tree="debian", good=BASE["commit"], bad=bad or head(2)["commit"], board_type=board_type,
        benchmark="stress-ng-switch", parameters={}, knobs={}, metric="bogo-ops-rate",
        statistic="median", commits=[head(1)["commit"]], subject="change number 1", steps=4,
        between=12, effect=-0.12, share=0.99, recovered=recovered,
        no_revert=None if recovered is not None else "its revert does not apply",
        document={"reproduce": "vlag bisect a b --benchmark stress-ng-switch"},
    )  # fmt: skip
    bisections.link(record.conn, bisections.put(record.conn, found), comparison)


def earlier_searches(record: Record, hours: Sequence[float], board_type: str = SMALL) -> None:
    """Put searches of another branch on record: a day each, that took so long, the oldest first."""
    record.fill(BASE, SAME)
    for n, took in enumerate(hours):
        other = head(7 + n, branch="linux-6.13")
        record.fill(other, SLOW)
        id_ = record.compare(BASE, other, "baseline")
        search(record, id_, bad=f"{n:040x}", board_type=board_type)
        days = 99 - n
        with planted(record.conn) as conn:
            conn.execute(
                "UPDATE comparison SET created_at = now() - %s WHERE id = %s",
                (timedelta(days=days), id_),
            )
            conn.execute(
                "UPDATE bisection SET created_at = now() - %s WHERE bad = %s",
                (timedelta(days=days) - timedelta(hours=took), f"{n:040x}"),
            )
