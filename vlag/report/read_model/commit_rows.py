# SPDX-License-Identifier: GPL-2.0-only
"""What is on record of one commit: its kernels, their comparisons, functions of their profiles."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from vlag.report.read_model.comparison_rows import ComparedRow, by_ids
from vlag.report.read_model.rows import column, rows
from vlag.store.database import Connection

#: Comparisons of a commit that are listed, the newest first.
_LISTED = 20


class CommitKernel(TypedDict):
    """A kernel of a commit."""

    tree: str
    commit: str
    subject: str
    committed_at: datetime
    branches: list[str]
    ref: str


def kernels_of_commit(conn: Connection, tree: str, commit: str) -> list[CommitKernel]:
    """Return the kernels of a commit, named in full or by its first digits."""
    return rows(
        conn,
        CommitKernel,
        "SELECT k.tree, k.commit, k.subject, k.committed_at, k.branches, k.ref"
        " FROM read_model.kernel k WHERE k.tree = %(tree)s AND starts_with(k.commit, %(commit)s)"
        " ORDER BY k.id",
        {"tree": tree, "commit": commit},
    )


def comparisons_of_commit(conn: Connection, tree: str, commit: str) -> list[ComparedRow]:
    """Return the newest comparisons of a commit with whatever base."""
    ids = column(
        conn,
        "SELECT c.id FROM read_model.comparison c JOIN read_model.kernel k ON k.id = c.new_kernel"
        " WHERE k.tree = %(tree)s AND k.commit = %(commit)s AND c.current"
        " ORDER BY c.id DESC LIMIT %(listed)s",
        {"tree": tree, "commit": commit, "listed": _LISTED},
    )
    return by_ids(conn, ids)


def functions_of_commit(conn: Connection, tree: str, commit: str) -> list[str]:
    """Return the functions whose cost changed surely in profiles of a commit, sorted."""
    return column(
        conn,
        "SELECT f.name FROM read_model.profile p JOIN read_model.profile_function f"
        " ON f.profile = p.id JOIN read_model.kernel k ON k.id = p.new_kernel"
        " WHERE k.tree = %(tree)s AND k.commit = %(commit)s AND f.certain"
        " UNION SELECT f.value ->> 'name' FROM read_model.sampled_profile p"
        " JOIN read_model.kernel k ON k.id = p.new_kernel"
        " CROSS JOIN LATERAL jsonb_array_elements(p.figures -> 'functions') AS f(value)"
        " WHERE k.tree = %(tree)s AND k.commit = %(commit)s AND (f.value ->> 'certain')::boolean"
        " ORDER BY 1",
        {"tree": tree, "commit": commit},
    )
