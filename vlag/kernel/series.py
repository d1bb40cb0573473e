# SPDX-License-Identifier: GPL-2.0-only
"""Patch series in quilt's layout: read them, select from them, apply them to a work tree.

`kernel-patches/README.md` describes the files and the trailers in a patch's header.
"""

from __future__ import annotations

import email.policy
import fnmatch
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from vlag import ROOT
from vlag.errors import MACHINES, InfrastructureError, UsageError, blame
from vlag.kernel.git import GIT

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

#: One folder a series.
PATCHES = ROOT / "kernel-patches"

_SERIES_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
_TRIED = re.compile(r"try-[0-9a-f]{12}")
_PATCH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\.patch")
_APPLICATION = re.compile(r"(none|full)|(solo|prefix|without)\(([1-9][0-9]*)\)")
_DIFF = re.compile(rb"^(?:diff --git |diff -[a-zA-Z]|Index: \S|--- \S.*\n\+\+\+ )", re.MULTILINE)
_TAG = re.compile(r"(\s*\[[^\]]*\])+\s*")  # [PATCH v2 1/3]
_OURS = re.compile(r"(Vlag-[A-Za-z-]*)\s*:?(.*)", re.IGNORECASE)
_GLOB = re.compile(r"[A-Za-z0-9_./*?\[\]!-]+")
_KNOB = re.compile(r"([a-z_]+)=([A-Za-z0-9_.,:=+/-]+)")
#: How git applies a patch, whatever a person's own settings are: all context must match.
APPLY = (
    *("-c", "apply.ignoreWhitespace=no", "apply", "-p1"), "--verbose", "--whitespace=nowarn",
)  # fmt: skip
#: File of a series that came by mail, until somebody has read it and removes the file.
UNREAD = "unread"
#: File of a series with its cover letter, which no build reads.
COVER = "cover-letter.txt"
#: git's messages for a fault of the machine; all its other errors are the patch's.
_MACHINE = re.compile(
    # Whole messages: a patch chooses the names of its files, which stand before or between.
    r"^Unable to create '[^']*index\.lock': File exists\.?$"
    rf"|: (?i:{'|'.join(map(re.escape, (*MACHINES, 'permission denied')))})$"
)


@frozen(kw_only=True)
class Prediction:
    """A change that vlag must or may flag for a patch."""

    board_type: str  # "*": any
    benchmark: str
    metric: str  # "*": any
    statistic: str = "*"  # "*": any
    change: str  # "worse" or "better"
    must: bool = True  # False: it is allowed, and its absence is no fault
    also: tuple[str, ...] = ()  # present names of metrics that `metric` means by a former one

    def covers(self, benchmark: str, metric: str, statistic: str, change: str) -> bool:
        """Return whether the prediction covers a flag on one of its board types."""
        return (
            (self.benchmark, self.change) == (benchmark, change)
            and (metric in self.also or fnmatch.fnmatchcase(metric, self.metric))
            and fnmatch.fnmatchcase(statistic, self.statistic)
        )

    def applies(self, board_type: str) -> bool:
        """Return whether the prediction is about a board type."""
        return fnmatch.fnmatchcase(board_type, self.board_type)

    def required(self, board_type: str) -> bool:
        """Return whether vlag must flag it there; a pattern of board types only allows."""
        return self.must and self.board_type == board_type

    def __str__(self) -> str:
        """Return the flag in words, such as "hackbench-pipe time median worse"."""
        names = [w for w in (self.metric, self.statistic) if w != "*"]
        return " ".join([self.benchmark, *names, self.change])


@frozen(kw_only=True)
class Trailers:
    """The content of vlag's own trailers in a patch's header."""

    applies_to: tuple[str, ...] = ()  # globs of branch names; empty: all
    predicts: tuple[Prediction, ...] | None = None  # empty: nothing; None: no such trailer
    knobs: Mapping[str, str] = field(factory=dict)  # knobs without which the patch does nothing


