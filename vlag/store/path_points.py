# SPDX-License-Identifier: GPL-2.0-only
"""What an operation of a benchmark executes in a kernel, counted in one boot; by commit."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import asdict, frozen
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from vlag.model import digest
from vlag.store.columns import Columns, columns
from vlag.store.database import Connection

#: Points of a branch that are read, the newest ones.
MOST = 400


@frozen(kw_only=True)
class Counts:
    """What a boot executed."""

    operations: int  # that the benchmark did, above 0
    metrics: Sequence[tuple[str, float]]  # in words, with their levels for an operation
    functions: Mapping[str, int]  # instructions of their own in the whole boot

    @functools.cached_property
    def digest(self) -> str:
        """Return what is equal where two boots executed the same."""
        return digest([self.operations, [list(m) for m in self.metrics], dict(self.functions)])


@frozen(kw_only=True)
class Of:
    """What was counted, beside the kernel."""

    board_type: str
    benchmark: str
    parameters: Mapping[str, str | int]
    seed: int


@frozen(kw_only=True)
class PointRow:
    """A row of the view `path_point`."""

    kernel: int
    tree: str
    commit: str
    describe: str
    subject: str
    committed_at: datetime
    board_type: str
    benchmark: str
    parameters: str
    seed: int
    setup: str
    operation: str
    run: int
    path_count: int
    #: Its place among the commits of the branch that was asked about; None: of no branch.
    place: Sequence[int] | None = None


@frozen(kw_only=True)
class Kind:
    """What was counted of some commits of a branch."""

    board_type: str
    benchmark: str
    parameters: str
    seed: int
    commits: int


_POINT = columns(PointRow, but=("place",))
_PUT = Columns(
    ("kernel", "board_type", "benchmark", "parameters", "seed", "setup", "program", "operation",
     "run")
)  # fmt: skip
_SAME = (
    "(board_type, benchmark, parameters, seed)"
    " = (%(board_type)s, %(benchmark)s, %(parameters)s, %(seed)s)"
)
#: Kernels as their trees have them.
_PLAIN = "p.series IS NULL AND p.variant = 'default'"


def put(
    conn: Connection,
    kernel: int,
    of: Of,
    *,
    setup: str,
    program: str | None,
    operation: str,
    run: int,
    counts: Counts,
) -> bool:
    """Store what a kernel executes; return whether it is news. Another boot of it replaces it.

    A kernel of a `program` that is on record with this setup has the counts of the first one.
    """
    values = {
        **asdict(of), "parameters": Jsonb(dict(of.parameters)), "kernel": kernel, "setup": setup,
        "program": program, "operation": operation, "run": run, "digest": counts.digest,
        "operations": counts.operations, "metrics": Jsonb([list(m) for m in counts.metrics]),
        "functions": Jsonb(dict(counts.functions)),
    }  # fmt: skip
    with conn.transaction():
        first = conn.execute(
            "SELECT path_count FROM path_point WHERE kernel <> %(kernel)s"  # noqa: S608 - constants
            f" AND program = %(program)s AND setup = %(setup)s AND {_SAME} ORDER BY id LIMIT 1",
            values,
        ).fetchone()
        if first is None:
            conn.execute(
                "INSERT INTO path_count (digest, operations, metrics, functions)"
                " VALUES (%(digest)s, %(operations)s, %(metrics)s, %(functions)s)"
                " ON CONFLICT (digest) DO NOTHING",
                values,
            )
        row = conn.execute(
            f"INSERT INTO path_point AS p ({_PUT}, path_count) SELECT {_PUT.values}, coalesce("  # noqa: S608 - constants
            "%(first)s, (SELECT c.id FROM path_count c WHERE c.digest = %(digest)s))"
            " ON CONFLICT (kernel, board_type, benchmark, parameters, seed, setup) DO UPDATE"
            " SET run = excluded.run, path_count = excluded.path_count, program = excluded.program"
            " WHERE (p.run, p.path_count) <> (excluded.run, excluded.path_count) RETURNING id",
            {**values, "first": None if first is None else first[0]},
        ).fetchone()
    return row is not None


def of_commits(
    conn: Connection, tree: str, commits: Sequence[str], of: Of
) -> dict[str, list[PointRow]]:
    """Return what is on record by commit, without patches; the newest point last."""
    points: dict[str, list[PointRow]] = {}
    with conn.cursor(row_factory=class_row(PointRow)) as cursor:
        rows = cursor.execute(
            f"SELECT {_POINT} FROM read_model.path_point p WHERE {_PLAIN}"  # noqa: S608 - constants
            " AND p.tree = %s AND p.commit = ANY(%s) AND p.board_type = %s AND p.benchmark = %s"
            " AND p.parameters = read_model.pairs(%s) AND p.seed = %s ORDER BY p.id",
            (tree, list(commits), of.board_type, of.benchmark, Jsonb(dict(of.parameters)), of.seed),
        )
        for row in rows:
            points.setdefault(row.commit, []).append(row)
    return points


def kinds(conn: Connection, tree: str, branch: str) -> list[Kind]:
    """Return what was counted of the commits of a branch, most commits first."""
    with conn.cursor(row_factory=class_row(Kind)) as cursor:
        return cursor.execute(
            "SELECT p.board_type, p.benchmark, p.parameters, p.seed,"  # noqa: S608 - constants
            " count(DISTINCT p.commit) AS commits FROM read_model.path_point p"
            " JOIN read_model.kernel_branch b ON b.kernel = p.kernel"
            f" WHERE {_PLAIN} AND b.tree = %s AND b.branch = %s"
            " GROUP BY 1, 2, 3, 4 ORDER BY commits DESC, 1, 2, 3, 4",
            (tree, branch),
        ).fetchall()


def branches_of(conn: Connection, tree: str, commit: str) -> list[str]:
    """Return the branches in whose history a commit of a tree was counted, sorted."""
    rows = conn.execute(
        "SELECT DISTINCT b.branch FROM read_model.path_point p"  # noqa: S608 - constants
        " JOIN read_model.kernel_branch b ON b.kernel = p.kernel"
        f" WHERE {_PLAIN} AND p.tree = %s AND p.commit = %s AND b.tree = %s ORDER BY 1",
        (tree, commit, tree),
    )
    return [row[0] for row in rows]


def of_branch(conn: Connection, tree: str, branch: str, kind: Kind) -> list[PointRow]:
    """Return the last `MOST` points of a kind of a branch, in the order of its commits."""
    names = ", ".join(f"p.{name}" for name in _POINT.names)
    with conn.cursor(row_factory=class_row(PointRow)) as cursor:
        found = cursor.execute(
            f"SELECT {names}, b.place FROM read_model.path_point p"  # noqa: S608 - constants
            " JOIN read_model.kernel_branch b ON b.kernel = p.kernel"
            f" WHERE {_PLAIN} AND b.tree = %s AND b.branch = %s AND p.board_type = %s"
            " AND p.benchmark = %s AND p.parameters = %s AND p.seed = %s"
            " ORDER BY b.place DESC, p.id DESC LIMIT %s",
            (tree, branch, kind.board_type, kind.benchmark, kind.parameters, kind.seed, MOST),
        ).fetchall()
    return found[::-1]


def counts(conn: Connection, ids: Sequence[int]) -> dict[int, Counts]:
    """Return counts by their ids."""
    rows: list[tuple[int, int, list[list[Any]], dict[str, int]]] = conn.execute(
        "SELECT id, operations, metrics, functions FROM read_model.path_count WHERE id = ANY(%s)",
        (sorted(set(ids)),),
    ).fetchall()
    return {
        id_: Counts(
            operations=operations, metrics=[(name, level) for name, level in metrics],
            functions=functions,
        )
        for id_, operations, metrics, functions in rows
    }  # fmt: skip
