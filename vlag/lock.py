"""One process at a time: locks that end with the process that holds them."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def hold(path: Path, busy: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file, which is made if it is not there.

    Where another process or thread holds it `busy` is called first: it tells whoever
    waits, or raises so that nobody does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
