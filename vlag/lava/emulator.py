# SPDX-License-Identifier: GPL-2.0-only
"""Boot a deterministic board's emulator itself, with no dispatcher of LAVA's around it.

The guest executes and prints what it does in LAVA's job: the emulator gets the same words.  The log
has the records that LAVA's has of a console, so that whoever reads one reads the other.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import evolve

from vlag.lava.console import MOST_LINE
from vlag.lava.job import CLOSED, JobResult, Log, stoppable
from vlag.lava.processor_time import watched

#: Records of the log: `python -m bench seconds` looks for them.
BEGINS, ENDS = "start: emulator", "end: emulator"
#: LAVA's log has none of these, wherever a console has them.
_LEFT_OUT = str.maketrans("", "", "\r\x1b")
#: Between them the runner's output stands; what follows is of no use to anybody.
_FIRST, _LAST = "@vlag:start", "@vlag:done"


def run(
    folder: Path, argv: Sequence[str], limit_s: int, version: str, on_line: Callable[[str], None]
) -> JobResult:
    """Run an emulator to the runner's last word; keep the log as lava.log.gz of `folder`.

    It has `limit_s` seconds of this host.  `version` is the emulator's.  `on_line` is called with
    each line of the board's console as it comes.  Raises InfrastructureError where not even an
    emulator spoke.
    """
    log = Log(on_line)
    over = threading.Event()
    _note(log, "info", BEGINS)
    # A process group of its own: its end is that of all it has started.
    child = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, cwd=folder,
    )  # fmt: skip

    def stop() -> None:
        over.set()
        _kill(child)

    limit = threading.Timer(limit_s, stop)
    limit.start()
    ended = False
    try:
        with stoppable(), watched(child.pid) as time:
            for line in _lines(child):
                _note(log, "target", line)
                if ended := _has_ended(log):
                    break
    finally:
        limit.cancel()
        _kill(child)
        child.wait()
        if child.stdout:
            child.stdout.close()
        _note(log, "info", ENDS)
        _note(log, "results", _end(ended=ended, over=over.is_set(), limit_s=limit_s))
        log.keep(folder)
    result = log.result("the emulator", failed=not ended, version=version)
    return evolve(result, waited=time.waited)


def _lines(child: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield what is printed, line by line; a longer line than anybody reads comes in parts."""
    while child.stdout and (line := child.stdout.readline(MOST_LINE)):
        yield line.decode(errors="replace").removesuffix("\n").translate(_LEFT_OUT)


def _has_ended(log: Log) -> bool:
    """Return whether the newest line is the runner's last word; a kernel has none before it."""
    return _LAST in log.lines[-1] and any(_FIRST in line for line in log.console)


def _end(*, ended: bool, over: bool, limit_s: int) -> dict[str, str]:
    """Return the record of the end, with the errors that LAVA has for it."""
    end = {"case": "job", "definition": "lava", "result": "pass" if ended else "fail"}
    if ended:
        return end
    if over:
        error = f"the emulator timed out after {limit_s} s"
        return {**end, "error_type": "Job", "error_msg": error}
    return {**end, "error_type": "Infrastructure", "error_msg": CLOSED}


def _note(log: Log, level: str, message: str | dict[str, str]) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    log.add(json.dumps({"dt": now.isoformat(), "lvl": level, "msg": message}))


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
