# SPDX-License-Identifier: GPL-2.0-only
"""The first day of a board, rehearsed: an emulated one that U-Boot boots by TFTP, in a real LAVA.

Each failure is done to the board, its cables or its dispatcher; `vlag boards bring-up` names it.
Needs the packages of workers/packages/lava-dispatcher.txt and u-boot-qemu.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import define, field

from bench.evidence import table, write
from tests.integration.lava_lab import Lava, free_ports, running
from tests.long import uboot_box
from tests.long.emulated import emulated
from vlag import ROOT

pytestmark = pytest.mark.long

BOARD = "uboot-1"
TFTP = Path("/srv/tftp")
SETTINGS = """
[inventory]
boards = "boards.yml"

[labs.home]
url = "{url}"
token_file = "{token}"
artifacts = "{artifacts}"
poll_interval_s = 5

[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = ["qemu-uboot"]
plan = "rehearsal"
"""
#: A branch needs a plan for its boards.
PLAN = """
plan: rehearsal
entries:
  - {benchmark: cyclictest-idle, board_types: [qemu-uboot], seeds: 1, timeout_s: 240}
"""
NETWORK = f"user,id=net,tftp={TFTP}"


def address() -> str:
    """Return the address of this machine under which both it and the emulated board reach it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


@define
class Rehearsal:
    """A farm of one emulated box."""

    folder: Path
    lava: Lava
    kernel: Path
    checkout: Path  # a copy, whose board type a test may change
    box: Path
    qemu: int = 0
    seen: list[tuple[str, str, str, float]] = field(factory=list)

    def plug(self, network: str = NETWORK) -> None:
        """Connect the box anew."""
        if self.qemu:
            uboot_box.unplug(self.qemu)
        for name in ("serial", "monitor"):
            (self.box / name).unlink(missing_ok=True)
        self.qemu = uboot_box.plug(self.box, network)

    def command(self, word: str) -> str:
        """Return a command of the dispatcher."""
        return f"/usr/bin/python3 {self.checkout}/tests/long/uboot_box.py {word} {self.box}"

    def vlag(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run the copy's vlag."""
        return subprocess.run(
            [sys.executable, "-m", "vlag.cli.main", *map(str, words)],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=900,
            env={**os.environ, "PYTHONPATH": str(self.checkout),
                 "VLAG_SETTINGS": str(self.folder / "vlag.toml")},
        )  # fmt: skip

    def register(self, **facts: Any) -> None:
        """Describe the board in the inventory, with other facts where given, and in LAVA."""
        known = {
            "board_type": "qemu-uboot",
            "lab": "home",
            "dispatcher": "dispatcher1",
            "console": self.command("console"),
            "power": {word: self.command(word) for word in ("on", "off", "reset")},
            "mac": "52:54:00:12:34:56",
            **facts,
        }
        listed = {"all": {"children": {"boards": {"hosts": {BOARD: known}}}}}
        (self.folder / "boards.yml").write_text(yaml.safe_dump(listed))
        made = self.folder / "rendered"
        done = self.vlag("lava", "render", made)
        assert done.returncode == 0, done.stderr
        for template in (made / "device-types").iterdir():
            self.lava.write_template(template.stem, template.read_text())
        place = self.lava.folder / "etc" / "dispatcher-config" / "devices"
        (place / f"{BOARD}.jinja2").write_text((made / "devices" / f"{BOARD}.jinja2").read_text())

    def check(self, what: str) -> dict[str, Any]:
        """Check the board; note what was said of it."""
        began = time.monotonic()
        done = self.vlag("boards", "bring-up", BOARD, "--build", self.kernel, "--format", "json")
        assert done.stdout, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        assert done.returncode == (0 if answer["passed"] else 75), done.stderr
        wrong = next((s for s in answer["steps"] if s["state"] == "failed"), None)
        said = ("none", "ready") if wrong is None else (wrong["name"], wrong["sentence"])
        self.seen.append((what, *said, time.monotonic() - began))
        return answer

    def fault(self, what: str) -> tuple[str, str]:
        """Check the board; return the step that failed, and the sentence."""
        answer = self.check(what)
        assert not answer["passed"]
        reached = [s["state"] for s in answer["steps"]]
        assert reached.count("failed") == 1
        return self.seen[-1][1], self.seen[-1][2]


@pytest.fixture(scope="module")
def farm(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("first")
    checkout, box = folder / "checkout", folder / "box"
    box.mkdir()
    ignored = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache", "farm")
    for name in ("vlag", "lava-jobs", "schemas", "workers", "ansible", "tests", "kernel-patches"):
        if name == "vlag":  # operate/farm belongs to it
            shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pyc*"))
        else:
            shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    (checkout / "lava-jobs" / "plans" / "rehearsal.yaml").write_text(PLAN)
    here, (port,) = address(), free_ports(1)
    with running(cluster, folder / "lava") as lava, emulated() as machine:
        kernel = machine.build("qemu-uboot")
        shipped = (ROOT / "vlag.toml").read_text()
        start, end = shipped.index("# Watched branches"), shipped.index("[nightly]")
        settings = shipped[:start] + shipped[end:]
        settings = settings.replace("[ports]\n", f"[ports]\nartifacts = {port}\n")
        (folder / "vlag.toml").write_text(
            settings
            + SETTINGS.format(
                url=lava.url, token=lava.lab().token_file, artifacts=f"http://{here}:{port}"
            )
        )
        # Its emulator is the boards' TFTP server and is the dispatcher, as they see it.
        dispatcher = lava.folder / "etc" / "dispatcher.d" / "dispatcher1.yaml"
        dispatcher.write_text(f"dispatcher_ip: {uboot_box.HOST}\n")
        made = Rehearsal(folder=folder, lava=lava, kernel=kernel, checkout=checkout, box=box)
        lava.add_type("qemu-uboot", "{% extends 'base-uboot.jinja2' %}")
        made.register()
        place = lava.folder / "etc" / "dispatcher-config" / "devices" / f"{BOARD}.jinja2"
        lava.add_device(BOARD, "qemu-uboot", place.read_text())
        store = subprocess.Popen(
            [sys.executable, "-m", "vlag.cli.main", "artifacts", "--listen", f"{here}:{port}"],
            cwd=folder, stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(checkout),
                 "VLAG_SETTINGS": str(folder / "vlag.toml")},
        )  # fmt: skip
        try:
            yield made
        finally:
            store.terminate()
            store.wait()
            if made.qemu:
                uboot_box.unplug(made.qemu)


@pytest.fixture
def board(farm: Rehearsal) -> Rehearsal:
    """The board as it should be, freshly plugged in."""
    farm.register()
    farm.plug()
    return farm


def test_a_good_board_comes_to_its_first_run(board: Rehearsal) -> None:
    answer = board.check("nothing is wrong")
    assert answer["passed"], answer
    assert [s["name"] for s in answer["steps"]] == [
        "lab", "artifacts", "serial", "power", "boot loader", "DHCP", "TFTP", "boot", "policy",
        "temperature", "network", "benchmark", "run",
    ]  # fmt: skip
    run = json.loads((Path(answer["bundle"]) / "run.json").read_text())
    assert run["outcome"] == "complete"
    assert run["board"]["name"] == BOARD


def test_no_dhcp(board: Rehearsal) -> None:
    board.plug(uboot_box.UNPLUGGED)
    step, said = board.fault("the board's network cable ends nowhere")
    assert (step, "no DHCP server answered uboot-1" in said) == ("DHCP", True)


def test_another_boards_device_tree(board: Rehearsal) -> None:
    tree = TFTP / "vlag-rehearsal.dtb"
    subprocess.run(
        ["qemu-system-aarch64", "-machine", f"xlnx-versal-virt,dumpdtb={tree}", "-display", "none"],
        check=True, capture_output=True,
    )  # fmt: skip
    tree.chmod(0o644)
    board.register(
        variables={
            "uboot_load_fdt": f"tftp 0x4f000000 {tree.name}",
            "uboot_bootx_cmd": "booti {KERNEL_ADDR} {RAMDISK_ADDR}:${initrd_size} 0x4f000000",
        }
    )
    try:
        step, said = board.fault("the device tree is another board's")
    finally:
        tree.unlink()
    assert (step, "its device tree is not the one of uboot-1" in said) == ("boot", True)


def test_a_silent_serial_line(board: Rehearsal) -> None:
    board.register(console="tail -f /dev/null")
    step, said = board.fault("the serial line is another port's, and silent")
    assert (step, "the serial line is silent" in said) == ("power", True)


def test_a_power_command_that_fails(board: Rehearsal) -> None:
    wrong = board.command("explode")
    board.register(power={"on": wrong, "off": wrong, "reset": wrong})
    step, said = board.fault("the power commands fail")
    assert (step, "power command of uboot-1 failed" in said) == ("power", True)


def test_a_dead_fan(board: Rehearsal) -> None:
    """QEMU has no fan: its sensor always reports the same, and the limit is set below that."""
    kind = board.checkout / "lava-jobs" / "devices" / "qemu-uboot.yaml"
    before = kind.read_text()
    kind.write_text(before.replace("temperature_max_mC 60000", "temperature_max_mC 1000"))
    try:
        step, said = board.fault("the board is hotter than its policy allows")
    finally:
        kind.write_text(before)
    assert (step, "its fan does not turn" in said) == ("temperature", True)


@contextlib.contextmanager
def full_disk(lava: Lava) -> Iterator[None]:
    """Let the dispatcher's TFTP folder have room for one megabyte, in its own namespace only."""
    inside = lava._inside
    subprocess.run(inside(["mount", "-t", "tmpfs", "-o", "size=1M", "none", str(TFTP)]), check=True)
    try:
        yield
    finally:
        subprocess.run(inside(["umount", "--lazy", str(TFTP)]), check=True)


def test_a_full_disk_of_the_dispatcher(board: Rehearsal) -> None:
    with full_disk(board.lava):
        step, said = board.fault("the dispatcher's disk is full")
    assert (step, "the dispatcher's disk is full" in said) == ("artifacts", True)


def test_a_dispatcher_that_is_off(board: Rehearsal) -> None:
    board.lava.stop("worker")
    try:
        board.lava._sql("UPDATE lava_scheduler_app_worker SET state = 1")
        step, said = board.fault("the dispatcher is off")
    finally:
        board.lava.start("worker")
    assert (step, "dispatcher1, is offline" in said) == ("lab", True)


def test_the_evidence(farm: Rehearsal) -> None:
    """Write down what was done to the board and what the command said."""
    assert len(farm.seen) == 8
    rows = [
        (what, step, said.replace(str(farm.folder), "FOLDER"), f"{s:.0f}")
        for what, step, said, s in farm.seen
    ]
    write(
        "first-board",
        "The first day of a board, rehearsed",
        "pytest -m long tests/long/test_first_board.py",
        ["board: QEMU's arm64 machine behind Debian's U-Boot, in a real LAVA server"],
        [
            "Each row is one `vlag boards bring-up` of an emulated board that boots by DHCP, TFTP.",
            "The fan is played: the board's only sensor never changes, and the policy's limit was",
            "set below it. The TFTP server and DHCP are QEMU's own. No Raspberry Pi was there: its",
            "firmware, network card and power supply are not shown.",
            "",
            *table(("what was wrong", "step", "what the command said", "seconds"), rows),
        ],
    )
