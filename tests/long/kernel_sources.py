# SPDX-License-Identifier: GPL-2.0-only
"""Kernel sources of several releases and trees, as trees of vlag's settings.

Debian's: two of this machine, and the newest of other releases of Debian, fetched without being
installed.  `VLAG_TEST_TREES` names more, each `NAME=URL#REF`: a URL or path that git clones, or a
packed source (`.tar.xz`):

    VLAG_TEST_TREES="mainline=https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git#master
    rpi=/srv/linux-rpi.git#rpi-6.12.y"
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from tests.debian_suites import Suite
from vlag.kernel import mirror

#: Suites whose newest kernel is taken, which is another one in each.
SUITES = ("sid", "trixie-backports", "experimental")
#: Branch of a tree that is made of a packed source.
_PACKED = "packed"


@frozen
class Tree:
    """A kernel's source by its place in the settings."""

    name: str
    ref: str
    url: str | None  # a git URL or path, or a packed source; None: the settings have it

    @property
    def label(self) -> str:
        """Return what a test calls it."""
        return self.ref if self.url is None else self.name


def trees() -> list[Tree]:
    """Return the trees, of which none is fetched yet."""
    installed = [Tree("debian", ref, None) for ref in ("linux-6.1", "linux-6.12")]
    return [*installed, *(Tree(name, _PACKED, "") for name in SUITES), *_asked()]


def _asked() -> list[Tree]:
    found = []
    for line in os.environ.get("VLAG_TEST_TREES", "").split():
        name, _, place = line.partition("=")
        url, _, ref = place.rpartition("#")
        if place.endswith(".tar.xz"):
            url, ref = place, _PACKED
        assert all((name, url, ref)), f"VLAG_TEST_TREES: {line} is not NAME=URL#REF"
        found.append(Tree(name, ref, url))
    return found


def table(tree: Tree, folder: Path) -> str:
    """Fetch a tree where that is needed; return its table of the settings."""
    if tree.url is None:
        return ""
    url = tree.url
    if tree.name in SUITES and not url:
        url = str(_of_suite(tree.name, folder))
    if url.endswith(".tar.xz"):
        url = str(_imported(Path(url), folder / f"{tree.name}.git"))
    return f'[trees.{tree.name}]\nurl = "{url}"\n'


def _of_suite(suite: str, folder: Path) -> Path:
    """Return the packed source of a suite's newest kernel."""
    there = Suite(suite, folder / suite)
    package = there.depends("linux-source")
    root = there.unpacked([package], folder / suite / "root")
    return root / "usr/src" / f"{package}.tar.xz"


def _imported(packed: Path, repository: Path) -> Path:
    """Make a repository of one commit, as vlag does with Debian's sources."""
    if not repository.exists():
        subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
        name = packed.name.removesuffix(".tar.xz")
        mirror._fast_import(repository, packed, name, "1", _PACKED, f"packed/{name}")
        mirror.git(repository, "symbolic-ref", "HEAD", f"refs/heads/{_PACKED}")
    return repository


def has(repository: Path, commit: str, pattern: str, places: Sequence[str]) -> bool:
    """Return whether some file of a commit has a text, as git itself sees it."""
    argv = ["git", f"--git-dir={repository}", "grep", "-q", "-e", pattern, commit, "--", *places]
    done = subprocess.run(argv, check=False)
    assert done.returncode in (0, 1)
    return done.returncode == 0
