# SPDX-License-Identifier: GPL-2.0-only
"""Git repositories of tests, whatever the settings of the person who runs them are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = {
    f"GIT_{role}_{what}": "x@localhost"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
_CLEAN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str, given: str | bytes = "", **env: str) -> str:
    """Run git in a work tree or a bare repository; return what it prints, without its last newline.

    `given` is its input; `env` are variables such as GIT_AUTHOR_NAME.
    """
    done = subprocess.run(
        ["git", "-C", folder, *words], env={**os.environ, **_WHO, **_CLEAN, **env},
        input=given.encode() if isinstance(given, str) else given, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().rstrip("\n")


def bare(folder: Path, stream: str | bytes = "") -> Path:
    """Make a bare repository that holds what a stream for `git fast-import` says."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--bare")
    if stream:
        git(folder, "fast-import", "--quiet", given=stream)
    return folder


def bare_with(folder: Path, *refs: str) -> Path:
    """Make a bare repository in which each ref, such as tags/v1, is an empty commit of its own."""
    tree = git(bare(folder), "mktree")
    for ref in refs:
        git(folder, "update-ref", f"refs/{ref}", git(folder, "commit-tree", "-m", ref, tree))
    return folder


class WorkTree:
    """A work tree, and somebody who commits in it."""

    def __init__(self, folder: Path):
        """Take a work tree, or make one on branch `main` where there is none."""
        self.folder = folder
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        """Run git in it; return what it prints."""
        return git(self.folder, *words)

    def commit(self, subject: str, /, **files: str) -> str:
        """Commit texts by their file names, and what else has changed; return the commit."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.git("rev-parse", "HEAD")
