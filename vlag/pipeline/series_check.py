# SPDX-License-Identifier: GPL-2.0-only
"""Which series are checked against which branches, and what the check finds."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from vlag.config import Settings
from vlag.errors import UsageError
from vlag.kernel import mirror, series
from vlag.kernel.mirror import Commit
from vlag.kernel.patch_check import Fit, Tree
from vlag.kernel.series import FULL, NONE, Application, Patch
from vlag.pipeline.candidates import candidates
from vlag.pipeline.night_plan import watched_names

log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Place:
    """A branch of a tree."""

    tree: str
    branch: str

    def __str__(self) -> str:
        """Return its name for people."""
        return f"{self.tree}/{self.branch}"


@frozen(kw_only=True)
class Checked:
    """One application of a series on the head of a branch."""

    series: str
    place: Place
    commit: Commit
    application: Application
    fits: tuple[tuple[int, Fit], ...]  # with the number of the patch in the series, from 1


def places(settings: Settings, names: Sequence[str]) -> list[Place]:
    """Return the named branches, by default those that the settings watch, each once.

    A name is BRANCH or TREE/BRANCH of any tree's mirror; BRANCH alone means all trees that have
    it.  Raises UsageError for a name that no mirror has.
    """
    heads = {name: _heads(settings, name) for name in settings.trees}
    if not names:
        listed = [
            Place(tree=watched.tree, branch=name)
            for watched in settings.branches
            for name in watched_names(watched, heads)
        ]
        return list(dict.fromkeys(listed))
    known = [Place(tree=tree, branch=head) for tree, some in heads.items() for head in some]
    listed = []
    for name in names:
        some = [p for p in known if name in (p.branch, str(p))]
        if not some:
            there = ", ".join(map(str, known)) or "none"
            raise UsageError(f"--branch {name}: no mirror has it; there are: {there}")
        listed += some
    return list(dict.fromkeys(listed))


def check(settings: Settings, names: Sequence[str], branches: Sequence[Place]) -> Iterator[Checked]:
    """Check each named series on each branch, as a night would apply it there.

    What the settings ask for of a series on a branch is checked; of the others all patches in
    order.  Raises UsageError for a series that cannot be read, before any is checked.
    """
    patches = {name: series.read(series.PATCHES, name) for name in names}
    for place in branches:
        repository = settings.mirror(place.tree)
        commit = mirror.resolve(repository, place.branch, branch=True)
        with tempfile.TemporaryDirectory(prefix="vlag-series-") as scratch:
            log.info(f"{place} at {commit.describe}")
            tree = Tree(repository, commit.sha, Path(scratch))
            for name in names:
                for application in _applications(settings, name, place):
                    chosen = _numbered(patches[name], application, name)
                    what = "1 patch" if len(chosen) == 1 else f"{len(chosen)} patches"
                    log.info(f"  {name} {application}: {what}")
                    fits = tree.fit([patch for _, patch in chosen])
                    yield Checked(
                        series=name, place=place, commit=commit, application=application,
                        fits=tuple(zip((number for number, _ in chosen), fits, strict=True)),
                    )  # fmt: skip


def _applications(settings: Settings, name: str, place: Place) -> list[Application]:
    """Return what the settings ask for of a series on a branch, else all of it."""
    heads: Mapping[str, Sequence[str]] = {place.tree: [place.branch]}
    fitting = [
        Application.parse(candidate.application)
        for watched in settings.branches
        if (watched.tree, watched.series) == (place.tree, name)
        and place.branch in watched_names(watched, heads)
        for candidate in candidates(
            evolve(watched, branch=place.branch), place.branch, series.PATCHES
        )
    ]
    asked = [a for a in dict.fromkeys(fitting) if a != NONE]
    return asked or [FULL]


def _numbered(
    patches: Sequence[Patch], application: Application, name: str
) -> list[tuple[int, Patch]]:
    try:
        chosen = series.select(patches, application)
    except UsageError as e:
        raise UsageError(f"{series.PATCHES / name}: {e}") from e
    return [(number, p) for number, p in enumerate(patches, 1) if p in chosen]


def _heads(settings: Settings, tree: str) -> list[str]:
    words = ("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
    repository = settings.mirror(tree)
    return mirror.git(repository, *words).split() if repository.exists() else []
