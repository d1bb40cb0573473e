"""Which tree a page of docs/evidence/ was measured on, in a form that outlives a rebase.

The head of a page names its commit and the digest of all files outside docs/evidence/.  A tree
with changes has no commit: its head says `none`, and the digest finds the commit that the changes
became.  `python -m bench stale --mark` looks for it, and for a commit that has been rebased away.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from bench.dependencies import LENGTH, Tree, git
from vlag import ROOT

#: A page that was measured a minute ago changes nothing of what is measured.
_PAGES = "docs/evidence/"
#: The mode of a symbolic link: its content is another file's.
_LINK = "120000 "
_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_COMMIT = re.compile(r"^- commit: (.*)$", re.MULTILINE)
_TREE = re.compile(r"^- tree: ([0-9a-f]{12})$", re.MULTILINE)
#: Lines that name a commit of this repository: those of heads, and of records that only grow.
_NAMED = re.compile(r"^(?:- commit: |- the night's commit: |## [0-9-]+ [0-9:]+ UTC, )(.*)$", re.M)


def revision() -> str:
    """Return the commit, or `none` and what the tree is instead."""
    head = git("rev-parse", f"--short={LENGTH}", "HEAD").decode().strip()
    others = ("--", ".", f":!{_PAGES}")
    if not git("status", "--porcelain", "--untracked-files=normal", *others):
        return head
    return f"none; {head} with changes that were not committed"


def digest(commit: str | None = None) -> str:
    """Return the digest of a commit's files, or of the work tree's, without the pages."""
    if commit is not None:
        entries = git("ls-tree", "-r", "-z", commit).decode().split("\0")[:-1]
        split = (entry.split("\t", 1) for entry in entries)
        blobs = {path: meta.split()[2] for meta, path in split if not meta.startswith(_LINK)}
    else:
        files = [p for p in Tree().paths if (ROOT / p).is_file()]
        paths = [p for p in files if not (ROOT / p).is_symlink()]
        hashes = git("hash-object", "--", *(str(ROOT / p) for p in paths)).decode().split()
        blobs = dict(zip(paths, hashes, strict=True))
    kept = (
        f"{blob} {path}\n" for path, blob in sorted(blobs.items()) if not path.startswith(_PAGES)
    )
    return hashlib.sha256("".join(kept).encode()).hexdigest()[:LENGTH]


def lines() -> list[str]:
    """Return the lines of a page's head that say what tree it is measured on."""
    return [f"commit: {revision()}", f"tree: {digest()}"]


def is_shallow() -> bool:
    """Return whether the clone lacks older commits, so that an unknown one proves nothing."""
    return git("rev-parse", "--is-shallow-repository").strip() == b"true"


def is_known(commit: str) -> bool:
    """Return whether a commit is in the history of this one."""
    try:
        git("merge-base", "--is-ancestor", commit, "HEAD")
    except Exception:  # noqa: BLE001 - no such commit, or none of ours
        return False
    return True


def _is_there(commit: str) -> bool:
    return not git("cat-file", "--batch-check", given=f"{commit}\n".encode()).endswith(
        b" missing\n"
    )


def named(text: str) -> list[str]:
    """Return the words in which a page names commits of this repository, one a place."""
    return _NAMED.findall(text)


def fault(words: str) -> str | None:
    """Return what is wrong with the words of one place.

    They are a commit of the history, or begin with `none` and go on with what tree it was.  In a
    shallow clone a commit that is not there is no fault.
    """
    if words.startswith("none; "):
        return None
    if not _HASH.fullmatch(words):
        return f"{words!r} is no commit, nor does it begin with `none; `"
    if is_known(words) or (is_shallow() and not _is_there(words)):
        return None
    return f"{words} is not in the history"


def settled(text: str, history: Iterable[str] | None = None) -> str:
    """Return a page with a commit of the history in its head, if one has the page's tree.

    A commit that has left the history is said to have; a tree that was never committed stays.
    `history` are commits, all of the history if not given.
    """
    words, tree = _COMMIT.search(text), _TREE.search(text)
    if words is None or (fault(words[1]) is None and _HASH.fullmatch(words[1])):
        return text
    if tree:
        for commit in history or git("log", "--format=%h", f"--abbrev={LENGTH}").decode().split():
            if digest(commit) == tree[1]:
                return _COMMIT.sub(f"- commit: {commit}", text, count=1)
    if fault(words[1]) is None:
        return text
    gone = f"none; {words[1]}, which has left the history"
    return _COMMIT.sub(f"- commit: {gone}", text, count=1)
