# SPDX-License-Identifier: GPL-2.0-only
"""A commit as a person reads it: message, files and difference, bounded in size and time."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

import unidiff.errors
import unidiff.patch
from attrs import frozen

from vlag.errors import InfrastructureError
from vlag.kernel.git import GIT, git

#: Bytes of a difference that are read; more than any patch that a person reviews.
MOST_BYTES = 512 << 10
#: Files that are listed, and lines of a message.
MOST_FILES = 500
MOST_LINES = 500
#: Seconds after which git is ended: an import of a whole tree costs it minutes.
_LIMIT_S = 15
#: Characters of a line whose words are compared, and the least likeness of two such lines.
_LONGEST = 400
_LIKE = 0.4
_WORD = re.compile(r"\w+|\s+|.")
_FORMAT = "%H%x00%P%x00%aN%x00%aI%x00%cI%x00%s%x00%b"
_STATUS = {"A": "new", "D": "removed", "M": "changed", "R": "renamed", "T": "of another type"}


@frozen(kw_only=True)
class CommitText:
    """What a commit says of itself."""

    sha: str
    parents: tuple[str, ...]
    author: str  # name, by the .mailmap of the mirror's HEAD
    authored_at: str  # RFC 3339
    committed_at: str
    subject: str
    body: str
    left: int  # lines of the body that are left out


@frozen(kw_only=True)
class ChangedFile:
    """A file that a commit touches."""

    path: str
    former: str | None  # path before a renaming
    status: str  # in words


@frozen(kw_only=True)
class Piece:
    """A part of a line; `changed`: the other side's line lacks it."""

    text: str
    changed: bool


@frozen(kw_only=True)
class Line:
    """A line of a difference."""

    sign: str  # "+", "-" or " "
    pieces: tuple[Piece, ...]


@frozen(kw_only=True)
class Hunk:
    """Lines of a file that change, with those around them."""

    place: str  # "@@ -1,2 +1,3 @@"
    section: str  # the line above it that begins a function; "" without one
    lines: tuple[Line, ...]


@frozen(kw_only=True)
class FileDifference:
    """The difference of one file; without hunks it has none that is text."""

    path: str
    hunks: tuple[Hunk, ...]


@frozen(kw_only=True)
class CommitDifference:
    """What a commit changes against its first parent, or against nothing if it has none."""

    files: tuple[ChangedFile, ...]  # at most MOST_FILES
    number: int  # of all files
    differences: tuple[FileDifference, ...]  # of the first files; each of them is whole
    cut: str | None  # why the others are left out, in a sentence; None: all are there


def text_of(mirror: Path, commit: str) -> CommitText:
    """Return what a commit of a mirror says; raises InfrastructureError if it is not there."""
    words = git(mirror, "show", "--no-patch", "--no-show-signature", f"--format={_FORMAT}", commit)
    sha, parents, author, authored, committed, subject, body = words.split("\0", 6)
    lines = body.strip("\n").split("\n")
    return CommitText(
        sha=sha, parents=tuple(parents.split()), author=author, authored_at=authored,
        committed_at=committed, subject=subject, body="\n".join(lines[:MOST_LINES]),
        left=max(0, len(lines) - MOST_LINES),
    )  # fmt: skip


def difference_of(mirror: Path, commit: CommitText) -> CommitDifference:
    """Return what a commit changes; raises InfrastructureError if git cannot tell."""
    ends = [commit.parents[0], commit.sha] if commit.parents else ["--root", commit.sha]
    listed = list(_files(git(mirror, "diff-tree", "-r", "--no-commit-id", "-z", "-M",
                             "--name-status", *ends)))  # fmt: skip
    data, cut = _read(mirror, ends)
    return CommitDifference(
        files=tuple(listed[:MOST_FILES]),
        number=len(listed),
        differences=tuple(_differences(data, whole=cut is None)),
        cut=cut,
    )


def _files(output: str) -> Iterator[ChangedFile]:
    """Read what `git diff-tree -z --name-status` lists."""
    words = iter(output.rstrip("\0").split("\0")) if output else iter(())
    for status in words:
        former = next(words) if status[0] in "RC" else None
        word = _STATUS.get(status[0], status)
        yield ChangedFile(path=next(words), former=former, status=word)


