# SPDX-License-Identifier: GPL-2.0-only
"""The config of farm boards, made by the night's own kernel sources.

Those of the farm's own servers and an RB5; tests/long/test_board_configs.py has every
type.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.night.clone import Night
from vlag.errors import ExitCode

HARDWARE = ("altra", "rb5", "x86-480")


def checked(night: Night, board_type: str, ref: str, status: int = 0) -> dict[str, Any]:
    done = night.vlag(
        "build", "--check", "--tree", "debian", "--ref", ref, "--board-type", board_type,
        "--format", "json", status=status,
    )  # fmt: skip
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def fragment(night: Night) -> Iterator[Path]:
    path = night.clone / "workers" / "kconfig" / "x86-server.config"
    shipped = path.read_text()
    yield path
    path.write_text(shipped)


@pytest.mark.long
@pytest.mark.parametrize("board_type", HARDWARE)
def test_the_newer_kernel_has_what_a_board_needs(night: Night, board_type: str) -> None:
    answer = checked(night, board_type, "linux-6.12")
    assert answer["wrong"] is None
    assert answer["needs"]
    assert all(need["met"] for need in answer["needs"])


@pytest.mark.long
def test_a_config_that_lacks_an_option_is_refused(night: Night, fragment: Path) -> None:
    drop = ("CONFIG_IRQ_REMAP=", "CONFIG_X86_X2APIC=", "CONFIG_INTEL_IOMMU=", "CONFIG_AMD_IOMMU=")
    lines = fragment.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(drop)]
    assert len(lines) - len(kept) == len(drop)
    fragment.write_text("".join(kept) + "# CONFIG_IRQ_REMAP is not set\n")
    answer = checked(night, "x86-480", "linux-6.12", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"] == (
        "config: x86-480 with its 480 CPUs needs CONFIG_IRQ_REMAP=y, the kernel made it n"
    )


@pytest.mark.long
@pytest.mark.parametrize("board_type", ["altra"])
def test_the_older_kernel_has_it_too(night: Night, board_type: str) -> None:
    assert checked(night, board_type, "linux-6.1")["wrong"] is None


@pytest.mark.long
def test_a_kernel_without_the_boards_device_tree_is_refused(night: Night) -> None:
    """Linux has that of the Raspberry Pi 5 from 6.11 on."""
    answer = checked(night, "rpi5", "linux-6.1", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"].startswith(
        "device tree: this kernel has no broadcom/bcm2712-rpi-5-b.dtb, without which"
    )


@pytest.mark.long
def test_a_device_tree_without_a_network_card_is_refused(night: Night) -> None:
    """Linux has that of the Raspberry Pi 5 behind its RP1 later than 6.12."""
    answer = checked(night, "rpi5", "linux-6.12", status=ExitCode.KERNEL_FAILED)
    assert "device tree has no device for the network of rpi5" in answer["wrong"]
