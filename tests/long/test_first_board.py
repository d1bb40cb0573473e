# SPDX-License-Identifier: GPL-2.0-only
"""The first day of a board, rehearsed: an emulated one that U-Boot boots by TFTP, in a real LAVA.

Each failure is done to the board, its cables or its dispatcher; `vlag boards bring-up` names it.
Needs the packages of workers/packages/lava-dispatcher.txt and long.txt.
"""

import contextlib
import subprocess
from collections.abc import Iterator

import pytest

from bench.evidence import table, write
from tests.integration.lava_lab import Lava
from tests.long import box
from tests.long.rehearsal import TFTP, Rehearsal, rehearsal

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def farm(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    with rehearsal(cluster, tmp_path_factory.mktemp("first"), "uboot") as made:
        yield made


@pytest.fixture
def board(farm: Rehearsal) -> Rehearsal:
    """The board as it should be, freshly plugged in."""
    farm.register()
    farm.plug()
    return farm


def test_a_good_board_comes_to_its_first_run(board: Rehearsal, dsn: str) -> None:
    answer = board.check("nothing is wrong")
    assert answer["passed"], answer
    assert [s["name"] for s in answer["steps"]] == [
        "lab", "artifacts", "serial", "power", "boot loader", "DHCP", "TFTP", "boot", "policy",
        "temperature", "network", "benchmark", "run",
    ]  # fmt: skip
    board.ingest(answer, dsn)


def test_no_dhcp(board: Rehearsal) -> None:
    board.plug(box.UNPLUGGED)
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
