# mypy: ignore-errors
# Buildbot's steps and decorators have no types that mypy could follow.
"""What builds share on one machine: its CPUs, its boards, and the night."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping

from buildbot.plugins import util
from buildbot.process.properties import Properties

from vlag.model import Board

#: A run takes one of these; a compile takes the lock exclusively, because two
#: things that share a CPU stretch each other and a time-out would blame the kernel.
CPUS = util.MasterLock("cpus", maxCount=os.cpu_count() or 1)

#: One night at a time: a second one would ask for the very same runs.  Pushes need no
#: such lock: their builder has one worker, which takes one request after the other.
NIGHT = util.MasterLock("night")


class BoardPool:
    """Names of this machine's boards that are free, by board type.

    How many builds may hold a board is a Buildbot lock, so that the others wait
    as requests in its queue and are seen there.  This pool only says which name
    the holder of such a lock gets: `take` never has to wait.
    """

    def __init__(self, boards: Iterable[Board]):
        """Begin with every board free."""
        self._free: dict[str, deque[str]] = {}
        for board in boards:
            if board.lab is None:
                self._free.setdefault(board.board_type, deque()).append(board.name)
        self.locks: Mapping[str, util.MasterLock] = {
            board_type: util.MasterLock(f"boards {board_type}", maxCount=len(names))
            for board_type, names in self._free.items()
        }

    def has(self, board_type: str) -> bool:
        """Tell whether this machine has boards of a type."""
        return board_type in self.locks

    def take(self, board_type: str) -> str:
        """Return the board that has been free longest; it is the caller's until `give_back`."""
        free = self._free.get(board_type)
        if not free:
            raise LookupError(f"no free board of type {board_type!r}; is the build's lock missing?")
        return free.popleft()

    def give_back(self, board_type: str, name: str) -> None:
        """Make a board free again."""
        self._free[board_type].append(name)

    def lock_of(self, properties: Properties) -> list[object]:
        """Return the locks of a build on a board: one of the boards of its type."""
        lock = self.locks.get(properties.getProperty("board_type"))
        # The boards of a lab are its server's to give, in an order of its own.
        return [] if lock is None else [lock.access("counting")]
