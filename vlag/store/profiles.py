# SPDX-License-Identifier: GPL-2.0-only
"""What two kernels execute differently in a benchmark: totals, functions and decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import asdict, evolve, frozen
from psycopg import Cursor
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.store.columns import Columns, columns
from vlag.store.comparisons import SAME_SIDES, SIDES, Comparison, sides_of
from vlag.store.database import Connection


@frozen(kw_only=True)
class FunctionRow:
    """A row of `profile_function` without its profile; figures are for one operation."""

    name: str
    source: str | None
    base_calls: float | None  # None: this side never executed the function
    base_instructions: float | None
    new_calls: float | None
    new_instructions: float | None
    change: float
    certain: bool
    callers: Sequence[Mapping[str, Any]] = ()  # [{name, base, new, certain}], calls


@frozen(kw_only=True)
class PathRow:
    """A row of `profile_path` without its profile; values are for one operation, one a boot."""

    metric: str
    unit: str  # "instructions" or "calls"
    relevance: float
    base_values: Sequence[float] | None  # None: this kernel has nothing to count
    new_values: Sequence[float] | None
    base_level: float | None
    new_level: float | None
    verdict: str
    effect: float | None  # 0.01 = 1 %
    ci_low: float | None
    ci_high: float | None
    p: float | None
    reason: str


@frozen(kw_only=True)
class ProfileRow:
    """A row of `profile` with its functions; instructions are for one operation."""

    base_kernel: int
    new_kernel: int
    base_knobs: Mapping[str, str]
    new_knobs: Mapping[str, str]
    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    base_runs: Sequence[int]
    new_runs: Sequence[int]
    operation: str
    base_operations: float  # a boot
    new_operations: float
    base_instructions: float  # of the kernel
    new_instructions: float
    base_sched: float  # of kernel/sched among them
    new_sched: float
    base_user: float
    new_user: float
    others: int  # functions that differ and are not among `functions`
    others_change: float
    decisions: Sequence[Mapping[str, Any]]  # [{what, base, new, certain}]
    sentence: str
    frames: Sequence[tuple[int, str, float, float]] = ()  # of `vlag.profile.flame`
    functions: Sequence[FunctionRow] = ()  # the largest change first
    paths: Sequence[PathRow] = ()  # in the order of the metrics' file
    id: int | None = None
    created_at: datetime | None = None


@frozen(kw_only=True)
class Changed:
    """A benchmark of a comparison with a decided change: the largest of its figures."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    statistic: str
    verdict: str
    effect: float | None


_KEY = (*SIDES, "benchmark", "parameters")
_COLUMNS = columns(ProfileRow, but=("functions", "paths", "id", "created_at"))
_JSON = ("base_knobs", "new_knobs", "parameters")
_FUNCTION, _PATH = columns(FunctionRow), columns(PathRow)


def put(conn: Connection, profile: ProfileRow) -> tuple[int, bool]:
    """Store a profile in one transaction; return its id and whether anything changed.

    Two kernels have one profile of a benchmark on a board type: other boots replace it, the
    same boots change nothing.
    """
    values = {name: getattr(profile, name) for name in _COLUMNS.names}
    values |= {name: Jsonb(dict(values[name])) for name in _JSON}
    values |= {name: list(values[name]) for name in ("base_runs", "new_runs")}
    values["decisions"] = Jsonb([dict(d) for d in profile.decisions])
    values["frames"] = Jsonb([list(f) for f in profile.frames])
    with conn.transaction(), conn.cursor() as cursor:
        row = cursor.execute(
            f"INSERT INTO profile AS p {_COLUMNS.inserted()} ON CONFLICT ({', '.join(_KEY)})"
            f" DO UPDATE SET {_COLUMNS.renewed(_KEY)}, created_at = now()"
            " WHERE (p.base_runs, p.new_runs) <> (excluded.base_runs, excluded.new_runs)"
            " RETURNING id",
            values,
        ).fetchone()
        if row is None:
            same = " AND ".join(f"{name} = %({name})s" for name in _KEY)
            stored = cursor.execute(f"SELECT id FROM profile WHERE {same}", values).fetchone()  # noqa: S608
            assert stored is not None  # noqa: S101 - the conflict says that it is there
            return int(stored[0]), False
        id_ = int(row[0])
        _put_parts(cursor, "profile_function", _FUNCTION, id_, [
            {**asdict(f), "callers": Jsonb([dict(c) for c in f.callers])} for f in profile.functions
        ])  # fmt: skip
        _put_parts(cursor, "profile_path", _PATH, id_, [asdict(p) for p in profile.paths])
    return id_, True