@frozen(kw_only=True)
class Patch:
    """One patch of a series."""

    name: str  # of the file
    sha256: str  # of the whole file
    subject: str  # first line for people; the name where the header has none
    trailers: Trailers
    data: bytes = field(repr=False)  # the whole file, as it was when `sha256` was taken

    @property
    def title(self) -> str:
        """Name without ".patch" and without a leading number."""
        return re.sub(r"^[0-9]+-(?=.)", "", self.name.removesuffix(".patch"))

    def fits(self, branch: str) -> bool:
        """Return whether the patch's header lists a branch of that name."""
        globs = self.trailers.applies_to
        return not globs or any(fnmatch.fnmatchcase(branch, g) for g in globs)


@frozen
class Application:
    """How much of a series is applied; patches count from 1."""

    kind: str  # none, full, solo, prefix, without
    number: int | None = None  # None for none and full

    @classmethod
    def parse(cls, text: str) -> Application:
        """Read none, full, solo(i), prefix(i) or without(i), spelled exactly so.

        Raises UsageError for anything else.
        """
        match = _APPLICATION.fullmatch(text)
        if match is None:
            raise UsageError(
                f"no application {text!r} of a series; write none, full, solo(I), prefix(I) or"
                " without(I), where I is the number of a patch, counted from 1"
            )
        return cls(match[1] or match[2], int(match[3]) if match[3] else None)

    def __str__(self) -> str:
        """Return the text that `parse` reads back."""
        return self.kind if self.number is None else f"{self.kind}({self.number})"


NONE = Application("none")
FULL = Application("full")


def select(patches: Sequence[Patch], application: Application) -> tuple[Patch, ...]:
    """Return the patches of a series that `application` selects, in order.

    Raises UsageError where its number is beyond the last patch.
    """
    i = application.number
    if i is None:
        return tuple(patches) if application == FULL else ()
    if i > len(patches):
        many = "1 patch" if len(patches) == 1 else f"{len(patches)} patches"
        raise UsageError(f"{application}: the series has {many}, counted from 1")
    if application.kind == "solo":
        return (patches[i - 1],)
    if application.kind == "prefix":
        return tuple(patches[:i])
    return (*patches[: i - 1], *patches[i:])


def read(root: Path, name: str) -> tuple[Patch, ...]:
    """Read series `name`, a folder of `root`: its file `series` and the patches it lists.

    Raises UsageError with file and line for a missing or malformed entry, and for a path
    that leads out of the folder.
    """
    folder, listing = root / name, root / name / "series"
    if not is_name(name):
        raise UsageError(
            f"no series {name!r}: a series is a folder of {root}, named with a-z, 0-9, dots and"
            " hyphens"
        )
    if folder.is_symlink() or not listing.is_file():
        raise UsageError(
            f"no series {name!r}: there is no folder {folder} with a file 'series';"
            f" there are: {', '.join(names(root)) or 'none'}"
        )
    patches: dict[str, Patch] = {}
    for number, line in enumerate(_text(_bytes(listing), listing).split("\n"), 1):
        words = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].split()
        where = f"{listing}:{number}"
        if not words:
            continue
        if not _PATCH_NAME.fullmatch(words[0]):
            raise UsageError(
                f"{where}: {words[0]!r} is no plain file name that ends in .patch; a patch lies"
                " beside its series"
            )
        if words[1:] not in ([], ["-p1"]):
            raise UsageError(
                f"{where}: {' '.join(words[1:])!r} after the name; only -p1 is known, so make the"
                " patch anew with one leading folder, as git does"
            )
        if words[0] in patches:
            raise UsageError(f"{where}: {words[0]} is listed twice")
        patches[words[0]] = _patch(folder / words[0], where)
    if not patches:
        raise UsageError(f"{listing}: names no patch")
    return tuple(patches.values())


def apply(patches: Sequence[Patch], source: Path, log: SupportsWrite[str]) -> str | None:
    """Apply patches in order to a work tree and its index; git's messages go to `log`.

    Returns None, or one sentence on the first patch that does not apply; those before
    it stay applied.  Raises InfrastructureError if git itself failed.
    """
    for patch in patches:
        done = subprocess.run(
            [*GIT, "-C", str(source), *APPLY, "--index", "-"],
            input=patch.data, capture_output=True, env={**os.environ, "LC_ALL": "C"}, check=False,
        )  # fmt: skip
        output = (done.stdout + done.stderr).decode(errors="replace")
        log.write(f"applying {patch.name}\n{output}")
        if done.returncode:
            why = fault(output, done.returncode, f"{patch.name} in {source}")
            return f"{patch.name} does not apply: {why}"
    return None


