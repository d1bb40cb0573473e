# SPDX-License-Identifier: GPL-2.0-only
"""Pushes to a tree that a service watches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.integration.installation import Installation
from tests.repositories import WorkTree, bare
from tests.waiting import until


class Tree(WorkTree):
    """A git repository with a branch that is watched, and somebody who pushes to it."""

    def __init__(self, folder: Path):
        super().__init__(folder / "work")
        self.work = self.folder
        self.url = bare(folder / "tree.git")
        self.first = self.commit("first")
        self.push()

    def push(self) -> None:
        self.git("push", "--quiet", str(self.url), "HEAD:linux-6.12", "HEAD:unwatched")


def watched(installation: Installation) -> Tree:
    """Make the tree that an installation watches, with two build lanes; start the service."""
    made = Tree(installation.folder)
    tree = f'[trees.debian]\nurl = "{made.url}"\n'
    installation.configure(tree, commits="commit", poll_s=3)
    settings = installation.settings
    plan = 'commit_plan = "commit"\n'
    settings.write_text(settings.read_text().replace(plan, f'{plan}lanes = ["up", "lazy"]\n'))
    reports = installation.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
    installation.start(once=False)
    # What is there at the first poll is not news.
    poller = installation.state / "master" / "poller-debian"
    until(lambda: list(poller.glob("refs/buildbot/**/linux-6.12")), installation.said)
    until(installation.is_up, installation.said)
    return made


def builds_of(installation: Installation, builder: str, *properties: str) -> list[dict[str, Any]]:
    """Return the builds that have ended, but for those that were cut off."""
    web = installation.web()
    [found] = web.get("/builders", name=builder)
    path = f"/builders/{found['builderid']}/builds"
    builds = web.get(path, order="buildid", complete="true", property=list(properties))
    return [b for b in builds if b["results"] != 5]


def pushes(installation: Installation) -> list[dict[str, Any]]:
    return builds_of(installation, "push", "revision", "verdict", "comparisons")


def requests_of(installation: Installation, builder: str) -> list[dict[str, Any]]:
    web = installation.web()
    [found] = web.get("/builders", name=builder)
    requests: list[dict[str, Any]] = web.get(f"/builders/{found['builderid']}/buildrequests")
    return requests
