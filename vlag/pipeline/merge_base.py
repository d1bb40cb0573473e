# SPDX-License-Identifier: GPL-2.0-only
"""The kernel where a branch left another one: the base for what the branch itself changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vlag.errors import UsageError
from vlag.kernel import mirror, refs
from vlag.store import kernels
from vlag.store.database import Connection
from vlag.store.kernels import Kernel, KernelRef

#: Newest kernels on record that are searched for the nearest ancestor.
_SEARCHED = 200


def find(
    conn: Connection,
    *,
    upstream: str,
    new: KernelRef,
    board_type: str,
    mirror_of: Callable[[str], Path],
) -> tuple[Kernel, str]:
    """Return the kernel of the merge base of `upstream` and `new`, and a sentence about it.

    `upstream` is a branch, tag or commit of the tree of `new`, or a kernel on record; `new` is a
    kernel on record.  The kernel has the config of `new` and no patches.  `mirror_of` returns
    the repository of a tree.

    Raises UsageError for another tree, for what contains `new`, and for a merge base without
    such a kernel: then with the command that builds it, and its nearest ancestor on record.
    """
    n = kernels.resolve(conn, new)
    repository = mirror_of(n.tree)
    if not repository.exists():
        raise UsageError(
            f"tree {n.tree} has no mirror at {repository}; `vlag mirror` makes one, and a merge"
            " base needs the history"
        )
    head = _commit(conn, repository, n.tree, upstream)
    commit = mirror.resolve(repository, refs.merge_base(head, n.commit))
    which = f"the merge base of {upstream} and {new.text} is {commit.sha[:12]} ({commit.describe})"
    if commit.sha == n.commit and n.series is None:
        raise UsageError(
            f"{which}, which is {new.text} itself: {upstream} contains it, and there is nothing to"
            " compare"
        )
    plain = [k for k in kernels.listed(conn) if _like(k, n)]
    same = [k for k in plain if k.commit == commit.sha]
    if same:
        return same[0], which
    variant = "" if n.variant == "default" else f" --variant {n.variant}"
    raise UsageError(
        f"{which}, of which no kernel is on record; build it with `vlag build --tree {n.tree} --ref"
        f" {commit.sha} --board-type {board_type}{variant}` and boot it with `vlag run`, or use"
        f" {_nearest(repository, commit.sha, plain)}"
    )


def _commit(conn: Connection, repository: Path, tree: str, name: str) -> str:
    """Return the commit of a branch of the mirror, else of a kernel on record."""
    try:
        return mirror.resolve(repository, name.removeprefix(f"{tree}/")).sha
    except UsageError:
        k = kernels.resolve(conn, KernelRef(text=name))
    if k.tree != tree:
        raise UsageError(
            f"{name} is of tree {k.tree} and the new kernel of {tree}: a merge base needs one tree"
        )
    return k.commit


def _like(k: Kernel, n: Kernel) -> bool:
    return k.series is None and (k.tree, k.variant, k.arch, k.kconfig) == (
        n.tree, n.variant, n.arch, n.kconfig,
    )  # fmt: skip


def _nearest(repository: Path, commit: str, plain: list[Kernel]) -> str:
    """Say which kernel on record is the nearest ancestor of a commit."""
    newest = sorted(plain, key=lambda k: k.committed_at, reverse=True)[:_SEARCHED]
    far = [(mirror.distance(repository, k.commit, commit), k) for k in newest]
    known = [(number, k) for number, k in far if number is not None]
    if not known:
        return "another base: no ancestor of it is on record"
    number, k = min(known, key=lambda one: one[0])
    before = f"{number} commit{'' if number == 1 else 's'} before it"
    return f"its nearest ancestor on record, {k.commit[:12]} ({k.describe}), {before}"
