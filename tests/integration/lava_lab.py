# SPDX-License-Identifier: GPL-2.0-only
"""A real LAVA for tests: server, scheduler, publisher and worker of Debian, no systemd.

Debian's package has fixed paths in /etc/lava-server and /var/lib/lava.  All processes of a
lab share one private mount namespace in which these are folders of the test: whatever an
owner of the machine has there is neither read nor changed, and nothing is left behind.

    with running(cluster, folder) as lava:
        lava.add_type("guest", GUEST_TYPE)
        lava.add_device("g1", "guest")
        lab = lava.lab()                 # what vlag.lava.server.Client takes
        lava.kill("scheduler"); lava.start("scheduler")
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
import yaml

from tests.integration import templates
from tests.waiting import until
from vlag import ROOT
from vlag.lava.lab_settings import Lab

STOP_S = 10
WORKER = "dispatcher1"
_NUMBERS = count()
#: Fixed path of the package -> folder of the lab.
_PLACES = {
    "/etc/lava-server": "etc",
    "/var/lib/lava-server/default": "server",
    "/var/lib/lava": "lava",
    "/etc/lava-coordinator": "coordinator",
}
#: Of LAVA's code in another root, what a worker needs: all else is this machine's.
_OF_WORKER = ("lava_common", "lava_dispatcher", "sentry_sdk")
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
SERVICES = ("server", "publisher", "scheduler", "worker")  # beside these: "coordinator"

#: A device type: a PC that boots the first sector of a disk.  See `guest`.
GUEST_TYPE = """{% extends 'base.jinja2' %}
{% set boot_retry = 1 %}
{% block body %}
available_architectures: [x86_64]
actions:
  deploy:
    connections: {serial: {}}
    methods:
      image: {}
  boot:
    connections: {serial: {}}
    methods:
      qemu:
        parameters:
          command: qemu-system-x86_64
          options:
            - -machine pc -accel tcg -m 16M -nodefaults -no-user-config
            - -display none -serial stdio -monitor none -no-reboot
{% endblock %}
"""


def guest(text: str, *, off: bool = False) -> bytes:
    """Return a disk whose boot code prints `text` on the first serial line.

    It then sleeps until something is typed, as LAVA does in the end, and switches the PC
    off; with `off` at once.  Up to 60 KiB of ASCII: a board that says whatever a test
    wants, a second after it was started, with no kernel.
    """
    message = text.replace("\n", "\r\n").encode("ascii") + b"\0"
    sectors = -(-len(message) // 512)
    assert sectors <= 120
    # sti; sleep: hlt; mov dx,0x3fd; in al,dx; test al,1; jz sleep
    sleep = "" if off else "fb f4 bafd03 ec a801 74f7"
    code = bytes.fromhex(
        "31c0 8ed8 8ec0 fc"  # xor ax,ax; mov ds,ax; mov es,ax; cld
        "be007d b442 cd13"  # mov si,packet; mov ah,0x42; int 0x13: read the text
        "be007e"  # mov si,0x7e00
        "ac 84c0 7412 88c4"  # next: lodsb; test al,al; jz end; mov ah,al
        "bafd03 ec a820 74fb"  # mov dx,0x3fd; wait: in al,dx; test al,0x20; jz wait
        "88e0 baf803 ee ebe9"  # mov al,ah; mov dx,0x3f8; out dx,al; jmp next
        + sleep
        + "ba0406 b80020 ef"  # ACPI's PM1a control, where SeaBIOS puts it: power off
        + "f4 ebfd"  # hlt; jmp there
    )
    packet = bytes([16, 0, sectors, 0]) + (0x7E00).to_bytes(4, "little")
    packet += (1).to_bytes(8, "little")
    first = code.ljust(256, b"\0") + packet
    disk = first.ljust(510, b"\0") + b"\x55\xaa" + message
    return disk.ljust(512 * 128, b"\0")


def guest_job(disk: Path, *, tags: Sequence[str] = (), limit_s: int = 60, **more: Any) -> str:
    """Return a job for `GUEST_TYPE` that reads from "@vlag:start" to "@vlag:done"."""
    job: dict[str, Any] = {
        "job_name": "a guest that prints",
        "device_type": "guest",
        "visibility": "public",
        "priority": "medium",
        "context": {"arch": "x86_64"},
        "timeouts": {"job": {"seconds": limit_s + 30}, "action": {"seconds": limit_s + 15}},
        "actions": [
            {
                "deploy": {
                    "to": "tmpfs",
                    "images": {
                        "disk": {
                            "image_arg": "-drive format=raw,file={disk}",
                            "url": disk.as_uri(),
                        }
                    },
                }
            },
            {"boot": {"method": "qemu", "media": "tmpfs", "timeout": {"seconds": limit_s}}},
            {
                "test": {
                    "timeout": {"seconds": limit_s},
                    "monitors": [
                        {
                            "name": "vlag",
                            "start": "@vlag:start",
                            "end": "@vlag:done",
                            "pattern": r"@vlag:case (?P<test_case_id>\S+) (?P<result>pass|fail)",
                        }
                    ],
                }
            },
        ],
    }
    if tags:
        job["tags"] = list(tags)
    return yaml.safe_dump({**job, **more}, sort_keys=False)


class Lava:
    """One LAVA with its own database, folders and ports; `running` makes and ends it."""

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
        self.token = self.add_user("admin", superuser=True)
        self._worker_token = secrets.token_hex(16)
        self._dispatchers: dict[str, str] = {}  # process -> name
        self._files: dict[str, dict[str, str]] = {}  # process -> what its unit reads
        self.add_dispatcher("worker", WORKER)

    # What a test asks for

    def lab(self, *, token: str | None = None, url: str | None = None) -> Lab:
        """Return the lab as vlag knows it, with the admin's token or another."""
        file = self.folder / f"token-{next(_NUMBERS)}"
        file.touch(mode=0o600)
        file.write_text((self.token if token is None else token) + "\n")
        return Lab(name="home", url=url or self.url, token_file=file, artifacts="")

    def add_user(self, name: str, *, superuser: bool = False) -> str:
        """Make a user; return the user's token."""
        token = secrets.token_hex(32)
        self._sql(
            "WITH u AS (INSERT INTO auth_user (password, is_superuser, username, first_name,"
            " last_name, email, is_staff, is_active, date_joined)"
            " VALUES ('!', %s, %s, '', '', '', false, true, now()) RETURNING id)"
            " INSERT INTO linaro_django_xmlrpc_authtoken (secret, description, created_on, user_id)"
            " SELECT %s, '', now(), id FROM u",
            superuser,
            name,
            token,
        )
        return token

    def add_dispatcher(self, process: str, name: str) -> None:
        """Add a dispatcher; `start(process)` starts its worker."""
        # LAVA 2023.01 dies without it if its first job is cancelled early.
        (self.folder / process / "tmp").mkdir(parents=True, exist_ok=True)
        (self.folder / "etc" / "dispatcher.d" / f"{name}.yaml").write_text(
            "dispatcher_ip: 127.0.0.1\n"
        )
        self._sql(
            "INSERT INTO lava_scheduler_app_worker"
            " (hostname, health, state, last_ping, job_limit, token)"
            " VALUES (%s, 0, 1, 'epoch', 0, %s)",
            name,
            self._worker_token,
        )
        self._dispatchers[process] = name

    def add_type(self, name: str, template: str | None = None) -> None:
        """Add a device type; LAVA's own template where none is given."""
        if template is not None:
            self.write_template(name, template)
        self.rest("POST", "devicetypes/", {"name": name, "cores": [], "aliases": []})

    def write_template(self, name: str, template: str) -> None:
        """Write a device type's template, or one that others extend."""
        place = self.folder / "etc" / "dispatcher-config" / "device-types"
        (place / f"{name}.jinja2").write_text(template)

    def add_device(
        self,
        name: str,
        device_type: str,
        dictionary: str | None = None,
        tags: Sequence[str] = (),
        dispatcher: str = WORKER,
    ) -> None:
        """Add a device of a dispatcher with its dictionary (Jinja2), tagged with its own name."""
        text = dictionary or f"{{% extends '{device_type}.jinja2' %}}\n"
        place = self.folder / "etc" / "dispatcher-config" / "devices"
        (place / f"{name}.jinja2").write_text(text)
        self.rest(
            "POST",
            "devices/",
            {
                "hostname": name,
                "device_type": device_type,
                "worker_host": dispatcher,
                "health": "Good",
                "tags": [self._tag(tag) for tag in dict.fromkeys((name, *tags))],
            },
        )

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

    def ask(
        self, verb: str, path: str, body: Mapping[str, Any] | None = None, *, token: str
    ) -> requests.Response:
        """Ask LAVA's REST interface as the token's user."""
        return requests.request(
            verb,
            f"{self.url}/api/v0.2/{path}",
            json=body,
            headers={"Authorization": f"Token {token}"},
            timeout=60,
        )

    def rest(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask LAVA's REST interface as the admin."""
        answer = self.ask(verb, path, body, token=self.token)
        assert answer.ok, f"{verb} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

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
        parts = psycopg.conninfo.conninfo_to_dict(self.dsn)
        database = f"postgres://{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"
        return {**ENVIRONMENT, "DATABASE_URL": database, "SECRET_KEY": self._secret}

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

    def _tag(self, name: str) -> int:
        known = self.rest("GET", f"tags/?name={name}")["results"]
        tag = known[0] if known else self.rest("POST", "tags/", {"name": name})
        return int(tag["id"])

    def _sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            cursor = conn.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []


@contextlib.contextmanager
def running(cluster: str, folder: Path, shared: Path | None = None) -> Iterator[Lava]:
    """Run a LAVA in an empty folder, on a database of its own in that PostgreSQL cluster.

    `shared` is the folder of all processes of a test run.
    """
    name = f"lava_{next(_NUMBERS)}"
    made = template(cluster, shared or folder)
    with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {made}")
    lava = Lava(folder, f"{cluster} dbname={name}")
    try:
        lava.start()
        yield lava
    finally:
        lava.end()
        with psycopg.connect(f"{cluster} dbname=postgres", autocommit=True) as conn:
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


@functools.cache
def template(cluster: str, shared: Path) -> str:
    """Return the database that all labs begin with, whose tables one process makes.

    Migrating takes 15 s of a processor.
    """
    return templates.make(cluster, "template0", shared / "lava-tables.dump", _migrate)


def _migrate(dsn: str) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    url = f"postgres://{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"
    done = subprocess.run(
        ["lava-server", "manage", "migrate", "--verbosity", "0"],
        env={
            **ENVIRONMENT,
            "DATABASE_URL": url,
            "SECRET_KEY": "only for this",
            "LAVA_SETTINGS_DJANGO_LOGFILE": "/dev/null",
        },
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"LAVA cannot make its tables: {(done.stdout + done.stderr)[-1000:]}")


def free_ports(number: int) -> list[int]:
    """Return ports of the loopback that nobody uses."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


REGISTER = ROOT / "ansible" / "roles" / "lava_server" / "files" / "register.py"


class Server:
    """LAVA's tables, and the program that fills them."""

    def __init__(self, dsn: str):
        self.dsn = dsn

    def register(self, asked: object, *options: str) -> list[str]:
        parts = psycopg.conninfo.conninfo_to_dict(self.dsn)
        place = f"{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"
        done = subprocess.run(
            ["/usr/bin/python3", str(REGISTER), *options],
            input=json.dumps(asked), capture_output=True, text=True, check=False, cwd="/",
            env={**ENVIRONMENT, "DATABASE_URL": f"postgres://{place}", "SECRET_KEY": "a key",
                 "LAVA_SETTINGS_DJANGO_LOGFILE": "/dev/null"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.splitlines()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn) as conn:
            return conn.execute(statement.encode()).fetchall()

    def execute(self, statement: str, *values: object) -> None:
        with psycopg.connect(self.dsn) as conn:
            conn.execute(statement.encode(), values)

    def devices(self) -> dict[str, int]:
        return dict(self.rows("SELECT hostname, health FROM lava_scheduler_app_device"))
