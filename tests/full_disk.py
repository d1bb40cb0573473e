# SPDX-License-Identifier: GPL-2.0-only
"""A small file system of its own for a folder, which can be full."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

#: Holds PostgreSQL's log of changes and the bundles of some thousand faults; sparse.
_SIZE = 6 << 30
_FILLER = "filler"


@contextlib.contextmanager
def mounted(folder: Path, size: int = _SIZE) -> Iterator[None]:
    """Mount an ext4 of its own, of so many bytes, at a new folder; needs root and a loop device."""
    image = folder.with_name(f"{folder.name}.ext4")
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    folder.mkdir()
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    try:
        folder.chmod(0o755)  # PostgreSQL runs as another user
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        image.unlink()


@contextlib.contextmanager
def full(folder: Path) -> Iterator[None]:
    """Leave no free block on the file system of a folder."""
    filler = folder / _FILLER
    try:
        fill(folder)
        yield
    finally:
        filler.unlink(missing_ok=True)


def fill(folder: Path) -> None:
    """Take what is free on the file system of a folder that is `full`, or has been."""
    with (folder / _FILLER).open("ab") as file:
        step = _SIZE
        while step >= 4096:
            try:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), step)
            except OSError:
                step //= 2
