# SPDX-License-Identifier: GPL-2.0-only
"""Suspicions: changes in a screening, and the decisions of reruns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from attrs import frozen
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from vlag.model import canonical_json
from vlag.store import statements
from vlag.store.columns import Columns, columns
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection


@frozen(kw_only=True)
class Suspicion:
    """A row of the view `decided`: a suspicion, and the decision on it that counts."""

    id: int
    base_kernel: int
    new_kernel: int
    base_knobs: Mapping[str, str]
    new_knobs: Mapping[str, str]
    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    statistic: str
    conditions: str  # digest, see `VerdictRow.conditions`; empty: not kept yet
    worse: bool
    hint: bool
    stand: str
    boots: int
    p: float | None
    raised_by: int | None  # None: the watch on a history
    decided_by: int | None
    created_at: datetime
    changed_at: datetime
    said: int | None  # number of the decision, see `vlag.store.statements`; None: no rerun yet

    @property
    def subject(self) -> tuple[str, bytes, str, str, str]:
        """Return the row of a comparison that it concerns."""
        return subject(self)


_COLUMNS = ", ".join(f"d.{name}" for name in columns(Suspicion).names)
#: What a suspicion is found by.
_KEY = Columns(
    (
        *("base_kernel", "new_kernel", "base_knobs", "new_knobs", "board_type"),
        *("benchmark", "parameters", "metric", "statistic", "conditions"),
    )
)
_NEW = Columns((*_KEY.names, "worse", "hint", "raised_by"))


def subject(row: Suspicion | VerdictRow) -> tuple[str, bytes, str, str, str]:
    """Return what a row's suspicion is found by: the figure and the conditions of its boots."""
    figure = row.benchmark, canonical_json(dict(row.parameters)), row.metric, row.statistic
    return *figure, row.conditions or ""


class _Pair(TypedDict):
    base_kernel: int
    new_kernel: int
    base_knobs: Jsonb
    new_knobs: Jsonb
    board_type: str


def _pair(c: Comparison) -> _Pair:
    return {
        "base_kernel": c.base_kernel,
        "new_kernel": c.new_kernel,
        "base_knobs": Jsonb(dict(c.base_knobs)),
        "new_knobs": Jsonb(dict(c.new_knobs)),
        "board_type": c.board_type,
    }


def of(conn: Connection, comparison: Comparison) -> list[Suspicion]:
    """Return the suspicions on the two sides of a comparison, on its board type."""
    with conn.cursor(row_factory=class_row(Suspicion)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM read_model.decided d"  # noqa: S608 - constants
            " WHERE d.base_kernel = %(base_kernel)s"
            " AND d.new_kernel = %(new_kernel)s AND d.base_knobs = %(base_knobs)s"
            " AND d.new_knobs = %(new_knobs)s AND d.board_type = %(board_type)s ORDER BY d.id",
            _pair(comparison),
        ).fetchall()


def of_comparisons(conn: Connection, ids: Sequence[int]) -> dict[int, list[Suspicion]]:
    """Return the suspicions on the two sides of each of some stored comparisons."""
    suspicions: dict[int, list[Suspicion]] = {id_: [] for id_ in ids}
    with conn.cursor(row_factory=dict_row) as cursor:
        for row in cursor.execute(
            f"SELECT c.id AS comparison, {_COLUMNS} FROM comparison c"  # noqa: S608 - constants
            " JOIN read_model.decided d ON d.base_kernel = c.base_kernel"
            " AND d.new_kernel = c.new_kernel AND d.base_knobs = c.base_knobs"
            " AND d.new_knobs = c.new_knobs AND d.board_type = c.board_type"
            " WHERE c.id = ANY(%s) ORDER BY d.id",
            (list(ids),),
        ):
            suspicions[row.pop("comparison")].append(Suspicion(**row))
    return suspicions


def raise_(conn: Connection, comparison: Comparison, rows: Sequence[VerdictRow]) -> None:
    """Store the suspects among a screen's rows; keep existing ones."""
    for row in rows:
        raise_seen(
            conn,
            comparison,
            benchmark=row.benchmark,
            parameters=row.parameters,
            metric=row.metric,
            statistic=row.statistic,
            conditions=row.conditions or "",
            worse=row.worse,
            hint=row.hint,
        )


def raise_seen(
    conn: Connection,
    pair: Comparison,
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
    metric: str,
    statistic: str,
    conditions: str,
    worse: bool,
    hint: bool,
) -> bool:
    """Store a suspicion; return whether it waits for its first rerun.

    A `pair` without id, which is no stored comparison, comes from a history.
    """
    given = {
        **_pair(pair),
        "benchmark": benchmark,
        "parameters": Jsonb(dict(parameters)),
        "metric": metric,
        "statistic": statistic,
        "conditions": conditions,
        "worse": worse,
        "hint": hint,
        "raised_by": pair.id,
    }
    with conn.transaction():
        statements.begin(conn)
        conn.execute(
            f"INSERT INTO suspicion {_NEW.inserted()} ON CONFLICT ({_KEY}) DO NOTHING",
            given,
        )
        row = conn.execute(
            "SELECT stand = 'open' AND boots = 0 FROM read_model.decided"  # noqa: S608 - constants
            f" WHERE ({_KEY}) = ({_KEY.values})",
            given,
        ).fetchone()
    return bool(row and row[0])


def decide(
    conn: Connection, suspicion: Suspicion, row: VerdictRow, comparison: Comparison, *, stand: str
) -> None:
    """Store the decision of a rerun, and which one it replaces.

    It is ignored if it counts fewer boots than the one before.
    """
    with conn.transaction():
        statements.begin(conn)
        conn.execute(
            "INSERT INTO decision (suspicion, stand, boots, p, decided_by, replaces)"
            " SELECT s.id, %(stand)s, %(boots)s, %(p)s, %(decided_by)s, s.said"
            " FROM read_model.decided s WHERE s.id = %(id)s AND s.boots <= %(boots)s"
            " AND s.decided_by IS DISTINCT FROM %(decided_by)s",
            {
                "id": suspicion.id,
                "stand": stand,
                "boots": min(row.n_base, row.n_new),
                "p": row.p_zero,
                "decided_by": comparison.id,
            },
        )
