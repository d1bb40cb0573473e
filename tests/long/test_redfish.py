# SPDX-License-Identifier: GPL-2.0-only
"""The example inventory's power commands by Redfish, from every state that a machine can be in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.long import bmc, redfish
from tests.long.redfish import Machine
from vlag import ROOT

pytestmark = pytest.mark.long

EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
BOARDS: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]
BOARD = BOARDS["x86-480-1"]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("redfish")
    root = bmc.unpacked(folder, redfish.PACKAGES)
    with redfish.machine(root, folder / "machine", "x86-480-1-bmc") as made:
        yield made


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(("verb", "after"), [("on", True), ("off", False), ("reset", True)])
def test_a_command_leads_to_its_state_from_each(
    machine: Machine, verb: str, before: bool, after: bool
) -> None:
    machine.put(on=before)
    for command in bmc.commands(BOARD, verb):
        done = machine.run(command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        if command.startswith("sleep"):
            assert not machine.on  # what follows starts it, whatever it was before
    machine.wait(on=after)
    assert machine.boots_from == ("Pxe" if verb == "reset" else "Hdd")


def test_all_boards_with_redfish_are_switched_alike() -> None:
    for name in ("vhost-1", "pair-1-sut"):
        own = yaml.safe_dump(BOARDS[name]["power"]).replace(f"{name}-bmc", "x86-480-1-bmc")
        assert yaml.safe_load(own) == BOARD["power"]


def test_a_bmc_may_lack_power_cycle(machine: Machine) -> None:
    """Control: why the example does without it."""
    done = machine.run(bmc.commands(BOARD, "on")[0].replace("reset On", "reset PowerCycle"))
    assert done.returncode != 0
    assert "not supported" in done.stdout + done.stderr


def test_a_wrong_password_is_refused(machine: Machine) -> None:
    """Control: the machine is switched by the BMC alone."""
    machine.put(on=False)
    machine.password("another")
    try:
        assert machine.run(bmc.commands(BOARD, "on")[0]).returncode != 0
        assert not machine.on
    finally:
        machine.password(redfish.PASSWORD)
