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
