# SPDX-License-Identifier: GPL-2.0-only
"""One process at a time: locks that end with the process that holds them."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from vlag.ownership import hand_over, make_folder, plain


@contextlib.contextmanager
def hold(path: Path, busy: Callable[[], None], *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a file, created if missing; a `shared` lock admits other shared ones.

    If another process or thread holds the lock, it first calls `busy`, which reports the
    wait, or raises to avoid it.
    """
    make_folder(path.parent)
    new = not path.exists()
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    # NFS requires a readable file for a shared lock and a writable one for an exclusive lock.
    with open(path, "a+", encoding="ascii", opener=plain) as lock:
        if new:
            hand_over(path)
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            busy()
            fcntl.flock(lock, how)
        yield
