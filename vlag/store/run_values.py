# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of a run on record: one number each, the source of all panels."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from vlag.stats.summary import statistics
from vlag.store import migrate as tables
from vlag.store import places, runs, values
from vlag.store.database import Connection, connect
from vlag.store.values import Value

log = logging.getLogger(__name__)

# Runs per transaction: a killed fill loses at most these.
BATCH = 200


def migrate(dsn: str, was: Sequence[Path] = ()) -> list[str]:
    """Migrate tables and views and store missing values; return the applied migrations.

    `was`: former places of the state folder.  Raises InfrastructureError as
    `vlag.store.migrate.migrate` does.
    """
    applied = tables.migrate(dsn)
    with connect(dsn) as conn:
        places.settle(conn, was)
        fill(conn)
    return applied


def put(conn: Connection, ids: Sequence[int]) -> int:
    """Store the statistics of these runs from their figures on record; return how many.

    Existing values stay.  A run that measured nothing has none.
    """
    rows = [
        Value(run=f.run, series=f.series.id, statistic=name, value=value)
        for f in runs.figures_of(conn, ids)
        if f.series.id is not None
        for name, value in statistics(f.figures).items()
    ]
    return values.insert(conn, rows)


def fill(conn: Connection) -> int:
    """Store the statistics of all runs that have none; return how many were stored.

    Idempotent, also if two run at once; after a kill the next call goes on.
    """
    count, after, left = 0, 0, values.missing(conn)
    if left:
        log.info(f"figures of {left} runs")
    while ids := values.without(conn, after=after, most=BATCH):
        with conn.transaction():
            count += put(conn, ids)
        after, left = ids[-1], left - len(ids)
        log.info(f"{count} stored, {left} runs left")
    return count
