"""The whole service on one machine, in the foreground: database, master, worker."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TextIO

from attrs import define, field

from vlag import ROOT
from vlag.errors import ExitCode, InfrastructureError, UsageError, VlagError
from vlag.lock import hold
from vlag.pipeline import catalogue, cluster, grafana
from vlag.pipeline.progress import SUCCESS, WARNINGS, Progress, Web
from vlag.pipeline.settings import Settings

#: Programs the stages need, with the Debian package of each.
PROGRAMS: Mapping[str, str] = {
    "qemu-system-x86_64": "qemu-system-x86",
    "lava-run": "lava-dispatcher",
    "mmdebstrap": "mmdebstrap",
    "ccache": "ccache",
    "git": "git",
    "gcc": "gcc",
    "setpriv": "util-linux",
}

#: Two kernel trees with objects, their mirror, the compiler's cache and the runs of a night.
DISK_FREE_GB = 8

#: In the environment of every process that the service starts, and of theirs: what
#: lava-run or an emulator put into a session of its own is still known as ours.
MARK = "VLAG_SERVICE_STATE"

MASTER_START_S = 120
POLL_S = 2.0
GRACE_S = 15

_TAC = """# Written by `vlag serve` at each start.
from buildbot.master import BuildMaster
from twisted.application import service

