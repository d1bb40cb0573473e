"""Owners of the files that parts of the service share; some parts run as root."""

from __future__ import annotations

import os
from pathlib import Path

from vlag import durable


def plain(path: str, flags: int) -> int:
    """Open a file as `open` does, but refuse a link: its folder may be another user's."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def hand_over(path: Path) -> None:
    """Give a file that root created to the owner of its folder.

    Only root can boot boards; other parts must own the files that it leaves for them.
    """
    if os.geteuid() == 0:
        above = path.parent.stat()
        os.chown(path, above.st_uid, above.st_gid, follow_symlinks=False)


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
