# SPDX-License-Identifier: GPL-2.0-only
"""What asks the trees for new commits."""

from __future__ import annotations

import shutil
from pathlib import Path

from buildbot.plugins import changes
from buildbot.util.twisted import async_to_deferred
from twisted.internet.threads import deferToThread

from master.schedulers import fits, pushed_branches
from master.trees import objects_of, poller_folder, poller_name, repository
from vlag.config import Settings

#: Length of an id of SHA-256.
_SHA256_DIGITS = 64


def _is_sha256(commit: str) -> bool:
    return len(commit) == _SHA256_DIGITS


class TreePoller(changes.GitPoller):
    """A GitPoller that fetches only after a push, and no object that a local mirror has."""

    @async_to_deferred
    async def poll(self) -> None:
        """Poll if a watched branch is not where the last poll found it.

        Do nothing while the mirror does not exist, because the first build makes it.
        """
        is_local = self.repourl.startswith("/")
        if is_local and not Path(self.repourl).exists():
            return
        # One process of git; the poll itself has four, and two more for each branch.
        heads = await self._heads()
        if self.lastRev == heads:
            return
        await self._prepare("sha256" if any(map(_is_sha256, heads.values())) else "sha1")
        if is_local and (objects := await objects_of(self.repourl)) is not None:
            # Borrow its objects, so that polling does not copy a kernel tree.
            alternates = Path(self.workdir) / "objects" / "info" / "alternates"
            alternates.write_text(f"{objects}\n", encoding="utf-8")
        await super().poll()

    async def _prepare(self, kind: str) -> None:
        """Make the poller's own repository, with ids of the kind that the polled one has."""
        folder = Path(self.workdir)
        if folder.exists():
            known = await self._dovccmd("rev-parse", ["--show-object-format"], path=self.workdir)
            if known == kind:
                return
            await deferToThread(shutil.rmtree, folder)  # of a remote that had others
        words = ["--quiet", "--bare", f"--object-format={kind}", self.workdir]
        await self._dovccmd("init", words)
        (folder / "objects" / "info").mkdir(exist_ok=True)

    async def _heads(self) -> dict[str, str]:
        """Return the watched branches of the repository, as `lastRev` has them."""
        listed = await self._dovccmd("ls-remote", ["--heads", "--refs", self.repourl])
        rows = (row.split("\t") for row in listed.splitlines() if "\t" in row)
        return {ref: commit for commit, ref in rows if self.branches(ref)}


def pollers(settings: Settings) -> list[TreePoller]:
    """Return one poller per tree; it fetches watched branches only."""
    tree_pollers = []
    for tree in settings.trees:
        watched = [b.branch for b in pushed_branches(settings) if b.tree == tree]
        tree_pollers.append(
            TreePoller(
                repourl=repository(settings, tree),
                name=poller_name(tree),
                workdir=poller_folder(tree),
                project=tree,
                branches=fits([f"refs/heads/{branch}" for branch in watched]),
                pollInterval=settings.poll_interval_s,
                pollAtLaunch=True,
            )
        )
    return tree_pollers
