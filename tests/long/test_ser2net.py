# SPDX-License-Identifier: GPL-2.0-only
"""A board's console by telnet and ser2net, as docs/first-board.md sets it up."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.installation import free_ports
from tests.long import bmc
from tests.long.serial_line import Server, answers, wire
from tests.waiting import until
from vlag import ROOT

pytestmark = pytest.mark.long

PACKAGES = ("ser2net", "libgensio4", "inetutils-telnet")
EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
BOARDS: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]
COMMAND: str = BOARDS["rpi5-1"]["console"]


def config(page: str) -> str:
    """Return the file of ser2net that a page tells to write."""
    [block] = re.findall(r"^    connection: &.*?\n\n", page, re.DOTALL | re.MULTILINE)
    return "%YAML 1.1\n---\n" + re.sub(r"^    ", "", block, flags=re.MULTILINE)


SHIPPED = config((ROOT / "docs/first-board.md").read_text())


@contextmanager
def served(root: Path, folder: Path, text: str) -> Iterator[Server]:
    """Run ser2net with a file of its own; `text` has the device and the port of the page."""
    folder.mkdir()
    (port,) = free_ports(1)
    [plugins] = (root / "usr/libexec/x86_64-linux-gnu/gensio").iterdir()
    program = root / "usr/bin/telnet"
    if not program.exists():
        program.symlink_to("inetutils-telnet")
    bmc.tool(root, folder / "telnet", {"console-1": "127.0.0.1", "7001": str(port)})
    environment = {
        **os.environ, "LD_LIBRARY_PATH": str(root / "usr/lib/x86_64-linux-gnu"),
        "GENSIO_LIBRARY_PATH": str(plugins),
    }  # fmt: skip
    with wire() as (board, device):
        own = text.replace("/dev/ttyUSB0", device).replace("tcp,7001", f"tcp,127.0.0.1,{port}")
        (folder / "ser2net.yaml").write_text(own)
        server = subprocess.Popen(
            [root / "usr/sbin/ser2net", "-n", "-u", "-c", folder / "ser2net.yaml"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until(lambda: answers(port), lambda: "ser2net does not answer")
            yield Server(folder, board, "Escape character is")
        finally:
            server.kill()  # a termination waits for its clients
            server.wait()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bmc.unpacked(tmp_path_factory.mktemp("packages"), PACKAGES)


def test_a_dispatcher_reads_and_types(root: Path, tmp_path: Path) -> None:
    with served(root, tmp_path / "one", SHIPPED) as there, there.client(COMMAND) as line:
        line.say("dhcp\r")
        there.board.hears("dhcp")
        there.board.say("U-Boot> ")
        line.hears("U-Boot> ")


def test_a_forgotten_session_ends(root: Path, tmp_path: Path) -> None:
    with (
        served(root, tmp_path / "one", SHIPPED) as there,
        there.client(COMMAND) as forgotten,
        there.client(COMMAND) as line,
    ):
        forgotten.hears("Connection closed")
        line.say("boot\r")
        there.board.hears("boot")


def test_without_kickolduser_the_second_is_refused(root: Path, tmp_path: Path) -> None:
    """Control: why the page has it."""
    polite = SHIPPED.replace("kickolduser: true", "kickolduser: false")
    assert polite != SHIPPED
    with (
        served(root, tmp_path / "one", polite) as there,
        there.client(COMMAND) as line,
        there.client(COMMAND) as second,
    ):
        second.hears("in use")
        line.say("boot\r")
        there.board.hears("boot")
