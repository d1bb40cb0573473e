# SPDX-License-Identifier: GPL-2.0-only
"""The whole service on one machine, in the foreground: database, master, worker."""

from __future__ import annotations

import functools
import logging
import signal
import subprocess
from typing import TextIO

from attrs import Factory, define, field

from vlag import progress_log
from vlag.config import Settings
from vlag.errors import AwayError, ExitCode, InfrastructureError, UsageError, VlagError
from vlag.operate.service import folders, grafana, logs, master, pages, postgres, unit, worker
from vlag.operate.service.again import live
from vlag.operate.service.follow import (
    Nights,
    Until,
    first_is_due,
    follow,
    goes_on,
    last_report,
    print_report,
    resume,
    status_of,
)
from vlag.operate.service.prerequisites import check, disk
from vlag.operate.service.processes import Processes, permit_files, sweep
from vlag.operate.service.reload import Reload, Reloaded, start_anew, variables
from vlag.operate.service.stopping import Stopped, stoppable

log = logging.getLogger(__name__)

_NO_FIRST = (
    "there is no first look: it comes before everything else that is compared, if {path} has"
    " [first]; `make run ONCE=1` ends with a night's report"
)


def serve(settings: Settings, *, until: Until | None, out: TextIO) -> int:
    """Run the service until a signal, or `until` a part of the first night has ended.

    A part of a service without an end that fails is started again.  Returns an exit status: 0, 2
    for a fault that a person has to correct, 30 for a night whose known regressions were not
    flagged as predicted, 75 for a night that the infrastructure broke or, with `until`, a part of
    the service that died.
    """

    settings.state.mkdir(parents=True, exist_ok=True)
    permit_files()
    with progress_log.shown(progress_log.printer(out)):
        try:
            with folders.whole(settings.state):
                return _serve(settings, until=until)
        except VlagError as e:
            log.info(str(e))
            return e.exit_code
        except Reloaded:
            progress_log.now(())
            start_anew()


def _serve(settings: Settings, *, until: Until | None) -> int:
    last = last_report(settings, until)
    if not goes_on(settings, until, last) and last is not None:
        what = "first look" if until is Until.FIRST else "last night"
        log.info(f"the {what}'s report is {last}")
        if until is not None:
            print_report(last)
            return status_of(last)
    if until is Until.FIRST and settings.first is None:
        raise UsageError(_NO_FIRST.format(path=settings.path))
    postgres.stop_leftover(settings)
    sweep(settings.state)
    problems = check(settings)
    for problem in problems:
        log.info(problem)
    if problems:
        return ExitCode.USAGE
    service = _Service(
        settings=settings,
        # The pages and the database are of use without a worker; a single night is not.
        processes=Processes(
            settings=settings, spare=frozenset({"grafana"}), tireless=until is None
        ),
    )
    return service.run(until)


