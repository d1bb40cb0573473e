# SPDX-License-Identifier: GPL-2.0-only
"""Heads and commits on record whose alerts are rehearsed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.integration.alerting import BASE, FAST, SAME, SLOW, SLOWER, Record, head
from vlag.alerts import rehearsal, triage
from vlag.alerts.rehearsal import Rehearsal
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

LATER = timedelta(hours=1)


def rehearsed(
    conn: Connection, catalogue: Catalogue, thresholds: Alerts, **given: Any
) -> Rehearsal:
    now = datetime.now(UTC)
    times = {"since": now - timedelta(days=1), "until": now + LATER, **given}
    return rehearsal.rehearse(conn, catalogue, thresholds, **times)


def a_while(record: Record) -> None:
    """Put heads, commits and what people said of them on record."""
    for of, factors in (
        (BASE, SAME), (head(1), SAME), (head(2), SLOW), (head(3), SLOW), (head(4), SAME),
        (head(5), SLOWER), (head(6), FAST), (head(7), SLOW),
    ):  # fmt: skip
        record.fill(of, factors)
    record.derive(record.compare(BASE, head(1), "baseline"))
    # As a push does, at once.
    record.derive(
        record.compare(BASE, head(2), "baseline"), record.compare(head(1), head(2), "parent")
    )
    triage.set_state(record.conn, 1, "investigating", by="kim", why="the wakeup path")
    record.derive(record.compare(BASE, head(3), "baseline"))
    record.derive(record.compare(BASE, head(4), "baseline"))
    record.derive(record.compare(BASE, head(5), "baseline"))
    record.derive(record.compare(BASE, head(6), "baseline"))
    record.derive(record.compare(BASE, head(7), "baseline"))
    other = {"tree": "debian", "branch": "linux-6.13", "describe": "debian/6.13.1-1"}
    record.fill(head(8, **other), SLOWER)
    record.derive(record.compare(BASE, head(8, **other), "baseline"))
