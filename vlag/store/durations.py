# SPDX-License-Identifier: GPL-2.0-only
"""How long the newest builds and runs took: what predicts the next ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen
from psycopg.types.json import Jsonb

from vlag.store.database import Connection

#: Number of newest builds that count, and of newest runs of each board type.
BUILDS, RUNS = 20, 50


@frozen(kw_only=True)
class Durations:
    """What was measured; empty: nothing was yet."""

    builds: Mapping[str, Sequence[float]] = field(factory=dict)  # digest of a config -> seconds
    ratios: Mapping[str, float] = field(factory=dict)  # board type -> run's seconds / estimate


def recent(conn: Connection) -> Durations:
    """Return what the newest complete builds and runs on record took."""
    builds: dict[str, list[float]] = {}
    for kconfig, seconds in conn.execute(
        "SELECT k.kconfig, extract(epoch FROM b.finished_at - b.started_at)::double precision"
        " FROM (SELECT kernel, started_at, finished_at FROM build WHERE outcome = 'complete'"
        "   ORDER BY finished_at DESC LIMIT %s) b JOIN kernel k ON k.id = b.kernel",
        (BUILDS,),
    ):
        builds.setdefault(kconfig, []).append(seconds)
    return Durations(builds=builds, ratios=ratios(conn))


def unplanned_hours(conn: Connection, board_type: str) -> float:
    """Return the board hours of the last 24 hours that no plan asked for, on boards of a type."""
    row = conn.execute(
        "SELECT coalesce(sum(extract(epoch FROM finished_at - started_at)), 0) / 3600 FROM run"
        " WHERE board_type = %s AND plan IS NULL AND NOT synthetic"
        " AND finished_at > now() - interval '24 hours'",
        (board_type,),
    ).fetchone()
    return 0.0 if row is None else float(row[0])


def longest_s(
    conn: Connection, board_type: str, benchmark: str, parameters: Mapping[str, str | int],
    kernels: Sequence[int],
) -> float | None:  # fmt: skip
    """Return what the longest complete run of a benchmark took, of kernels on a type of boards."""
    row = conn.execute(
        "SELECT max(extract(epoch FROM finished_at - started_at)) FROM run WHERE kernel = ANY(%s)"
        " AND board_type = %s AND benchmark = %s AND parameters = %s AND outcome = 'complete'"
        " AND NOT synthetic",
        (list(kernels), board_type, benchmark, Jsonb(dict(parameters))),
    ).fetchone()
    return None if row is None or row[0] is None else float(row[0])


def ratios(conn: Connection, count: int = RUNS) -> dict[str, float]:
    """Return the ratio of measured to estimated duration of runs, by board type.

    The median of the `count` newest complete runs of each.
    """
    # By board: that has an index, and a board type has few of them.
    rows = conn.execute(
        "SELECT board_type, percentile_cont(0.5) WITHIN GROUP (ORDER BY ratio) FROM ("
        " SELECT r.board_type, extract(epoch FROM r.finished_at - r.started_at) / r.estimate_s"
        "   AS ratio, row_number() OVER (PARTITION BY r.board_type"
        "   ORDER BY r.finished_at DESC, r.id DESC) AS rank"
        " FROM board b CROSS JOIN LATERAL (SELECT id, board_type, started_at, finished_at,"
        "   estimate_s FROM run WHERE board = b.name AND outcome = 'complete' AND NOT synthetic"
        "   AND estimate_s > 0 ORDER BY finished_at DESC LIMIT %(count)s) r) AS newest"
        " WHERE rank <= %(count)s GROUP BY board_type",
        {"count": count},
    )
    return {str(board_type): float(ratio) for board_type, ratio in rows}
