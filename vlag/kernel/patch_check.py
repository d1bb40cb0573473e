# SPDX-License-Identifier: GPL-2.0-only
"""Whether patches apply to a commit, and where they do not: in an index of its own, nothing built.

A build demands all context of a patch, and so does `State.applies`; less context is tried only to
say how far off a patch is.
"""

from __future__ import annotations

import enum
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from vlag.errors import InfrastructureError
from vlag.kernel.git import GIT, git
from vlag.kernel.series import APPLY, Patch, fault

#: Hunks of a series that are tried one by one; each takes git up to four calls.
MOST_HUNKS = 100

#: Lines of context, of git's three, with which a hunk is tried that does not apply with all.
_FUZZ = (2, 1)

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_PLAIN = re.compile(rb"--- .*\n\+\+\+ ")
_PATH = re.compile(rb"(?:\+\+\+|---|rename to|diff --git) (.+)")
_OFFSET = re.compile(r"^Hunk #\d+ succeeded at \d+ \(offset (-?\d+) lines?\)", re.MULTILINE)


class State(enum.Enum):
    """How a patch, or a hunk of it, fits."""

    CLEAN = "applies"
    OFFSET = "applies with an offset"
    FUZZ = "applies only with fuzz"
    APPLIED = "is already applied"
    REJECTED = "does not apply"

    @property
    def applies(self) -> bool:
        """Return whether a build would take it."""
        return self in (State.CLEAN, State.OFFSET)


@frozen(kw_only=True)
class Hunk:
    """A hunk that does not apply as it is."""

    file: str
    number: int | None  # in its file, from 1; None: the file as a whole
    line: int | None  # of the old file, as the patch says
    state: State
    fuzz: int = 0  # lines of context that must be left out, of FUZZ
    why: str | None = None  # git's reason, where the file is at fault


@frozen(kw_only=True)
class Fit:
    """How one patch fits on what is before it."""

    patch: Patch
    state: State
    offset: int = 0  # lines: the largest of its hunks, of OFFSET
    hunks: tuple[Hunk, ...] = ()  # those that do not apply
    untried: int = 0  # hunks beyond `MOST_HUNKS`, which may apply or not


@frozen
class _Part:
    """One file of a diff."""

    path: str
    head: bytes
    hunks: tuple[tuple[int, bytes], ...]  # line of the old file, and the hunk itself


