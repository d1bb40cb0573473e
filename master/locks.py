# mypy: ignore-errors
# Buildbot's steps and decorators have no types that mypy could follow.
"""What builds share on one machine: its CPUs, its boards, and the night."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Mapping

from buildbot.plugins import util
from buildbot.process.properties import Properties
from twisted.internet import defer

from vlag.model import Board

#: A run takes one of these; a compile takes the lock exclusively, because two
#: things that share a CPU stretch each other and a time-out would blame the kernel.
CPUS = util.MasterLock("cpus", maxCount=os.cpu_count() or 1)

#: One night at a time: a second one would ask for the very same runs.  Pushes need no
#: such lock: their builder has one worker, which takes one request after the other.
NIGHT = util.MasterLock("night")


#: One round of checks at a time.
CHECKS = util.MasterLock("checks")


class BoardPool:
    """Names of this machine's boards that are free, by board type.

    How many builds may hold a board is a Buildbot lock, so that the others wait
    as requests in its queue and are seen there.  This pool says which name the holder
    of such a lock gets; it waits only for the very board that a check is for, and where
    other boards of the type are out of service.
    """

    def __init__(self, boards: Iterable[Board]):
        """Begin with every board free."""
        self._free: dict[str, deque[str]] = {}
        self._all: dict[str, set[str]] = {}
        for board in boards:
            if board.lab is None:
                self._free.setdefault(board.board_type, deque()).append(board.name)
                self._all.setdefault(board.board_type, set()).add(board.name)
        self._waiting: dict[str, list[tuple[set[str], defer.Deferred]]] = {}
        self.locks: Mapping[str, util.MasterLock] = {
            board_type: util.MasterLock(f"boards {board_type}", maxCount=len(names))
            for board_type, names in self._free.items()
        }

    def has(self, board_type: str) -> bool:
        """Tell whether this machine has boards of a type."""
        return board_type in self.locks

    async def take(
        self, board_type: str, pinned: str | None = None, out: Collection[str] = ()
    ) -> str:
        """Return the board that has been free longest; it is the caller's until `give_back`.

        `pinned` is the only board that will do, which may be out of service: somebody wants
        to know how it is.  Else none of those in `out` is given.  Raises LookupError, a
        sentence, where there is no such board.
        """
        known = self._all.get(board_type, set())
        wanted = known - set(out) if pinned is None else known & {pinned}
        if not known:
            raise LookupError(f"this machine has no board of type {board_type!r}")
        if not wanted:
            if pinned is not None:
                raise LookupError(f"this machine has no board {pinned} of type {board_type}")
            raise LookupError(
                f"all boards of type {board_type} are in maintenance ({', '.join(sorted(known))}):"
                " `vlag boards status` says why"
            )
        free = self._free[board_type]
        name = next((n for n in free if n in wanted), None)
        if name is not None:
            free.remove(name)
            return name
        found = defer.Deferred(lambda d: self._forget(board_type, d))
        self._waiting.setdefault(board_type, []).append((wanted, found))
        return str(await found)

    def _forget(self, board_type: str, found: defer.Deferred) -> None:
        waiting = self._waiting.get(board_type, [])
        self._waiting[board_type] = [entry for entry in waiting if entry[1] is not found]

    def give_back(self, board_type: str, name: str) -> None:
        """Make a board free again, or give it to who has waited longest for it."""
        for wanted, found in self._waiting.get(board_type, []):
            if name in wanted:
                self._forget(board_type, found)
                found.callback(name)
                return
        self._free[board_type].append(name)

    def lock_of(self, properties: Properties) -> list[object]:
        """Return the locks of a build on a board: one of the boards of its type."""
        lock = self.locks.get(properties.getProperty("board_type"))
        # The boards of a lab are its server's to give, in an order of its own.
        return [] if lock is None else [lock.access("counting")]
