"""Change points in the histories of series, and the runs of these histories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import asdict, frozen
from psycopg.rows import class_row

from vlag.store import runs
from vlag.store.database import Connection
from vlag.store.runs import Run


@frozen(kw_only=True)
class Change:
    """A row of `change_point`; ids and times are None until it is stored."""

    series: int
    statistic: str
    tree: str
    branch: str
    before_kernel: int
    kernel: int  # first of the new segment
    effect: float  # relative, 0.01 = 1 %
    ci_low: float
    ci_high: float
    cause: str  # "kernel" or "board"
    id: int | None = None
    found_at: datetime | None = None
    withdrawn_at: datetime | None = None


_COLUMNS = (
    "series, statistic, tree, branch, before_kernel, kernel, effect, ci_low, ci_high, cause, id,"
    " found_at, withdrawn_at"
)


def runs_along(
    conn: Connection, *, tree: str, branch: str, board_type: str, reach: int
) -> list[Run]:
    """Return the complete runs of a branch's plain kernels on a board type, oldest first.

    Of each benchmark those of the last `reach` kernels and days.
    """
    return _runs(
        conn,
        "r.board_type = %(board_type)s AND k.id IN (SELECT f.kernel FROM kernel_ref f"
        "   WHERE f.tree = %(tree)s AND f.name = %(branch)s AND f.is_branch)"
        " AND k.series IS NULL AND k.variant = 'default' AND r.knobs = '{}'",
        {"tree": tree, "branch": branch, "board_type": board_type, "reach": reach},
    )


def runs_of_control(
    conn: Connection, *, kernels: Sequence[int], board_type: str, reach: int
) -> list[Run]:
    """Return the complete runs of the bases of these kernels, oldest first, as far back.

    The given kernels themselves are left out: they are no control of each other.
    """
    return _runs(
        conn,
        "r.board_type = %(board_type)s AND r.knobs = '{}' AND r.kernel <> ALL(%(kernels)s)"
        " AND r.kernel IN (SELECT base_kernel FROM comparison WHERE new_kernel = ANY(%(kernels)s)"
        "   AND base_knobs = '{}')",
        {"kernels": list(kernels), "board_type": board_type, "reach": reach},
    )


def _runs(conn: Connection, condition: str, values: dict[str, object]) -> list[Run]:
    found = conn.execute(
        "SELECT id FROM (SELECT r.id, dense_rank() OVER (PARTITION BY r.benchmark, r.parameters"  # noqa: S608
        "   ORDER BY r.finished_at::date DESC, r.kernel) AS rank"
        " FROM run r JOIN kernel k ON k.id = r.kernel"
        " WHERE r.outcome = 'complete' AND r.suspect IS NULL AND r.observes IS NULL"
        " AND NOT r.synthetic"
        " AND r.id NOT IN (SELECT run FROM run_in_doubt)"
        f" AND {condition}) AS ranked WHERE rank <= %(reach)s",
        values,
    ).fetchall()
    by_id = runs.by_id(conn, [row[0] for row in found])
    return sorted(by_id.values(), key=lambda r: (r.finished_at, r.id))


def standing(conn: Connection, *, tree: str, branch: str, series: Sequence[int]) -> list[Change]:
    """Return the change points of a branch that were not withdrawn."""
    with conn.cursor(row_factory=class_row(Change)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM change_point WHERE tree = %s AND branch = %s"  # noqa: S608
            " AND series = ANY(%s) AND withdrawn_at IS NULL ORDER BY id",
            (tree, branch, list(series)),
        ).fetchall()


def kernel_of(conn: Connection, id_: int) -> int:
    """Return the first kernel of the new segment of a change point."""
    row = conn.execute("SELECT kernel FROM change_point WHERE id = %s", (id_,)).fetchone()
    assert row is not None  # noqa: S101 - whoever has its id has it from the table
    return int(row[0])


def put(conn: Connection, change: Change) -> bool:
    """Store or update a change point; return whether it is new.

    A withdrawn one that is found again becomes active again.
    """
    row = conn.execute(
        "INSERT INTO change_point (series, statistic, tree, branch, before_kernel, kernel, effect,"
        " ci_low, ci_high, cause) VALUES (%(series)s, %(statistic)s, %(tree)s, %(branch)s,"
        " %(before_kernel)s, %(kernel)s, %(effect)s, %(ci_low)s, %(ci_high)s, %(cause)s)"
        " ON CONFLICT (series, statistic, tree, branch, kernel) DO UPDATE SET"
        " before_kernel = excluded.before_kernel, effect = excluded.effect,"
        " ci_low = excluded.ci_low, ci_high = excluded.ci_high, cause = excluded.cause,"
        " withdrawn_at = NULL RETURNING xmax = 0",
        asdict(change),
    ).fetchone()
    return bool(row and row[0])


def withdraw(conn: Connection, ids: Sequence[int]) -> None:
    """Withdraw change points that later data has removed."""
    conn.execute(
        "UPDATE change_point SET withdrawn_at = now() WHERE id = ANY(%s) AND withdrawn_at IS NULL",
        (list(ids),),
    )
