# SPDX-License-Identifier: GPL-2.0-only
"""The processes of a LAVA of Debian, without systemd: server, scheduler, publisher, workers.

Debian's package has fixed paths in /etc/lava-server and /var/lib/lava.  All processes of a
lab share one private mount namespace in which these are folders of the test: whatever an
owner of the machine has there is neither read nor changed, and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
import yaml

from tests.integration.installation import free_ports
from tests.integration.lava_tables import ENVIRONMENT, database_url
from tests.waiting import until

STOP_S = 10
#: Fixed path of the package -> folder of the lab.
_PLACES = {
    "/etc/lava-server": "etc",
    "/var/lib/lava-server/default": "server",
    "/var/lib/lava": "lava",
    "/etc/lava-coordinator": "coordinator",
}
#: Of LAVA's code in another root, what a worker needs: all else is this machine's.
_OF_WORKER = ("lava_common", "lava_dispatcher", "sentry_sdk")
SERVICES = ("server", "publisher", "scheduler", "worker")  # beside these: "coordinator"


class Processes:
    """What runs of one LAVA, in its namespace, with its own database, folders and ports."""

    def __init__(self, folder: Path, dsn: str):
        self.folder = folder
        self.dsn = dsn
        ports = free_ports(4)
        self.url = f"http://127.0.0.1:{ports[0]}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ports = dict(
            zip(("server", "publisher", "events", "coordinator"), ports, strict=True)
        )
        self._secret = secrets.token_hex(16)  # one key in all processes and all restarts
        self._since: dict[str, float] = {}
        for name in (
            *_PLACES.values(),
            "log",
            "etc/dispatcher.d",
            *(f"etc/dispatcher-config/{d}" for d in ("devices", "device-types", "health-checks")),
            "server/media",
            "lava/dispatcher/tmp",
        ):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "etc" / "settings.yaml").write_text(yaml.safe_dump(self._settings()))
        (folder / "coordinator" / "lava-coordinator.conf").write_text(
            json.dumps({"port": ports[3], "poll_delay": 1, "coordinator_hostname": "localhost"})
        )
        self._holder = self._hold_namespace()
        self._namespace = os.readlink(f"/proc/{self._holder.pid}/ns/mnt")
        # Whatever lives in it is killed at the end: it must not be everybody's.
        assert self._namespace != os.readlink("/proc/self/ns/mnt")
        self._worker_token = secrets.token_hex(16)
        self._dispatchers: dict[str, str] = {}  # process -> name
        self._files: dict[str, dict[str, str]] = {}  # process -> what its unit reads

    # What a test asks for

    def start(self, *names: str) -> None:
        """Start processes, all of them if none is named, and wait until they work."""
        for name in names or SERVICES:
            log = self.folder / "log" / f"{name}.out"
            self._since[name] = time.time()
            with log.open("wb") as out:
                self.processes[name] = subprocess.Popen(
                    self._inside(self._there(name)),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    cwd="/",
                    env=self._environment(),
                    start_new_session=True,
                )
        for name in names or SERVICES:
            self._wait_for(name)

    def stop(self, name: str) -> None:
        """End a process as systemd does; a worker's job goes on."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
        self.processes[name] = process
        self.kill(name)

    def kill(self, name: str, *, jobs: bool = False) -> None:
        """Kill a process without a word; `jobs`: what the worker has started, too."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if jobs:
            spared = {self._holder.pid, *(p.pid for p in self.processes.values())}
            for pid in self.members():
                with contextlib.suppress(ProcessLookupError):
                    if os.getsid(pid) not in spared:
                        os.kill(pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill all that belongs to the lab."""

        def gone() -> bool:
            members = self.members()
            for pid in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for process in (*self.processes.values(), self._holder):
                process.poll()
            return not members

        until(gone, lambda: f"{self.members()} do not die")

    def command(
        self,
        line: str,
        *,
        cwd: Path,
        path: Path | None = None,
        more: Mapping[str, str] | None = None,
    ) -> str:
        """Run a line of a shell as root of the server would; return what it prints.

        `path` is one more folder with programs.
        """
        own = self._environment()
        place = own["PATH"] if path is None else f"{path}:{own['PATH']}"
        done = subprocess.run(
            self._inside(["sh", "-c", line]), cwd=cwd, env={**own, **(more or {}), "PATH": place},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {(done.stdout + done.stderr)[-1000:]}"
        return done.stdout

    @property
    def events_url(self) -> str:
        """Where a worker hears of its jobs."""
        return f"http://127.0.0.1:{self._ports['publisher']}/ws/"

    def start_by_file(self, name: str, text: str) -> None:
        """Start a dispatcher's worker with the text of its /etc/lava-dispatcher/lava-worker."""
        (self.folder / name / "tmp").mkdir(parents=True, exist_ok=True)
        (self.folder / "etc" / "dispatcher.d" / f"{name}.yaml").write_text(
            "dispatcher_ip: 127.0.0.1\n"
        )
        self._dispatchers[name] = name
        self._files[name] = dict(re.findall(r'^(\w+)="(.*)"$', text, re.MULTILINE))
        self.start(name)

    def upgrade(self, root: Path) -> None:
        """Go on with the LAVA of another root, on the same tables; all processes are stopped.

        The worker goes on outside of it, where the emulators are, with its code.
        """
        # No script of a package has run there: users and certificates are this machine's.
        own = ("/proc", "/dev", "/etc/ssl", "/etc/passwd", "/etc/group")
        binds = [(place, f"{root}{place}") for place in (*own, str(self.folder), *self._sockets())]
        binds += [(str(self.folder / there), f"{root}{here}") for here, there in _PLACES.items()]
        script = "".join(
            f"mkdir -p '{to}'; mount --rbind '{of}' '{to}'\n"
            if Path(of).is_dir()
            else f"touch '{to}'; mount --bind '{of}' '{to}'\n"
            for of, to in binds
        )
        self.command(f"set -e\n{script}", cwd=self.folder)
        code = self.folder / "code"
        code.mkdir()
        for name in _OF_WORKER:
            (code / name).symlink_to(root / "usr/lib/python3/dist-packages" / name)
        self._root = root
        subprocess.run(
            self._inside(["chroot", str(root), "lava-server", "manage", "migrate", "-v", "0"]),
            env=self._environment(), cwd="/", check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.start()

    def _sockets(self) -> list[str]:
        """Return the folder of the database's socket, where it has one."""
        host = str(psycopg.conninfo.conninfo_to_dict(self.dsn)["host"])
        return [host] if host.startswith("/") else []

    def log(self, name: str) -> str:
        """Return what a process has written of itself."""
        files = sorted((self.folder / "log").glob(f"{name}.*"))
        return "".join(f.read_text(errors="replace") for f in files)

    # How it is done

    def _settings(self) -> dict[str, Any]:
        return {
            "EVENT_NOTIFICATION": True,
            # Paths of sockets are limited to 107 characters: an abstract name has no path.
            "INTERNAL_EVENT_SOCKET": f"ipc://@vlag-lava-{secrets.token_hex(8)}",
            "EVENT_SOCKET": f"tcp://127.0.0.1:{self._ports['events']}",
            "DJANGO_LOGFILE": str(self.folder / "log" / "django.log"),
        }

    def _environment(self) -> dict[str, str]:
        url = database_url(self.dsn)
        return {**ENVIRONMENT, "DATABASE_URL": url, "SECRET_KEY": self._secret}

    def _hold_namespace(self) -> subprocess.Popen[bytes]:
        """Make the namespace; it lives as long as the process that is returned."""
        binds = [f"mount --bind '{self.folder / there}' {here}" for here, there in _PLACES.items()]
        script = " && ".join([*binds, "echo ready", "exec sleep infinity"])
        holder = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private",
             "sh", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert holder.stdout
        if holder.stdout.readline() != b"ready\n":
            holder.wait()
            pytest.fail("cannot make a mount namespace: these tests run as root")
        return holder

    def _inside(self, argv: Sequence[str]) -> list[str]:
        namespace = f"--mount=/proc/{self._holder.pid}/ns/mnt"
        # A test that is killed without a word must not leave a LAVA behind.
        return ["setpriv", "--pdeathsig", "KILL", "nsenter", namespace, "--", *argv]

    def _argv(self, name: str) -> list[str]:
        log = str(self.folder / "log" / f"{name}.log")
        manage = ["lava-server", "manage", f"lava-{name}", "--log-file", log, "--user", "root",
                  "--group", "root"]  # fmt: skip
        events, port = self._ports["events"], self._ports["publisher"]
        if name == "server":
            return ["gunicorn3", "lava_server.wsgi", "--worker-class", "eventlet", "--workers", "1",
                    "--bind", f"127.0.0.1:{self._ports['server']}", "--log-file", log]  # fmt: skip
        if name == "scheduler":
            return [*manage, "--event-url", f"tcp://127.0.0.1:{events}"]
        if name == "coordinator":
            return ["lava-coordinator", "--logfile", log, "--loglevel", "DEBUG"]
        if name == "publisher":
            return [*manage, "--host", "127.0.0.1", "--port", str(port)]
        # Jobs that end are only seen at a ping: 20 s of waiting for every job otherwise.
        ours = ["--worker-dir", str(self.folder / name), "--ping-interval", "1",
                "--job-log-interval", "1", "--log-file", log, "--level", "DEBUG"]  # fmt: skip
        if file := self._files.get(name):  # as the unit of Debian's package does
            words = " ".join(file[k] for k in ("TOKEN", "WORKER_NAME", "WS_URL")).split()
            return ["lava-worker", "--url", file["URL"], *words, *ours]
        return [
            "lava-worker",
            "--name",
            self._dispatchers[name],
            "--url",
            self.url,
            "--ws-url",
            f"http://127.0.0.1:{port}/ws/",
            "--token",
            self._worker_token,
            *ours,
        ]

    def _wait_for(self, name: str) -> None:
        def answers() -> bool:
            with contextlib.suppress(requests.RequestException):
                return requests.get(f"{self.url}/api/v0.2/system/version/", timeout=60).ok
            return False

        def listens() -> bool:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self._ports[name]), 1).close()
                return True
            return False

        def begun() -> bool:
            # Whoever connects to a coordinator and says nothing keeps it from all others.
            return "has started" in self.log(name)

        def loops() -> bool:
            log = self.folder / "log" / "scheduler.log"
            return log.exists() and log.read_text().count("main loop") >= self._starts

        def pings() -> bool:
            return bool(
                self._sql(
                    "SELECT 1 FROM lava_scheduler_app_worker WHERE hostname = %s"
                    " AND state = 0 AND last_ping > to_timestamp(%s)",
                    self._dispatchers[name],
                    self._since[name],
                )
            )

        if name == "scheduler":
            self._starts += 1
        ready = {
            "server": answers,
            "publisher": listens,
            "scheduler": loops,
            "coordinator": begun,
            **dict.fromkeys(self._dispatchers, pings),
        }
        process = self.processes[name]
        until(
            lambda: process.poll() is not None or ready[name](),
            lambda: f"lava {name} does not start: {self.log(name)[-2000:]}",
        )
        assert process.poll() is None, f"lava {name} ended at once: {self.log(name)[-2000:]}"

    _root: Path | None = None  # with another LAVA

    def _there(self, name: str) -> list[str]:
        """Return the command of a process, where another root has its LAVA."""
        argv = self._argv(name)
        if self._root is None:
            return argv
        if name in self._dispatchers:
            code = f"PYTHONPATH={self.folder / 'code'}"
            return ["env", code, "/usr/bin/python3", f"{self._root}/usr/bin/lava-worker", *argv[1:]]
        # Debian 13's gunicorn has no other.
        return ["chroot", str(self._root), *("gevent" if a == "eventlet" else a for a in argv)]

    _starts = 0  # of the scheduler, whose log goes on

    def members(self) -> list[int]:
        """Return the processes of the namespace."""
        found = []
        for place in Path("/proc").glob("[0-9]*/ns/mnt"):
            with contextlib.suppress(OSError):
                if os.readlink(place) == self._namespace:
                    found.append(int(place.parts[2]))
        return found

    def _sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            cursor = conn.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []
