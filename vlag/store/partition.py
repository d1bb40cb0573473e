# SPDX-License-Identifier: GPL-2.0-only
"""Raw samples by month: what `vlag db partition` does to the tables."""

from __future__ import annotations

import logging
from datetime import date

from vlag.store import partitions
from vlag.store.database import connect
from vlag.store.migrate import ADVISORY_LOCK

log = logging.getLogger(__name__)


def partition(dsn: str, *, today: date, patience_s: float = partitions.PATIENCE_S) -> list[str]:
    """Begin a partition of this month in both tables of raw samples; return the new partitions.

    The first call makes partitioned tables of plain ones, too.  Harmless twice and from two
    processes at once.  `today` is a day in UTC.  Raises UsageError and InfrastructureError
    as `vlag.store.partitions` does; a table that is done by then stays done.
    """
    made: list[str] = []
    with connect(dsn) as conn:
        # Neither a migration nor the first moment of a backup may see tables that change.
        conn.execute("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        for table in partitions.TABLES:
            names = []
            if not partitions.is_partitioned(conn, table):
                names = partitions.convert(conn, table, patience_s=patience_s)
            names += partitions.split(conn, table, today=today, patience_s=patience_s)
            if not names:
                log.info(f"{table}: its newest partition is that of this month")
            made += names
    return made
