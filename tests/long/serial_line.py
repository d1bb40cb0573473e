# SPDX-License-Identifier: GPL-2.0-only
"""Ends of a board's serial line: the board itself, and the terminal of a console command."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import socket
import subprocess
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define

from tests.waiting import until


@define
class Line:
    """An end of a serial line, or the terminal of a client."""

    file: int
    heard: bytes = b""

    def say(self, text: str) -> None:
        """Send a text."""
        os.write(self.file, text.encode())

    def hears(self, text: str, within_s: float = 20) -> None:
        """Wait for a text."""
        until(
            lambda: text.encode() in self._read(),
            lambda: f"{text!r} does not come: {self.heard!r}",
            within_s=within_s,
        )

    def _read(self) -> bytes:
        if select.select([self.file], [], [], 0)[0]:
            with contextlib.suppress(OSError):
                self.heard += os.read(self.file, 4096)
        return self.heard


@define
class Server:
    """A console server on this machine, and the board at the other end of its line."""

    tools: Path
    board: Line
    greeting: str  # of its client, once it is connected

    @contextmanager
    def client(self, command: str) -> Iterator[Line]:
        """Run a command of the inventory on a terminal, as a dispatcher does."""
        name, *words = shlex.split(command)
        file, terminal = os.openpty()
        process = subprocess.Popen(
            [self.tools / name, *words], stdin=terminal, stdout=terminal, stderr=terminal,
            start_new_session=True,
        )  # fmt: skip
        line = Line(file)
        try:
            line.hears(self.greeting)
            yield line
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
            os.close(file)


@contextmanager
def wire() -> Iterator[tuple[Line, str]]:
    """Yield the board's end of a serial line, and the device of the console server's end."""
    board, device = os.openpty()
    tty.setraw(device)
    try:
        yield Line(board), os.ttyname(device)
    finally:
        os.close(board)
        os.close(device)


def answers(port: int) -> bool:
    """Return whether something listens on a port of this machine."""
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False
