# SPDX-License-Identifier: GPL-2.0-only
"""What a record says of which branches alerts may tell together, and when each got new figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from attrs import frozen
from psycopg.rows import class_row

from vlag.store.database import Connection
from vlag.store.nights import NightBranch

#: A kernel, a branch, a commit or a series: the first says which.
Node = tuple[object, ...]


def kernel(id_: int) -> Node:
    """Return the node of a kernel."""
    return "kernel", id_


def branch(tree: str | None, name: str | None) -> Node:
    """Return the node of a branch; None: of the commits of a tree that belong to none."""
    return "branch", tree, name


def _commit(tree: str, id_: str) -> Node:
    return "commit", tree, id_


@frozen(kw_only=True)
class _Kernel:
    id: int
    tree: str
    commit: str
    series: str | None
    branches: Sequence[str]
    parted: bool  # patches of its series were measured alone


def links(conn: Connection) -> Iterator[Sequence[Node]]:
    """Yield what belongs together: of two nodes that nothing links no alert tells both.

    A cause goes from one branch to another by a commit that both have or had, by a search that
    found it, by a patch of a series that was measured alone, or by an alert of both.  What people
    have joined may be anything.  `conn` works on a copy of the alerts (`rehearsals.copied`).
    """
    kernels = _kernels(conn)
    for k in kernels:
        yield kernel(k.id), _commit(k.tree, k.commit)
        for name in k.branches or (None,):
            yield kernel(k.id), branch(k.tree, name)
        if k.parted:
            yield kernel(k.id), ("series", k.series)
    for tree, name, commit in conn.execute("SELECT tree, branch, commit FROM branch_commit"):
        yield branch(tree, name), _commit(tree, commit)
    for id_, tree, commits in conn.execute(
        "SELECT c.new_kernel, b.tree, b.commits FROM bisection_comparison l"
        " JOIN bisection b ON b.id = l.bisection JOIN public.comparison c ON c.id = l.comparison"
    ):
        yield kernel(id_), *(_commit(tree, commit) for commit in commits)
    for tree, name, ids in conn.execute(
        "SELECT a.tree, a.branch, array_remove(array_agg(DISTINCT k.kernel), NULL)"
        " FROM pg_temp.alert a LEFT JOIN pg_temp.alert_verdict x ON x.alert = a.id"
        " LEFT JOIN public.verdict v ON v.id = x.verdict"
        " LEFT JOIN public.comparison c ON c.id = v.comparison"
        " CROSS JOIN LATERAL (VALUES (a.new_kernel), (c.new_kernel)) k(kernel) GROUP BY a.id"
    ):
        yield branch(tree, name), *(kernel(id_) for id_ in ids)
    if conn.execute("SELECT FROM pg_temp.alert_pin").fetchone() is not None:
        yield [kernel(k.id) for k in kernels]


def _kernels(conn: Connection) -> list[_Kernel]:
    with conn.cursor(row_factory=class_row(_Kernel)) as cursor:
        return cursor.execute(
            "SELECT k.id, k.tree, k.commit, k.series, ARRAY(SELECT f.name FROM kernel_ref f"
            "   WHERE f.kernel = k.id AND f.is_branch) AS branches,"
            " k.series IN (SELECT s.series FROM kernel s WHERE s.application LIKE 'solo(%')"
            "   IS TRUE AS parted FROM kernel k ORDER BY k.id"
        ).fetchall()


def arrivals(conn: Connection) -> list[tuple[datetime, int]]:
    """Return when each comparison was made, and its new kernel, the first one first."""
    return conn.execute(
        "SELECT created_at, new_kernel FROM public.comparison ORDER BY created_at, id"
    ).fetchall()


def new_kernels(conn: Connection, comparisons: Sequence[int]) -> Mapping[int, int]:
    """Return the new kernels of comparisons."""
    return dict(
        conn.execute(
            "SELECT id, new_kernel FROM public.comparison WHERE id = ANY(%s)", (list(comparisons),)
        ).fetchall()
    )


def measured(conn: Connection) -> list[tuple[datetime, int, list[NightBranch]]]:
    """Return when each night ended, its number and what it was to measure, the first one first."""
    return conn.execute(
        "SELECT finished_at, id, branches FROM public.night ORDER BY finished_at, id"
    ).fetchall()
