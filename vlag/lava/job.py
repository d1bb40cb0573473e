# SPDX-License-Identifier: GPL-2.0-only
"""A LAVA job's log, wherever the job runs: the board's console in it, and how it ended.

A log is a list of records, one a line: `{"dt": TIME, "lvl": LEVEL, "msg": TEXT or facts}`.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import notation
from vlag.errors import InfrastructureError

#: LAVA's error types that mean "the board went silent or down", not "the lab is broken".
_BOARD_ERRORS = {"Job", "Test"}

#: LAVA's own words.
_MONITOR_TIMEOUT = "lava test monitoring has timed out"
CLOSED = "Connection closed"
#: With this a kernel begins to speak.
_KERNEL = "Linux version "
_FINALIZE = re.compile(r"start: \d+ finalize ")
_VERSION = re.compile(r"(lava-dispatcher|qemu-system-\w+), installed at version: ([^\s,]+)")

#: What lava-jobs/lockstep prints when an emulator starts with it, before any console output.
#: The second word is its token, where the board has a limit on its own clock.
LOCKSTEP = re.compile(r"^lockstep (\d+)(?: ([0-9a-f]{16}))?\r?$", re.MULTILINE)
#: What it prints at that limit, with the token before it, and the instructions executed.
_AT_LIMIT = r"[\r\n]*lockstep {token} limit (\d+)"

#: Levels of LAVA's log that carry the console: "feedback" is what is read after the
#: last pattern has matched, sometimes the rest of that very line.
_CONSOLE = {"target", "feedback"}


@frozen(kw_only=True)
class JobResult:
    """The end of a job as LAVA reports it."""

    console: tuple[str, ...]  # lines that the board printed
    error_type: str | None  # LAVA's own: Job, Test, Infrastructure, Configuration, Bug
    error: str | None
    version: str  # of the dispatcher
    device: str | None = None  # LAVA's name of the board, where a server chose it
    emulator: str | None = None  # version of the dispatcher's package of the board's QEMU
    lockstep: str | None = None  # version of what was preloaded into it
    # What the board had executed when its own clock came to its limit; None: it did not.
    instructions: int | None = None
    # Share of the time in which it could run that this host gave it no processor; None: not known.
    waited: float | None = None


class Log:
    """A job's log, read as it comes."""

    def __init__(self, on_line: Callable[[str], None]):
        """`on_line` is called with each line of the board's console."""
        self.lines: list[str] = []
        self.console: list[str] = []
        self.version: str | None = None  # of the dispatcher
        self.emulator: str | None = None  # version of its package
        self.lockstep: str | None = None  # version of what was preloaded into it
        self._token: str | None = None  # of that; the board cannot know it
        self._on_line = on_line
        self._ending = self._kernel = False
        self._typed = False
        self._timed_out = False
        self._error: tuple[str | None, str | None] = (None, None)

    def add(self, line: str) -> None:
        """Take one line of the log, without its end."""
        self.lines.append(line)
        self._timed_out = self._timed_out or _MONITOR_TIMEOUT in line
        row = record(line)
        level, message = row.get("lvl"), row.get("msg")
        if isinstance(message, str) and _FINALIZE.match(message):
            self._ending = True
        if level == "input" and (self._ending or self._kernel):
            # From here LAVA only types commands to switch the board off; the rest is their echo.
            # What it types before goes to a boot loader, and the kernel speaks after that.
            self._typed = True
        elif level in _CONSOLE and not self._typed:
            text = message if isinstance(message, str) else json.dumps(message)
            self._kernel = self._kernel or _KERNEL in text
            if not self.console and (preloaded := LOCKSTEP.search(text)):
                self.lockstep, self._token = preloaded.groups()
                return
            self.console.append(text)
            self._on_line(text)
        elif level == "results" and isinstance(message, dict) and message.get("case") == "job":
            self._error = message.get("error_type"), message.get("error_msg")
        elif isinstance(message, str) and (version := _VERSION.search(message)):
            if version[1] == "lava-dispatcher":
                self.version = self.version or version[2]
            else:
                self.emulator = self.emulator or version[2]

    def keep(self, folder: Path) -> None:
        """Write the log as lava.log.gz."""
        with gzip.GzipFile(folder / "lava.log.gz", "wb", mtime=0) as packed:
            packed.write("".join(f"{line}\n" for line in self.lines).encode())

    def result(
        self,
        who: str,
        *,
        failed: bool,
        version: str,
        device: str | None = None,
        comment: str | None = None,
    ) -> JobResult:
        """Return the result of a job that has ended; `failed`: LAVA reports that it failed.

        `comment` is what is known of a failure beyond the log.  Raises
        InfrastructureError, beginning with `who`, for LAVA's own faults.
        """
        error_type, error = self._error
        if error is None and self._timed_out:
            # If a monitor saw no end, LAVA reports a failed test in a successful job.
            error_type, error = "Test", _MONITOR_TIMEOUT
        # A guest that goes down closes its line, which LAVA reports as infrastructure.  Once the
        # board has printed, vlag blames the kernel unless the console shows otherwise.
        board = error_type in _BOARD_ERRORS or (error == CLOSED and self.console)
        if failed and not board:
            last = next((t for t in reversed(self.lines) if t.strip()), "its log is empty")
            why = error or comment or last
            raise InfrastructureError(
                f"{who} failed ({error_type or 'no reason given'}): {why.strip()[:300]}"
            )
        console, instructions = self._limited()
        return JobResult(
            console=console,
            error_type=error_type,
            error=error,
            version=version,
            device=device,
            emulator=self.emulator,
            lockstep=self.lockstep,
            instructions=instructions,
        )

    def _limited(self) -> tuple[tuple[str, ...], int | None]:
        """Return what the board printed, and what it had executed at its limit."""
        if self._token is None:
            return tuple(self.console), None
        # LAVA may cut lines at any place.
        whole = "".join(self.console)
        end = re.search(_AT_LIMIT.format(token=self._token), whole)
        if end is None:
            return tuple(self.console), None
        left, kept = end.start(), []
        for line in self.console:
            if left <= 0:
                break
            kept.append(line[:left])
            left -= len(line)
        return tuple(kept), int(end[1])


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Turn SIGTERM into SystemExit while a job runs, so that the job ends as well."""

    def stop(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def record(line: str) -> dict[str, Any]:
    """Read one line of the log, or return `{}`."""
    start = line.find("{")
    if start < 0:
        return {}
    try:
        record = json.loads(line[start:])
    except (ValueError, RecursionError):
        # The log is YAML: control characters (\e, \x07) and some numbers are not valid JSON.
        try:
            record = notation.read_yaml(line[start:])
        except notation.NotationError:
            return {}
    return record if isinstance(record, dict) else {}
