# SPDX-License-Identifier: GPL-2.0-only
"""Raw files that were removed on purpose, and which rows still need theirs."""

# ruff: noqa: S608 - only constants of this file are put together
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection

Kind = Literal["run", "build"]


@frozen(kw_only=True)
class Candidate:
    """A run or build whose files are old enough, and that nothing points to."""

    id: int
    location: str
    finished_at: datetime


@frozen(kw_only=True)
class Removal:
    """A row of `removal`: the files of a run or of a build."""

    id: int
    kind: Kind
    row_id: int  # row of `run` or `build`
    location: str
    at: datetime
    why: str
    done_at: datetime | None  # None: not all of the files are gone yet

    @property
    def sentence(self) -> str:
        """Return when and why the files went."""
        return f"its raw files were removed by vlag gc on {self.at:%Y-%m-%d}: {self.why}"


# Rows whose verdict is news.  What a rerun has refuted is none, nor is a row that says nothing.
_FLAGGED = (
    "(v.verdict IN ('REGRESSION', 'IMPROVEMENT', 'MARGINAL')"
    " OR v.suspect AND v.stand IS DISTINCT FROM 'refuted')"
)

# Runs that keep their files, each with the reason; `since` is the end of what is old.
_KEPT_RUNS = f"""
  SELECT unnest(v.base_runs || v.new_runs) AS id, 'a verdict that is flagged' AS why
  FROM verdict v WHERE {_FLAGGED}
  UNION ALL
  SELECT unnest(v.base_runs || v.new_runs), 'an alert'
  FROM alert_verdict a JOIN verdict v ON v.id = a.verdict
  UNION ALL
  SELECT unnest(v.base_runs || v.new_runs), 'the self-proof'
  FROM prediction p JOIN verdict v ON v.comparison = p.comparison
  UNION ALL
  SELECT unnest(v.base_runs || v.new_runs), 'a search for a commit'
  FROM bisection_comparison b JOIN verdict v ON v.comparison = b.comparison
  UNION ALL
  SELECT unnest(v.base_runs || v.new_runs), 'a try'
  FROM try t JOIN verdict v ON v.comparison = ANY (t.comparisons)
  UNION ALL
  SELECT unnest(v.base_runs || v.new_runs), 'a recent comparison'
  FROM comparison c JOIN verdict v ON v.comparison = c.id WHERE c.created_at >= %(since)s
  UNION ALL
  SELECT unnest(base_runs || new_runs), 'a profile' FROM profile
  UNION ALL
  SELECT unnest(base_runs || new_runs), 'a profile' FROM sampled_profile
  UNION ALL
  SELECT unnest(base_runs || new_runs), 'decisions' FROM decided_differently
  UNION ALL
  SELECT run, 'a history of paths' FROM path_point
  UNION ALL
  SELECT id, 'a failure' FROM run WHERE outcome <> 'complete'
  UNION ALL
  SELECT r.id, 'a baseline'
  FROM run r WHERE r.kernel IN (SELECT base_kernel FROM comparison WHERE role = 'baseline')
  UNION ALL
  SELECT r.id, 'an alert'
  FROM alert a JOIN run r ON r.kernel IN (a.base_kernel, a.new_kernel)
    AND r.board_type = a.board_type
  UNION ALL
  SELECT r.id, 'a suspicion'
  FROM read_model.decided s JOIN run r ON r.kernel IN (s.base_kernel, s.new_kernel)
    AND (r.board_type, r.benchmark, r.parameters) = (s.board_type, s.benchmark, s.parameters)
  WHERE s.stand <> 'refuted'
  UNION ALL
  SELECT r.id, 'a change point'
  FROM change_point p JOIN series s ON s.id = p.series
  JOIN run r ON r.kernel IN (p.before_kernel, p.kernel)
    AND (r.board_type, r.benchmark, r.parameters) = (s.board_type, s.benchmark, s.parameters)
  WHERE p.withdrawn_at IS NULL
  UNION ALL
  SELECT c.run, 'a board check'
  FROM board_check c WHERE NOT c.accepted OR c.id IN (SELECT found_by FROM board_doubt)
"""

