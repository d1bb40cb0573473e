"""The builders: `kernel` builds and fans out, `board` runs, `nightly` and `push` coordinate.

Each level waits only for the one below (coordinator, kernel, board), so that
builds which wait can never take the last worker from what they wait for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildbot.plugins import util

from master.checks import check_steps
from master.kernel import board_steps, kernel_steps
from master.locks import CHECKS, NIGHT, BoardPool, Hosts
from master.night import night_steps
from master.push import push_steps
from vlag.config import Settings, workers
from vlag.config.catalogue import Catalogue
from vlag.model import Purpose

#: What any of several masters takes; all else coordinates, on the one that leads.
SHARED = ("kernel", "board")

#: Seconds that a master leaves a kernel to others for each one that its host has already.
PATIENCE_S = 2.0


def build_all(settings: Settings, catalogue: Catalogue) -> list[util.BuilderConfig]:
    """Return the builders of this installation; UsageError for boards that no host can reach."""
    hosts = Hosts(settings, catalogue)
    own = {host.name for host in settings.own_hosts}
    placed = [
        (host, board)
        for board in catalogue.boards
        if (host := workers.host_of(settings, board)) is not None
    ]
    pool = BoardPool((host, board) for host, board in placed if host in own)
    elsewhere = {board.board_type for host, board in placed if host not in own}
    building = [
        name
        for host in settings.own_hosts
        if "build" in host.takes
        for name in workers.names(settings, catalogue, host)
    ]
    running = [
        name
        for host in settings.own_hosts
        for name in (
            *(workers.names(settings, catalogue, host) if "run" in host.takes else ()),
            *workers.lab_names(settings, catalogue, host),
        )
    ]
    night = [NIGHT.access("exclusive")]
    fits = runner_check(pool, hosts, elsewhere)
    choosers = {
        "kernel": worker_chooser(
            "".join(building[-1:]), hosts.of_worker, PATIENCE_S if len(settings.masters) > 1 else 0
        ),
        "board": runner_chooser(fits, hosts.of_worker),
    }
    run_locks = util.renderer(lambda properties: pool.lock_of(hosts.of(properties), properties))
    rows: tuple[tuple[str, Any, Sequence[str], Any, list[str]], ...] = (
        # name, steps, workers, locks of the whole build, tags
        ("kernel", kernel_steps(catalogue, hosts), building, [], ["build"]),
        ("board", board_steps(settings, catalogue, pool, hosts), running, run_locks, ["run"]),
        ("nightly", night_steps(settings, catalogue), building, night, ["night"]),
        (
            "check",
            check_steps(settings, catalogue),
            building,
            [CHECKS.access("exclusive")],
            ["run"],
        ),
        # One worker: one push at a time, and always the oldest that waits.  A lock would
        # not keep the order: a request that finds it held is passed over for the next.
        ("push", push_steps(settings, catalogue), building[:1], [], ["push"]),
    )
    return [
        util.BuilderConfig(
            name=name,
            workernames=list(names),
            factory=util.BuildFactory(steps),
            locks=locks,
            tags=tags,
            collapseRequests=False,  # each commit and each run is asked for on purpose
            nextWorker=choosers.get(name),
            canStartBuild=fits if name == "board" else None,
        )
        for name, steps, names, locks, tags in rows
        if names and (settings.leads or name in SHARED)
    ]


def worker_chooser(
    reserved: str, host_of: Mapping[str, str], patience_s: float = 0
) -> Callable[[Any, Sequence[Any], Any], Any]:
    """Return the choice of a kernel's worker; nights leave the worker `reserved` free.

    Else the kernels of a night, each of which waits for all its runs, would
    keep a push waiting.  Of several hosts the one with the fewest kernels is chosen.
    With `patience_s` another master goes first whose hosts have fewer: each waits so many
    seconds for each kernel that its chosen host has.
    """
    seen: dict[int, float] = {}

    def choose(builder: Any, workers: Sequence[Any], request: Any) -> Any:
        if request.properties.getProperty("purpose") == Purpose.NIGHT:
            workers = [w for w in workers if w.worker.workername != reserved]
        found = least_busy(builder, workers, host_of)
        if found is None or not patience_s:
            return found
        reactor = builder.master.reactor
        now = reactor.seconds()
        host = host_of.get(found.worker.workername)
        busy = sum(host_of.get(b.workername) == host for b in builder.building)
        left = seen.setdefault(request.id, now) + busy * patience_s - now
        if left <= 0:
            seen.clear()  # others are looked at anew; most of them have gone to other masters
            return found
        reactor.callLater(left, builder.master.botmaster.maybeStartBuildsForBuilder, builder.name)
        return None

    return choose


def least_busy(builder: Any, workers: Sequence[Any], host_of: Mapping[str, str]) -> Any:
    """Return a worker of the host that has the fewest builds of a builder."""
    busy = Counter(host_of.get(build.workername) for build in getattr(builder, "building", ()))
    return min(workers, key=lambda w: busy[host_of.get(w.worker.workername)], default=None)


def runner_check(
    pool: BoardPool, hosts: Hosts, elsewhere: Collection[str] = ()
) -> Callable[[Any, Any, Any], bool]:
    """Return whether a worker may have a run: it is of the host whose board is asked for.

    What waits for a lab has workers of its own: it keeps no board of a host waiting.  Board
    types that are only `elsewhere` are another master's.
    """

    def fits(_builder: object, worker: Any, request: Any) -> bool:
        name = worker.worker.workername
        board_type = request.properties.getProperty("board_type")
        if not pool.has(board_type):
            return name in hosts.for_labs and board_type not in elsewhere
        pinned = request.properties.getProperty("pinned")
        return name not in hosts.for_labs and pool.can(hosts.of_worker[name], board_type, pinned)

    return fits


def runner_chooser(
    fits: Callable[[Any, Any, Any], bool], host_of: Mapping[str, str]
) -> Callable[[Any, Sequence[Any], Any], Any]:
    """Return the choice of a run's worker: one that fits, of the host with the fewest runs."""

    def choose(builder: Any, workers: Sequence[Any], request: Any) -> Any:
        fit = [w for w in workers if fits(builder, w, request)]
        return least_busy(builder, fit, host_of)

    return choose


def secret(path: Path) -> str:
    """Return the content of a secret's file; the service writes them before it starts us."""
    return path.read_text(encoding="ascii").strip()
