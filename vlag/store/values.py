# SPDX-License-Identifier: GPL-2.0-only
"""One number per run, series and statistic, for panels."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from vlag.store.database import Connection

# Complete runs with figures but without stored values.
_WITHOUT = (
    " FROM run r WHERE r.outcome = 'complete'"
    " AND NOT EXISTS (SELECT FROM run_value v WHERE v.run = r.id)"
    " AND (EXISTS (SELECT FROM sample s WHERE s.run = r.id AND cardinality(s.values) > 0)"
    "   OR EXISTS (SELECT FROM histogram h WHERE h.run = r.id))"
)


@frozen(kw_only=True)
class Value:
    """A row of `run_value`, in the unit of the series."""

    run: int
    series: int
    statistic: str
    value: float


def insert(conn: Connection, rows: Sequence[Value]) -> int:
    """Add values with the end times of their runs; return how many are new."""
    done = conn.execute(
        "INSERT INTO run_value (run, series, statistic, at, value)"
        " SELECT v.run, v.series, v.statistic, r.finished_at, v.value"
        " FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::float8[])"
        "   AS v(run, series, statistic, value)"
        " JOIN run r ON r.id = v.run ON CONFLICT DO NOTHING",
        (
            [row.run for row in rows],
            [row.series for row in rows],
            [row.statistic for row in rows],
            [row.value for row in rows],
        ),
    )
    return done.rowcount


def missing(conn: Connection) -> int:
    """Return how many runs with figures have no value."""
    row = conn.execute("SELECT count(*)" + _WITHOUT).fetchone()
    return row[0] if row else 0


def without(conn: Connection, *, after: int, most: int) -> list[int]:
    """Return the next runs with figures that have no value, by id."""
    rows = conn.execute(
        "SELECT r.id" + _WITHOUT + " AND r.id > %s ORDER BY r.id LIMIT %s",
        (after, most),
    )
    return [row[0] for row in rows]