# Kernels whose builds keep their files.
_KEPT_KERNELS = f"""
  SELECT unnest(ARRAY[c.base_kernel, c.new_kernel]) AS kernel, 'a recent comparison' AS why
  FROM comparison c WHERE c.created_at >= %(since)s
  UNION ALL
  SELECT base_kernel, 'a baseline' FROM comparison WHERE role = 'baseline'
  UNION ALL
  SELECT unnest(ARRAY[c.base_kernel, c.new_kernel]), 'a verdict that is flagged'
  FROM comparison c WHERE EXISTS (SELECT FROM verdict v WHERE v.comparison = c.id AND {_FLAGGED})
  UNION ALL
  SELECT unnest(ARRAY[c.base_kernel, c.new_kernel]), 'the self-proof'
  FROM prediction p JOIN comparison c ON c.id = p.comparison
  UNION ALL
  SELECT unnest(ARRAY[c.base_kernel, c.new_kernel]), 'a search for a commit'
  FROM bisection_comparison b JOIN comparison c ON c.id = b.comparison
  UNION ALL
  SELECT unnest(ARRAY[c.base_kernel, c.new_kernel]), 'a try'
  FROM try t JOIN comparison c ON c.id = ANY (t.comparisons)
  UNION ALL
  SELECT unnest(ARRAY[base_kernel, new_kernel]), 'an alert' FROM alert
  UNION ALL
  SELECT unnest(ARRAY[base_kernel, new_kernel]), 'a suspicion'
  FROM read_model.decided WHERE stand <> 'refuted'
  UNION ALL
  SELECT unnest(ARRAY[before_kernel, kernel]), 'a change point'
  FROM change_point WHERE withdrawn_at IS NULL
  UNION ALL
  SELECT unnest(ARRAY[base_kernel, new_kernel]), 'a profile' FROM profile
  UNION ALL
  SELECT unnest(ARRAY[base_kernel, new_kernel]), 'a profile' FROM sampled_profile
  UNION ALL
  SELECT unnest(ARRAY[base_kernel, new_kernel]), 'decisions' FROM decided_differently
"""

_OLD = {
    "run": "SELECT r.id, in_state(r.location) AS location, r.finished_at FROM run r"
    " WHERE r.finished_at < %(since)s AND NOT EXISTS (SELECT FROM removal x WHERE x.run = r.id)",
    "build": "SELECT r.id, in_state(r.location) AS location, r.finished_at FROM build r"
    " WHERE r.finished_at < %(since)s AND r.outcome = 'complete'"
    " AND NOT EXISTS (SELECT FROM removal x WHERE x.build = r.id)",
}
# Not NOT IN: of a farm's years that would search the whole list for each run.
_UNUSED = {
    "run": f" AND NOT EXISTS (SELECT FROM ({_KEPT_RUNS}) k WHERE k.id = r.id)",
    # Its run may be booted again, to profile or to search: a kept run keeps no build by itself.
    "build": f" AND NOT EXISTS (SELECT FROM ({_KEPT_KERNELS}) k WHERE k.kernel = r.kernel)",
}


def candidates(conn: Connection, kind: Kind, since: datetime) -> list[Candidate]:
    """Return the runs or builds that ended before a time and that nothing points to."""
    with conn.cursor(row_factory=class_row(Candidate)) as cursor:
        return cursor.execute(
            (_OLD[kind] + _UNUSED[kind] + " ORDER BY r.id").encode(), {"since": since}
        ).fetchall()


def kept(conn: Connection, kind: Kind, since: datetime) -> dict[str, int]:
    """Return how many old runs or builds stay, by a reason; most reasons first."""
    key, rows = ("id", _KEPT_RUNS) if kind == "run" else ("kernel", _KEPT_KERNELS)
    return dict(
        conn.execute(
            (
                f"SELECT k.why, count(DISTINCT r.id) FROM ({_OLD[kind]}) r"
                + ("" if kind == "run" else " JOIN build b ON b.id = r.id")
                + f" JOIN ({rows}) k ON k.{key} = {'r.id' if kind == 'run' else 'b.kernel'}"
                " GROUP BY k.why ORDER BY 2 DESC, 1"
            ).encode(),
            {"since": since},
        ).fetchall()
    )