def fault(output: str, status: int, what: str) -> str:
    """Return git's reason why a patch does not apply.

    Raises InfrastructureError, with `what` git was to apply, if the machine failed.
    """
    # The lines between are the hunk that was looked for.
    faults = re.findall(r"^(?:error|fatal): (?!while searching for:)(.*)$", output, re.MULTILINE)
    why = faults[0] if faults else f"git apply ended with status {status}"
    if status < 0 or _MACHINE.search(why):
        raise InfrastructureError(f"git apply of {what}: {why}")
    return why.removeprefix("patch failed: ")


def is_name(name: str) -> bool:
    """Return whether a series can have that name."""
    return bool(_SERIES_NAME.fullmatch(name))


def is_tried(name: str | None) -> bool:
    """Return whether a series was sent on the pages: of somebody whom nobody vouches for."""
    return name is not None and bool(_TRIED.fullmatch(name))


def title(root: Path, name: str) -> str:
    """Return the subject of a series' cover letter, else of its only patch, else its name."""
    cover = root / name / COVER
    if cover.is_file():
        return _subject(_text(_bytes(cover), cover)) or name
    patches = read(root, name)
    return patches[0].subject if len(patches) == 1 else name


def mark_unread(folder: Path) -> None:
    """Note in a series that nobody vouches for it."""
    (folder / UNREAD).write_text(
        "These patches came by mail and nobody has read them. Builds keep them off the compiler's"
        "\ncache. Remove this file when you have read them.\n",
        encoding="utf-8",
    )


def is_strange(root: Path, name: str | None) -> bool:
    """Return whether nobody vouches for a series: it was sent on the pages, or is unread."""
    return is_tried(name) or (
        name is not None and is_name(name) and (root / name / UNREAD).exists()
    )


def names(root: Path) -> list[str]:
    """Return the names of the series in a folder."""
    folders = (p.parent.name for p in root.glob("*/series"))
    return sorted(filter(is_name, folders))


def _patch(path: Path, listed: str) -> Patch:
    if path.is_symlink() or not path.is_file():
        what = "is a symbolic link" if path.is_symlink() else "is no file"
        raise UsageError(f"{listed}: {path} {what}; put the patch itself beside its series")
    data = _bytes(path)
    diff = _DIFF.search(data)
    if diff is None:
        raise UsageError(f"{path}: has no diff, so there is nothing to apply")
    header = _text(data[: diff.start()], path)
    return Patch(
        name=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        subject=_subject(header) or path.name,
        trailers=_trailers(header, path),
        data=data,
    )


def _bytes(path: Path) -> bytes:
    if path.is_symlink():
        raise UsageError(f"{path}: is a symbolic link; put the file itself there")
    try:
        return path.read_bytes()
    except OSError as e:
        raise blame(e, f"{path}: cannot be read ({e.strerror})") from e


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8") from None


def _subject(header: str) -> str:
    """Return the mail's subject without tags, else the first line with words."""
    subject = HeaderParser(policy=email.policy.default).parsestr(header)["Subject"]
    if subject is not None:
        return _TAG.sub("", " ".join(str(subject).split()), count=1)
    return next((line.strip() for line in header.split("\n") if line.strip()), "")