configfile = {configuration!r}  # `buildbot upgrade-master` looks for this name
application = service.Application('buildmaster')
BuildMaster({basedir!r}, configfile).setServiceParent(application)
"""


class _Stopped(BaseException):
    """A SIGINT or SIGTERM; passes every `except Exception` on its way to the end."""


def serve(settings: Settings, *, once: bool, out: TextIO) -> int:
    """Run the service until a signal, or with `once` until the first night has ended.

    Returns an exit status: 0, 2 for what a person has to put right, 75 for a
    night that the infrastructure spoilt or a part of the service that died.
    """

    def say(text: str) -> None:
        print(text, file=out, flush=True)

    settings.state.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(_only_one(settings.state))
        except UsageError as e:
            say(str(e))
            return e.exit_code
        last = last_report(settings)
        if last is not None:
            say(f"the last night's report is {last}")
            if once:
                say(last.read_text(encoding="utf-8"))
                return ExitCode.OK
        cluster.stop_leftover(settings)
        _sweep(settings.state)
        problems = check(settings)
        for problem in problems:
            say(problem)
        if problems:
            return ExitCode.USAGE
        return _serve(settings, once=once, start_night=last is None, say=say)


def check(settings: Settings) -> list[str]:
    """Return what keeps the service from running, a sentence each."""
    found = []
    if os.geteuid() != 0:
        found.append("lava-run needs root to prepare a board: start the service as root (sudo)")
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            found.append(
                f"the program {program} is missing: install the Debian package {package} "
                "(`make setup` does it)"
            )
    free_gb = shutil.disk_usage(settings.state).free / 1e9
    if free_gb < DISK_FREE_GB:
        found.append(
            f"only {free_gb:.1f} GB are free under {settings.state}, a night needs {DISK_FREE_GB}: "
            f"make room, or change state in {settings.path}"
        )
    lab_ports = (("callback", settings.callback_port), ("artifacts", settings.artifacts_port))
    attempts: list[Callable[[], object]] = [cluster.find_programs]
    for key, port in (
        ("postgresql", settings.postgresql_port),
        ("web", settings.web_port),
        ("worker", settings.worker_port),
        *(lab_ports if settings.labs else ()),
    ):
        attempts.append(lambda port=port, key=key: cluster.check_port(port, key, settings.path))  # type: ignore[misc]
    for attempt in attempts:
        try:
            attempt()
        except UsageError as e:
            found.append(str(e))
    return found


def worker_names(known: catalogue.Catalogue, cpus: int | None = None) -> list[str]:
    """Return the workers' names: as many as builds of one kind may be at work at once.

    Buildbot gives a worker at most one build of each builder at a time.  More
    runs than boards or CPUs would only wait; two is the least: a head and its
    baseline wait side by side.  One more is kept for the kernels of pushes.
    """
    here = sum(board.lab is None for board in known.boards)
    lanes = min(here, cpus or os.cpu_count() or 1)
    return [f"local-{i}" for i in range(1, max(2, lanes) + 2)]


def lab_worker_names(known: catalogue.Catalogue) -> list[str]:
    """Return the names under which the worker follows the jobs of labs, which cost nothing here.

    Two a board: a lab has the next job of a board before the one on it has ended.
    """
    return [f"lab-{i}" for i in range(1, 2 * sum(b.lab is not None for b in known.boards) + 1)]


def last_report(settings: Settings) -> Path | None:
    """Return the newest report of a night that has ended."""
    return max((settings.state / "reports").glob("*.txt"), default=None)


def _only_one(state: Path) -> AbstractContextManager[None]:
    def refuse() -> None:
        raise UsageError(
            f"another service already runs on {state}: stop it, or give this one another state "
            "folder in its settings"
        )

    return hold(state / "lock", refuse)


def _serve(settings: Settings, *, once: bool, start_night: bool, say: Callable[[str], None]) -> int:
    service = _Service(settings=settings, say=say)

    def stop(number: int, frame: object) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    status: int = ExitCode.OK
    try:
        service.start()
        status = service.follow(once=once, start_night=start_night)
    except _Stopped:
        say("stopping; what was going on is taken up again at the next start")
        # Asked for one night and did not get it: not a success.
        status = 128 + signal.SIGINT if once else ExitCode.OK
    except VlagError as e:
        say(str(e))
        status = e.exit_code
    finally:
        # A second Ctrl-C must not leave half of the processes behind.
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        service.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
    return int(status)


@define(kw_only=True)
class _Service:
    """The processes of one installation."""

    settings: Settings
    say: Callable[[str], None]
    children: dict[str, subprocess.Popen[bytes]] = field(factory=dict)
    database: subprocess.Popen[bytes] | None = None
    since: int = 0  # first build id of this life of the service

    @property
    def state(self) -> Path:
        return self.settings.state

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.web_port}/"

    def start(self) -> None:
        """Start database, master and worker; return when the web interface answers."""
        for name in ("log", "reports", "builds", "runs", "mirrors", "master", "worker"):
            (self.state / name).mkdir(exist_ok=True)
        self._make_secret("worker")
        self._make_secret("callback")
        # Buildbot's pollers ask the mirrors as soon as they start.
        self._make_mirrors()
        self.say("starting PostgreSQL")
        ready = cluster.prepare(self.settings)
        self.database = cluster.start(ready, self._log("postgresql"))
        _migrate(self.settings.dsn(), self.say)
        self.say("starting Buildbot")
        basedir = self.state / "master"
        configuration = ROOT / "master" / "master.cfg"
        (basedir / "buildbot.tac").write_text(
            _TAC.format(basedir=str(basedir), configuration=str(configuration)), encoding="utf-8"
        )
        self._upgrade(basedir)
        # A master that is killed is like one that crashed, which its database survives;
        # a worker needs the moment to kill what it has started.
        self._spawn("master", basedir, basedir / "buildbot.tac", "KILL")
        web = Web(self.settings.web_port)
        deadline = time.monotonic() + MASTER_START_S
        while not web.answers():
            self.watch()
            if time.monotonic() > deadline:
                raise InfrastructureError(f"Buildbot did not answer within {MASTER_START_S} s")
            time.sleep(0.2)
        # Nothing can begin yet: there is no worker.
        self._drop_orphans(web)
        self.since = 1 + max(
            (b["buildid"] for b in web.get("/builds", order="-buildid", limit=1)), default=0
        )
        if self.settings.labs:
            where = f"{self.settings.listen}:{self.settings.artifacts_port}"
            self._start("artifacts", self.state, ["vlag", "artifacts", "--listen", where], "TERM")
        self._spawn("worker", self.state / "worker", ROOT / "workers" / "buildbot.tac", "TERM")
        self._start_grafana()
        self.say(f"the service is up: {self.url} (Ctrl-C stops it)")

    def _make_mirrors(self) -> None:
        """Run `vlag mirror`, passing on what it says."""
        with subprocess.Popen(
            ["vlag", "mirror"],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            last = ""
            try:
                for line in child.stderr or ():
                    last = line.strip()
                    self.say(last)
            except BaseException:
                child.kill()
                raise
        if child.returncode:
            raise InfrastructureError(f"the kernel sources could not be imported: {last}")

    def follow(self, *, once: bool, start_night: bool) -> int:
        """Say what goes on; with `once` return how the night ended."""
        web = Web(self.settings.web_port)
        progress = Progress(web=web, since=self.since)
        night = self._night(web) if start_night else None
        while True:
            self.watch()
            lines, nights = progress.look()
            for line in lines:
                self.say(line)
            for ended in nights:
                for note in ended.notes:
                    self.say(note)
                if ended.report is None:
                    self.say("the night ended without a report: what went wrong is said above")
                else:
                    self.say(f"the night's report is {ended.report}")
                    self.say(ended.report.read_text(encoding="utf-8"))
                if once and ended.request == night:
                    good = ended.results in (SUCCESS, WARNINGS) and ended.report is not None
                    return ExitCode.OK if good else ExitCode.INFRASTRUCTURE
            time.sleep(POLL_S)

    def watch(self) -> None:
        """Raise InfrastructureError if a process of ours has died."""
        processes = {**self.children, "postgresql": self.database}
        for name, process in processes.items():
            if process is not None and process.poll() is not None:
                if name == "grafana":
                    del self.children[name]
                    log = self.state / "log" / f"{name}.log"
                    self.say(f"Grafana has ended, all else goes on; see {log}")
                    continue
                log = self.state / "log" / f"{name}.log"
                raise InfrastructureError(
                    f"the {name} process ended unexpectedly (status {process.returncode}); "
                    f"the end of {log}: {cluster.tail(log)}"
                )

    def stop(self) -> None:
        """Stop everything that was started, the database last."""
        # The master first: it notes what was going on as to be done again, instead of
        # seeing its worker vanish.
        for name in ("master", "worker", "artifacts"):
            if name in self.children:
                _end(self.children[name])
        _sweep(self.state)
        if self.database is not None:
            cluster.stop(self.database)

    def _night(self, web: Web) -> int:
        """Return the request of the night that is due: one that was cut off, or a new one."""
        [builder] = web.get("/builders", name="nightly")
        waiting = web.get(
            "/buildrequests",
            builderid=builder["builderid"],
            complete="false",
            order="buildrequestid",
        )
        if waiting:
            return int(waiting[0]["buildrequestid"])
        answer = web.control("/forceschedulers/nightly-now", "force", reason="first night")
        return int(next(iter(answer[1].values())))

    def _drop_orphans(self, web: Web) -> None:
        """Cancel what a build asked for that a stop has cut off: it will ask again."""
        for request in web.get("/buildrequests", complete="false"):
            for buildset in web.get(f"/buildsets/{request['buildsetid']}"):
                if buildset.get("parent_buildid") is not None:
                    web.control(
                        f"/buildrequests/{request['buildrequestid']}",
                        "cancel",
                        reason="asked again",
                    )

    def _environment(self) -> dict[str, str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
        own = str(Path(sys.executable).parent)
        path = environment.get("PATH", os.defpath)
        known = catalogue.load()
        if own not in path.split(os.pathsep):
            path = own + os.pathsep + path
        return {
            **environment,
            "PATH": path,
            "LANG": "C.UTF-8",
            "VLAG_SETTINGS": str(self.settings.path),
            "VLAG_MASTER_PORT": str(self.settings.worker_port),
            "VLAG_WORKER_NAMES": " ".join([*worker_names(known), *lab_worker_names(known)]),
            "VLAG_WORKER_BASEDIR": str(self.state / "worker"),
            "VLAG_WORKER_PASSWORD_FILE": str(self.state / "secrets" / "worker"),
            MARK: str(self.state),
        }

    def _upgrade(self, basedir: Path) -> None:
        done = subprocess.run(
            [_program("buildbot"), "upgrade-master", "--quiet", str(basedir)],
            env=self._environment(),
            cwd=basedir,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            said = " | ".join([li.strip() for li in done.stdout.splitlines() if li.strip()][-3:])
            raise UsageError(f"Buildbot refuses its configuration or database: {said}")

    def _spawn(self, name: str, folder: Path, tac: Path, signal_at_death: str) -> None:
        twistd = [_program("twistd"), "--nodaemon", "--no_save", "--pidfile=", f"--python={tac}"]
        self._start(name, folder, twistd, signal_at_death)

    def _start_grafana(self) -> None:
        """Start Grafana where it is installed; nothing of the service needs it."""
        found = grafana.program()
        if found is None:
            return
        self._make_secret("grafana")
        password = self.state / "secrets" / "grafana"
        try:
            cluster.check_port(self.settings.grafana_port, "grafana", self.settings.path)
            ready = grafana.prepare(self.settings, found, password, self.url)
        except UsageError as e:
            self.say(f"Grafana is not started: {e}")
            return
        self._start("grafana", self.state, ready.argv, "TERM", ready.environment)
        self.say(f"Grafana starts: {ready.url} (its user admin has the password in {password})")

    def _start(
        self,
        name: str,
        folder: Path,
        argv: Sequence[str],
        signal_at_death: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        with self._log(name).open("ab") as log:
            self.children[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", signal_at_death, "--", *argv],
                env=self._environment() | dict(environment or {}),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # a Ctrl-C of the terminal is for us to pass on, in order
            )

    def _log(self, name: str) -> Path:
        """Return a fresh log; that of the start before stays beside it."""
        path = self.state / "log" / f"{name}.log"
        if path.exists():
            path.replace(path.with_suffix(".log.1"))
        path.touch()
        return path

    def _make_secret(self, name: str) -> None:
        folder = self.state / "secrets"
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        path = folder / name
        if not path.exists():
            draft = folder / f"{name}.new"
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
                f.write(secrets.token_urlsafe(24) + "\n")
            draft.replace(path)


def _migrate(dsn: str, say: Callable[[str], None]) -> None:
    from vlag.pipeline.figures import migrate  # noqa: PLC0415 - needs numpy and the driver only now

    migrate(dsn, say)


def _program(name: str) -> str:
    """Return a program of the environment that we run in."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise UsageError(f"the program {name} is missing: install the service with `make setup`")
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def _sweep(state: Path) -> None:
    """End every process that carries our mark, wherever in the process tree it went."""
    for number, patience_s in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + patience_s
        for pid in _marked(state):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while _marked(state):
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        else:
            return


def _marked(state: Path) -> list[int]:
    mark = os.fsencode(f"{MARK}={state}")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while we look, and those of other users are not ours.
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]
