"""The processes of the service: how they are started, watched, ended and found again."""

from __future__ import annotations

import contextlib
import os
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
from vlag.operate.service import postgres

#: In the environment of every process that the service starts, and of theirs: what
#: lava-run or an emulator put into a session of its own is still known as ours.
MARK = "VLAG_SERVICE_STATE"

GRACE_S = 15


@define(kw_only=True)
class Processes:
    """The processes of one part of an installation, or of all of it (`part` is empty)."""

    settings: Settings
    say: Callable[[str], None]
    part: str = ""
    variables: Mapping[str, str] = field(factory=dict)  # of all of them
    running: dict[str, subprocess.Popen[bytes]] = field(factory=dict)
    spare: frozenset[str] = frozenset()  # whose end is told, and all else goes on

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
                env=self.environment() | dict(environment or {}),
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

    def watch(self) -> None:
        """Raise InfrastructureError if a process of ours has died."""
        for name, process in list(self.running.items()):
            if process.poll() is None:
                continue
            log = self.log_of(name)
            if name in self.spare:
                del self.running[name]
                self.say(f"{name.capitalize()} has ended, all else goes on; see {log}")
                continue
            raise InfrastructureError(
                f"the {name} process ended unexpectedly (status {process.returncode}); "
                f"the end of {log}: {postgres.tail(log)}"
            )

    def stop(self, *names: str) -> None:
        """Stop these in order, then whatever carries our mark."""
        for name in names:
            if name in self.running:
                end(self.running[name])
        sweep(self.settings.state, self.part)

    def environment(self) -> dict[str, str]:
        """Return the environment of our processes."""
        found = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
        own = str(Path(sys.executable).parent)
        path = found.get("PATH", os.defpath)
        if own not in path.split(os.pathsep):
            path = own + os.pathsep + path
        return {
            **found,
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
        """Return a fresh log; that of the start before stays beside it."""
        path = self.log_of(name)
        if path.exists():
            path.replace(path.with_suffix(".log.1"))
        path.touch()
        return path


def mark(state: Path, part: str = "") -> str:
    """Return what the processes of a part carry in `MARK`."""
    return f"{state}#{part}" if part else str(state)


def program(name: str) -> str:
    """Return a program of the environment that we run in."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise UsageError(f"the program {name} is missing: install the service with `make setup`")
    return found


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group: politely, then the hard way."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def sweep(state: Path, part: str = "") -> None:
    """End every process of a part that carries its mark, wherever in the process tree it went."""
    for number, patience_s in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + patience_s
        for pid in marked(state, part):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while marked(state, part):
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        else:
            return


def marked(state: Path, part: str = "") -> list[int]:
    """Return the processes of this machine that carry a part's mark, but for ourselves."""
    wanted = os.fsencode(f"{MARK}={mark(state, part)}")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while we look, and those of other users are not ours.
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]
