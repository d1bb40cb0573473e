"""Run one job with `lava-run`: LAVA's dispatcher with no server, database or daemon."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.errors import InfrastructureError, UsageError

#: LAVA's error types that mean "the board went silent or away", not "the lab is broken".
_BOARD_ERRORS = {"Job", "Test"}


#: LAVA's own words.
_MONITOR_TIMEOUT = "lava test monitoring has timed out"
_CLOSED = "Connection closed"

#: Levels of LAVA's log that carry the console: "feedback" is what is read after the
#: last pattern has matched, sometimes the rest of that very line.
_CONSOLE = {"target", "feedback"}


@frozen(kw_only=True)
class JobResult:
    """What lava-run made of a job."""

    console: tuple[str, ...]  # lines that the board printed
    error_type: str | None  # LAVA's own: Job, Test, Infrastructure, Configuration, Bug
    error: str | None
    version: str  # of the dispatcher


def run(folder: Path, job_id: str, on_line: Callable[[str], None]) -> JobResult:
    """Run `folder`/job.yaml on `folder`/device.yaml; keep the log as lava.log.gz.

    `on_line` is called with each line of the board's console as it comes.
    Raises InfrastructureError for LAVA's own faults, UsageError when not root.
    """
    program = shutil.which("lava-run")
    if program is None:
        raise UsageError("lava-run is missing: apt-get install lava-dispatcher, or `make setup`")
    if os.geteuid() != 0:
        raise UsageError("lava-run needs root: run this as root or with sudo")
    scratch = folder / "scratch"
    dispatcher = folder / "dispatcher.yaml"
    dispatcher.write_text("dispatcher_ip: 127.0.0.1\n", encoding="ascii")
    argv = [
        program, "--job-id", job_id, "--output-dir", str(scratch),
        "--device", str(folder / "device.yaml"), "--dispatcher", str(dispatcher),
        str(folder / "job.yaml"),
    ]  # fmt: skip
    log: list[str] = []
    console: list[str] = []
    typed = False
    # A group of its own: whatever ends lava-run must end its QEMU as well.
    child = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True, cwd=folder,
    )  # fmt: skip
    try:
        with _stopped_with(child):
            for line in child.stdout or ():
                log.append(line)
                record = _record(line)
                # LAVA only types to switch the board off; what comes after is its own echo.
                typed = typed or record.get("lvl") == "input"
                if record.get("lvl") in _CONSOLE and not typed:
                    text = _text(record.get("msg"))
                    console.append(text)
                    on_line(text)
            child.wait()
    finally:
        _end(child)
        with gzip.GzipFile(folder / "lava.log.gz", "wb", mtime=0) as packed:
            packed.write("".join(log).encode())
        shutil.rmtree(scratch, ignore_errors=True)
        dispatcher.unlink(missing_ok=True)
    error_type, error = _ending(log)
    if error is None and any(_MONITOR_TIMEOUT in line for line in log):
        # LAVA calls a monitor that saw no end a failed test of a job that went well.
        error_type, error = "Test", _MONITOR_TIMEOUT
    # A guest that goes down closes its line: LAVA calls that infrastructure, but a board
    # that has spoken is the kernel's until its console says otherwise.
    board = error_type in _BOARD_ERRORS or (error == _CLOSED and console)
    if child.returncode and not board:
        if error is None:
            error = (log or ["it printed nothing"])[-1].strip()[:300]
        raise InfrastructureError(f"lava-run failed ({error_type or child.returncode}): {error}")
    return JobResult(console=tuple(console), error_type=error_type, error=error, version=_version())


@contextlib.contextmanager
def _stopped_with(child: subprocess.Popen[str]) -> Any:
    """Turn SIGTERM into an exception while a job runs, so that its QEMU is not left behind."""

    def stop(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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


def _record(line: str) -> dict[str, Any]:
    """Read one line of the log, `{"dt": …, "lvl": …, "msg": …}`, or `{}`."""
    start = line.find("{")
    if start < 0:
        return {}
    with contextlib.suppress(ValueError):
        record = json.loads(line[start:])
        if isinstance(record, dict):
            return record
    return {}


def _text(message: Any) -> str:
    return message if isinstance(message, str) else json.dumps(message)


def _ending(log: list[str]) -> tuple[str | None, str | None]:
    """Return type and message of the job's error, from its last `results` record."""
    for line in reversed(log):
        record = _record(line)
        message = record.get("msg")
        if (
            record.get("lvl") == "results"
            and isinstance(message, dict)
            and message.get("case") == "job"
        ):
            return message.get("error_type"), message.get("error_msg")
    return None, None


def _version() -> str:
    done = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", "lava-dispatcher"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"