@define(kw_only=True)
class _Service:
    """The processes of one installation."""

    settings: Settings
    processes: Processes
    reload: Reload = field(default=Factory(lambda self: Reload(self.settings), takes_self=True))
    database: subprocess.Popen[bytes] | None = None
    has_room: bool = False

    def run(self, until: Until | None) -> int:
        """Run until a signal, or `until` a part of the first night; return the exit status."""
        attempt = functools.partial(self._attempt, until)
        with stoppable(self.reload.ask) as ignore:
            try:
                if until is not None:
                    return attempt()
                return live(attempt, lose=self.lose, watch=self.look_after)
            except Stopped:
                log.info("stopping; the next start resumes unfinished work")
                # The requested night did not finish: not a success.
                return 128 + signal.SIGINT if until else ExitCode.OK
            except VlagError as e:
                log.info(str(e))
                return int(e.exit_code)
            finally:
                ignore()
                self.stop()

    def _attempt(self, until: Until | None) -> int:
        since, look_first = self.start()
        if until is Until.FIRST and not look_first:
            raise UsageError(_NO_FIRST.format(path=self.settings.path))
        web = master.web_of(self.settings)
        start_night, there = resume(web, self.settings, until)
        if there is not None:
            print_report(there)
            return status_of(there)
        return follow(
            web,
            since=since,
            until=until,
            start_night=start_night,
            watch=self.watch,
            look_first=look_first,
            prepare=self.make_mirrors,
            nights=Nights(self.settings),
        )

    def start(self) -> tuple[int, bool]:
        """Start pages, database, master and worker, whichever does not run.

        The pages and the database need less room than a night: they are there while it is waited
        for.

        Returns the first build id of this start, and whether the first look is due.  The kernel
        sources are not imported yet: a remote that is slow keeps nobody from the pages.
        """
        settings, processes = self.settings, self.processes
        if len(settings.hosts) > 1:
            raise UsageError(
                f"{settings.path}: workers.hosts names {len(settings.hosts)} machines: start each"
                " part of the service by itself, `vlag serve --part master`, `--part worker"
                " --host NAME` and, for labs, `--part artifacts`"
            )
        host = settings.host(None)
        folders.make_folders(settings.state)
        folders.worker_password(settings)
        folders.make_secret(settings, "callback")
        if not processes.variables:  # once: what comes back has the settings of the start
            processes.variables = variables(settings)
        pages.start(processes)
        if settings.database is None and self.database is None:
            log.info("starting PostgreSQL")
            ready = postgres.prepare(settings)
            self.database = postgres.start(ready, processes.log("postgresql"))
        master.migrate(settings)
        self.need_room()
        look_first = first_is_due(settings)
        log.info("starting Buildbot")
        since = master.start(processes, master.web_of(settings))
        if settings.labs:
            where = f"{settings.listen}:{settings.artifacts_port}"
            argv = ["vlag", "artifacts", "--listen", where]
            processes.keep(
                "artifacts",
                lambda: processes.start("artifacts", settings.state, argv, "TERM"),
            )
        worker.start(processes, host)
        if "grafana" not in processes.running:
            self._start_grafana()
        unit.ready()
        log.info(f"the service is up: {settings.url} (Ctrl-C stops it)")
        return since, look_first

    def need_room(self) -> None:
        """Raise AwayError where a night has no room; what has started once comes back with less."""
        if not self.has_room and (lacks := disk(self.settings)):
            raise AwayError(lacks)
        self.has_room = True

    def lose(self) -> None:
        """End what does not survive that a part has failed; the worker waits for its master."""
        self.processes.lose("master")
        pages.renew(self.processes)
        if self.database is not None and self.database.poll() is not None:
            self.database = None

    def make_mirrors(self) -> None:
        """Import the kernel sources; a tree that fails does not end a service that goes on."""
        try:
            worker.make_mirrors(self.processes, self.watch)
        except worker.NotImportedError as e:
            if not self.processes.tireless:
                raise
            log.info(f"{e}; the other trees go on")

    def watch(self) -> None:
        """Start worker and artifact store again; raise InfrastructureError for another's end."""
        self.look_after()
        path = self.processes.log_of("postgresql")
        logs.bound(path)
        if self.database is not None and self.database.poll() is not None:
            raise InfrastructureError(
                f"the postgresql process ended unexpectedly (status {self.database.returncode}); "
                f"the end of {path}: {postgres.tail(path)}"
            )

    def look_after(self) -> None:
        """Look after what runs, and whether new settings are to be taken up."""
        self.reload.look()
        self.processes.watch()

    def stop(self) -> None:
        """Stop all started processes, the database last."""
        # The master first: it requeues running builds instead of losing its worker.
        self.processes.stop("master", "worker", "artifacts")
        if self.database is not None:
            postgres.stop(self.database)

    def _start_grafana(self) -> None:
        """Start Grafana if it is installed; the service does not need it."""
        program = grafana.program()
        if program is None:
            return
        settings = self.settings
        password = folders.make_secret(settings, "grafana")
        try:
            postgres.check_port(settings.grafana_port, "grafana", settings.path)
            ready = grafana.prepare(settings, program, password, settings.url)
        except UsageError as e:
            log.info(f"Grafana is not started: {e}")
            return
        self.processes.start("grafana", settings.state, ready.argv, "TERM", ready.environment)
        log.info(f"Grafana starts: {ready.url} (its user admin has the password in {password})")
