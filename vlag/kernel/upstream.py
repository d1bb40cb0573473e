# SPDX-License-Identifier: GPL-2.0-only
"""What others do to the branches of a mirror: they rewrite them, delete them, or fall silent.

After each fetch the heads are compared with those seen after the last one, which are refs of
their own: git keeps what they reach, and a process that is killed has missed nothing.
"""

from __future__ import annotations

import datetime
import fnmatch
import json
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import asdict, frozen

from vlag.kernel import remote
from vlag.kernel.git import git, is_ancestor
from vlag.ownership import hand_over

log = logging.getLogger(__name__)

#: Refs of vlag in a mirror: the heads of the last look, and what was in a branch once.
_SEEN, _KEPT = "refs/vlag/seen/", "refs/vlag/kept/"
REWRITTEN, VANISHED, SILENT, ANSWERS = "rewritten", "vanished", "silent", "answers"
MOVED = "moved"


@frozen(kw_only=True)
class Event:
    """One thing that happened to a tree."""

    at: str  # RFC 3339, UTC
    kind: str
    branch: str | None = None  # None: the whole tree
    old: str | None = None  # head before
    text: str  # a sentence without the time

    def sentence(self) -> str:
        """Return the sentence with its minute."""
        return f"{self.text} ({self.at[:16].replace('T', ' ')} UTC)"


def fetch(mirror: Path, watched: Iterable[str]) -> str | None:
    """Bring a mirror of a remote up to date; the caller holds its lock.

    `watched` are names or patterns of the branches that are looked after.  Returns a sentence if
    the remote could not be fetched: then everything is as it was.
    """
    before = _last_answer(_log(mirror))
    # Of one that has been away for longer nothing new comes within a minute.
    again = before is None or before.kind != SILENT
    why = remote.fetch(mirror, again=again)
    failure = None
    if why is not None:
        failure = f"tree {_tree(mirror)} could not be fetched ({remote.shown(why)}); its"
        failure += " branches are as they were before"
        if kind := remote.other_ids(why):
            failure += f"; the ids of its commits are of {kind} now: remove {mirror}, which is"
            failure += " then cloned anew"
        log.info(failure)
    _answer(mirror, failure)
    look(mirror, watched)
    return failure


def move(mirror: Path, url: str) -> None:
    """Let a mirror be of another remote, if the settings name another; its commits stay."""
    if "origin" not in git(mirror, "remote").splitlines():  # it was filled from packages
        git(mirror, "remote", "add", "origin", url)
        return
    known = git(mirror, "config", "--get", "remote.origin.url")
    if known == url:
        return
    git(mirror, "remote", "set-url", "origin", url)
    text = f"tree {_tree(mirror)} comes from {remote.shown(url)} now, it came from"
    text += f" {remote.shown(known)}"
    _note(mirror, MOVED, text)
    log.info(text)


def look(mirror: Path, watched: Iterable[str]) -> None:
    """Log and note which watched branches were rewritten or have vanished since the last look."""
    patterns = tuple(watched)
    before, now = _refs(mirror, _SEEN), _refs(mirror, "refs/heads/")
    mine = {
        name: sha
        for name, sha in now.items()
        if any(fnmatch.fnmatchcase(name, p) for p in patterns)
    }
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            text = f"branch {name} of tree {_tree(mirror)} has vanished; its last head {old[:12]}"
            text += " is kept"
            _note(mirror, VANISHED, text, branch=name, old=old)
            log.info(text)
        elif new != old and not is_ancestor(mirror, old, new):
            gone = int(git(mirror, "rev-list", "--count", old, f"^{new}"))
            text = (
                f"branch {name} of tree {_tree(mirror)} was rewritten: its head is {new[:12]}, and"
            )
            text += f" {gone:,} commit{' is' if gone == 1 else 's are'} gone from it, the last"
            text += f" {old[:12]}, kept"
            _note(mirror, REWRITTEN, text, branch=name, old=old)
            log.info(text)
        if mine.get(name) is None:
            git(mirror, "update-ref", "-d", f"{_SEEN}{name}")
    for name, sha in mine.items():
        if before.get(name) != sha:
            git(mirror, "update-ref", f"{_SEEN}{name}", sha)


def events(mirror: Path, since: datetime.datetime | None = None) -> list[Event]:
    """Return what happened to a tree since a time, oldest first; of a silent one at least that."""
    logged = _log(mirror)
    first = "" if since is None else since.astimezone(datetime.UTC).isoformat()
    last = _last_answer(logged)
    return [e for e in logged if e.at >= first or (e is last and e.kind == SILENT)]


def sentences(mirrors: Iterable[Path], since: datetime.datetime) -> list[str]:
    """Return what happened to trees since a time, a sentence each."""
    return [e.sentence() for mirror in mirrors for e in events(mirror, since)]


def absent(mirror: Path, branch: str) -> str | None:
    """Return the sentence about a branch that has vanished; None: it never was here, or is."""
    if branch in _refs(mirror, "refs/heads/"):
        return None
    gone = [e for e in _log(mirror) if e.kind == VANISHED and e.branch == branch]
    return gone[-1].sentence() if gone else None


def rewritten_at(mirror: Path, branch: str) -> str | None:
    """Return when it was last noticed that a branch was rewritten, as RFC 3339, or None."""
    times = [e.at for e in _log(mirror) if e.kind == REWRITTEN and e.branch == branch]
    return times[-1] if times else None


def _answer(mirror: Path, failure: str | None) -> None:
    """Note that a remote has fallen silent, or answers again."""
    last = _last_answer(_log(mirror))
    silent = last is not None and last.kind == SILENT
    if failure is not None and not silent:
        _note(mirror, SILENT, failure)
    if failure is None and silent:
        _note(mirror, ANSWERS, f"tree {_tree(mirror)} can be fetched again")


def _last_answer(logged: Sequence[Event]) -> Event | None:
    return next((e for e in reversed(logged) if e.kind in (SILENT, ANSWERS)), None)


def _note(
    mirror: Path, kind: str, text: str, *, branch: str | None = None, old: str | None = None
) -> None:
    if old is not None:
        git(mirror, "update-ref", f"{_KEPT}{old}", old)
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    event = Event(at=at, kind=kind, branch=branch, old=old, text=text)
    path = _path(mirror)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(event)) + "\n")
    hand_over(path)


def _log(mirror: Path) -> list[Event]:
    try:
        lines = _path(mirror).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    logged = []
    for line in lines:
        try:
            logged.append(Event(**json.loads(line)))
        except (ValueError, TypeError):  # the end of one that was being written at a stop
            continue
    return logged


def _path(mirror: Path) -> Path:
    return mirror.with_name(f"{mirror.name}.upstream.jsonl")


def _tree(mirror: Path) -> str:
    return mirror.name.removesuffix(".git")


def _refs(mirror: Path, under: str) -> dict[str, str]:
    """Return name below `under` -> commit."""
    lines = git(mirror, "for-each-ref", "--format=%(objectname) %(refname)", under).splitlines()
    pairs = (line.split(" ", 1) for line in lines)
    return {name.removeprefix(under): sha for sha, name in pairs}
