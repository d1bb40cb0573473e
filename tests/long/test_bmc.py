# SPDX-License-Identifier: GPL-2.0-only
"""The power commands of the example inventory switch a machine from every state it can be in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.long import bmc
from tests.long.bmc import Machine
from vlag import ROOT

pytestmark = pytest.mark.long

EXAMPLE = yaml.safe_load((ROOT / "ansible/inventory/farm-example.yml").read_text())
BOARD: dict[str, Any] = EXAMPLE["all"]["children"]["boards"]["hosts"]["altra-1"]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("bmc")
    with bmc.machine(bmc.unpacked(folder), folder / "machine", "altra-1-bmc") as made:
        yield made


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(("verb", "after"), [("on", True), ("off", False), ("reset", True)])
def test_a_command_leads_to_its_state_from_each(
    machine: Machine, verb: str, before: bool, after: bool
) -> None:
    machine.put(on=before)
    for command in bmc.commands(BOARD, verb):
        done = machine.run(command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert machine.on is after
    changes = [line for line in machine.asked if line.startswith("set")]
    if verb == "reset":
        assert changes == ["set power 0", "set boot pxe", "set power 1"]


def test_a_wrong_password_is_refused(machine: Machine) -> None:
    """Control: the machine is switched by the BMC alone."""
    machine.put(on=False)
    password = machine.folder / "password"
    password.write_text("another\n")
    try:
        assert machine.run(bmc.commands(BOARD, "on")[0]).returncode != 0
        assert not machine.on
    finally:
        password.write_text(f"{bmc.PASSWORD}\n")
