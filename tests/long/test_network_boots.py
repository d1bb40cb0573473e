# SPDX-License-Identifier: GPL-2.0-only
"""Servers whose firmware fetches GRUB or iPXE from the network, in a real LAVA, up to the database.

An emulated arm64 machine with UEFI plays an Altra, a PC with UEFI behind a BMC an x86 server: the
BMC switches it by the commands of the example inventory, and has its serial line.  Another PC has
iPXE by HTTP, a third one from the CD that its BMC shows it, by Redfish.
Needs the packages of workers/packages/lava-dispatcher.txt and long.txt.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import define

from tests import http_stand_in
from tests.http_stand_in import Answer, Request, StandIn
from tests.integration.installation import free_ports
from tests.long import bmc, box, redfish
from tests.long.rehearsal import TFTP, Rehearsal, rehearsal
from vlag import ROOT
from vlag.kernel.archive import Archive

pytestmark = pytest.mark.long

EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
BOARDS: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]
#: Whose power and console are IPMI's, and whose power is Redfish's.
BMC_BOARD, REDFISH_BOARD = BOARDS["altra-1"], BOARDS["x86-480-1"]
IPXE = Path("/boot/ipxe.efi")
#: UEFI's list of what it boots, as long as nobody has changed it.
UEFI_SETTINGS = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
#: The entry that virt-fw-vars makes, as the first one of the list.
FIRST = {"name": "BootOrder", "guid": "8be4df61-93ca-11d2-aa0d-00e098032b8c", "attr": 7,
         "data": "9900"}  # fmt: skip
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
    return command.replace(program.name, str(program))


def boots(settings: Path, address: str) -> None:
    """Write UEFI's settings by which it boots from an address first."""
    order = settings.with_name("order.json")
    order.write_text(json.dumps({"version": 2, "variables": [FIRST]}))
    subprocess.run(
        [Path(sys.executable).with_name("virt-fw-vars"), "--input", UEFI_SETTINGS,
         "--output", settings, "--set-boot-uri", address, "--set-json", order],
        check=True, capture_output=True,
    )  # fmt: skip


def medium(folder: Path) -> Path:
    """Make the medium with iPXE as docs/first-board.md says."""
    page = (ROOT / "docs" / "first-board.md").read_text()
    [commands] = re.findall(r"^ +mformat .*?\n\n", page, re.DOTALL | re.MULTILINE)
    folder.mkdir()
    subprocess.run(["sh", "-euc", commands], cwd=folder, check=True, capture_output=True)
    return folder / "ipxe.iso"


@define
class Wires:
    """What a BMC does to a machine: its power, and the medium in its CD drive."""

    box: Path
    on: bool = False

    def __call__(self, system: Mapping[str, Any]) -> None:
        """Switch the machine, if that is what has changed."""
        on = system["power_state"] == "On"
        if on is self.on:
            return
        self.on = on
        if not on:
            box.command(self.box, "stop", "system_reset")
            return
        cd = (system.get("boot_image") or {}).get("Cd", [None])[0]
        shown = [f"change cd {cd}"] if cd and system.get("boot_device") == "Cd" else []
        box.command(self.box, "eject -f cd", *shown, "cont")


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
        offered(IPXE) as file,
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


@pytest.fixture(scope="module")
def web() -> Iterator[StandIn]:
    """A web server that has iPXE."""
    with http_stand_in.served(has_ipxe) as there:
        yield there


def has_ipxe(request: Request) -> Answer:
    """Answer as a server that has iPXE alone."""
    there = request.path == f"/{IPXE.name}"
    return Answer(body=IPXE.read_bytes()) if there else Answer(status=404)


@pytest.fixture(scope="module")
def by_http(
    cluster: str, web: StandIn, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("http")
    with rehearsal(cluster, folder, "ipxe", machine="http") as made:
        made.facts = {"console": made.command("terminal")}
        boots(made.box / "settings", f"http://{box.HOST}:{web.port}/{IPXE.name}")
        yield made


@pytest.fixture(scope="module")
def by_medium(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("medium")
    iso = medium(folder / "iso").read_bytes()
    with (
        http_stand_in.served(lambda _: Answer(body=iso)) as there,
        rehearsal(cluster, folder, "ipxe", machine="cd") as made,
        redfish.machine(
            bmc.unpacked(folder / "packages", redfish.PACKAGES), folder / "bmc", "x86-480-1-bmc",
            Wires(made.box),
        ) as machine,
    ):  # fmt: skip
        machine.insert(f"{there.url}/ipxe.iso")
        program = machine.folder / "bin" / "redfishtool"
        power = {verb: through_bmc(c, program) for verb, c in REDFISH_BOARD["power"].items()}
        power["reset"] = [c.replace("Once Pxe", "Once Cd") for c in power["reset"]]
        made.facts = {"power": power, "console": made.command("terminal")}
        yield made


@pytest.fixture(params=["altra", "server", "by_http", "by_medium"])
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


def test_a_web_server_without_the_file(by_http: Rehearsal, web: StandIn) -> None:
    """Control: iPXE comes by HTTP."""
    by_http.register()
    by_http.plug()
    web.answer = lambda _: Answer(status=404)
    try:
        step, said = by_http.fault("the web server does not have the file")
    finally:
        web.answer = has_ipxe
    assert (step, "Client Error: 404 Not Found" in said) == ("boot loader", True), said
