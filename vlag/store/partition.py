"""Raw samples by month: what `vlag db partition` does to the tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from vlag.store import partitions
from vlag.store.database import connect
from vlag.store.migrate import ADVISORY_LOCK


def partition(
    dsn: str,
    say: Callable[[str], None],
    *,
    today: date,
    patience_s: float = partitions.PATIENCE_S,
) -> list[str]:
    """Cut the tables of raw samples by month, or begin the present one; return new partitions.

    Harmless twice and from two processes at once.  `today` is a day in UTC.  Raises
    UsageError and InfrastructureError as `vlag.store.partitions` does; a table that is
    done by then stays done.
    """
    made: list[str] = []
    with connect(dsn) as conn:
        # Neither a migration nor the first moment of a backup may see tables that change.
        conn.execute("SELECT pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        partitions.sweep(conn, patience_s)  # what a call that was killed has left
        for table in partitions.TABLES:
            if partitions.is_partitioned(conn, table):
                names = partitions.split(conn, table, today=today, patience_s=patience_s)
            else:
                names = partitions.convert(conn, table, today=today, say=say, patience_s=patience_s)
            if not names:
                say(f"{table}: its newest partition is that of this month")
            made += names
    return made
