# SPDX-License-Identifier: GPL-2.0-only
"""Locks and resources that builds share: CPUs and boards of a host, and the night."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping

from buildbot.plugins import util
from buildbot.process.properties import Properties
from twisted.internet import defer

from vlag.config import Settings, workers
from vlag.config.catalogue import Catalogue
from vlag.model import Board

#: One night at a time: a second one would request the same runs.  Pushes need no lock:
#: their builder has one worker, which handles one request at a time.
NIGHT = util.MasterLock("night")


#: One round of checks at a time.
CHECKS = util.MasterLock("checks")


class Hosts:
    """The machines that run workers: the workers and the CPU locks of each."""

    def __init__(self, settings: Settings, catalogue: Catalogue):
        """Create the locks, all free."""
        self.of_worker = workers.host_names(settings, catalogue)
        self.for_labs = frozenset(
            name for h in settings.own_hosts for name in workers.lab_names(settings, catalogue, h)
        )
        #: A run takes one slot; a compile takes the lock exclusively: a compile would slow down
        #: runs on the same CPU, and their time-outs would count as kernel failures.
        self.cpus = {
            host.name: util.MasterLock(f"cpus of {host.name}", maxCount=workers.slots(host))
            for host in settings.own_hosts
        }

    def of(self, properties: Properties) -> str | None:
        """Return the host of a build's worker."""
        return self.of_worker.get(properties.getProperty("workername"))

    def cpus_for(self, how: str) -> object:
        """Return the CPU lock of the step's host; `how` is `counting` or `exclusive`."""

        @util.renderer
        def locks(properties: Properties) -> list[object]:
            return [self.cpus[str(self.of(properties))].access(how)]

        return locks


class BoardPool:
    """Free boards of worker hosts, by host and board type.

    A Buildbot lock limits the number of builds with a board, so other requests wait visibly in
    Buildbot's queue.  This pool assigns a board to each holder of the lock.  It waits only for
    the board of a check, or if the free boards of the type are out of service.
    """

    def __init__(self, boards: Iterable[tuple[str, Board]]):
        """Mark all boards as free; each comes with the host that boots it."""
        self._free: dict[tuple[str, str], deque[str]] = {}
        self._all: dict[tuple[str, str], set[str]] = {}
        for host, board in boards:
            self._free.setdefault((host, board.board_type), deque()).append(board.name)
            self._all.setdefault((host, board.board_type), set()).add(board.name)
        self._waiting: dict[tuple[str, str], list[tuple[set[str], defer.Deferred[str]]]] = {}
        self.locks: Mapping[tuple[str, str], util.MasterLock] = {
            (host, board_type): util.MasterLock(
                f"boards {board_type} of {host}", maxCount=len(names)
            )
            for (host, board_type), names in self._free.items()
        }

    def has(self, board_type: str) -> bool:
        """Return whether any host has boards of a type."""
        return any(board_type == there for _, there in self._all)

    def can(self, host: str | None, board_type: str, pinned: str | None = None) -> bool:
        """Return whether a host has a board of a type, or exactly the board `pinned`."""
        there = self._all.get((str(host), board_type), set())
        return bool(there) if pinned is None else pinned in there

    async def take(
        self,
        host: str | None,
        board_type: str,
        pinned: str | None = None,
        out: Collection[str] = (),
    ) -> str:
        """Reserve the board that has been free longest until `give_back`, and return its name.

        `pinned` requires exactly this board, even out of service, because a check must reach it.
        Otherwise boards in `out` are not used.  Raises LookupError with a sentence if there is
        no such board.
        """
        place = (str(host), board_type)
        known = self._all.get(place, set())
        wanted = known - set(out) if pinned is None else known & {pinned}
        if not known:
            raise LookupError(f"host {host} has no board of type {board_type!r}")
        if not wanted:
            if pinned is not None:
                raise LookupError(f"host {host} has no board {pinned} of type {board_type}")
            raise LookupError(
                f"all boards of type {board_type} are in maintenance ({', '.join(sorted(known))}):"
                " `vlag boards status` says why"
            )
        free = self._free[place]
        name = next((n for n in free if n in wanted), None)
        if name is not None:
            free.remove(name)
            return name
        taken: defer.Deferred[str] = defer.Deferred(lambda d: self._forget(place, d))
        self._waiting.setdefault(place, []).append((wanted, taken))
        return str(await taken)

    def _forget(self, place: tuple[str, str], taken: defer.Deferred[str]) -> None:
        waiting = self._waiting.get(place, [])
        self._waiting[place] = [entry for entry in waiting if entry[1] is not taken]

    def give_back(self, host: str | None, board_type: str, name: str) -> None:
        """Free a board, or give it to the build that has waited longest for it."""
        place = (str(host), board_type)
        for wanted, taken in self._waiting.get(place, []):
            if name in wanted:
                self._forget(place, taken)
                taken.callback(name)
                return
        self._free[place].append(name)

    def lock_of(self, host: str | None, properties: Properties) -> list[object]:
        """Return the locks of a build: one board of its type on the host."""
        lock = self.locks.get((str(host), properties.getProperty("board_type")))
        # A LAVA server assigns the boards of a lab.
        return [] if lock is None else [lock.access("counting")]
