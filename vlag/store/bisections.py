# SPDX-License-Identifier: GPL-2.0-only
"""Searches for the first commit that made a figure worse, and the comparisons that they explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import columns
from vlag.store.database import Connection


@frozen(kw_only=True)
class BisectionRow:
    """A row of `bisection`; effects and shares are parts of one (0.01 = 1 %)."""

    tree: str
    good: str  # commits
    bad: str
    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    knobs: Mapping[str, str]
    metric: str
    statistic: str
    commits: Sequence[str]  # one; several where skipped commits hide which it is
    subject: str  # of the first of them
    steps: int
    between: int
    effect: float
    share: float | None  # None: not verified
    recovered: float | None  # None: `no_revert` says why
    no_revert: str | None
    document: Mapping[str, Any]
    id: int | None = None


_KEY = (
    *("tree", "good", "bad", "board_type", "benchmark", "parameters", "knobs"),
    *("metric", "statistic"),
)
_COLUMNS = columns(BisectionRow, but=("id",))


def put(conn: Connection, row: BisectionRow) -> int:
    """Store the result of a search and return its id; a later result of one search replaces it."""
    values = {name: getattr(row, name) for name in _COLUMNS.names}
    values |= {n: Jsonb(dict(values[n])) for n in ("parameters", "knobs", "document")}
    values["commits"] = list(row.commits)
    stored = conn.execute(
        f"INSERT INTO bisection {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
        f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, created_at = now() RETURNING id",
        values,
    ).fetchone()
    assert stored is not None  # noqa: S101 - it was there or has just been added
    return int(stored[0])


def link(conn: Connection, bisection: int, comparison: int) -> bool:
    """Let a search explain a comparison; return whether that is new."""
    done = conn.execute(
        "INSERT INTO bisection_comparison (bisection, comparison) VALUES (%s, %s)"
        " ON CONFLICT DO NOTHING",
        (bisection, comparison),
    )
    return done.rowcount == 1


@frozen(kw_only=True)
class Found:
    """A search that explains a benchmark's losses in a comparison."""

    comparison: int
    tree: str
    benchmark: str
    commits: Sequence[str]  # several where skipped commits hide which it is
    share: float | None  # of the change; None: not verified


def found(conn: Connection, comparisons: Sequence[int]) -> list[Found]:
    """Return the searches that explain comparisons, oldest first."""
    with conn.cursor(row_factory=class_row(Found)) as cursor:
        return cursor.execute(
            "SELECT l.comparison, b.tree, b.benchmark, b.commits, b.share"
            " FROM bisection_comparison l JOIN bisection b ON b.id = l.bisection"
            " WHERE l.comparison = ANY(%s) ORDER BY b.id",
            (list(comparisons),),
        ).fetchall()


def of_boards(conn: Connection, board_type: str) -> list[BisectionRow]:
    """Return the searches on boards of a type, in whatever tree, the latest first."""
    with conn.cursor(row_factory=class_row(BisectionRow)) as cursor:
        return cursor.execute(
            f"SELECT id, {_COLUMNS} FROM bisection"  # noqa: S608 - constants
            " WHERE board_type = %s ORDER BY id DESC",
            (board_type,),
        ).fetchall()


def comparisons_of(conn: Connection, bisection: int) -> list[int]:
    """Return the comparisons that a search explains, the latest first."""
    selected = conn.execute(
        "SELECT comparison FROM bisection_comparison WHERE bisection = %s ORDER BY 1 DESC",
        (bisection,),
    )
    return [int(row[0]) for row in selected]


def verified_among(
    conn: Connection, *, tree: str, benchmark: str, among: Sequence[str]
) -> list[str]:
    """Return the commits of a tree that searches of any figure on any boards have verified.

    Those of the benchmark come first, and then the latest.
    """
    selected = conn.execute(
        "SELECT commits[1] FROM bisection WHERE tree = %s AND share IS NOT NULL"
        " AND cardinality(commits) = 1 AND commits[1] = ANY(%s)"
        " GROUP BY 1 ORDER BY bool_or(benchmark = %s) DESC, max(id) DESC",
        (tree, list(among), benchmark),
    )
    return [str(row[0]) for row in selected]


def of_benchmark(
    conn: Connection,
    *,
    tree: str,
    board_type: str,
    benchmark: str,
    parameters: Mapping[str, str | int],
    knobs: Mapping[str, str],
) -> list[BisectionRow]:
    """Return the searches in a tree by figures of a benchmark, the latest first."""
    with conn.cursor(row_factory=class_row(BisectionRow)) as cursor:
        return cursor.execute(
            f"SELECT id, {_COLUMNS} FROM bisection"  # noqa: S608 - constants
            " WHERE (tree, board_type, benchmark, parameters, knobs) = (%s, %s, %s, %s, %s)"
            " ORDER BY id DESC",
            (tree, board_type, benchmark, Jsonb(dict(parameters)), Jsonb(dict(knobs))),
        ).fetchall()
