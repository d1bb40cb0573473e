"""How much a command has written, watched cheaply."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import define

_MIB = 1 << 20
#: Seconds after which a folder is counted even if the disk seems as free as before.
_COUNT_S = 60.0


@define
class Space:
    """Folders that may grow by so many bytes together.

    Counting them takes long.  They can have grown only by what the file system has lost since
    the last count, which is one call.
    """

    _folders: tuple[Path, ...]
    _most: int
    _first: int
    _last: int
    _free: int
    _at: float

    @classmethod
    def of(cls, folders: Sequence[Path], most: int) -> Space:
        """Count the folders as they are before a command."""
        now = sum(map(_size, folders))
        return cls(tuple(folders), most, now, now, _free(folders), time.monotonic())

    def suspicion(self) -> str | None:
        """Return the limit that is passed; looks closer only if it can have been."""
        grown = self._last - self._first
        lost = self._free - _free(self._folders)
        if lost <= self._most - grown and time.monotonic() - self._at < _COUNT_S:
            return None
        return self.fault()

    def fault(self) -> str | None:
        """Count again, and return the limit that is passed."""
        self._free = _free(self._folders)
        self._last = sum(map(_size, self._folders))
        self._at = time.monotonic()
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
