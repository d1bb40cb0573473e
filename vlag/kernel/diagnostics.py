# SPDX-License-Identifier: GPL-2.0-only
"""Errors and warnings in the output of a kernel build: of gcc, clang, ld, objtool and make.

What two builds say is compared without the numbers of lines, which any change moves.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict

from attrs import define, field, frozen

from vlag import printable

ERROR, WARNING = "error", "warning"

#: Different errors and warnings of one build that are kept; the others are counted.
MOST = 500
#: Characters of a message; a longer one ends with "...".
LONGEST = 300
#: Characters of a line that are looked at: patterns take more than its length in time.
_LINE = 4096

# kernel/sched/rt.c:12:5: warning: unused variable 'x' [-Wunused-variable]
_COMPILER = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<kind>fatal error|error|warning): (?P<message>.+)"
)
# init/main.c:(.text+0x1f): undefined reference to `foo'
_LINKER = re.compile(
    r"(?:[^\s:]*ld(?:\.bfd|\.gold)?: )?(?:[^\s:]+: )?"
    r"(?P<file>[^\s:]+):\(?[^\s:)]*\)?: (?P<message>(?:more )?undefined references? to .+)"
)
# ld.lld: error: undefined symbol: foo, or gcc: error: unrecognized command-line option
_TOOL = re.compile(r"[^\s:]+: (?P<kind>fatal error|error|warning): (?P<message>.+)")
# kernel/sched/core.o: warning: objtool: foo+0x1f: unreachable instruction
_OBJECT = re.compile(r"(?P<file>[^\s:]+\.o): (?P<kind>error|warning): (?P<message>objtool: .+)")
# ERROR: modpost: "foo" [bar.ko] undefined!
_MODPOST = re.compile(r"(?P<kind>ERROR|WARNING): (?P<message>modpost: .+)")
# kernel/sched/Kconfig:12: syntax error, or init/Kconfig:3:warning: ...
_KCONFIG = re.compile(
    r"(?P<file>[^\s:]*Kconfig[^\s:]*):(?P<line>\d+): ?(?P<kind>error|warning)?:? ?(?P<message>.+)"
)
# make[2]: *** No rule to make target 'kernel/sched/gone.o', needed by ...  Stop.
# The line "[FILE:12: TARGET] Error 1" only repeats that a command has failed, and kconfig begins
# news with the same stars.
_MAKE = re.compile(
    r"(?:make(?:\[\d+\])?|(?P<file>[^\s:]+):(?P<line>\d+)): \*\*\* (?P<message>(?!\[).+)"
)

#: gcc quotes by the locale, ld by a backquote.
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "`": "'"})
_OFFSET = re.compile(r"\+0x[0-9a-f]+")


class FindingRecord(TypedDict):
    """A finding as JSON has it."""

    kind: str
    file: str
    line: int | None
    message: str
    count: int


@frozen(kw_only=True)
class Finding:
    """An error or a warning, and at how many places of its file it is."""

    kind: str
    file: str  # as the tree has it; "" where none is named
    line: int | None  # of the first place
    message: str
    count: int = 1

    @property
    def subject(self) -> tuple[str, str, str]:
        """Return what makes it the same finding in another build."""
        return self.kind, self.file, self.message

    @property
    def text(self) -> str:
        """Return it in one line."""
        where = self.file + (f":{self.line}" if self.line else "")
        return f"{where}: {self.kind}: {self.message}" if where else f"{self.kind}: {self.message}"


@define
class Reader:
    """Reads the lines of a build in their order."""

    source: Path  # its paths become those of the tree
    left_out: int = 0  # findings beyond `MOST`
    _places: dict[tuple[str, str, str], set[tuple[int | None, str | None]]] = field(factory=dict)

    def line(self, text: str) -> None:
        """Take a line; most say nothing."""
        parsed = self._parse(text.rstrip("\n")[:_LINE])
        if parsed is None:
            return
        subject, place = parsed
        if subject not in self._places and len(self._places) >= MOST:
            self.left_out += 1
            return
        # A header is read by many files: one place, one finding.
        self._places.setdefault(subject, set()).add(place)

    def findings(self) -> list[Finding]:
        """Return what was found, in the order of its first appearance."""
        return [
            Finding(
                kind=kind, file=file, message=message, count=len(places),
                line=min((n for n, _ in places if n is not None), default=None),
            )
            for (kind, file, message), places in self._places.items()
        ]  # fmt: skip

    def _parse(
        self, text: str
    ) -> tuple[tuple[str, str, str], tuple[int | None, str | None]] | None:
        for pattern in (_COMPILER, _OBJECT, _TOOL, _MODPOST, _MAKE, _LINKER, _KCONFIG):
            match = pattern.fullmatch(text)
            if match is None:
                continue
            groups = match.groupdict()
            kind = WARNING if (groups.get("kind") or "").lower() == WARNING else ERROR
            line = int(groups["line"]) if groups.get("line") else None
            message = _message(groups["message"].replace(f"{self.source}/", ""))
            subject = kind, self._path(groups.get("file") or ""), message
            return subject, (line, groups.get("column"))
        return None

    def _path(self, path: str) -> str:
        """Return a path as the tree has it, whatever folder the compiler ran in."""
        if not path:
            return ""
        path = posixpath.normpath(clip(path.removeprefix(f"{self.source}/")))
        while path.startswith("../"):
            path = path.removeprefix("../")
        return path


def _message(text: str) -> str:
    message = _OFFSET.sub("", printable.line(text.translate(_QUOTES)))
    return clip(message)


def clip(message: str) -> str:
    """Return at most `LONGEST` characters of what a tool has said, all of which print."""
    message = printable.line(message)
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 3]}..."


def new(findings: Iterable[Finding], before: Iterable[Finding]) -> list[Finding]:
    """Return what one build finds and the other does not, or at fewer places."""
    known = Counter({f.subject: f.count for f in before})
    return [f for f in findings if f.count > known[f.subject]]


def touching(findings: Iterable[Finding], paths: Sequence[str]) -> list[Finding]:
    """Return the findings in files that paths name, as git matches them."""
    return [f for f in findings if any(_matches(f.file, path) for path in paths)]


def _matches(file: str, path: str) -> bool:
    folder = path.rstrip("/")
    return (
        file == path
        or file.startswith(f"{folder}/")
        # Of git's own `*`, which crosses folders; an object is of its source.
        or fnmatch.fnmatchcase(file, path)
        or fnmatch.fnmatchcase(file, f"{folder}/*")
    )


def worst_first(findings: Iterable[Finding], paths: Sequence[str]) -> list[Finding]:
    """Return errors before warnings, those of named files first, else in their order."""
    every = list(findings)
    own = {f.subject for f in touching(every, paths)}
    return sorted(every, key=lambda f: (f.kind != ERROR, f.subject not in own))


def document(finding: Finding) -> FindingRecord:
    """Return a finding as JSON has it."""
    return {
        "kind": finding.kind,
        "file": finding.file,
        "line": finding.line,
        "message": finding.message,
        "count": finding.count,
    }


def of_document(raw: FindingRecord) -> Finding:
    """Return a finding from JSON."""
    return Finding(**raw)
