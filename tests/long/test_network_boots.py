# SPDX-License-Identifier: GPL-2.0-only
"""Servers whose firmware fetches GRUB or iPXE from the network, in a real LAVA, up to the database.

An emulated arm64 machine with UEFI plays an Altra, a PC with UEFI behind a BMC an x86 server: the
BMC switches it by the commands of the example inventory, and has its serial line.
Needs the packages of workers/packages/lava-dispatcher.txt and long.txt.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.lava_lab import free_ports
from tests.long import bmc, box
from tests.long.rehearsal import TFTP, Rehearsal, rehearsal
from vlag import ROOT
from vlag.kernel.archive import Archive

pytestmark = pytest.mark.long

EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
#: Whose power and console are IPMI's.
BMC_BOARD: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]["altra-1"]
STEPS = (
    "lab", "artifacts", "serial", "power", "boot loader", "boot", "policy", "temperature",
    "network", "benchmark", "run",
)  # fmt: skip


def grub(folder: Path) -> Path:
    """Return GRUB for arm64's UEFI as Debian makes it for a boot from the network."""
    archive = Archive(folder=folder / "apt", architecture="arm64", sources=None)
    archive.refresh()
    package = archive.packages(["grub-efi-arm64-bin"])[0]
    archive.fetch(package, folder / "grub.deb")
    bmc.extract(folder / "grub.deb", folder / "grub")
    return folder / "grub/usr/lib/grub/arm64-efi/monolithic/grubnetaa64.efi"


@contextmanager
def offered(program: Path) -> Iterator[str]:
    """Have the TFTP server offer a program, and yield its name there."""
    file = TFTP / f"vlag-rehearsal-{program.name}"
    shutil.copyfile(program, file)
    file.chmod(0o644)
    try:
        yield file.name
    finally:
        file.unlink()


def through_bmc(command: str | list[str], program: Path) -> Any:
    """Return a command of the inventory, or several, with the BMC's tool that is not installed."""
    if isinstance(command, list):
        return [through_bmc(one, program) for one in command]
    return command.replace("ipmitool", str(program))


@pytest.fixture(scope="module")
def altra(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("grub")
    with (
        offered(grub(folder)) as file,
        rehearsal(cluster, folder, "grub", file=file) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def server(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("ipxe")
    (port,) = free_ports(1)
    with (
        offered(Path("/boot/ipxe.efi")) as file,
        rehearsal(cluster, folder, "ipxe", file=file, port=port) as made,
        bmc.machine(
            bmc.unpacked(folder / "packages"), folder / "bmc", "altra-1-bmc",
            on=made.command("on"), off=made.command("off"), serial=port,
        ) as machine,
    ):  # fmt: skip
        program = machine.folder / "bin" / "ipmitool"
        made.facts = {
            "console": through_bmc(BMC_BOARD["console"], program),
            "power": {verb: through_bmc(c, program) for verb, c in BMC_BOARD["power"].items()},
        }
        yield made


@pytest.fixture(params=["altra", "server"])
def board(request: pytest.FixtureRequest) -> Rehearsal:
    """A board as it should be, freshly plugged in."""
    made: Rehearsal = request.getfixturevalue(request.param)
    made.register()
    made.plug()
    return made


def test_a_boot_comes_to_the_last_figure_in_the_database(board: Rehearsal, dsn: str) -> None:
    answer = board.check("nothing is wrong")
    assert answer["passed"], answer
    assert tuple(step["name"] for step in answer["steps"]) == STEPS
    board.ingest(answer, dsn)


def test_a_network_without_dhcp(server: Rehearsal) -> None:
    """Control: what is booted comes over the network."""
    server.register()
    server.plug(box.UNPLUGGED)
    step, said = server.fault("the board's network cable ends nowhere")
    assert (step, "no DHCP server answered the firmware" in said) == ("boot loader", True)
