# SPDX-License-Identifier: GPL-2.0-only
"""Which branches have a fix, in whatever form it came there, and which of them need it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vlag.errors import UsageError
from vlag.kernel.git import GIT, git, is_ancestor

_HEX = re.compile(r"[0-9a-f]{8,64}")
_FIXES = re.compile(r"^Fixes:\s*([0-9a-f]{8,64})\b", re.MULTILINE | re.IGNORECASE)
# How backports name the commit that they are of, in the habits of the stable trees.
_UPSTREAM = (
    r"^\s*commit {0} upstream\b",
    r"^\s*\[ ?Upstream commit {0} ?\]",
    r"^\s*Upstream commit {0}\b",
    r"\(cherry picked from commit {0}\b",
)


@frozen(kw_only=True)
class Fix:
    """A change that branches may have."""

    subject: str
    commit: str | None  # None: only its subject is known
    patch_id: str | None
    authored_at: str | None  # no backport is older; ISO 8601
    mends: str | None  # commit of its `Fixes:` line, as written there


@frozen(kw_only=True)
class Found:
    """What one branch has of a fix."""

    state: str  # HAS, REVERTED, LACKS, UNNEEDED
    commit: str | None  # with which it came there; of a revert: that revert
    how: str  # in words


HAS, REVERTED, LACKS, UNNEEDED = "has it", "reverted", "lacks it", "does not need it"


def fix(mirror: Path, text: str) -> Fix:
    """Return a fix by its commit in this mirror, or by its subject.

    Raises UsageError for a commit that the mirror does not have.
    """
    if not _HEX.fullmatch(text):
        return Fix(subject=text.strip(), commit=None, patch_id=None, authored_at=None, mends=None)
    if not exists(mirror, text):
        raise UsageError(f"no commit {text} in {mirror}; fetch its tree, or give its subject")
    commit = git(mirror, "rev-parse", "--verify", f"{text}^{{commit}}")
    subject, at, body = git(mirror, "show", "--no-patch", "--format=%s%n%aI%n%B", commit).split(
        "\n", 2
    )
    mends = _FIXES.search(body)
    return Fix(
        subject=subject,
        commit=commit,
        patch_id=patch_id(mirror, commit),
        authored_at=at,
        mends=mends[1] if mends else None,
    )


def candidates(mirror: Path, culprit: str, head: str) -> list[str]:
    """Return the commits after `culprit` up to `head` that say they mend it, the oldest first.

    They name it, or the commit that it is a backport of, in a `Fixes:` line, or revert it.
    """
    message = git(mirror, "show", "--no-patch", "--format=%B", culprit)
    upstream = [re.findall(p.format("([0-9a-f]{40})"), message, re.MULTILINE) for p in _UPSTREAM]
    names = {culprit, *(name for found in upstream for name in found)}
    said = []
    for commit, text in _messages_of(mirror, f"{culprit}..{head}"):
        mended = _FIXES.findall(text)
        reverts = any(f"This reverts commit {name}" in text for name in names)
        if reverts or any(name.startswith(m.lower()) for m in mended for name in names):
            said.append(commit)
    return said[::-1]


def touching(
    mirror: Path, culprit: str, head: str, functions: Sequence[str], paths: Sequence[str]
) -> list[str]:
    """Return the commits after `culprit` up to `head` that change a function, the oldest first.

    Read are their hunks below `paths`: what is changed in a function, and lines that name it.
    """
    names = "|".join(map(re.escape, functions))
    changed = re.compile(rf"^(?:@@ [^@]*@@|[-+](?![-+])).*\b(?:{names})\b", re.MULTILINE)
    output = git(
        mirror, "log", "--no-merges", "--topo-order", "--reverse", "--patch", "--unified=0",
        "--no-ext-diff", "--format=%x00%H", f"{culprit}..{head}", "--", *paths,
    )  # fmt: skip
    entries = (entry.partition("\n") for entry in output.split("\0"))
    return [commit.strip() for commit, _, patch in entries if changed.search(patch)]


def _messages_of(mirror: Path, commits: str) -> list[tuple[str, str]]:
    """Return commits that may name another one, with their messages, the newest first."""
    output = git(
        mirror, "log", "--no-merges", "--topo-order", "--regexp-ignore-case",
        "--grep=^Fixes:", "--grep=This reverts commit", "--format=%H%n%B%x00", commits, "--",
    )  # fmt: skip
    entries = (entry.strip("\n").partition("\n") for entry in output.split("\0"))
    return [(commit, message) for commit, _, message in entries if commit]


def release_of(mirror: Path, commit: str) -> str | None:
    """Return the first tag that has a commit; None: no tag has it."""
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "describe", "--contains", "--match", "v*", commit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return None if done.returncode else re.split(r"[~^]", done.stdout.strip())[0]


def exists(mirror: Path, commit: str) -> bool:
    """Return whether a mirror has a commit."""
    done = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "rev-parse", "--quiet", "--verify", f"{commit}^{{commit}}"],
        capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def patch_id(mirror: Path, commit: str) -> str | None:
    """Return git's patch ID of a commit; None: it changes nothing, or is a merge."""
    diff = subprocess.run(
        [*GIT, f"--git-dir={mirror}", "show", "--pretty=format:%H", "--patch", commit],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    output = subprocess.run(
        [*GIT, "patch-id", "--stable"], input=diff, capture_output=True, check=True
    ).stdout
    return output.split()[0].decode() if output.strip() else None


def find(mirror: Path, head: str, fix: Fix) -> Found:
    """Return what the history of `head` has of a fix."""
    come = _come(mirror, head, fix)
    if come is None:
        if fix.mends is not None and not _has(mirror, head, fix.mends):
            how = f"it has no {fix.mends[:12]}, which the fix mends"
            return Found(state=UNNEEDED, commit=None, how=how)
        return Found(state=LACKS, commit=None, how="no commit of it or with its subject")
    commit, how = come
    revert = _reverted(mirror, head, {commit, *([fix.commit] if fix.commit else [])}, commit)
    if revert is not None:
        return Found(state=REVERTED, commit=revert, how=f"{how}, reverted by {revert[:12]}")
    return Found(state=HAS, commit=commit, how=how)


def _come(mirror: Path, head: str, fix: Fix) -> tuple[str, str] | None:
    """Return the commit with which a fix came to a branch, and how; None: it did not."""
    if fix.commit is not None and is_ancestor(mirror, fix.commit, head):
        return fix.commit, "the commit itself"
    since = [f"--since={fix.authored_at}"] if fix.authored_at else []
    if fix.commit is not None:
        for commit, message in _messages(mirror, head, fix.commit, since):
            if _names(message, fix.commit):
                return commit, "a backport that names it"
    for commit, message in _messages(mirror, head, fix.subject, since):
        if message.split("\n", 1)[0] == fix.subject:
            if fix.patch_id is None:
                return commit, "a commit with its subject"
            same = patch_id(mirror, commit) == fix.patch_id
            return commit, "the same patch" if same else "a commit with its subject, another patch"
    return None


def _messages(mirror: Path, head: str, text: str, since: list[str]) -> list[tuple[str, str]]:
    """Return the commits of a branch whose messages have a text, the newest first."""
    output = git(
        mirror, "log", "--no-merges", "--fixed-strings", f"--grep={text}", *since,
        "--format=%H%n%B%x00", head, "--",
    )  # fmt: skip
    entries = (entry.strip("\n").partition("\n") for entry in output.split("\0"))
    return [(commit, message) for commit, _, message in entries if commit]


def _names(message: str, commit: str) -> bool:
    return any(re.search(p.format(commit), message, re.MULTILINE) for p in _UPSTREAM)


def _has(mirror: Path, head: str, commit: str) -> bool:
    """Return whether a branch has a commit or a backport that names it."""
    if not exists(mirror, commit):
        return True  # not known here: no reason to leave the fix out
    return _come(mirror, head, fix(mirror, commit.lower())) is not None


def _reverted(mirror: Path, head: str, commits: set[str], since: str) -> str | None:
    """Return the commit of a branch that reverts one of these, unless it was reverted itself."""
    for commit in sorted(commits):
        for revert, message in _messages(mirror, f"{since}..{head}", commit, []):
            if f"This reverts commit {commit}" not in message:
                continue
            if _reverted(mirror, head, {revert}, revert) is None:
                return revert
    return None
