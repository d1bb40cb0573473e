# SPDX-License-Identifier: GPL-2.0-only
"""How much a command has written, watched cheaply."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import define

_MIB = 1 << 20
#: Counting takes at most one part in so many of the time: others who free space on the same file
#: system hide what a command writes, so its folders are counted however free the disk seems.
_COUNT_SHARE = 20
#: Times that a folder is removed, 0.1 s apart, until it is gone.
_ATTEMPTS = 100


@define
class Space:
    """Folders that may grow by so many bytes together, on disks of which so many stay free.

    Counting them takes long, asking the file system for its free space does not.  They are
    counted when it has lost what they may still grow by, and else now and then.
    """

    _folders: tuple[Path, ...]
    _most: int
    _first: int
    _last: int
    _free: int
    _due: float  # by the monotonic clock
    _least: int
    _began: int  # free bytes then
    short: str | None = None  # that a disk had less than the least free, whoever has filled it
    own: str | None = None  # that the command has filled it

    @classmethod
    def of(cls, folders: Sequence[Path], most: int, least: int = 0) -> Space:
        """Count the folders as they are before a command."""
        free = _free(folders)
        size, due = _count(folders)
        return cls(tuple(folders), most, size, size, free, due, least, free)

    def room(self) -> int | None:
        """Return the bytes that may be written to the fullest disk; None: it writes to none."""
        if not self._folders:
            return None
        return max(0, min(_each(self._folders).values()) - self._least)

    def lacks(self) -> str | None:
        """Return and note that less than the least is free on a disk; None: all have enough."""
        if not self._folders:
            return None
        system, free = min(_each(self._folders).items(), key=lambda one: one[1])
        if free >= self._least:
            return None
        where = next(f for f in self._folders if os.stat(f).st_dev == system)
        self.short = (
            f"{free // _MIB} MB are free on the disk of {where}, and {self._least // _MIB} MB"
            " are to stay so ([sandbox] free_mb)"
        )
        self._last, self._due = _count(self._folders)
        grown, lost = self._last - self._first, self._began - _free(self._folders)
        if grown > 0 and 2 * grown >= lost:
            self.own = f"it wrote {grown // _MIB} MB, and {self.short}"
        return self.short

    def suspicion(self) -> str | None:
        """Return the limit that is passed; looks closer only if it can have been."""
        if short := self.lacks():
            return self.own or short
        grown = self._last - self._first
        lost = self._free - _free(self._folders)
        if lost <= self._most - grown and time.monotonic() < self._due:
            return None
        return self.fault()

    def fault(self) -> str | None:
        """Count again, and return the limit that is passed."""
        if self.lacks() and self.own:
            return self.own
        self._free = _free(self._folders)
        self._last, self._due = _count(self._folders)
        if self._last - self._first <= self._most:
            return None
        return f"it wrote more than {self._most // _MIB} MB ([sandbox] disk_mb)"


def _free(folders: Sequence[Path]) -> int:
    """Return the free bytes of the file systems of the folders, each once."""
    return sum(_each(folders).values())


def _each(folders: Sequence[Path]) -> dict[int, int]:
    """Return file system -> the bytes of it that a user without rights may still write."""
    systems = {}
    for folder in folders:
        stats = os.statvfs(folder)
        systems[os.stat(folder).st_dev] = stats.f_bavail * stats.f_frsize
    return systems


def _count(folders: Sequence[Path]) -> tuple[int, float]:
    """Return the bytes that the folders take, and when it is time to count them again."""
    began = time.monotonic()
    total = sum(map(size, folders))
    ended = time.monotonic()
    return total, ended + _COUNT_SHARE * (ended - began)


def size(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk."""
    # Others make folders deeper than Python goes; files that are gone meanwhile are no fault.
    done = subprocess.run(
        ["du", "--summarize", "--one-file-system", "--block-size=1", "--", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return int(done.stdout.split()[0]) if done.stdout else 0


def remove(folder: Path) -> None:
    """Remove a folder in which code of others wrote: however deep, whatever its modes."""
    for _ in range(_ATTEMPTS):
        for words in (["chmod", "--recursive", "u+rwX"], ["rm", "-rf", "--one-file-system"]):
            subprocess.run([*words, "--", str(folder)], capture_output=True, check=False)
        if not os.path.lexists(folder):
            return
        # What was killed a moment ago may write a last file.
        time.sleep(0.1)
