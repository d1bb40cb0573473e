# SPDX-License-Identifier: GPL-2.0-only
"""Take files out of a folder that code of others wrote: never through a link."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path, PurePosixPath

from vlag.errors import UsageError

#: No single result of a kernel build is larger.
_MOST = 1 << 30


class OddResultError(UsageError):
    """A result that is no plain file in its folder."""


def take(folder: Path, name: str, to: Path) -> None:
    """Copy a file of a folder; raises OddResultError for a link, or for anything but a file."""
    with os.fdopen(_open(folder, name), "rb") as source, to.open("wb") as target:
        shutil.copyfileobj(source, target)


def data(folder: Path, name: str) -> bytes:
    """Return the bytes of a file of a folder; OddResultError as `take`."""
    with os.fdopen(_open(folder, name), "rb") as source:
        return source.read()


def text(folder: Path, name: str) -> str:
    """Return the text of a file of a folder; OddResultError as `take`."""
    with os.fdopen(_open(folder, name), encoding="utf-8", errors="replace") as source:
        return source.read()


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a new file `name` right in a folder; OddResultError if something stays in its way."""
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(folder / name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(folder / name, flags, 0o644), "wb") as file:
            file.write(data)
    except (FileExistsError, IsADirectoryError, PermissionError) as e:
        raise OddResultError(f"the build left {name} as no plain file: {e.strerror}") from e


def has(folder: Path, name: str) -> bool:
    """Return whether anything has this name in a folder."""
    return os.path.lexists(folder / name)


def _open(folder: Path, name: str) -> int:
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or name.startswith("/"):
        raise OddResultError(f"the build names {name!r}, which is not in its folder")
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for part in parts[:-1]:
            above, here = here, _at(here, part, name, os.O_DIRECTORY)
            os.close(above)
        file = _at(here, parts[-1], name, os.O_NONBLOCK)
    finally:
        os.close(here)
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST:
        os.close(file)
        raise OddResultError(f"the build left {name} as no plain file of at most 1 GB")
    return file


def _at(here: int, part: str, name: str, flags: int) -> int:
    try:
        return os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=here)
    except OSError as e:
        raise OddResultError(f"the build left no plain file {name}: {e.strerror}") from e
