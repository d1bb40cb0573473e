# mypy: ignore-errors
# Buildbot's steps and decorators have no types that mypy could follow.
"""The builders: `kernel` builds and fans out, `board` runs, `nightly` and `push` coordinate.

Each level waits only for the one below (coordinator, kernel, board), so that
builds which wait can never take the last worker from what they wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from buildbot.plugins import util

from master.checks import check_steps
from master.kernel import board_steps, kernel_steps
from master.locks import CHECKS, NIGHT, BoardPool
from master.night import night_steps
from master.push import push_steps
from vlag.pipeline.catalogue import Catalogue
from vlag.pipeline.lanes import Lane
from vlag.pipeline.service import lab_worker_names, worker_names
from vlag.pipeline.settings import Settings


def build_all(settings: Settings, catalogue: Catalogue) -> list[util.BuilderConfig]:
    """Return the builders of this installation."""
    pool = BoardPool(catalogue.boards)
    workers = worker_names(catalogue)
    runners = [*workers, *lab_worker_names(catalogue)]
    run_steps = board_steps(settings, catalogue, pool)
    night = [NIGHT.access("exclusive")]
    choosers = {"kernel": worker_chooser(workers[-1]), "board": runner_chooser(pool, workers)}
    rows = (
        # name, steps, workers, locks of the whole build, tags
        ("kernel", kernel_steps(catalogue), workers, [], ["build"]),
        ("board", run_steps, runners, util.renderer(pool.lock_of), ["run"]),
        ("nightly", night_steps(settings, catalogue), workers, night, ["night"]),
        ("check", check_steps(settings, catalogue), workers, [CHECKS.access("exclusive")], ["run"]),
        # One worker: one push at a time, and always the oldest that waits.  A lock would
        # not keep the order: a request that finds it held is passed over for the next.
        ("push", push_steps(settings, catalogue), workers[:1], [], ["push"]),
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
        )
        for name, steps, names, locks, tags in rows
    ]


def worker_chooser(reserved: str) -> Callable[[object, Sequence[object], object], object | None]:
    """Return the choice of a kernel's worker; nights leave the worker `reserved` free.

    Else the kernels of a night, each of which waits for all its runs, would
    keep a push waiting.
    """

    def choose(_builder: object, workers: Sequence[object], request: object) -> object | None:
        if request.properties.getProperty("lane") == Lane.NIGHT:
            workers = [w for w in workers if w.worker.workername != reserved]
        return workers[0] if workers else None

    return choose


def runner_chooser(
    pool: BoardPool, here: Sequence[str]
) -> Callable[[object, Sequence[object], object], object | None]:
    """Return the choice of a run's worker: those named `here` are for this machine's boards.

    What waits for a lab keeps no board of this machine waiting.
    """

    def choose(_builder: object, workers: Sequence[object], request: object) -> object | None:
        local = pool.has(request.properties.getProperty("board_type"))
        fit = [w for w in workers if (w.worker.workername in here) == local]
        return fit[0] if fit else None

    return choose


def secret(path: Path) -> str:
    """Return the content of a secret's file; the service writes them before it starts us."""
    return path.read_text(encoding="ascii").strip()
