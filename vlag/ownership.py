"""Whose files are what parts of the service share, of which some run as root."""

from __future__ import annotations

import os
from pathlib import Path


def hand_over(path: Path) -> None:
    """Give what root has made to the owner of the folder that it is in.

    Only root can boot boards; what it leaves for the other parts must be theirs.
    """
    if os.geteuid() == 0:
        above = path.parent.stat()
        os.chown(path, above.st_uid, above.st_gid)


def write_private(path: Path, text: str, *, shared: bool = False) -> None:
    """Write a file that only its owner reads, in one piece: who reads finds the old or the new.

    The owner is the caller; of one that is `shared` it is the folder's owner.  Raises OSError.
    """
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if shared:
            hand_over(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and those above it where they are missing, each its upper folder's owner's."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:  # somebody was quicker
        return
    hand_over(folder)
