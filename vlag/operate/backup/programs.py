# SPDX-License-Identifier: GPL-2.0-only
"""Programs of other packages that a backup runs: their progress, their first words of an error."""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from attrs import frozen

log = logging.getLogger(__name__)

#: Seconds between two messages of progress.
PAUSE_S = 5.0


@frozen(kw_only=True)
class Done:
    """A program that has ended."""

    status: int
    out: str
    error: str  # the first line of stderr that names a cause


def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    progress: Callable[[str], str],
    folder: Path | None = None,
) -> Done:
    """Run a program; every few seconds say what `progress` makes of its last line of output.

    The program ends with its caller.  Raises OSError where it cannot be started.
    """
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
        ) as child,
    ):  # fmt: skip
        try:
            while True:
                try:
                    status = child.wait(PAUSE_S)
                    break
                except subprocess.TimeoutExpired:
                    log.info(progress(_end(out).rpartition("\n")[2]))
        except BaseException:
            child.terminate()
            raise
        lines = [
            line.strip().removeprefix("Fatal: ")
            for line in _end(err, 1 << 16).splitlines()
            if line.strip() and not line.startswith("Load(")  # restic tries again
        ]
        return Done(
            status=status,
            out=_end(out, 1 << 24),
            error=lines[0] if lines else f"status {status}",
        )


def _end(file: IO[bytes], size: int = 4096) -> str:
    """Return the end of a file that a child still writes, without moving its position."""
    length = os.fstat(file.fileno()).st_size
    text = os.pread(file.fileno(), size, max(0, length - size))
    return text.decode(errors="replace").strip()
