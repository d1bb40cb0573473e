"""How much a command has written, watched cheaply."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import define

_MIB = 1 << 20
#: Counting takes at most one part in so many of the time: others who free space on the same file
#: system hide what a command writes, so its folders are counted however free the disk seems.
_COUNT_SHARE = 20


@define
class Space:
    """Folders that may grow by so many bytes together.

    Counting them takes long, asking the file system for its free space does not.  They are
    counted when it has lost what they may still grow by, and else now and then.
    """

    _folders: tuple[Path, ...]
    _most: int
    _first: int
    _last: int
    _free: int
    _due: float  # by the monotonic clock

    @classmethod
    def of(cls, folders: Sequence[Path], most: int) -> Space:
        """Count the folders as they are before a command."""
        free = _free(folders)
        size, due = _count(folders)
        return cls(tuple(folders), most, size, size, free, due)

    def suspicion(self) -> str | None:
        """Return the limit that is passed; looks closer only if it can have been."""
        grown = self._last - self._first
        lost = self._free - _free(self._folders)
        if lost <= self._most - grown and time.monotonic() < self._due:
            return None
        return self.fault()

    def fault(self) -> str | None:
        """Count again, and return the limit that is passed."""
        self._free = _free(self._folders)
        self._last, self._due = _count(self._folders)
        if self._last - self._first <= self._most:
            return None
        return f"it wrote more than {self._most // _MIB} MB ([sandbox] disk_mb)"


def _free(folders: Sequence[Path]) -> int:
    """Return the free bytes of the file systems of the folders, each once."""
    systems = {}
    for folder in folders:
        found = os.statvfs(folder)
        systems[os.stat(folder).st_dev] = found.f_bfree * found.f_frsize
    return sum(systems.values())


def _count(folders: Sequence[Path]) -> tuple[int, float]:
    """Return the bytes that the folders take, and when it is time to count them again."""
    began = time.monotonic()
    size = sum(map(_size, folders))
    ended = time.monotonic()
    return size, ended + _COUNT_SHARE * (ended - began)


def _size(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk."""
    total = 0
    for _, folders, files, here in os.fwalk(folder):
        for name in (*folders, *files):
            try:
                total += os.stat(name, dir_fd=here, follow_symlinks=False).st_blocks * 512
            except FileNotFoundError:  # gone meanwhile
                continue
    return total
