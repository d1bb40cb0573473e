# SPDX-License-Identifier: GPL-2.0-only
"""One part of the service in the foreground: master, a host's worker, or artifact store.

Parts share PostgreSQL and the folder `state`, which all their machines mount.
"""

from __future__ import annotations

import functools
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import psycopg
from attrs import frozen

from vlag import progress_log
from vlag.buildbot import Web
from vlag.config import Host, Settings, catalogue, workers
from vlag.config.settings import reachable
from vlag.errors import AwayError, ExitCode, InfrastructureError, UsageError, VlagError
from vlag.operate.service import folders, master, pages, prerequisites, unit, worker
from vlag.operate.service.again import live
from vlag.operate.service.follow import (
    Nights,
    Until,
    follow,
    goes_on,
    last_report,
    print_report,
    resume,
    status_of,
)
from vlag.operate.service.processes import Processes, permit_files, sweep
from vlag.operate.service.reload import Reload, Reloaded, start_anew, variables
from vlag.operate.service.stopping import Stopped, stoppable
from vlag.store import database

log = logging.getLogger(__name__)

PARTS = ("master", "worker", "artifacts")
#: Seconds between two messages about a wait.
_AGAIN_S = 15

#: Seconds between two checks of a process.
_LOOK_S = 0.5
#: Seconds between two questions whether a master that does not lead still answers.
_ASK_S = 30
#: Seconds before what is missing is looked for again: first and at last.
_FIRST_S, _LAST_S = 0.2, 5.0


def serve_part(
    settings: Settings,
    part: str,
    *,
    host: str | None,
    name: str | None = None,
    until: Until | None,
    wait_s: float,
    out: TextIO,
) -> int:
    """Run one of PARTS until a signal; the master `until` a part of the first night has ended.

    `host` is the name of this machine among the worker hosts, `name` that of the master
    if there are several, `wait_s` the seconds to wait for a missing part.  Returns an exit
    status: 0, 2 for a fault that a person has to correct, 75 for a wait that ran out or a
    process that died.
    """

    status: int = ExitCode.OK
    permit_files()
    reload = Reload(settings)
    reloaded = False
    with progress_log.shown(progress_log.printer(out)), stoppable(reload.ask) as ignore:
        try:
            start = _Start(wait_s=wait_s, reload=reload, ignore=ignore)
            _check_request(settings, part, host)
            if part == "worker":
                status = start.worker(settings, host)
            elif part == "master":
                status = start.master(settings, name, until)
            else:
                status = start.artifacts(settings)
        except Stopped:
            log.info("stopping; the next start resumes unfinished work")
            status = 128 + signal.SIGINT if until else ExitCode.OK
        except VlagError as e:
            log.info(str(e))
            status = e.exit_code
        except Reloaded:
            reloaded = True
    if reloaded:
        start_anew()
    return int(status)


def _check_request(settings: Settings, part: str, host: str | None) -> None:
    """Raise UsageError for a part that cannot run by itself, or has no host."""
    if settings.database is None and part != "artifacts":
        raise UsageError(
            f"{settings.path}: database: missing; parts of the service share a PostgreSQL"
            " server; give its address (or run all parts at once: `vlag serve`)"
        )
    if host is not None and part != "worker":
        raise UsageError(f"--host {host}: only a worker has a host name; leave it out")


@frozen(kw_only=True)
class _Start:
    """How a part starts: alone of its kind in the folder `state`."""

    wait_s: float
    reload: Reload
    ignore: Callable[[], None]

    def worker(self, settings: Settings, host: str | None) -> int:
        own = settings.host(host)
        name = f"worker-{own.name}"
        with self._part(settings.of_master(own.master), name, f"worker of host {own.name}") as part:
            return part.worker(own)

    def master(self, settings: Settings, name: str | None, until: Until | None) -> int:
        settings = settings.of_master(name)
        folder, words = "master", "master"
        if settings.master is not None:
            folder, words = f"master-{settings.master.name}", f"master {name}"
        with self._part(settings, folder, words) as part:
            return part.master(until)

    def artifacts(self, settings: Settings) -> int:
        with self._part(settings, "artifacts", "artifact store") as part:
            return part.artifacts()

    @contextmanager
    def _part(self, settings: Settings, name: str, words: str) -> Iterator[_Part]:
        with folders.one_part(settings.state, name, words):
            yield _Part.of(settings, name, self.wait_s, self.reload, self.ignore)


