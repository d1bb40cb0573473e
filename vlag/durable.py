# SPDX-License-Identifier: GPL-2.0-only
"""Files that outlive a power cut: their bytes reach the disk before they get their names."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

#: Folders above a new name that are synced: some of them may have just been made as well.
_ABOVE = 3


def sync(path: Path) -> None:
    """Write a file, or a folder and all below it, to the disk.  Raises OSError."""
    if path.is_symlink():
        return
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            sync(inner)
    if path.is_dir() or path.is_file():
        _sync(path)


def sync_name(path: Path) -> None:
    """Write the name of a file or folder to the disk: the folders that lead to it."""
    for folder in list(path.absolute().parents)[:_ABOVE]:
        # A user may write below a folder that only its owner can open.
        with contextlib.suppress(PermissionError):
            _sync(folder)


def place(draft: Path, target: Path) -> None:
    """Rename a complete file or folder; after a power cut `target` is whole or as it was.

    Raises OSError.
    """
    sync(draft)
    draft.replace(target)
    sync_name(target)


@contextlib.contextmanager
def replacing(target: Path, suffix: str = ".partial") -> Iterator[Path]:
    """Yield the path of a draft, which becomes `target`; after an exception it is removed."""
    draft = target.with_name(f"{target.name}{suffix}")
    try:
        yield draft
        place(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
