# SPDX-License-Identifier: GPL-2.0-only
"""git in a bare repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from vlag.errors import InfrastructureError

#: How every call of git begins.  A commit means what its id says, whatever `refs/replace` has;
#: git runs nobody's hooks, and follows no submodule, and names authors by the tree's own
#: `.mailmap`, whatever a person's own settings are.
GIT = (
    "git", "--no-replace-objects",
    "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false",
    "-c", "mailmap.file=", "-c", "mailmap.blob=HEAD:.mailmap",
)  # fmt: skip


def git(mirror: Path, *arguments: str) -> str:
    """Run git in a bare repository and return its output without the last newline.

    Raises InfrastructureError with git's own first line.
    """
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", *arguments],
        # Commits may be in another encoding than UTF-8.
        capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[0]
        raise InfrastructureError(f"git {arguments[0]} in {mirror} failed: {message}", retry=False)
    return done.stdout.rstrip("\n")


def commit_of(mirror: Path, ref: str) -> str | None:
    """Return the commit that a ref or an id names; None: the mirror has no such commit.

    Raises InfrastructureError for a mirror that cannot be read: nothing is known then.
    """
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "rev-parse", "--verify", "--quiet",
         "--end-of-options", f"{ref}^{{commit}}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        message = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]
        raise InfrastructureError(f"git cannot look for {ref} in {mirror}: {message}")
    return done.stdout.strip() if done.returncode == 0 else None


def is_ancestor(mirror: Path, older: str, newer: str) -> bool:
    """Return whether a commit is in the history of another; False if the mirror lacks one.

    Raises InfrastructureError for a mirror that cannot be read: nothing is known then.
    """
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "merge-base", "--is-ancestor", older, newer],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode in (0, 1):
        return done.returncode == 0
    if None in [commit_of(mirror, one) for one in (older, newer)]:
        return False
    message = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]
    raise InfrastructureError(f"git cannot read the history of {newer} in {mirror}: {message}")