def _read(mirror: Path, ends: Sequence[str]) -> tuple[str, str | None]:
    """Return the beginning of a difference, and why it is not all."""
    command = [
        *GIT, "-c", "core.quotePath=false", f"--git-dir={mirror}", "diff-tree", "--patch",
        "--no-commit-id", "-M", "--no-ext-diff", "--no-textconv", "--no-color",
        "--src-prefix=a/", "--dst-prefix=b/", *ends,
    ]  # fmt: skip
    late = threading.Event()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:

        def end() -> None:
            late.set()
            child.kill()

        clock = threading.Timer(_LIMIT_S, end)
        clock.start()
        try:
            assert child.stdout is not None  # noqa: S101 - Popen was asked for a pipe
            assert child.stderr is not None  # noqa: S101
            data = child.stdout.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                child.kill()
            message = child.stderr.read().decode(errors="replace").strip()
            status = child.wait()
        finally:
            clock.cancel()
    text = data[:MOST_BYTES].decode(errors="replace")
    if len(data) > MOST_BYTES:
        return text, f"The difference is longer than {MOST_BYTES >> 10} KiB."
    if late.is_set():
        return text, f"git took longer than {_LIMIT_S} seconds for the difference."
    if status:
        first = (message.splitlines() or [f"status {status}"])[0]
        raise InfrastructureError(f"git diff-tree in {mirror} failed: {first}", retry=False)
    return text, None


def _differences(text: str, *, whole: bool) -> Iterator[FileDifference]:
    """Read a difference; of one that was cut, only the files before the cut."""
    if not whole:
        end = text.rfind("\ndiff --git ")
        text = text[: end + 1] if end >= 0 else ""
    # Only a line feed ends a line: `splitlines` would take a form feed of a source for one.
    lines = [f"{line}\n" for line in text.removesuffix("\n").split("\n")] if text else []
    try:
        patch = unidiff.patch.PatchSet(lines)
    except unidiff.errors.UnidiffParseError as e:
        raise InfrastructureError(f"git's difference cannot be read: {e}", retry=False) from e
    for file in patch:
        yield FileDifference(path=file.path, hunks=tuple(map(_hunk, file)))


def _hunk(hunk: unidiff.patch.Hunk) -> Hunk:
    place = (
        f"@@ -{hunk.source_start},{hunk.source_length} +{hunk.target_start},{hunk.target_length} @@"
    )
    lines = [(line.line_type, line.value.removesuffix("\n")) for line in hunk]
    return Hunk(place=place, section=hunk.section_header, lines=tuple(_with_words(lines)))


def _with_words(lines: Iterable[tuple[str, str]]) -> Iterator[Line]:
    """Mark the words that differ where as many lines come as go."""
    removed: list[str] = []
    added: list[str] = []

    def block() -> Iterator[Line]:
        if len(removed) == len(added):
            pairs = [words(old, new) for old, new in zip(removed, added, strict=True)]
        else:
            pairs = []
        olds = [old for old, _ in pairs] or [_plain(old) for old in removed]
        news = [new for _, new in pairs] or [_plain(new) for new in added]
        yield from (Line(sign="-", pieces=old) for old in olds)
        yield from (Line(sign="+", pieces=new) for new in news)
        removed.clear()
        added.clear()

    for kind, text in lines:
        if kind == "-" and not added:
            removed.append(text)
        elif kind == "+":
            added.append(text)
        else:
            yield from block()
            if kind == "-":
                removed.append(text)
            else:
                yield Line(sign=" ", pieces=_plain(text))
    yield from block()


def _plain(text: str) -> tuple[Piece, ...]:
    return (Piece(text=text, changed=False),)


def words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both lines in pieces, each with what the other lacks marked.

    Lines that have little in common, or are very long, are one piece each.
    """
    if max(len(old), len(new)) > _LONGEST:
        return _plain(old), _plain(new)
    a, b = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < _LIKE:
        return _plain(old), _plain(new)
    steps = matcher.get_opcodes()
    before = [Piece(text="".join(a[i:j]), changed=tag != "equal") for tag, i, j, _, _ in steps]
    after = [Piece(text="".join(b[i:j]), changed=tag != "equal") for tag, _, _, i, j in steps]
    return tuple(p for p in before if p.text), tuple(p for p in after if p.text)
