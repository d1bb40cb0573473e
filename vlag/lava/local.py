# SPDX-License-Identifier: GPL-2.0-only
"""Run one job with `lava-run`: LAVA's dispatcher with no server, database or daemon."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from attrs import evolve

from vlag.errors import UsageError
from vlag.lava import root
from vlag.lava.job import JobResult, Log, stoppable
from vlag.lava.processor_time import watched

#: Where LAVA keeps what it prepares for a board; root's.
_LAVA = "/var/lib/lava"


def run(folder: Path, job_id: str, on_line: Callable[[str], None]) -> JobResult:
    """Run `folder`/job.yaml on `folder`/device.yaml; keep the log as lava.log.gz.

    `on_line` is called with each line of the board's console as it comes.
    Raises InfrastructureError for LAVA's own faults, UsageError for a user who is not root and
    cannot be root in name.
    """
    program = shutil.which("lava-run")
    if program is None:
        raise UsageError("lava-run is missing: apt-get install lava-dispatcher, or `make setup`")
    root.check()
    scratch, prepared = folder / "scratch", folder / "lava"
    dispatcher = folder / "dispatcher.yaml"
    dispatcher.write_text("dispatcher_ip: 127.0.0.1\n", encoding="ascii")
    argv = [
        *root.in_name({_LAVA: prepared}), program, "--job-id", job_id, "--output-dir", str(scratch),
        "--device", str(folder / "device.yaml"), "--dispatcher", str(dispatcher),
        str(folder / "job.yaml"),
    ]  # fmt: skip
    log = Log(on_line)
    # A process group of its own: ending lava-run must end its QEMU as well.
    child = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True, cwd=folder,
    )  # fmt: skip
    try:
        with stoppable(), watched(child.pid) as time:
            for line in child.stdout or ():
                log.add(line.rstrip("\n"))
            child.wait()
    finally:
        _end(child)
        log.keep(folder)
        for made in (scratch, prepared):
            shutil.rmtree(made, ignore_errors=True)
        dispatcher.unlink(missing_ok=True)
    result = log.result("lava-run", failed=child.returncode != 0, version=_version())
    return evolve(result, waited=time.waited)


def _end(child: subprocess.Popen[str]) -> None:
    if child.poll() is None:
        child.terminate()  # lava-run then ends QEMU by itself
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            print("lava-run does not stop; killing it", file=sys.stderr)  # noqa: T201
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout:
        child.stdout.close()


def _version() -> str:
    done = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", "lava-dispatcher"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"