class Tree:
    """The tree of a commit, to which patches are applied; the mirror is only read."""

    def __init__(self, mirror: Path, commit: str, scratch: Path) -> None:
        """Use the folder `scratch`, which must be there and empty, for index and objects."""
        (scratch / "objects").mkdir()
        self._commit, self._index = commit, scratch / "index"
        self._env = {
            **os.environ,
            "LC_ALL": "C",
            "GIT_DIR": str(mirror.absolute()),
            "GIT_INDEX_FILE": str(self._index),
            "GIT_OBJECT_DIRECTORY": str(scratch / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": git(
                mirror, "rev-parse", "--path-format=absolute", "--git-path", "objects"
            ),
        }
        self._start = scratch / "start"
        self._tries = MOST_HUNKS
        status, message = self._call(["read-tree", commit], b"")
        if status:
            raise InfrastructureError(f"git read-tree of {commit} in {mirror}: {message.strip()}")
        shutil.copyfile(self._index, self._start)

    def reset(self) -> None:
        """Go back to the commit, without patches."""
        shutil.copyfile(self._start, self._index)

    def fit(self, patches: Sequence[Patch]) -> list[Fit]:
        """Apply patches to the commit in order; one that does not apply is left out for the next.

        No more than `MOST_HUNKS` are tried one by one, in all.  Raises InfrastructureError if git
        itself failed.
        """
        self.reset()
        self._tries = MOST_HUNKS
        return [self._fit(patch) for patch in patches]

    def _fit(self, patch: Patch) -> Fit:
        status, message = self._apply(patch.data)
        if status == 0:
            offset = max(map(int, _OFFSET.findall(message)), key=abs, default=0)
            return Fit(patch=patch, state=State.OFFSET if offset else State.CLEAN, offset=offset)
        why = fault(message, status, patch.name)
        if self._applies(patch.data, "--reverse"):
            return Fit(patch=patch, state=State.APPLIED)
        hunks: list[Hunk] = []
        untried = 0
        for part in parts(patch.data):
            if self._tries:
                bad, left = self._hunks(part)
                hunks += bad
                untried += left
            else:
                untried += len(part.hunks)
        # What git refuses as a whole, such as a patch that is cut off.
        hunks = hunks or [
            Hunk(file=patch.name, number=None, line=None, state=State.REJECTED, why=why)
        ]
        fuzzy = not untried and all(h.state is State.FUZZ for h in hunks)
        state = State.FUZZ if fuzzy else State.REJECTED
        return Fit(patch=patch, state=state, hunks=tuple(hunks), untried=untried)

    def _hunks(self, part: _Part) -> tuple[list[Hunk], int]:
        """Return the hunks of a file that do not apply, each tried alone, and how many were not."""
        status, message = self._apply(part.head + b"".join(h for _, h in part.hunks), "--check")
        if status == 0:
            return [], 0
        tried = part.hunks[: self._tries]
        self._tries -= len(tried)
        hunks = [
            self._hunk(part, number, line, part.head + text)
            for number, (line, text) in enumerate(tried, 1)
            if not self._applies(part.head + text)
        ]
        # A file that is missing, or there already, is no fault of its hunks.
        why = fault(message, status, part.path)
        whole = not hunks or not re.fullmatch(r".*:\d+", why)
        if whole and all(h.state is State.REJECTED for h in hunks):
            why = why.removeprefix(f"{part.path}: ")
            return [Hunk(file=part.path, number=None, line=None, state=State.REJECTED, why=why)], 0
        return hunks, len(part.hunks) - len(tried)

    def _hunk(self, part: _Part, number: int, line: int, data: bytes) -> Hunk:
        state, fuzz = State.REJECTED, 0
        if self._applies(data, "--reverse"):
            state = State.APPLIED
        else:
            for context in _FUZZ:
                if self._applies(data, f"-C{context}"):
                    state, fuzz = State.FUZZ, 3 - context
                    break
        return Hunk(file=part.path, number=number, line=line, state=state, fuzz=fuzz)

    def _applies(self, data: bytes, *options: str) -> bool:
        status, message = self._apply(data, "--check", *options)
        if status:
            fault(message, status, "a hunk")
        return status == 0

    def _apply(self, data: bytes, *options: str) -> tuple[int, str]:
        return self._call([*APPLY, "--cached", *options, "-"], data)

    def _call(self, words: Sequence[str], data: bytes) -> tuple[int, str]:
        done = subprocess.run(
            [*GIT, *words], input=data, capture_output=True, check=False, env=self._env,
            # Not in a work tree, whose subfolder would filter the paths.
            cwd=self._index.parent,
        )  # fmt: skip
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def parts(data: bytes) -> list[_Part]:
    """Return the files of a patch in order; what is before, between and after them is left out."""
    parted: list[_Part] = []
    head: list[bytes] = []
    hunks: list[tuple[int, bytes]] = []

    def close() -> None:
        if head:
            parted.append(_Part(_path(head), b"".join(head), tuple(hunks)))
        head.clear()
        hunks.clear()

    lines = data.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        match = _HUNK.match(lines[at]) if head else None
        if match:
            end = _end(lines, at + 1, *(int(n) if n else 1 for n in match.groups()[1:]))
            hunks.append((int(match[1]), b"".join(lines[at:end])))
            at = end
            continue
        if lines[at].startswith(b"diff --git "):
            close()
            head.append(lines[at])
        elif _PLAIN.match(lines[at] + b"".join(lines[at + 1 : at + 2])):
            # It goes on in the head that "diff --git" began, else it begins a file.
            if hunks:
                close()
            head.append(lines[at])
        elif head and not hunks:
            head.append(lines[at])
        at += 1
    close()
    return parted


def _end(lines: Sequence[bytes], at: int, old: int, new: int) -> int:
    """Return the line after a hunk with so many old and new lines."""
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith(b"\\")):
        first = lines[at][:1]
        old -= first in (b" ", b"-", b"\n")
        new -= first in (b" ", b"+", b"\n")
        at += 1
    return at


def _path(head: Sequence[bytes]) -> str:
    """Return the path of a file, which the diff calls by its new name or else by its old one."""
    named = {m[0].split(b" ")[0]: m[1] for line in head if (m := _PATH.match(line))}
    for key in (b"+++", b"---", b"rename", b"diff"):
        name = named.get(key, b"/dev/null").split(b"\t")[0].strip()
        if name != b"/dev/null":
            # "diff --git a/x b/x" of a file without hunks names it twice.
            name = name.rpartition(b" b/")[2] if key == b"diff" else name
            return re.sub(r"^[ab]/", "", name.decode(errors="replace")) or "?"
    return "?"
