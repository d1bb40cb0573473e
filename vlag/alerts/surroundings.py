# SPDX-License-Identifier: GPL-2.0-only
"""What an alert says beside its rows: authors and diffs of commits, and what comes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from attrs import field, frozen

from vlag.buildbot import PAGES
from vlag.config import Settings
from vlag.errors import InfrastructureError
from vlag.kernel.git import git
from vlag.printable import line


@frozen(kw_only=True)
class Surroundings:
    """The installation around the record; without any, nobody knows authors and nothing comes."""

    mirrors: Mapping[str, Path] = field(factory=dict)  # by tree
    pages: Mapping[str, str] = field(factory=dict)  # tree -> address with {commit} in it
    searches: bool = False  # whether commits are searched by themselves
    toggles: bool = False  # whether toggles are tried by themselves
    profiles: bool = False
    settings: Settings | None = None  # by which the service chooses what it searches

    @classmethod
    def of(cls, settings: Settings) -> Surroundings:
        """Return those of an installation."""
        return cls(
            mirrors={name: settings.mirror(name) for name in settings.trees},
            pages={name: tree.web or _own(settings, name) for name, tree in settings.trees.items()},
            searches=settings.bisect.automatic,
            toggles=settings.toggles.automatic,
            profiles=settings.profile.automatic,
            settings=settings,
        )

    def author(self, tree: str, commit: str) -> str | None:
        """Return a commit's author, named by the tree's `.mailmap`; None where nobody knows it."""
        return next(iter(self._of_commit(tree, commit, "%aN")), "") or None

    def people(self, tree: str, commit: str) -> tuple[str, ...]:
        """Return name and address of a commit's author; nothing where nobody knows them."""
        return tuple(filter(None, self._of_commit(tree, commit, "%aN%n%aE")))

    def _of_commit(self, tree: str, commit: str, form: str) -> list[str]:
        """Return the lines that git says of a commit; none where nobody knows it."""
        mirror = self.mirrors.get(tree)
        if mirror is None:
            return []
        try:
            words = git(
                mirror, "show", "--no-patch", f"--format={form}", "--end-of-options", commit
            )
        except InfrastructureError:
            return []
        return [line(text) for text in words.splitlines()]

    def diff(self, tree: str, commit: str) -> str | None:
        """Return the address of a commit's diff, or None for a tree that is not known."""
        pattern = self.pages.get(tree)
        return None if pattern is None else pattern.replace("{commit}", quote(commit, safe=""))


def _own(settings: Settings, tree: str) -> str:
    """Return the address of our own page of a commit, with {commit} in it."""
    return f"{settings.url}{PAGES}commit?tree={quote(tree, safe='')}&commit={{commit}}"
