# SPDX-License-Identifier: GPL-2.0-only
"""The processes of the service: how they are started, watched, ended and found again."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import define, field

from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.service import logs, postgres, unit
from vlag.operate.service.again import PAUSES_S, Pauses

log = logging.getLogger(__name__)

#: In the environment of every process that the service starts, and of theirs: what
#: lava-run or an emulator put into a session of its own is still known as ours.
MARK = "VLAG_SERVICE_STATE"
#: Beside it: which of our programs a process belongs to.
PROGRAM = "VLAG_SERVICE_PROGRAM"

GRACE_S = 15
#: Files that a process of ours may have open, if the system permits it: connections of a hundred
#: addresses to the artifact store.  A terminal has 1,024, and systemd gives a unit as many.
OPEN_FILES = 8192
#: Seconds that becoming another program may take, on a busy machine with a slow disk.
EXEC_S = 10


@define(kw_only=True)
class _Kept:
    """A program that is started again when it ends."""

    start: Callable[[], None]
    pauses: Pauses
    due: float | None = None  # when the next start is


@define(kw_only=True)
class Processes:
    """The processes of one part of an installation, or of all of it (`part` is empty)."""

    settings: Settings
    part: str = ""
    variables: Mapping[str, str] = field(factory=dict)  # of all of them
    running: dict[str, subprocess.Popen[bytes]] = field(factory=dict)
    spare: frozenset[str] = frozenset()  # whose end is told, and all else goes on
    tireless: bool = False  # a kept program that ends at once is tried for ever
    clock: Callable[[], float] = time.monotonic
    kept: dict[str, _Kept] = field(factory=dict)
    unanswered: int = 0  # masters in a row that did not answer in time

    def start(
        self,
        name: str,
        folder: Path,
        argv: Sequence[str],
        signal_at_death: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start a program in `folder` with a log of its own."""
        with self.log(name).open("ab") as log:
            self.running[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", signal_at_death, "--", *argv],
                env=self.environment() | dict(environment or {}) | {PROGRAM: name},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # a Ctrl-C of the terminal is for us to pass on, in order
            )

    def twistd(
        self,
        name: str,
        folder: Path,
        tac: Path,
        signal_at_death: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start a Twisted application."""
        argv = [program("twistd"), "--nodaemon", "--no_save", "--pidfile=", f"--python={tac}"]
        self.start(name, folder, argv, signal_at_death, environment)

    def keep(self, name: str, start: Callable[[], None]) -> None:
        """Start a program by `start`, unless it is kept; `watch` starts it again when it ends."""
        if name not in self.kept:
            start()
            self.kept[name] = _Kept(start=start, pauses=Pauses(self.clock))

    def watch(self) -> None:
        """Start kept programs that have ended; raise InfrastructureError if another has.

        The same for a kept program that ends at once again and again, unless `tireless`.  Whoever
        calls this is alive, and tells the service manager so.
        """
        unit.alive()
        for name in self.running:
            logs.bound(self.log_of(name))
        for name, process in list(self.running.items()):
            if process.poll() is None:
                continue
            path = self.log_of(name)
            if name in self.kept:
                del self.running[name]
                self._again(name, self.kept[name], process.returncode)
                continue
            if name in self.spare:
                del self.running[name]
                log.info(f"{name.capitalize()} has ended, all else goes on; see {path}")
                continue
            raise InfrastructureError(
                f"the {name} process ended unexpectedly (status {process.returncode}); "
                f"the end of {path}: {postgres.tail(path)}"
            )
        for name, kept in self.kept.items():
            if kept.due is not None and self.clock() >= kept.due:
                kept.due = None
                kept.pauses.begin()
                kept.start()
                log.info(f"{name.capitalize()} is started again")

    def _again(self, name: str, kept: _Kept, status: int) -> None:
        """Plan the next start of a program that has ended."""
        # What it had started would go on beside what the next one starts.
        sweep(self.settings.state, self.part, name)
        path, pauses = self.log_of(name), kept.pauses
        pause_s = pauses.end()
        message = f"the {name} process ended unexpectedly (status {status}){pauses.in_vain}"
        if pauses.quick >= len(PAUSES_S) and not self.tireless:
            raise InfrastructureError(
                f"{message}: given up; the end of {path}: {postgres.tail(path)}"
            )
        kept.due = self.clock() + pause_s
        log.info(f"{message}; next start in {pause_s} s; the end of {path}: {postgres.tail(path)}")

    def lose(self, name: str) -> None:
        """End a program that is started anew, with whatever it has started."""
        if (process := self.running.pop(name, None)) is not None:
            end(process)
        sweep(self.settings.state, self.part, name)

    def forget(self, name: str) -> None:
        """End a kept program; nobody but the next `keep` starts it again."""
        self.kept.pop(name, None)
        self.lose(name)

    def stop(self, *names: str) -> None:
        """Stop these in order, then whatever carries our mark."""
        for name in names:
            if name in self.running:
                end(self.running[name])
        sweep(self.settings.state, self.part)

    def environment(self) -> dict[str, str]:
        """Return the environment of our processes."""
        variables = {
            k: v for k, v in os.environ.items() if not k.startswith("LC_") and k not in unit.OWN
        }
        own = str(Path(sys.executable).parent)
        path = variables.get("PATH", os.defpath)
        if own not in path.split(os.pathsep):
            path = own + os.pathsep + path
        return {
            **variables,
            "PATH": path,
            "LANG": "C.UTF-8",
            "VLAG_SETTINGS": str(self.settings.path),
            **({"VLAG_MASTER_NAME": self.settings.master.name} if self.settings.master else {}),
            **self.variables,
            MARK: mark(self.settings.state, self.part),
        }

    def log_of(self, name: str) -> Path:
        """Return where a program's log is: that of a host beside those of others."""
        host = self.part.removeprefix(name)
        return self.settings.state / "log" / f"{name}{host}.log"

    def log(self, name: str) -> Path:
        """Return a fresh log; those of the starts before stay beside it."""
        return logs.begin(self.log_of(name))


def permit_files() -> None:
    """Let this process, and those that it starts, have as many files open as they may need."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(most, OPEN_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def mark(state: Path, part: str = "") -> str:
    """Return what the processes of a part carry in `MARK`."""
    return f"{state}#{part}" if part else str(state)


def program(name: str) -> str:
    """Return a program of the environment that we run in."""
    beside = Path(sys.executable).parent / name
    path = str(beside) if beside.exists() else shutil.which(name)
    if path is None:
        raise UsageError(f"the program {name} is missing: install the service with `make setup`")
    return path


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group: politely, then the hard way."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def sweep(state: Path, part: str = "", name: str = "") -> None:
    """End every process of a part that carries its mark, wherever in the process tree it went.

    With `name` only those of this program.
    """
    for number, patience_s in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + patience_s
        for pid in marked(state, part, name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while marked(state, part, name):
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        else:
            return


def marked(state: Path, part: str = "", name: str = "") -> list[int]:
    """Return the processes of this machine that carry a part's mark, but for ourselves.

    With `name` only those of this program.
    """
    wanted = {os.fsencode(f"{MARK}={mark(state, part)}")}
    if name:
        wanted.add(os.fsencode(f"{PROGRAM}={name}"))
    pids: list[int] = []
    seen = {os.getpid()}
    # Once more for what a process started before it ended, while we looked at others.
    for _ in range(2):
        for pid in {int(name) for name in os.listdir("/proc") if name.isdecimal()} - seen:
            seen.add(pid)
            # A process may end while we look, and those of other users are not ours.
            with contextlib.suppress(OSError):
                if wanted <= environment_of(pid):
                    pids.append(pid)
    return sorted(pids)


def environment_of(pid: int) -> set[bytes]:
    """Return the environment of a process, each variable as `NAME=VALUE`.

    Within an execve(2) there is none yet: a child of ours that is about to become another program
    would not look like ours.  So this waits until there is one, for at most `EXEC_S`.

    Raises OSError for a process that has gone, or that we may not look into.
    """
    folder = Path(f"/proc/{pid}")
    deadline = time.monotonic() + EXEC_S
    while not (environ := (folder / "environ").read_bytes()):
        # Fields 23, 26, 50 and 51 of proc_pid_stat(5): a kernel thread and what has ended have no
        # memory, and where its code starts is known after where its environment is.
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        memory, code, begin, end = (int(fields[n - 3]) for n in (23, 26, 50, 51))
        if not memory or (code and begin == end) or time.monotonic() > deadline:
            break
        time.sleep(0.001)
    return set(environ.split(b"\0"))
