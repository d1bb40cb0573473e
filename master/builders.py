# SPDX-License-Identifier: GPL-2.0-only
"""The builders: `kernel` builds and fans out, `board` runs, `nightly` and `push` coordinate.

Each level waits only for the level below (coordinator, kernel, board), so a waiting build
never takes the last worker from the builds it waits for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from buildbot.plugins import util
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer

from master.check_steps import check_steps
from master.first import first_steps
from master.kernel import board_steps, kernel_steps
from master.lane_steps import lane_steps
from master.locks import CHECKS, NIGHT, BoardPool, Hosts
from master.night_steps import night_steps
from master.profile_steps import profile_steps
from master.push import push_steps
from master.titles import DESCRIPTIONS, TitledBuild
from master.try_steps import try_steps
from master.urgency import is_preceded
from vlag.config import Settings, workers
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose

#: Seconds that a master waits per kernel on its chosen host, so that less busy masters go first.
PATIENCE_S = 2.0


@frozen(kw_only=True)
class _Row:
    """One builder of this installation."""

    name: str
    steps: Sequence[object]
    workers: Sequence[str]
    tag: str
    locks: Any = ()  # of the whole build


@frozen(kw_only=True)
class _Workers:
    """Names of the workers of this master."""

    building: Sequence[str]
    running: Sequence[str]

    @classmethod
    def of(cls, settings: Settings, catalogue: Catalogue) -> _Workers:
        building: list[str] = []
        running: list[str] = []
        for host in settings.own_hosts:
            local = workers.names(settings, catalogue, host)
            building += local if "build" in host.takes else ()
            running += local if "run" in host.takes else ()
            running += workers.lab_names(settings, catalogue, host)
        return cls(building=building, running=running)

    @property
    def one(self) -> Sequence[str]:
        """The worker of a builder that builds one request at a time, the oldest first.

        A lock would not keep the order: Buildbot skips a request whose lock is held.
        """
        return self.building[:1]


def build_all(settings: Settings, catalogue: Catalogue) -> list[util.BuilderConfig]:
    """Return the builders of this installation.

    Raises UsageError for boards that no host can reach.
    """
    hosts = Hosts(settings, catalogue)
    pool, elsewhere = _boards(settings, catalogue)
    fits = runner_check(pool, hosts, elsewhere)
    own = _Workers.of(settings, catalogue)
    patience_s = PATIENCE_S if len(settings.masters) > 1 else 0
    choosers = {
        "kernel": worker_chooser("".join(own.building[-1:]), hosts.of_worker, patience_s),
        "board": runner_chooser(fits, hosts.of_worker),
    }
    rows = _shared_rows(settings, catalogue, own, pool, hosts)
    if settings.leads:
        rows += _leading_rows(settings, catalogue, own, hosts)
    return [
        util.BuilderConfig(
            name=row.name,
            description=DESCRIPTIONS[row.name],
            workernames=list(row.workers),
            factory=_factory(row.steps),
            locks=row.locks,
            tags=[row.tag],
            collapseRequests=False,  # every commit and every run is needed
            nextWorker=choosers.get(row.name),
            canStartBuild=in_turn(fits, pool) if row.name == "board" else None,
        )
        for row in rows
        if row.workers
    ]


def _boards(settings: Settings, catalogue: Catalogue) -> tuple[BoardPool, set[str]]:
    """Return the boards of this master's hosts, and the types that other masters have as well."""
    own = {host.name for host in settings.own_hosts}
    placed = [
        (host, board)
        for board in catalogue.boards
        if (host := workers.host_of(settings, board)) is not None
    ]
    pool = BoardPool((host, board) for host, board in placed if host in own)
    return pool, {board.board_type for host, board in placed if host not in own}


def _shared_rows(
    settings: Settings, catalogue: Catalogue, own: _Workers, pool: BoardPool, hosts: Hosts
) -> list[_Row]:
    """Return the builders of every master."""
    boots = board_steps(settings, catalogue, pool, hosts)
    lock = util.renderer(lambda properties: pool.lock_of(hosts.of(properties), properties))
    return [
        _Row(
            name="kernel", steps=kernel_steps(catalogue, hosts), workers=own.building, tag="build"
        ),
        _Row(name="board", steps=boots, workers=own.running, locks=lock, tag="run"),
    ]