def _put_parts(
    cursor: Cursor[Any],
    table: str,
    part_columns: Columns,
    profile: int,
    parts: Sequence[Mapping[str, Any]],
) -> None:
    """Replace the rows of a profile in one of its tables."""
    cursor.execute(f"DELETE FROM {table} WHERE profile = %s", (profile,))  # noqa: S608 - constants
    cursor.executemany(
        f"INSERT INTO {table} {Columns(('profile', 'number', *part_columns.names)).inserted()}",
        [{**part, "profile": profile, "number": n} for n, part in enumerate(parts)],
    )


def of(conn: Connection, comparison: Comparison) -> list[ProfileRow]:
    """Return the profiles of the two sides of a comparison, by benchmark."""
    with conn.cursor(row_factory=class_row(ProfileRow)) as cursor:
        rows = cursor.execute(
            f"SELECT id, created_at, {_COLUMNS},"  # noqa: S608 - constants
            " ARRAY[]::text[] AS functions, ARRAY[]::text[] AS paths"
            f" FROM profile WHERE {SAME_SIDES} ORDER BY benchmark, id",
            sides_of(comparison),
        ).fetchall()
    return [_whole(conn, profile) for profile in rows]


def _whole(conn: Connection, profile: ProfileRow) -> ProfileRow:
    """Return a profile with the rows of its other tables."""
    with conn.cursor(row_factory=class_row(FunctionRow)) as cursor:
        functions = cursor.execute(_parts("profile_function", _FUNCTION), (profile.id,)).fetchall()
    with conn.cursor(row_factory=class_row(PathRow)) as cursor:
        paths = cursor.execute(_parts("profile_path", _PATH), (profile.id,)).fetchall()
    return evolve(profile, functions=functions, paths=paths)


def _parts(table: str, part_columns: Columns) -> str:
    return f"SELECT {part_columns} FROM {table} WHERE profile = %s ORDER BY number"  # noqa: S608 - constants


def predicted(conn: Connection, comparison: int) -> bool:
    """Return whether a comparison is one of the self-proof."""
    row = conn.execute("SELECT 1 FROM prediction WHERE comparison = %s", (comparison,)).fetchone()
    return row is not None


def sure_functions(conn: Connection, comparisons: Sequence[int]) -> list[str]:
    """Return the functions of which profiles of comparisons surely have more, the largest first."""
    selected = conn.execute(
        "SELECT f.name FROM read_model.profile p JOIN read_model.profile_function f"
        " ON f.profile = p.id WHERE p.comparison = ANY(%s) AND f.certain AND f.change > 0"
        " GROUP BY f.name ORDER BY max(f.change) DESC, f.name",
        (list(comparisons),),
    )
    return [str(row[0]) for row in selected]


def changed(conn: Connection, comparison: int) -> list[Changed]:
    """Return the benchmarks of a comparison with a decided change, the largest first.

    Decided means confirmed by a rerun, or a change that gets none.  Changes of the
    self-proof get none: its patch headers predict them.
    """
    with conn.cursor(row_factory=class_row(Changed)) as cursor:
        return cursor.execute(
            "SELECT * FROM ("
            "SELECT DISTINCT ON (o.benchmark, o.parameters)"
            " o.benchmark, o.parameters, o.metric, o.statistic, v.verdict, v.effect"
            " FROM read_model.verdict v JOIN verdict o ON o.id = v.id"
            " JOIN read_model.comparison c ON c.id = v.comparison"
            " WHERE v.comparison = %s AND v.verdict IN ('REGRESSION', 'IMPROVEMENT')"
            " AND (v.standing IN ('confirmed', 'told')"
            "   OR v.standing = 'suspected' AND c.as_predicted IS NOT NULL)"
            " ORDER BY o.benchmark, o.parameters, read_model.size(v.effect) DESC, o.id"
            ") AS largest ORDER BY read_model.size(effect) DESC, benchmark",
            (comparison,),
        ).fetchall()
