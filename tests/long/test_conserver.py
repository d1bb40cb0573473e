# SPDX-License-Identifier: GPL-2.0-only
"""The example inventory's console command for a conserver, also while a forgotten one is open."""

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
from typing import Any

import pytest
import yaml
from attrs import define

from tests.integration.installation import free_ports
from tests.long import bmc
from tests.waiting import until
from vlag import ROOT

pytestmark = pytest.mark.long

PACKAGES = ("conserver-client", "conserver-server", "libwrap0")
EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
BOARDS: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]
COMMAND: str = BOARDS["x86-480-1"]["console"]
_CONFIG = """
console x86-480-1 {{
  master 127.0.0.1;
  type device;
  device {device};
  baud 115200;
  parity none;
  rw *;
}}
access * {{ trusted 127.0.0.1; allowed 127.0.0.1; }}
"""


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
class Conserver:
    """A conserver on this machine, and the board at the other end of its line."""

    tools: Path
    board: Line

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
            line.hears("for help]")
            yield line
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
            os.close(file)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


@pytest.fixture(scope="module")
def conserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conserver]:
    folder = tmp_path_factory.mktemp("conserver")
    root, tools = bmc.unpacked(folder, PACKAGES), folder / "bin"
    tools.mkdir()
    (port,) = free_ports(1)
    bmc.tool(root, tools / "console", {"console-1": f"127.0.0.1 -p {port}"})
    board, device = os.openpty()
    tty.setraw(device)
    config = folder / "conserver.cf"
    config.write_text(_CONFIG.format(device=os.ttyname(device)))
    libraries = str(root / "usr/lib/x86_64-linux-gnu")
    server = subprocess.Popen(
        [root / "usr/sbin/conserver", "-C", config, "-M", "127.0.0.1", "-p", str(port), "-n", "-u",
         "-L", folder],
        env={**os.environ, "LD_LIBRARY_PATH": libraries}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: _answers(port), lambda: "the conserver does not answer")
        yield Conserver(tools, Line(board))
    finally:
        server.terminate()
        server.wait()
        os.close(board)
        os.close(device)


def test_a_dispatcher_reads_and_types(conserver: Conserver) -> None:
    with conserver.client(COMMAND) as line:
        line.say("dhcp net0\r")
        conserver.board.hears("dhcp net0")
        conserver.board.say("iPXE> ")
        line.hears("iPXE> ")


def test_a_forgotten_session_does_not_keep_a_dispatcher_from_typing(conserver: Conserver) -> None:
    with conserver.client(COMMAND), conserver.client(COMMAND) as line:
        line.hears("bumped")
        line.say("boot net0\r")
        conserver.board.hears("boot net0")


def test_without_force_the_second_only_reads(conserver: Conserver) -> None:
    """Control: why the example forces it."""
    polite = COMMAND.replace("-f ", "")
    with conserver.client(COMMAND), conserver.client(polite) as line:
        line.say("boot net1\r")
        line.hears("read-only")


def test_all_boards_of_a_conserver_are_reached_alike() -> None:
    consoles = {n: b["console"] for n, b in BOARDS.items() if "console" in b}
    own = {n: c for n, c in consoles.items() if c.startswith("console ")}
    assert len(own) == 4
    assert all(c == COMMAND.replace("x86-480-1", n) for n, c in own.items())
