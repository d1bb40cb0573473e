# SPDX-License-Identifier: GPL-2.0-only
"""The first decision of the scheduler that two kernels took differently in a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import Columns
from vlag.store.comparisons import SAME_SIDES, SIDES, Comparison, sides_of
from vlag.store.database import Connection


@frozen(kw_only=True)
class DecidedRow:
    """A row of `decided_differently` without the sides, which are those of a comparison."""

    benchmark: str
    parameters: Mapping[str, str | int]
    base_runs: Sequence[int]
    new_runs: Sequence[int]
    told: Mapping[str, Any]  # as `vlag.profile.decision_text.data` returns it
    sentence: str


_KEY = (*SIDES, "benchmark", "parameters")
_COLUMNS = Columns((*_KEY, "base_runs", "new_runs", "told", "sentence", "timeline"))


def put(
    conn: Connection, comparison: Comparison, row: DecidedRow, *, timeline: bytes | None
) -> None:
    """Store what a comparison's sides decided differently; one of earlier boots is replaced.

    `timeline` is a file of Perfetto with what is next to the first decision that differs.
    """
    values = {
        **sides_of(comparison),
        "benchmark": row.benchmark,
        "parameters": Jsonb(dict(row.parameters)),
        "base_runs": list(row.base_runs),
        "new_runs": list(row.new_runs),
        "told": Jsonb(dict(row.told)),
        "sentence": row.sentence,
        "timeline": timeline,
    }
    conn.execute(
        f"INSERT INTO decided_differently {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, created_at = now()",
        values,
    )


def of(conn: Connection, comparison: Comparison) -> list[DecidedRow]:
    """Return what is on record of a comparison's sides, by benchmark."""
    with conn.cursor(row_factory=class_row(DecidedRow)) as cursor:
        return cursor.execute(
            "SELECT benchmark, parameters, base_runs, new_runs, told, sentence"  # noqa: S608
            f" FROM decided_differently WHERE {SAME_SIDES} ORDER BY benchmark, id",
            sides_of(comparison),
        ).fetchall()
