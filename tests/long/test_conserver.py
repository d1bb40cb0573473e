# SPDX-License-Identifier: GPL-2.0-only
"""The example inventory's console command for a conserver, also while a forgotten one is open."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.integration.installation import free_ports
from tests.long import bmc
from tests.long.serial_line import Server, answers, wire
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


@pytest.fixture(scope="module")
def conserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("conserver")
    root, tools = bmc.unpacked(folder, PACKAGES), folder / "bin"
    tools.mkdir()
    (port,) = free_ports(1)
    bmc.tool(root, tools / "console", {"console-1": f"127.0.0.1 -p {port}"})
    config = folder / "conserver.cf"
    libraries = str(root / "usr/lib/x86_64-linux-gnu")
    with wire() as (board, device):
        config.write_text(_CONFIG.format(device=device))
        daemon = subprocess.Popen(
            [root / "usr/sbin/conserver", "-C", config, "-M", "127.0.0.1", "-p", str(port), "-n",
             "-u", "-L", folder],
            env={**os.environ, "LD_LIBRARY_PATH": libraries}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until(lambda: answers(port), lambda: "the conserver does not answer")
            yield Server(tools, board, "for help]")
        finally:
            daemon.terminate()
            daemon.wait()


def test_a_dispatcher_reads_and_types(conserver: Server) -> None:
    with conserver.client(COMMAND) as line:
        line.say("dhcp net0\r")
        conserver.board.hears("dhcp net0")
        conserver.board.say("iPXE> ")
        line.hears("iPXE> ")


def test_a_forgotten_session_does_not_keep_a_dispatcher_from_typing(conserver: Server) -> None:
    with conserver.client(COMMAND), conserver.client(COMMAND) as line:
        line.hears("bumped")
        line.say("boot net0\r")
        conserver.board.hears("boot net0")


def test_without_force_the_second_only_reads(conserver: Server) -> None:
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
