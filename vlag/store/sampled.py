# SPDX-License-Identifier: GPL-2.0-only
"""Where two kernels spend the cycles of a benchmark, sampled on boards with a PMU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.model import Observation
from vlag.store.columns import Columns
from vlag.store.comparisons import SAME_SIDES, SIDES, Comparison, sides_of
from vlag.store.database import Connection


@frozen(kw_only=True)
class SampledRow:
    """A row of `sampled_profile` without the sides, which are those of a comparison."""

    benchmark: str
    parameters: Mapping[str, str | int]
    base_runs: Sequence[int]
    new_runs: Sequence[int]
    operation: str
    event: str
    figures: Mapping[str, Any]  # as `vlag.profile.sampled_text.data` returns them
    sentence: str


@frozen(kw_only=True)
class SampledRun:
    """A run whose cycles were sampled."""

    id: int
    location: Path


_KEY = (*SIDES, "benchmark", "parameters")
_COLUMNS = Columns((*_KEY, "base_runs", "new_runs", "operation", "event", "figures", "sentence"))

#: The runs of one side that observed a benchmark (`_side_values`).
_OBSERVED = (
    "kernel = %(kernel)s AND knobs = %(knobs)s AND board_type = %(board_type)s"
    " AND benchmark = %(benchmark)s AND parameters = %(parameters)s AND observes = %(observes)s"
    " AND suspect IS NULL"
)


def put(conn: Connection, comparison: Comparison, row: SampledRow) -> None:
    """Store a profile of a comparison's sides; one of earlier boots is replaced."""
    values = {
        **sides_of(comparison),
        "benchmark": row.benchmark,
        "parameters": Jsonb(dict(row.parameters)),
        "base_runs": list(row.base_runs),
        "new_runs": list(row.new_runs),
        "operation": row.operation,
        "event": row.event,
        "figures": Jsonb(dict(row.figures)),
        "sentence": row.sentence,
    }
    conn.execute(
        f"INSERT INTO sampled_profile {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, created_at = now()",
        values,
    )


def runs(
    conn: Connection,
    comparison: Comparison,
    side: str,
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
) -> list[SampledRun]:
    """Return the runs of the side "base" or "new" that sampled a benchmark and ended well."""
    with conn.cursor(row_factory=class_row(_Located)) as cursor:
        rows = cursor.execute(
            f"SELECT id, in_state(location) AS location FROM run WHERE {_OBSERVED}"  # noqa: S608
            " AND outcome = 'complete' ORDER BY id",
            _side_values(comparison, side, benchmark, parameters, Observation.PERF),
        ).fetchall()
    return [SampledRun(id=run.id, location=Path(run.location)) for run in rows]


def seeds(
    conn: Connection,
    comparison: Comparison,
    side: str,
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
    observes: Observation,
) -> set[int]:
    """Return the seeds of runs of a side that observe; those whose kernel failed count as well."""
    rows = conn.execute(
        f"SELECT DISTINCT seed FROM run WHERE {_OBSERVED}",  # noqa: S608 - constants
        _side_values(comparison, side, benchmark, parameters, observes),
    )
    return {row[0] for row in rows}


def compared(
    conn: Connection,
    comparison: Comparison,
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
) -> set[int]:
    """Return the runs of the profile on record of a comparison's sides; none: there is none."""
    row = conn.execute(
        f"SELECT base_runs || new_runs FROM sampled_profile WHERE {SAME_SIDES}"  # noqa: S608
        " AND benchmark = %(benchmark)s AND parameters = %(parameters)s",
        {**sides_of(comparison), "benchmark": benchmark, "parameters": Jsonb(dict(parameters))},
    ).fetchone()
    return set() if row is None else set(row[0])


def _side_values(
    comparison: Comparison,
    side: str,
    benchmark: str,
    parameters: Mapping[str, str | int],
    observes: Observation,
) -> dict[str, Any]:
    """Return the values of `_OBSERVED` for the side "base" or "new"."""
    sides = sides_of(comparison)
    return {
        "kernel": sides[f"{side}_kernel"],
        "knobs": sides[f"{side}_knobs"],
        "board_type": sides["board_type"],
        "benchmark": benchmark,
        "parameters": Jsonb(dict(parameters)),
        "observes": observes.value,
    }


@frozen(kw_only=True)
class _Located:
    id: int
    location: str
