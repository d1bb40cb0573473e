# SPDX-License-Identifier: GPL-2.0-only
"""Git queries of the master that do not block the reactor."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from buildbot.util.runprocess import run_process
from twisted.internet import defer, reactor
from twisted.internet.task import deferLater
from twisted.python import log

from vlag.config import Settings
from vlag.kernel.git import GIT
from vlag.kernel.refs import is_pattern

#: Seconds without a word of a remote after which it is not waited for: a list of branches is short.
SILENCE_S = 60
#: Seconds before each attempt to find a commit in the repositories.
PAUSES_S = (0, 0.5, 2)


def repository(settings: Settings, tree: str) -> str:
    """Return the repository to poll for a tree: its URL or, without one, the local mirror."""
    return settings.trees[tree].url or str(settings.mirror(tree))


def poller_name(tree: str) -> str:
    """Return the name of a tree's poller."""
    return f"tree {tree}"


def poller_folder(tree: str) -> str:
    """Return the name of a poller's repository in the master's folder."""
    return f"poller-{tree}"


async def _git(*arguments: object) -> tuple[int, str, str]:
    status, out, err = await run_process(
        reactor, [*GIT, *map(str, arguments)],
        # A remote may ask for a password, or say nothing at all.
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"}, io_timeout=SILENCE_S,
    )  # fmt: skip
    return status, out.decode(errors="replace"), err.decode(errors="replace")


async def objects_of(folder: str) -> str | None:
    """Return the folder with the objects of a repository on this machine; None: it is none.

    It may be bare, a work tree, or one of several work trees, whose `.git` is a file.
    """
    words = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
    status, out, _ = await _git("-c", "safe.directory=*", "-C", folder, *words)
    return None if status else out.rstrip("\n")


async def heads(settings: Settings, tree: str) -> list[str]:
    """Return the branches of a tree; those of its mirror if its remote does not answer.

    One dead remote must not take the night of all other branches with it; the build of one of
    its branches says so.
    """
    status, out, err = await _git("ls-remote", "--heads", repository(settings, tree))
    known = settings.mirror(tree)
    if status and known.exists():
        log.msg(f"the remote of tree {tree} does not answer: {err.strip()}")
        status, out, err = await _git("ls-remote", "--heads", known)
    if status:
        error = (err.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"cannot list the branches of tree {tree}: {error}")
    return sorted(line.split("\trefs/heads/", 1)[-1] for line in out.splitlines())


async def pattern_heads(settings: Settings) -> dict[str, list[str]]:
    """Return the branches of each tree with a watched branch pattern."""
    trees = {b.tree for b in settings.branches if is_pattern(b.branch)}
    # At once: a silent remote delays the others by no more than its own time.
    asked = [defer.ensureDeferred(heads(settings, tree)) for tree in sorted(trees)]
    try:
        heads_of_trees = await defer.gatherResults(asked, consumeErrors=True)
    except defer.FirstError as e:
        raise RuntimeError(str(e.subFailure.value)) from None
    return dict(zip(sorted(trees), heads_of_trees, strict=True))


async def first_parent(settings: Settings, tree: str, commit: str) -> str | None:
    """Return a commit's first parent; None for a root commit and for an unknown commit.

    The poller's repository has pushed commits, the mirror has built ones.  Both are tried
    several times: git has failed in a repository during a fetch, and the commit would lose
    the comparison with its parent.
    """
    words = ("rev-list", "--parents", "--max-count=1", "--end-of-options", f"{commit}^0")
    parents = await _of_commit(settings, tree, commit, words)
    return None if parents is None else next(iter(parents.split()[1:2]), None)


async def brought(settings: Settings, tree: str, commit: str, paths: Sequence[str]) -> list[str]:
    """Return the commits that a merge brings to its first parent and that touch paths.

    Oldest first, without merges; none for a commit that is no merge.
    """
    if not paths:
        return []
    order = ("--reverse", "--topo-order", "--no-merges", "--full-history")
    words = ("rev-list", *order, f"{commit}^1..{commit}", "--", *paths)
    commits = await _of_commit(settings, tree, commit, words)
    return [sha for sha in (commits or "").split() if sha != commit]


async def _of_commit(
    settings: Settings, tree: str, commit: str, words: Sequence[str]
) -> str | None:
    """Return what git says of a commit in the repository that has it; None: in neither."""
    known = (settings.state / "master" / poller_folder(tree), settings.mirror(tree))
    for pause_s in PAUSES_S:
        await deferLater(reactor, pause_s, lambda: None)
        for folder in filter(Path.exists, known):
            status, out, err = await _git(f"--git-dir={folder}", *words)
            if status == 0:
                return out
            log.msg(f"git in {folder} did not find the parent of {commit}: {err.strip()}")
    return None