def _leading_rows(
    settings: Settings, catalogue: Catalogue, own: _Workers, hosts: Hosts
) -> list[_Row]:
    """Return the builders that coordinate and run on the leading master only."""
    night, checks = [NIGHT.access("exclusive")], [CHECKS.access("exclusive")]
    rows = [
        _Row(
            name="nightly",
            steps=night_steps(settings, catalogue),
            workers=own.building,
            locks=night,
            tag="night",
        ),
        _Row(
            name="check",
            steps=check_steps(settings, catalogue),
            workers=own.building,
            locks=checks,
            tag="run",
        ),
        _Row(name="push", steps=push_steps(settings, catalogue), workers=own.one, tag="push"),
        # Two at a time would ask for the same boots.
        _Row(name="profile", steps=profile_steps(settings), workers=own.one, tag="run"),
        _Row(name="try", steps=try_steps(catalogue), workers=own.one, tag="try"),
    ]
    if settings.first is not None:
        looks = first_steps(settings.first, catalogue, settings)
        rows.append(_Row(name="first", steps=looks, workers=own.one, tag="run"))
    if any(b.lanes for b in settings.branches):
        rows.append(_Row(name="lanes", steps=lane_steps(hosts), workers=own.one, tag="build"))
    return rows


def _factory(steps: Any) -> util.BuildFactory:
    made = util.BuildFactory(steps)
    made.buildClass = TitledBuild
    return made


#: Purposes with many kernels: they leave a worker to the others.
_LONG = (Purpose.NIGHT, Purpose.TRY, Purpose.EXPLAIN)


def worker_chooser(
    reserved: str, host_of: Mapping[str, str], patience_s: float = 0
) -> Callable[[Any, Sequence[Any], Any], Any]:
    """Return the function that chooses a kernel's worker; those of `_LONG` keep `reserved` free.

    Otherwise their kernels, each waiting for all its runs, would delay a push.  It chooses the
    host with the fewest kernels.  With `patience_s` a master with less busy hosts goes first:
    each master waits `patience_s` seconds per kernel on its chosen host.
    """
    seen: dict[int, float] = {}

    def choose(builder: Any, workers: Sequence[Any], request: Any) -> Any:
        if request.properties.getProperty("purpose") in _LONG:
            workers = [w for w in workers if w.worker.workername != reserved]
        worker = least_busy(builder, workers, host_of)
        if worker is None or not patience_s:
            return worker
        reactor = builder.master.reactor
        now = reactor.seconds()
        host = host_of.get(worker.worker.workername)
        busy = sum(host_of.get(b.workername) == host for b in builder.building)
        left = seen.setdefault(request.id, now) + busy * patience_s - now
        if left <= 0:
            seen.clear()  # the other requests start over; most have gone to other masters
            return worker
        reactor.callLater(left, builder.master.botmaster.maybeStartBuildsForBuilder, builder.name)
        return None

    return choose


def least_busy(builder: Any, workers: Sequence[Any], host_of: Mapping[str, str]) -> Any:
    """Return a worker of the host with the fewest builds of a builder."""
    busy = Counter(host_of.get(build.workername) for build in getattr(builder, "building", ()))
    return min(workers, key=lambda w: busy[host_of.get(w.worker.workername)], default=None)


def runner_check(
    pool: BoardPool, hosts: Hosts, elsewhere: Collection[str] = ()
) -> Callable[[Any, Any, Any], bool]:
    """Return the function that decides whether a worker may take a run.

    The worker must belong to a host with the requested board.  Runs in a lab have their own
    workers, so they do not delay boards of a host.  Board types in `elsewhere` belong to
    another master.
    """

    def fits(_builder: object, worker: Any, request: Any) -> bool:
        name = worker.worker.workername
        board_type = request.properties.getProperty("board_type")
        if not pool.has(board_type):
            return name in hosts.for_labs and board_type not in elsewhere
        pinned = request.properties.getProperty("pinned")
        return name not in hosts.for_labs and pool.can(hosts.of_worker[name], board_type, pinned)

    return fits


def in_turn(
    fits: Callable[[Any, Any, Any], bool], pool: BoardPool
) -> Callable[[Any, Any, Any], defer.Deferred[bool]]:
    """Return the function that decides whether a run may start: nothing more urgent waits for it.

    A LAVA server has an order of its own, so runs in a lab go to it at once.
    """

    @async_to_deferred
    async def may_start(builder: Any, worker: Any, request: Any) -> bool:
        if not fits(builder, worker, request):
            return False
        board_type = request.properties.getProperty("board_type")
        return not (pool.has(board_type) and await is_preceded(builder, request, board_type))

    return may_start


def runner_chooser(
    fits: Callable[[Any, Any, Any], bool], host_of: Mapping[str, str]
) -> Callable[[Any, Sequence[Any], Any], Any]:
    """Return the function that chooses a run's worker: one that fits, on the least busy host."""

    def choose(builder: Any, workers: Sequence[Any], request: Any) -> Any:
        fit = [w for w in workers if fits(builder, w, request)]
        return least_busy(builder, fit, host_of)

    return choose


def secret(path: Path) -> str:
    """Return the content of a secret file; the service writes it before it starts the master."""
    return path.read_text(encoding="ascii").strip()