def record(
    conn: Connection, kind: Kind, since: datetime, sizes: dict[int, int], why: str
) -> list[int]:
    """Put on record that these files, in bytes by id, are being removed; return of which.

    What something has pointed to since it was found is left out.
    """
    rows = conn.execute(
        (
            f"INSERT INTO removal ({kind}, bytes, why)"
            " SELECT r.id, s.bytes, %(why)s"
            f" FROM ({_OLD[kind]}{_UNUSED[kind]}) r"
            " JOIN unnest(%(ids)s::bigint[], %(bytes)s::bigint[]) AS s (id, bytes) ON s.id = r.id"
            f" ON CONFLICT DO NOTHING RETURNING {kind}"
        ).encode(),
        {"since": since, "why": why, "ids": list(sizes), "bytes": list(sizes.values())},
    ).fetchall()
    return [row[0] for row in rows]


def pending(conn: Connection) -> list[Removal]:
    """Return the removals whose files may not all be gone."""
    return _removals(conn, "x.done_at IS NULL", [])


def of(conn: Connection, kind: Kind, ids: Sequence[int]) -> dict[int, Removal]:
    """Return the removals of runs or builds by their ids."""
    return {r.row_id: r for r in _removals(conn, f"x.{kind} = ANY(%s)", [list(ids)])}


def _removals(conn: Connection, condition: str, values: list[object]) -> list[Removal]:
    with conn.cursor(row_factory=class_row(Removal)) as cursor:
        return cursor.execute(
            (
                "SELECT x.id, CASE WHEN x.run IS NULL THEN 'build' ELSE 'run' END AS kind,"
                " coalesce(x.run, x.build) AS row_id,"
                " in_state(coalesce(r.location, b.location)) AS location,"
                " x.at, x.why, x.done_at FROM removal x LEFT JOIN run r ON r.id = x.run"
                f" LEFT JOIN build b ON b.id = x.build WHERE {condition} ORDER BY x.id"
            ).encode(),
            values,
        ).fetchall()


def done(conn: Connection, ids: Sequence[int]) -> None:
    """Put on record that the files of removals are gone."""
    conn.execute("UPDATE removal SET done_at = now() WHERE id = ANY(%s)", (list(ids),))


def undo(conn: Connection, kind: Kind, id_: int, location: str) -> None:
    """Put on record that the files of a run or build are back, at a location.

    Those that are being deleted there are not.
    """
    values = {"id": id_, "location": location}
    gone = conn.execute(
        (
            f"DELETE FROM removal x USING {kind} r WHERE x.{kind} = %(id)s AND r.id = x.{kind}"
            " AND (x.done_at IS NOT NULL OR in_state(r.location) <> %(location)s)"
        ).encode(),
        values,
    ).rowcount
    if gone:
        conn.execute(
            f"UPDATE {kind} SET location = below_state(%(location)s) WHERE id = %(id)s".encode(),
            values,
        )


def added(conn: Connection, days: int) -> dict[Kind, tuple[int, int]]:
    """Return number and bytes of the runs and builds of the last days, by kind."""
    totals: dict[Kind, tuple[int, int]] = {}
    kinds: tuple[Kind, ...] = ("run", "build")
    for kind in kinds:
        row = conn.execute(
            (
                "SELECT count(*), coalesce(sum((SELECT sum((f ->> 'bytes')::bigint)"
                f" FROM jsonb_array_elements(document -> 'files') f)), 0)::bigint FROM {kind}"
                " WHERE finished_at >= now() - make_interval(days => %s)"
            ).encode(),
            (days,),
        ).fetchone()
        totals[kind] = (0, 0) if row is None else (row[0], row[1])
    return totals
