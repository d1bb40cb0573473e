# SPDX-License-Identifier: GPL-2.0-only
"""How long the processes of a job had a processor of this host, and how long they had none."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

#: Seconds between two looks; a process that ends between them loses at most so much.
_LOOK_S = 1.0


@define
class ProcessorTime:
    """Nanoseconds of a process and all below it, as of the last look at each thread."""

    threads: dict[tuple[int, int], tuple[int, int]] = field(factory=dict)  # (ran, waited)

    @property
    def waited(self) -> float | None:
        """Return the share of the time in which they could run that they had no processor.

        0 to 1; None where the kernel of this host does not count it.
        """
        ran, waited = (sum(t[i] for t in self.threads.values()) for i in (0, 1))
        return waited / (ran + waited) if ran + waited else None

    def look(self, pid: int) -> None:
        """Read the counters of a process and of all below it."""
        for thread in Path("/proc", str(pid), "task").glob("*"):
            # A thread may end at any moment; a kernel may lack either file.
            with contextlib.suppress(OSError, ValueError):
                ran, waited, _ = map(int, (thread / "schedstat").read_text().split())
                self.threads[pid, int(thread.name)] = ran, waited
            with contextlib.suppress(OSError):
                for child in (thread / "children").read_text().split():
                    self.look(int(child))


@contextlib.contextmanager
def watched(pid: int) -> Iterator[ProcessorTime]:
    """Look at a process and all below it until the block ends."""
    seen, over = ProcessorTime(), threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_S):
            seen.look(pid)

    thread = threading.Thread(target=watch, name=f"processor time of {pid}", daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
