# SPDX-License-Identifier: GPL-2.0-only
"""Shifts of the distributions of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import asdict, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import Columns, columns
from vlag.store.database import Connection
from vlag.verdict_data import QuantileData


@frozen(kw_only=True)
class ShiftRow:
    """A row of `shift` without its comparison."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    unit: str
    p: float  # of "the distribution is the same"
    suspect: bool
    worse: bool
    better: bool
    headline: str
    quantiles: Sequence[QuantileData]
    unknown: Sequence[str]
    base_achieved: float | None  # share of the expected samples
    new_achieved: float | None


_COLUMNS = columns(ShiftRow)


def insert(conn: Connection, comparison: int, rows: Sequence[ShiftRow]) -> None:
    """Store the shifts of a comparison; keep existing ones."""
    inserted = Columns(("comparison", *_COLUMNS.names)).inserted()
    for row in rows:
        values = asdict(row, recurse=False)
        values |= {
            "comparison": comparison,
            "parameters": Jsonb(dict(row.parameters)),
            "quantiles": Jsonb([dict(q) for q in row.quantiles]),
            "unknown": list(row.unknown),
        }
        conn.execute(f"INSERT INTO shift {inserted} ON CONFLICT DO NOTHING", values)


def of(conn: Connection, comparison: int) -> list[ShiftRow]:
    """Return the shifts of a comparison, by benchmark and metric."""
    with conn.cursor(row_factory=class_row(ShiftRow)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM shift WHERE comparison = %s"  # noqa: S608 - constants
            " ORDER BY benchmark, parameters::text, metric",
            (comparison,),
        ).fetchall()
