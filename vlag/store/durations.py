# SPDX-License-Identifier: GPL-2.0-only
"""How long the newest builds and runs took: what predicts the next ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from attrs import field, frozen
from psycopg.types.json import Jsonb

from vlag.store.database import Connection

#: Number of newest builds that count, and of newest runs of each board type.
BUILDS, RUNS = 20, 50
#: Number of newest answers that count, and the fewest that say when the next one comes.
ANSWERS, FEWEST = 10, 3


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


@frozen(kw_only=True)
class Took:
    """How long the newest answers of one kind took from when the service came to them."""

    answers: int
    longest: timedelta


#: Ends of searches, which are made one after the other.
_ENDS = (
    "SELECT created_at AS ended FROM bisection"
    " UNION ALL SELECT updated_at FROM search_progress WHERE ended"
)


def of_search(conn: Connection, board_type: str, before: datetime) -> Took | None:
    """Return how long searches for commits took that had ended before a time; None: too few.

    One began when the search before it had ended, or when it was asked for.
    """
    return _took(
        conn,
        "SELECT b.created_at AS ended, min(c.created_at) AS asked FROM bisection b"
        " JOIN bisection_comparison l ON l.bisection = b.id"
        " JOIN comparison c ON c.id = l.comparison AND c.created_at < b.created_at"
        " WHERE b.board_type = %(board_type)s AND b.created_at < %(before)s"
        " GROUP BY b.id ORDER BY b.created_at DESC LIMIT %(count)s",
        board_type,
        before,
    )


def of_profile(conn: Connection, board_type: str, before: datetime) -> Took | None:
    """Return the same of profiles by function: a board type counts, or it samples.

    A profile waits for the searches of earlier nights and pushes.
    """
    kinds = " UNION ALL ".join(
        f"SELECT id, base_kernel, new_kernel, board_type, created_at FROM {table}"  # noqa: S608
        for table in ("profile", "sampled_profile")
    )
    return _took(
        conn,
        f"SELECT p.created_at AS ended, min(c.created_at) AS asked FROM ({kinds}) p"  # noqa: S608
        " JOIN comparison c ON c.base_kernel = p.base_kernel AND c.new_kernel = p.new_kernel"
        "   AND c.board_type = p.board_type AND c.created_at < p.created_at"
        " WHERE p.board_type = %(board_type)s AND p.created_at < %(before)s"
        " GROUP BY p.id, p.created_at ORDER BY p.created_at DESC LIMIT %(count)s",
        board_type,
        before,
    )


def _took(conn: Connection, newest: str, board_type: str, before: datetime) -> Took | None:
    """Return what the newest answers took, each from when it was asked for or could begin."""
    row = conn.execute(
        f"SELECT count(*), max(x.ended - greatest(x.asked, (SELECT max(e.ended) FROM ({_ENDS}) e"  # noqa: S608 - constants
        f"   WHERE e.ended < x.ended))) FROM ({newest}) x",
        {"board_type": board_type, "before": before, "count": ANSWERS},
    ).fetchone()
    if row is None or row[0] < FEWEST:
        return None
    return Took(answers=row[0], longest=row[1])


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
