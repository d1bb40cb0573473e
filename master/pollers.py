# SPDX-License-Identifier: GPL-2.0-only
"""What asks the trees for new commits."""

from __future__ import annotations

from pathlib import Path

from buildbot.plugins import changes
from buildbot.util.twisted import async_to_deferred

from master.schedulers import fits, pushed_branches
from master.trees import poller_folder, repository
from vlag.config import Settings


class TreePoller(changes.GitPoller):
    """A GitPoller that fetches only after a push, and no object that a local mirror has."""

    @async_to_deferred
    async def poll(self) -> None:
        """Poll if a watched branch is not where the last poll found it.

        Do nothing while the mirror does not exist, because the first build makes it.
        """
        if self.repourl.startswith("/"):
            objects = Path(self.repourl) / "objects"
            if not objects.exists():
                return
            # Borrow the mirror's objects, so that polling does not copy a kernel tree.
            alternates = Path(self.workdir) / "objects" / "info" / "alternates"
            alternates.parent.mkdir(parents=True, exist_ok=True)
            alternates.write_text(f"{objects}\n", encoding="utf-8")
        # One process of git; the poll itself has four, and two more for each branch.
        if self.lastRev != await self._heads():
            await super().poll()

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
                name=f"tree {tree}",
                workdir=poller_folder(tree),
                project=tree,
                branches=fits([f"refs/heads/{branch}" for branch in watched]),
                pollInterval=settings.poll_interval_s,
                pollAtLaunch=True,
            )
        )
    return tree_pollers
