# SPDX-License-Identifier: GPL-2.0-only
"""Histories along branches: their boots and points, without any run's document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from attrs import frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.bundle_records import RunRecord
from vlag.store.database import Connection
from vlag.store.runs import TimeSeries, time_series_by_id


class KeptConditions(TypedDict):
    """What a history needs of run.json."""

    conditions: dict[str, str]  # whichever the series
    firmware: dict[str, str]  # of the board
    kconfig: str  # of the kernel


@frozen(kw_only=True)
class Boots:
    """The boots of one workload with one seed."""

    benchmark: str
    parameters: Mapping[str, str | int]
    seed: int
    runs: Sequence[int]
    kernels: Sequence[int]  # of `runs`


@frozen(kw_only=True)
class Point:
    """What boots of one kernel gave for one statistic of one series under equal conditions."""

    series: int
    statistic: str
    kernel: int
    conditions: str  # digest of a row of `conditions`
    board: str | None  # None: boards do not count
    begins: datetime  # end of its first boot
    first: int  # run, the earliest by `begins`
    last: int  # run, the newest by id
    values: Sequence[float]  # one a boot


#: Documents that are read at once: one has some kilobytes.
_BATCH = 500


def along(conn: Connection, *, tree: str, branch: str, board_type: str, reach: int) -> list[Boots]:
    """Return the complete runs of a branch's plain kernels on a board type.

    Of each benchmark those of the last `reach` kernels and days.
    """
    return _boots(
        conn,
        "r.board_type = %(board_type)s AND k.id IN (SELECT f.kernel FROM kernel_ref f"
        "   WHERE f.tree = %(tree)s AND f.name = %(branch)s AND f.is_branch)"
        " AND k.series IS NULL AND k.variant = 'default' AND r.knobs = '{}'",
        {"tree": tree, "branch": branch, "board_type": board_type, "reach": reach},
    )


def of_baselines(
    conn: Connection, *, kernels: Sequence[int], board_type: str, reach: int
) -> list[Boots]:
    """Return the complete runs of the bases of these kernels, as far back.

    The given kernels themselves are left out: none is a baseline of another.
    """
    return _boots(
        conn,
        "r.board_type = %(board_type)s AND r.knobs = '{}' AND r.kernel <> ALL(%(kernels)s)"
        " AND r.kernel IN (SELECT base_kernel FROM comparison WHERE new_kernel = ANY(%(kernels)s)"
        "   AND base_knobs = '{}')",
        {"kernels": list(kernels), "board_type": board_type, "reach": reach},
    )


def _boots(conn: Connection, condition: str, values: dict[str, object]) -> list[Boots]:
    with conn.cursor(row_factory=class_row(Boots)) as cursor:
        return cursor.execute(
            "SELECT benchmark, parameters, seed, array_agg(id) AS runs,"  # noqa: S608
            " array_agg(DISTINCT kernel) AS kernels FROM (SELECT r.id, r.benchmark, r.parameters,"
            "   r.seed, r.kernel, dense_rank() OVER (PARTITION BY r.benchmark, r.parameters"
            "   ORDER BY r.finished_at::date DESC, r.kernel) AS rank"
            " FROM run r JOIN kernel k ON k.id = r.kernel"
            " WHERE r.outcome = 'complete' AND r.suspect IS NULL AND r.observes IS NULL"
            " AND NOT r.synthetic"
            " AND r.id NOT IN (SELECT run FROM run_in_doubt)"
            f" AND {condition}) AS ranked WHERE rank <= %(reach)s"
            " GROUP BY benchmark, parameters, seed ORDER BY benchmark, parameters, seed",
            values,
        ).fetchall()


def points(
    conn: Connection, boots: Sequence[int], *, by_day: bool, by_board: bool
) -> tuple[dict[int, TimeSeries], list[Point]]:
    """Return the series of these runs by id, and their points in order of time.

    A point is of a kernel, or of a kernel on a day and on a board.  Every run must have its
    conditions on record.  Values below 0 do not count: no figure has them.
    """
    with conn.cursor(row_factory=class_row(Point)) as cursor:
        rows = cursor.execute(
            "SELECT v.series, v.statistic, r.kernel, c.conditions, x.board,"
            " min(r.finished_at) AS begins, max(r.id) AS last,"
            " (array_agg(r.id ORDER BY r.finished_at, r.id))[1] AS first,"
            " array_agg(v.value) AS values"
            " FROM run r JOIN run_conditions c ON c.run = r.id JOIN run_value v ON v.run = r.id"
            " CROSS JOIN LATERAL (SELECT CASE WHEN %(by_board)s THEN r.board END AS board,"
            "   CASE WHEN %(by_day)s THEN r.finished_at::date END AS day) x"
            " WHERE r.id = ANY(%(boots)s) AND v.value >= 0"
            " GROUP BY v.series, v.statistic, r.kernel, c.conditions, x.board, x.day",
            {"boots": list(boots), "by_day": by_day, "by_board": by_board},
        ).fetchall()
    series = time_series_by_id(conn, sorted({p.series for p in rows}))
    return series, sorted(rows, key=lambda p: (p.begins, p.first))


def without_conditions(
    conn: Connection, boots: Sequence[int], rule: int
) -> Iterator[Mapping[int, RunRecord]]:
    """Yield the documents of those runs whose conditions are not kept, or by another rule.

    In batches; whoever reads one keeps its conditions before the next.
    """
    left = [
        row[0]
        for row in conn.execute(
            "SELECT r.id FROM unnest(%(boots)s::bigint[]) AS r (id) WHERE NOT EXISTS ("
            "  SELECT FROM run_conditions x JOIN conditions c ON c.digest = x.conditions"
            "  WHERE x.run = r.id AND c.rule = %(rule)s) ORDER BY r.id",
            {"boots": list(boots), "rule": rule},
        )
    ]
    for i in range(0, len(left), _BATCH):
        yield dict(
            conn.execute(
                "SELECT id, document FROM run WHERE id = ANY(%s) ORDER BY id",
                (left[i : i + _BATCH],),
            ).fetchall()
        )


def keep_conditions(
    conn: Connection, rule: int, documents: Mapping[int, tuple[str, KeptConditions]]
) -> None:
    """Keep the conditions of runs: digest and what they are."""
    with conn.transaction(), conn.cursor() as cursor:
        for digest, document in sorted(dict(documents.values()).items()):
            cursor.execute(
                "INSERT INTO conditions (digest, rule, document) VALUES (%s, %s, %s)"
                " ON CONFLICT (digest) DO NOTHING",
                (digest, rule, Jsonb(dict(document))),
            )
        cursor.execute(
            "INSERT INTO run_conditions (run, conditions)"
            " SELECT * FROM unnest(%s::bigint[], %s::text[])"
            " ON CONFLICT (run) DO UPDATE SET conditions = excluded.conditions",
            (list(documents), [digest for digest, _ in documents.values()]),
        )


def conditions(conn: Connection, digests: Sequence[str]) -> dict[str, KeptConditions]:
    """Return kept conditions by their digests."""
    return dict(
        conn.execute(
            "SELECT digest, document FROM conditions WHERE digest = ANY(%s)", (list(digests),)
        ).fetchall()
    )
