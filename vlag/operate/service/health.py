# SPDX-License-Identifier: GPL-2.0-only
"""Health check of a part of the service, for a supervisor that restarts it."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import socket
from pathlib import Path

import requests

from vlag.buildbot import bracketed
from vlag.config import Settings, catalogue, snapshot, workers
from vlag.config import password_file as people
from vlag.config.settings import reachable
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.service import folders, master, postgres, worker
from vlag.operate.service.processes import environment_of, marked
from vlag.store.database import connect

#: Time-out of an answer in seconds.
_ANSWER_S = 10

#: Secrets of the settings that the master reads, with what to do about a missing one.
_READ = {
    "[workers] password_file": "write it, one line",
    "[mail] password_file": "write it",
    "[webhook] secret_file": "write it",
}

#: By how much the clocks of this host and of the database's may differ, in seconds.
_CLOCKS_S = 60

#: State of a connection in /proc/net/tcp.
_ESTABLISHED = "01"


def check(settings: Settings, part: str, host: str | None, name: str | None = None) -> str:
    """Return a sentence about a healthy part, else raise InfrastructureError with one.

    `part` is a part of the service on this machine, or `database`; `host` selects one of
    several workers, `name` one of several masters.
    """
    if part == "database":
        return _database(settings)
    if part == "master":
        return _master(settings.of_master(name))
    if part == "artifacts":
        return _artifacts(settings)
    here = settings.host(host)
    return _worker(settings.of_master(here.master), here.name)


def _database(settings: Settings) -> str:
    for name in ("vlag", "buildbot"):
        with connect(settings.dsn(name)) as conn:
            row = conn.execute("SELECT clock_timestamp()").fetchone()
            assert row is not None  # noqa: S101 - one row
            ahead = (row[0] - datetime.datetime.now(datetime.UTC)).total_seconds()
    notes = [_clock(ahead), postgres.outlook(settings)]
    return "; ".join(["the database answers", *(note for note in notes if note is not None)])


def _clock(ahead: float) -> str | None:
    """Return what to do about a clock of the database's host that is so many seconds ahead."""
    if abs(ahead) < _CLOCKS_S:
        return None
    way = "ahead of" if ahead > 0 else "behind"
    return (
        f"the clock of its host is {abs(ahead):.0f} s {way} this one's: set both by NTP, or nights"
        " begin and board checks count at wrong times"
    )


def _master(settings: Settings) -> str:
    _secrets(settings)
    _database(settings)
    with connect(settings.reader_dsn()) as conn:  # as the pages read
        conn.execute("SELECT 1")
    if settings.people is not None:
        try:
            people.read(settings.people.password_file)
        except UsageError as e:
            raise InfrastructureError(f"nobody can sign in: {e}") from e
    if not master.web_of(settings).answers():
        raise InfrastructureError(
            f"the master gives no answer at {settings.web_host}:{settings.web_port}"
        )
    where = (reachable(settings.worker_listen), settings.worker_port)
    try:
        socket.create_connection(where, timeout=_ANSWER_S).close()
    except OSError as e:
        raise InfrastructureError(
            f"the master does not wait for workers at {where[0]}:{where[1]} ({e.strerror or e})"
        ) from e
    who = "the master" if settings.master is None else f"the master {settings.master.name}"
    return f"{who} answers{_behind(settings)}"


def _secrets(settings: Settings) -> None:
    """Raise InfrastructureError for a secret that has gone, or that the master has as it was."""
    made = "restart the service, which makes it anew"
    own = (settings.control_file, settings.push_hook_file, settings.worker_password_file)
    wanted = dict.fromkeys(own, made)
    if settings.database is None:
        wanted[settings.passfile] = made
    if any(lab.callback for lab in settings.labs.values()):
        wanted[settings.state / "secrets" / "callback"] = made
    named = folders.named_secrets(settings)
    wanted |= {
        path: f"write it: {key} names it"
        for key, path in named.items()
        if key.startswith("[subscriptions.")
    }
    wanted |= {named[key]: f"{do}: {key} names it" for key, do in _READ.items() if key in named}
    for path, remedy in wanted.items():
        try:
            path.stat()
        except FileNotFoundError as e:
            raise InfrastructureError(f"{path}: this secret is missing; {remedy}") from e
        except OSError:  # not for whoever asks
            continue
    for path in master.renewed(settings):
        raise InfrastructureError(
            f"{path}: this secret was renewed, and the master has it as it was: restart the service"
        )


def _behind(settings: Settings) -> str:
    """Return what was edited since the master has started, in words."""
    own = "master" if settings.master is None else f"master-{settings.master.name}"
    for pid in (p for part in ("", own) for p in marked(settings.state, part, "master")):
        try:
            known = [os.fsdecode(variable).partition("=") for variable in environment_of(pid)]
        except OSError:  # it has ended
            continue
        for edited in (
            snapshot.changed(Path(v)) for name, _, v in known if name == snapshot.FOLDER
        ):
            if edited:
                return (
                    " with the settings of its start, and not yet with what was edited since:"
                    f" {', '.join(map(str, edited))} (docs/operate.md, Edit the settings)"
                )
    return ""


def _artifacts(settings: Settings) -> str:
    where = f"http://{bracketed(reachable(settings.listen))}:{settings.artifacts_port}/"
    try:
        with requests.Session() as session:
            session.trust_env = False  # no proxy for requests to this machine
            session.get(where, timeout=_ANSWER_S)
    except requests.RequestException as e:
        raise InfrastructureError(f"the artifact store gives no answer at {where}: {e}") from e
    return "the artifact store answers"


def _worker(settings: Settings, host: str) -> str:
    """Check the worker's connections to the master; there is no other sign on this machine."""
    pids = [*marked(settings.state, f"worker-{host}"), *marked(settings.state)]
    if not pids:
        raise InfrastructureError(f"no worker of host {host} runs on this machine")
    if not any(_connected(pid, settings.worker_port) for pid in pids):
        raise InfrastructureError(
            f"the worker of host {host} is not connected to its master at port"
            f" {settings.worker_port}: is the master up, and its password the same?"
        )
    bounded = _bounds(settings, host)
    return f"the worker of host {host} is connected{bounded}"


def _bounds(settings: Settings, host: str) -> str:
    """Return what its start has found out of how its builds are bounded, in words."""
    names = workers.all_names(settings, catalogue.of(settings), settings.host(host))
    with contextlib.suppress(OSError):
        return f"; {worker.host_file(settings, names[0]).read_text(encoding='utf-8').strip()}"
    return ""


def _connected(pid: int, port: int) -> bool:
    """Return whether a process has a TCP connection to a port."""
    try:
        links = [str(p.readlink()) for p in Path(f"/proc/{pid}/fd").iterdir()]
        tables = [Path(f"/proc/{pid}/net/{name}").read_text("ascii") for name in ("tcp", "tcp6")]
    except OSError:  # it has ended
        return False
    own = {m[1] for link in links if (m := re.fullmatch(r"socket:\[(\d+)\]", link))}
    rows = [line.split() for table in tables for line in table.splitlines()[1:]]
    return any(
        row[3] == _ESTABLISHED and int(row[2].rpartition(":")[2], 16) == port and row[9] in own
        for row in rows
    )
