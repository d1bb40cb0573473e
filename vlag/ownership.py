# SPDX-License-Identifier: GPL-2.0-only
"""Owners of the files that parts of the service share; some parts run as root."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from vlag import durable
from vlag.errors import InfrastructureError


def plain(path: str, flags: int) -> int:
    """Open a file as `open` does, but through no link: its folder may be another user's.

    Raises InfrastructureError for a link.
    """
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    except OSError as e:
        if e.errno != errno.ELOOP:
            raise
        raise InfrastructureError(
            f"{path} is a link, which root does not follow in a folder of others; remove it",
            retry=False,
        ) from e


def hand_over(path: Path) -> None:
    """Give a file that root created to the owner of its folder.

    Only root can boot boards; other parts must own the files that it leaves for them.  The
    owner may have put a link in its place, by which it would get a file of somebody else:
    InfrastructureError for a symbolic link, and a file with another name stays root's.
    """
    if os.geteuid() != 0:
        return
    above = path.parent.stat()
    opened = plain(str(path), os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(opened)
        if stat.S_ISDIR(status.st_mode) or status.st_nlink == 1:
            os.fchown(opened, above.st_uid, above.st_gid)
    finally:
        os.close(opened)


def write_private(path: Path, text: str, *, shared: bool = False) -> None:
    """Write a file that only its owner can read; replace the old one atomically.

    The owner is the caller, or the folder's owner if the file is `shared`.  Raises OSError.
    """
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    try:
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w"
        ) as file:
            file.write(text)
        if shared:
            hand_over(draft)
        durable.place(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and its missing parents; each gets the owner of the folder above it."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:  # another process was faster
        return
    hand_over(folder)
