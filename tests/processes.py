# SPDX-License-Identifier: GPL-2.0-only
"""Processes of this machine, found by the words of their command lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def commands() -> Iterator[tuple[int, str]]:
    """Return process ids with their command lines."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        yield int(path.name), b" ".join(words).decode(errors="replace")


def parent(pid: int) -> int:
    """Return the id of a process's parent; 0 for a process that has ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def running(*words: str) -> list[int]:
    """Return the processes with all these words in their command lines.

    What one of them starts has its command line until the program's own begins, and is left out,
    as is `setpriv`, which becomes the program.
    """
    found = {
        pid
        for pid, line in commands()
        if all(word in line for word in words) and "setpriv" not in line
    }
    return [pid for pid in found if parent(pid) not in found]
