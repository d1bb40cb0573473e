# SPDX-License-Identifier: GPL-2.0-only
"""Objects of a branch's last build, from which its next one goes on.

What comes out must be what an empty folder gives, to the last byte.  So they serve only where the
kernel's makefiles see by themselves all that differs: contents of C files, assembler files and
headers.  Whatever else differs, the build begins with an empty folder and says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from attrs import frozen

from vlag.bundle import note_use, sha256
from vlag.kept_folders import Store, discard, make_room
from vlag.kernel.git import GIT
from vlag.lock import hold
from vlag.model import digest
from vlag.sandbox.space import remove, size

#: Counts in the key: objects that were kept in another way are not found.
VERSION = 1
#: Most folders that are kept, however small they are.
MOST = 32

#: Another start of the machine is another key: only what was written since is surely whole.
_BOOT = Path("/proc/sys/kernel/random/boot_id")
#: What Debian has installed: a package more may change a config or a header of the machine.
_PACKAGES = Path("/var/lib/dpkg/status")
#: Programs that take part in a build, besides those of the compiler.
_PROGRAMS = ("gcc", "ld", "make", "sh", "bash", "awk", "sed", "bc", "perl", "python3", "flex",
             "bison", "pahole", "gzip", "xz", "zstd", "lz4", "lzop", "bzip2", "openssl",
             "ccache")  # fmt: skip
_OF_COMPILER = ("gcc", "ld", "as", "ar", "nm", "objcopy", "objdump", "strip", "readelf")

#: Parts of a kernel's tree whose sources are compiled into it, and end nowhere else.
_COMPILED = ("block", "crypto", "drivers", "fs", "include", "init", "io_uring", "ipc", "kernel",
             "lib", "mm", "net", "security", "sound", "virt")  # fmt: skip
#: Of an architecture's folder: others hold programs that the build runs, or images in the image.
_OF_ARCH = ("crypto", "entry", "events", "ia32", "include", "kernel", "kvm", "lib", "mm", "net",
            "pci", "platform", "power", "virt", "xen")  # fmt: skip
_SUFFIXES = (".c", ".h", ".S")
#: No part of a build whatever becomes of them.
_IGNORED = ("*.rst", "Documentation/**/*.rst", "Documentation/**/*.txt", "Documentation/**/*.yaml",
            "tools/testing/**/*", "MAINTAINERS", "CREDITS", ".mailmap")  # fmt: skip
_MODIFIED = "M"
#: What becomes of a file, as git's letters have it.
_WORDS = {"A": "is new", "D": "is gone", "T": "is of another kind"}
#: A clock that goes back by less is no step: reading two of them takes time.
_STEP_NS = 20_000_000


class ColdError(Exception):
    """Why a build begins with an empty folder, as the end of a sentence."""


@frozen(kw_only=True)
class Files:
    """The files of a patched work tree: those of a commit, but for some."""

    commit: str
    patched: Mapping[str, str]  # path -> what has become of it (M, A, D, ...) and its SHA-256


def files(source: Path) -> Files:
    """Return what a work tree holds; ColdError where git does not know it."""
    commit = _git(source, "rev-parse", "--verify", "HEAD").strip()
    patched = {}
    new = _git(source, "ls-files", "--others", "-z").split("\0")
    for path, status in [*_statuses(source, "HEAD"), *((p, "A") for p in new if p)]:
        file = source / path
        patched[path] = f"{status} {sha256(file) if _is_plain(file) else '-'}"
    return Files(commit=commit, patched=patched)


def differing(source: Path, old: Files, new: Files, objects: Path) -> list[str]:
    """Return the paths of what make must compile again in `source`, which holds `new`.

    `objects` were made of `old`.  ColdError if make would not see all that differs.
    """
    differs = dict(_statuses(source, old.commit, new.commit)) if old.commit != new.commit else {}
    for path in {*old.patched, *new.patched}:
        was, now = (of.patched.get(path, _MODIFIED) for of in (old, new))
        if was == now and (was.startswith("D") or not was.endswith("-")):
            differs.pop(path, None)
        elif differs.get(path, _MODIFIED) == _MODIFIED:
            kinds = {word.split()[0] for word in (was, now)} - {_MODIFIED}
            differs[path] = min(kinds, default=_MODIFIED)
    return [p for p in sorted(differs) if _must_compile(p, differs[p], source, objects)]


def _must_compile(path: str, status: str, source: Path, objects: Path) -> bool:
    """Return False for a file that is no part of a build; ColdError where make does not see it."""
    name = PurePosixPath(path)
    if any(_matches(name, pattern) for pattern in _IGNORED):
        return False
    if status != _MODIFIED:
        raise ColdError(f"{path} {_WORDS.get(status, 'is another file')}")
    if name.suffix not in _SUFFIXES or name.name.endswith(".lds.S") or not _is_compiled(name):
        raise ColdError(f"{path} differs, on which more than its object may depend")
    if not _is_plain(source / path):
        raise ColdError(f"{path} is no plain file")
    if (objects / name.with_name(f".{name.stem}.cmd")).exists():
        raise ColdError(f"{path} differs, of which the build makes a program that it runs")
    return True


def _matches(name: PurePosixPath, pattern: str) -> bool:
    """Return whether a path matches; `**` stands for any number of folders, none included."""
    first, _, rest = pattern.partition("/**/")
    if not rest:
        return str(name) == pattern or (len(name.parts) == 1 and name.match(pattern))
    return name.is_relative_to(first) and name.match(rest)


def _is_compiled(name: PurePosixPath) -> bool:
    if name.parts[0] == "arch":
        return len(name.parts) > 3 and name.parts[2] in _OF_ARCH and "vdso" not in name.parts
    return name.parts[0] in _COMPILED and len(name.parts) > 1


def key(compiler: str, *parts: Any) -> str:
    """Return the digest of all that must be equal: `parts`, this machine and its programs.

    `compiler` is the name of one, as in "aarch64-linux-gnu-gcc".
    """
    prefix = compiler.removesuffix("gcc")
    programs = [*(f"{prefix}{name}" for name in _OF_COMPILER), *_PROGRAMS]
    core = subprocess.run(
        [compiler, "-print-prog-name=cc1"], capture_output=True, text=True, check=False
    ).stdout.strip()
    found = [shutil.which(name) for name in programs]
    installed = sha256(_PACKAGES) if _PACKAGES.is_file() else None
    return digest([
        VERSION, _BOOT.read_text(encoding="ascii"), version("tuxmake"), installed,
        {str(path): _stamp(path) for path in (*found, core) if path is not None}, list(parts),
    ])  # fmt: skip


def _stamp(program: str) -> list[str | int] | None:
    path = os.path.realpath(program)
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [path, status.st_size, status.st_mtime_ns]


@contextlib.contextmanager
def kept(store: Store, key: str) -> Iterator[tuple[Path, Files]]:
    """Give the folder of the objects that are kept under a key, and what they were made of.

    ColdError if there are none.
    """
    home = store.folder / key
    with _alone(store):
        try:
            known = json.loads((home / "objects.json").read_text(encoding="utf-8"))
            made_of = Files(commit=str(known["commit"]), patched=dict(known["patched"]))
        except (OSError, ValueError, TypeError, KeyError):
            raise ColdError("there are none of a build that was configured alike") from None
        note_use(home)
        yield home / "objects", made_of


def keep(store: Store, key: str, objects: Path, made_of: Files) -> str:
    """Move the objects of a build to the store; return what to say of it."""
    taken = size(objects)
    if taken > store.most_bytes:
        return f"its objects take {taken >> 20} MB, more than [build] objects_gb; they are not kept"
    home = store.folder / key
    draft = home.with_name(f"{home.name}.partial")
    try:
        with _alone(store):
            for stale in store.folder.glob("*.partial"):
                remove(stale)
            draft.mkdir()
            objects.rename(draft / "objects")
            known = {"commit": made_of.commit, "patched": dict(made_of.patched), "bytes": taken}
            (draft / "objects.json").write_text(json.dumps(known) + "\n", encoding="utf-8")
            discard(home, remove)
            homes = [path.parent for path in store.folder.glob("*/objects.json")]
            sizes = {home: _bytes(home) for home in homes if not home.suffix}
            make_room(store, sizes, taken, partial(discard, remove=remove), MOST)
            draft.rename(home)
    except OSError as e:
        return f"its objects are not kept: {e.strerror}"
    return "its objects are kept for the next build of the branch"


def _alone(store: Store) -> contextlib.AbstractContextManager[None]:
    return hold(store.folder / "lock", lambda: None)


def _bytes(home: Path) -> int:
    try:
        return int(json.loads((home / "objects.json").read_text(encoding="utf-8"))["bytes"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


@frozen(kw_only=True)
class Start:
    """When the objects of a build that goes on were dated."""

    at_ns: int
    offset_ns: int  # of the clock to one that no one sets

    @classmethod
    def now(cls) -> Start:
        """Return a time that no file of the work tree has yet."""
        return cls(at_ns=time.time_ns(), offset_ns=_offset_ns())

    @property
    def stamp(self) -> str:
        """Return the time as touch and date read it."""
        return f"@{self.at_ns // 1_000_000_000}.{self.at_ns % 1_000_000_000:09d}"

    def date(self, source: Path, paths: Iterable[str], objects: Path) -> None:
        """Make what differs newer than all objects; ColdError if the files cannot tell.

        The other files of the work tree are older, or make compiles what is as before.
        """
        newer = self.at_ns + 1_000
        for path in paths:
            os.utime(source / path, ns=(newer, newer), follow_symlinks=False)
            if (source / path).stat().st_mtime_ns <= self.at_ns:
                raise ColdError("the work tree's file system has no fine times")
        if (objects / ".config").stat(follow_symlinks=False).st_mtime_ns > self.at_ns:
            raise ColdError("the objects' file system has no fine times")

    def check(self) -> None:
        """Raise ColdError if somebody has set the clock back: new objects may look old."""
        if _offset_ns() < self.offset_ns - _STEP_NS:
            raise ColdError("the clock was set back while it was compiled")


def _offset_ns() -> int:
    """Return the clock less the monotonic one; of a few readings the one without a pause."""
    return max(time.time_ns() - time.monotonic_ns() for _ in range(5))


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _statuses(source: Path, *commits: str) -> list[tuple[str, str]]:
    """Return path and letter of what differs between two commits, or one and the work tree."""
    words = _git(source, "diff", "--name-status", "--no-renames", "-z", *commits, "--").split("\0")
    return list(zip(words[1::2], words[:-1:2], strict=True))


def _git(source: Path, *arguments: str) -> str:
    words: Sequence[str] = [*GIT, "-C", str(source), *arguments]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        raise ColdError(f"git {arguments[0]} does not tell what differs")
    return os.fsdecode(done.stdout)