def _trailers(header: str, path: Path) -> Trailers:
    applies_to: tuple[str, ...] | None = None
    predicts: tuple[Prediction, ...] | None = None
    knobs: dict[str, str] | None = None
    for number, key, value in _parsed(header, path):
        where, words, name = f"{path}:{number}: {key}", value.split(), key.lower()
        if not words:
            raise UsageError(f"{where}: has no value")
        if name in ("vlag-predicts", "vlag-allows"):
            predicts = _predicts(words, where, predicts, must=name == "vlag-predicts")
        elif name == "vlag-applies-to" and applies_to is None:
            applies_to = _applies_to(words, where)
        elif name == "vlag-knobs" and knobs is None:
            knobs = _knobs(words, where)
        elif name in ("vlag-applies-to", "vlag-knobs"):
            raise UsageError(f"{where}: is given twice; write all in one line")
        else:
            raise UsageError(
                f"{where}: no such trailer; there are Vlag-Applies-To, Vlag-Predicts, Vlag-Allows,"
                " Vlag-Knobs"
            )
    return Trailers(applies_to=applies_to or (), predicts=predicts, knobs=knobs or {})


def _parsed(header: str, path: Path) -> list[tuple[int, str, str]]:
    """Return line number, key and value of each of our trailers, as git reads them.

    Raises UsageError for a line that looks like a trailer but is none to git.
    """
    done = subprocess.run(
        [*GIT, "-c", "trailer.separators=:", "interpret-trailers", "--parse"],
        input=header, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise InfrastructureError(f"{path}: git interpret-trailers: {done.stderr.strip()}")
    taken = [
        (key.strip(), value.strip())
        for key, _, value in (line.partition(":") for line in done.stdout.splitlines())
    ]
    ours = [(k, v) for k, v in taken if k.lower().startswith("vlag-")]
    lines = enumerate(header.split("\n"), 1)
    written = [(n, match) for n, line in lines if (match := _OURS.match(line))]
    parsed: list[tuple[int, str, str]] = []
    for number, match in written:
        # git joins the continued lines of a value: this line is its beginning.
        key, value = ours[len(parsed)] if len(parsed) < len(ours) else ("", "")
        if key == match[1] and value.startswith(match[2].strip()):
            parsed.append((number, key, value))
            continue
        raise UsageError(
            f"{path}:{number}: {match[1]} is no trailer here: write 'NAME: VALUE' in the last"
            " paragraph of the header, which holds trailers alone and is not the first one"
        )
    return parsed


def _applies_to(words: Sequence[str], where: str) -> tuple[str, ...]:
    for word in words:
        if not _GLOB.fullmatch(word):
            raise UsageError(f"{where}: {word!r} is no glob of a branch name, such as linux-6.*")
    return tuple(words)


def _knobs(words: Sequence[str], where: str) -> dict[str, str]:
    knobs: dict[str, str] = {}
    for word in words:
        match = _KNOB.fullmatch(word)
        if match is None or match[1] in knobs:
            what = "is given twice" if match else "is not NAME=VALUE"
            raise UsageError(f"{where}: {word!r} {what}; write each knob once, without blanks")
        knobs[match[1]] = match[2]
    return knobs


def _predicts(
    words: Sequence[str], where: str, before: tuple[Prediction, ...] | None, *, must: bool
) -> tuple[Prediction, ...]:
    """Return the earlier predictions and this one."""
    nothing = must and words == ["nothing"]
    if before == () or (before and nothing):
        raise UsageError(f"{where}: 'nothing' must be the only prediction")
    if nothing:
        return ()
    if len(words) not in (4, 5) or words[-1] not in ("worse", "better"):
        form = "'BOARD_TYPE BENCHMARK METRIC [STATISTIC] worse|better'"
        known = f"neither {form} nor 'nothing'" if must else f"not {form}"
        raise UsageError(f"{where}: {' '.join(words)!r} is {known}")
    board_type, benchmark, metric, statistic = (*words[:-1], "*")[:4]
    prediction = Prediction(
        board_type=board_type,
        benchmark=benchmark,
        metric=metric,
        statistic=statistic,
        change=words[-1],
        must=must,
    )
    subject = (board_type, benchmark, metric, statistic)
    for p in before or ():
        same = (p.board_type, p.benchmark, p.metric, p.statistic) == subject
        # It may be allowed both ways; two musts cannot both come true.
        if same and (p.change == prediction.change or (p.must and must)):
            raise UsageError(f"{where}: {' '.join(words[:-1])} is predicted twice")
    return (*(before or ()), prediction)