class _Part:
    """Steps that all parts have in common."""

    def __init__(
        self, processes: Processes, wait_s: float, reload: Reload, ignore: Callable[[], None]
    ):
        self.processes = processes
        self.reload = reload
        self.settings = processes.settings
        self.deadline = time.monotonic() + wait_s
        self.wait_s = wait_s
        self.ignore = ignore

    @classmethod
    def of(
        cls,
        settings: Settings,
        part: str,
        wait_s: float,
        reload: Reload,
        ignore: Callable[[], None],
    ) -> _Part:
        """Return a part without running processes; end those that an earlier one left."""
        sweep(settings.state, part)
        processes = Processes(settings=settings, part=part)
        return cls(processes, wait_s, reload, ignore)

    def master(self, until: Until | None) -> int:
        settings = self.settings
        last = last_report(settings, until)
        if until and not settings.leads:
            raise UsageError("--once: only the first master knows of nights; leave it out")
        if settings.leads and not goes_on(settings, until, last) and last is not None:
            log.info(f"the last night's report is {last}")
            if until:
                print_report(last)
                return status_of(last)
        self.refuse(prerequisites.check_master(settings))
        folders.make_folders(settings.state)
        folders.worker_password(settings)
        folders.make_secret(settings, "callback")
        # Once: a master that comes back does so with the settings of its start.
        self.processes.variables = {**variables(settings), **master.git_environment(settings)}

        def attempt() -> int:
            pages.start(self.processes)
            with folders.upgrading(settings.state):
                master.migrate(settings)
            log.info("starting Buildbot")
            since = master.start(self.processes, master.web_of(settings))
            unit.ready()
            log.info(f"the master is up: {settings.url}")
            if not settings.leads:
                return self.wait_for_end(master.web_of(settings))
            web = master.web_of(settings)
            start_night, there = resume(web, settings, until)
            if there is not None:
                print_report(there)
                return int(status_of(there))
            return follow(
                web,
                since=since,
                until=until,
                start_night=start_night,
                watch=self.watch,
                nights=Nights(settings),
            )

        def lose() -> None:
            self.processes.lose("master")
            pages.renew(self.processes)
            self.deadline = time.monotonic() + self.wait_s
            self.need_database()

        try:
            pages.start(self.processes)
            self.need_database()
            if until:
                return attempt()
            return live(attempt, lose=lose, watch=self.watch)
        finally:
            self.stop("master")

    def worker(self, host: Host) -> int:
        settings = self.settings
        known = catalogue.of(settings)
        if not workers.all_names(settings, known, host):
            raise UsageError(
                f"host {host.name} has nothing to do: {settings.inventory} has no board of a lab,"
                f" and it takes only {' and '.join(host.takes)} in {settings.path}"
            )
        self.refuse(prerequisites.check_worker(settings, host.takes))
        if "build" in host.takes:
            self.need("room", lambda: prerequisites.disk(settings))
        folders.make_folders(settings.state)
        self.need_database()
        if settings.worker_password is not None:
            folders.worker_password(settings)
        self.need_file(settings.worker_password_file, "the master makes it")
        self.processes.variables = variables(settings)
        try:
            if "build" in host.takes:
                try:
                    worker.make_mirrors(self.processes, self.watch)
                except worker.NotImportedError as e:
                    log.info(f"{e}; the other trees go on")
            self.need_master()
            worker.start(self.processes, host)
            unit.ready()
            log.info(f"the worker of host {host.name} is up; takes {', '.join(host.takes)}")
            return self.wait_for_end()
        finally:
            self.stop("worker")

    def artifacts(self) -> int:
        settings = self.settings
        port, listen = settings.artifacts_port, settings.listen
        self.refuse(prerequisites.check_artifacts(settings))
        folders.make_folders(settings.state, "artifacts")
        self.processes.variables = variables(settings)
        try:
            where = f"[{listen}]:{port}" if ":" in listen else f"{listen}:{port}"
            argv = ["vlag", "artifacts", "--listen", where]
            self.processes.keep(
                "artifacts",
                lambda: self.processes.start("artifacts", settings.state, argv, "TERM"),
            )
            while not _accepts(reachable(listen), port):
                self.watch()
                time.sleep(0.2)
            unit.ready()
            log.info(f"the artifact store is up: {where}")
            return self.wait_for_end()
        finally:
            self.stop("artifacts")

    def watch(self) -> None:
        """Look after the processes, and whether new settings are to be taken up."""
        self.reload.look()
        self.processes.watch()

    def stop(self, name: str) -> None:
        self.ignore()
        self.processes.stop(name)

    def wait_for_end(self, web: Web | None = None) -> int:
        """Look after the processes until a signal, and whether the master at `web` answers."""
        asked = time.monotonic()
        while True:
            self.watch()
            if web is not None and time.monotonic() >= asked + _ASK_S:
                web.get("/masters")
                asked = time.monotonic()
            time.sleep(_LOOK_S)

    def refuse(self, problems: Sequence[str]) -> None:
        """Raise UsageError with the last fault that prevents this part; print the others."""
        for problem in problems[:-1]:
            log.info(problem)
        if problems:
            raise UsageError(problems[-1])

    def need_database(self) -> None:
        """Wait until both databases accept us; UsageError if the server refuses us."""
        for name in ("vlag", "buildbot"):
            dsn = self.settings.dsn(name)

            self.need("the database", functools.partial(refusal, dsn, self.settings.path))

    def need_file(self, path: Path, who: str) -> None:
        """Wait for a file of another part."""

        def missing() -> str | None:
            if os.access(path, os.R_OK):
                return None
            return f"{path}: {'cannot be read' if path.exists() else 'is not there'}; {who}"

        self.need("a secret", missing)

    def need_master(self) -> None:
        """Wait until the master answers at its port for workers."""
        where = (worker.master_host(self.settings), self.settings.worker_port)

        def missing() -> str | None:
            try:
                socket.create_connection(where, timeout=5).close()
            except OSError as e:
                at = f"{where[0]}:{where[1]} ({e.strerror or e})"
                return f"no master answers at {at}; set {worker.MASTER} to its host"
            return None

        self.need("the master", missing)

    def need(self, what: str, missing: Callable[[], str | None]) -> None:
        """Wait until nothing is missing; InfrastructureError, to end this part, at the limit."""
        due, pause_s = 0.0, _FIRST_S
        while (sentence := missing()) is not None:
            self.watch()
            now = time.monotonic()
            if now >= self.deadline:
                said_last = f"{sentence}; waited {self.wait_s:.0f} s for {what}"
                raise InfrastructureError(said_last, retry=False)
            if now >= due:
                log.info(f"waiting for {what}: {sentence}")
                unit.status(f"waiting for {what}: {sentence}")
                due = now + _AGAIN_S
            time.sleep(min(pause_s, max(0.05, self.deadline - now)))
            pause_s = min(2 * pause_s, _LAST_S)


def refusal(dsn: str, path: Path) -> str | None:
    """Return why a database does not accept us yet, or None; UsageError where it never will.

    `path` is the file of the settings that name it.
    """
    try:
        psycopg.connect(dsn).close()
    except psycopg.Error as e:
        error = database.explain(e, dsn)
        reason = str(error).partition("; is the service")[0]
        if not isinstance(error, AwayError):
            raise UsageError(f"{reason}: see [database] in {path}") from None
        return reason
    return None


def _accepts(host: str, port: int) -> bool:
    """Return whether a server listens on a port."""
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True
