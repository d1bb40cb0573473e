# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's worker of one host, and the mirrors for its builds."""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from vlag import ROOT
from vlag.config import LOCAL, Host, Settings, catalogue, workers
from vlag.config.settings import reachable
from vlag.errors import InfrastructureError
from vlag.operate.service.processes import Processes
from vlag.pipeline.build_stage import HOST
from vlag.sandbox import cgroup

log = logging.getLogger(__name__)

#: Environment variable with the master's address, for a worker on another machine.
MASTER = "VLAG_MASTER_HOST"

#: Seconds between two looks at the other processes while sources are imported.
_LOOK_S = 1.0


def start(processes: Processes, host: Host) -> None:
    """Start the worker, and again when it ends; it looks for its master until it has found it."""
    settings = processes.settings
    names = workers.all_names(settings, catalogue.of(settings), host)
    introduce(settings, names)
    variables = {
        MASTER: master_host(settings),
        "VLAG_MASTER_PORT": str(settings.worker_port),
        "VLAG_WORKER_NAMES": " ".join(names),
        "VLAG_WORKER_BASEDIR": str(settings.state / "worker"),
        "VLAG_WORKER_PASSWORD_FILE": str(settings.worker_password_file),
        **({} if host.name == LOCAL else {HOST: host.name}),
    }
    folder = settings.state / "worker"
    tac = ROOT / "workers" / "buildbot.tac"
    processes.keep("worker", lambda: processes.twistd("worker", folder, tac, "TERM", variables))


def introduce(settings: Settings, names: Sequence[str]) -> None:
    """Write what Buildbot's page of workers says of this host: how builds are bounded here."""
    text = f"{cgroup.bounds()}\n"
    for name in names:
        path = host_file(settings, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A worker that runs may be reading it.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def host_file(settings: Settings, name: str) -> Path:
    """Return where Buildbot's worker reads what to say of its host."""
    return settings.state / "worker" / name / "info" / "host"


class NotImportedError(InfrastructureError):
    """A kernel source could not be fetched."""


def make_mirrors(processes: Processes, watch: Callable[[], None]) -> None:
    """Run `vlag mirror`, pass on its output and call `watch` meanwhile.

    Raises NotImportedError if it fails.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with subprocess.Popen(
        ["vlag", "mirror"],
        env=processes.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:

        def read() -> None:
            for line in child.stderr or ():
                lines.put(line)
            lines.put(None)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        last = ""
        try:
            while True:
                try:
                    line = lines.get(timeout=_LOOK_S)
                except queue.Empty:
                    watch()
                    continue
                if line is None:
                    break
                last = line.strip()
                log.info(last)
        except BaseException:
            child.kill()
            raise
        finally:
            # Whoever closes the pipe must not meet another that reads it.
            reader.join()
    if child.returncode:
        raise NotImportedError(f"the kernel sources could not be imported: {last}")


def master_host(settings: Settings) -> str:
    """Return the address of the master for a worker of this machine."""
    return os.environ.get(MASTER) or reachable(settings.worker_listen)
