# SPDX-License-Identifier: GPL-2.0-only
"""The devices that board types name by numbers are those whose drivers Linux was asked for."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from attrs import evolve

from tests.unit.device_facts import DRIVERS, OTHERS
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.model import BoardType


def named(board: BoardType) -> set[str]:
    """Return the devices that a board type names."""
    return {name for role in kernel_needs.roles(board).values() for name in role.ids}


def unknown(boards: Iterable[BoardType]) -> set[str]:
    """Return the devices of which nobody has looked up the driver."""
    return {name for board in boards for name in named(board)} - DRIVERS.keys()


BOARDS = tuple(load().board_types.values())


def test_each_device_was_looked_up() -> None:
    assert unknown(BOARDS) == set()
    assert {name for board in BOARDS for name in named(board)} == DRIVERS.keys()
    assert not DRIVERS.keys() & OTHERS.keys()


@pytest.mark.parametrize("wrong", ["pci:8086:1534", "acpi:ARMH0012", "mdio:600d84a3", *OTHERS])
def test_another_number_is_seen(wrong: str) -> None:
    altra = load().board_type("altra")
    devices = {**altra.devices, "network": (wrong,)}
    assert unknown([evolve(altra, devices=devices)]) == {wrong}
