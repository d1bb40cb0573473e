"""One process at a time: locks that end with the process that holds them."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from vlag.ownership import hand_over, make_folder


@contextlib.contextmanager
def hold(path: Path, busy: Callable[[], None], *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a file, which is made if it is not there; `shared` with others alike.

    Where another process or thread holds it `busy` is called first: it tells whoever
    waits, or raises so that nobody does.
    """
    make_folder(path.parent)
    new = not path.exists()
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    # On NFS a shared lock wants a file that may be read, the other one that may be written.
    with open(path, "a+", encoding="ascii") as lock:
        if new:
            hand_over(path)
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            busy()
            fcntl.flock(lock, how)
        yield
