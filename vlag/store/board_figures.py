# SPDX-License-Identifier: GPL-2.0-only
"""Figures of boards by day: what nights say of boards of one type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection


@frozen(kw_only=True)
class Figure:
    """The medians of one metric of one kernel on a board on a day, one a boot."""

    board: str
    day: date
    kernel: int
    knobs: str
    series: int
    benchmark: str
    parameters: Mapping[str, str | int]
    metric: str
    runs: Sequence[int]
    values: Sequence[float]  # as `runs`


_COUNTS = (
    "r.board_type = %(board_type)s AND r.outcome = 'complete' AND r.suspect IS NULL"
    " AND r.observes IS NULL AND NOT r.synthetic AND r.id NOT IN (SELECT run FROM run_in_doubt)"
)


def newest(conn: Connection, board_type: str) -> datetime | None:
    """Return when the last run on boards of a type ended, None: there was none.

    That is by the boards' own record: the clock of a master may be wrong.
    """
    row = conn.execute(
        "SELECT max(x.at) FROM board b CROSS JOIN LATERAL (SELECT max(r.finished_at) AS at"
        " FROM run r WHERE r.board = b.name) x WHERE b.board_type = %s",
        (board_type,),
    ).fetchone()
    return None if row is None else row[0]


def boards(conn: Connection, board_type: str, *, since: datetime) -> list[str]:
    """Return the boards of a type that have run since a time."""
    rows = conn.execute(
        "SELECT b.name FROM board b WHERE b.board_type = %s AND EXISTS (SELECT FROM run r"
        " WHERE r.board = b.name AND r.finished_at >= %s) ORDER BY b.name",
        (board_type, since),
    )
    return [str(row[0]) for row in rows]


def of_boards(
    conn: Connection,
    board_type: str,
    *,
    begins: Mapping[str, datetime],
    first: timedelta,
    late: datetime,
    until: datetime,
) -> list[Figure]:
    """Return the figures of boards that count: of their first days and of the last ones.

    `begins` is where each board's own first days begin; those of any of them count for all.
    """
    with conn.cursor(row_factory=class_row(Figure)) as cursor:
        return cursor.execute(
            "WITH span AS ("  # noqa: S608 - constants
            "  SELECT greatest(g.at, min(x.finished_at)) AS begins"
            "  FROM unnest(%(boards)s::text[], %(begins)s::timestamptz[]) AS g (board, at)"
            "  JOIN run x ON x.board = g.board AND x.finished_at >= g.at GROUP BY g.board, g.at),"
            " boots AS (SELECT r.id, r.board, r.finished_at::date AS day, r.kernel,"
            "   r.knobs::text AS knobs FROM run r"
            f"  WHERE {_COUNTS} AND r.board = ANY(%(boards)s) AND r.finished_at <= %(until)s"
            "   AND r.finished_at >= (SELECT min(s.begins) FROM span s)"
            "   AND (r.finished_at >= %(late)s OR EXISTS (SELECT FROM span s"
            "     WHERE r.finished_at BETWEEN s.begins AND s.begins + %(first)s)))"
            " SELECT b.board, b.day, b.kernel, b.knobs, v.series, s.benchmark, s.parameters,"
            "   s.metric, array_agg(b.id ORDER BY b.id) AS runs,"
            "   array_agg(v.value ORDER BY b.id) AS values"
            " FROM boots b JOIN run_value v ON v.run = b.id AND v.statistic = 'median'"
            " JOIN series s ON s.id = v.series"
            " GROUP BY b.board, b.day, b.kernel, b.knobs, v.series, s.benchmark, s.parameters,"
            "   s.metric ORDER BY b.day, b.board, v.series",
            {
                "board_type": board_type,
                "boards": list(begins),
                "begins": list(begins.values()),
                "first": first,
                "late": late,
                "until": until,
            },
        ).fetchall()


def last_run(conn: Connection, board: str) -> int:
    """Return the run of a board that ended last and that no check has judged."""
    row = conn.execute(
        "SELECT r.id FROM run r WHERE r.board = %s AND NOT r.synthetic"
        " AND NOT EXISTS (SELECT FROM board_check c WHERE c.run = r.id)"
        " ORDER BY r.finished_at DESC, r.id DESC LIMIT 1",
        (board,),
    ).fetchone()
    assert row is not None  # noqa: S101 - its figures come from some
    return int(row[0])


def conditions(conn: Connection, runs: Sequence[int]) -> dict[int, str]:
    """Return the digests of the conditions that are kept of runs."""
    rows = conn.execute(
        "SELECT run, conditions FROM run_conditions WHERE run = ANY(%s)", (list(set(runs)),)
    )
    return {int(run): str(name) for run, name in rows}
