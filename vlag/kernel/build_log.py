# SPDX-License-Identifier: GPL-2.0-only
"""What a build prints, kept also where the build itself fills the disk."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from types import TracebackType

from vlag.errors import AwayError

_FULL = {errno.ENOSPC, errno.EDQUOT}


class BuildLog:
    """A log as a file; what a full disk refuses waits in memory until `with` ends.

    Remove what the build has left on the disk before.  The sandbox bounds what a build prints,
    and so the memory.  `path` is made anew.
    """

    def __init__(self, path: Path):
        self.path = path
        self._file = path.open("wb", buffering=0)
        self._late = bytearray()

    def __enter__(self) -> BuildLog:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Write what has waited, and close; raises AwayError if the disk is full still."""
        with self._file:
            late, self._late = bytes(self._late), bytearray()
            self._put(late)
            if self._late and error is None:
                raise AwayError(f"no room on the disk for the end of {self.path}")

    def write(self, text: str) -> None:
        """Add text."""
        data = text.encode(errors="replace")
        if self._late:
            self._late += data
        else:
            self._put(data)

    def lines(self) -> list[str]:
        """Return what it holds so far, each line with its end."""
        whole = io.BytesIO(self.path.read_bytes() + self._late)
        return list(io.TextIOWrapper(whole, encoding="utf-8", errors="replace"))

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as e:
            if e.errno not in _FULL:
                raise
            self._late += data
