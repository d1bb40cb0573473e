# SPDX-License-Identifier: GPL-2.0-only
"""`vlag build --check` on a tree of a few files, whose makefile takes what a board asks for.

What Linux makes of it is in tests/long/deep/test_board_kernels.py and test_board_configs.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.integration import tiny_tree
from tests.repositories import git
from tests.unit.device_trees import BOARD, DRIVERS, INTC, Tree, blob, source
from vlag.cli.main import main
from vlag.config import kernel_needs
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode

#: One of a board that boots with a device tree, and one with many CPUs.
TYPES = ("rpi5", "x86-480")
#: Drivers of their devices that no device tree names.
NAMED = {
    "phy": ("drivers/net/phy/phy.c",
            "{{ 0x600d84a0, 0xfffffff0 }} MODULE_DEVICE_TABLE(mdio, a);", "PHY"),
    "line": ("drivers/tty/line.c", '{{"PNP0501", 0}} MODULE_DEVICE_TABLE(pnp, a);', "LINE"),
    "disks": ("drivers/disk/disks.c",
              "{{ PCI_DEVICE_CLASS(PCI_CLASS_SATA, ~0) }},"
              " {{ PCI_DEVICE_CLASS(PCI_CLASS_NVME, ~0) }} MODULE_DEVICE_TABLE(pci, a);", "DISKS"),
    **{
        name: (f"drivers/board/{name}.c", "no table", name.upper().replace("-", "_"))
        for name in ("x86_pkg_temp_thermal", "coretemp", "k10temp", "intel_pstate", "amd-pstate",
                     "acpi-cpufreq")
    },
}  # fmt: skip
NUMBERS = "#define PCI_CLASS_SATA 0x010601\n#define PCI_CLASS_NVME 0x010802\n"
DEVICE_TREE = "arch/arm64/boot/dts/broadcom/bcm2712-rpi-5-b.dts"
MAKEFILE = """
allnoconfig defconfig:
	cp defaults $(O)/.config
olddefconfig:
	{drop}
%.dtb:
	mkdir -p $(O)/arch/arm64/boot/dts/$(@D)
	cp board.dtb $(O)/arch/arm64/boot/dts/$@
"""


def write(
    folder: Path,
    catalogue: Catalogue,
    *,
    drop: str = "",
    device_tree: bool = True,
    board: bytes = blob(BOARD),
) -> None:
    """Write a tree with defaults that no fragment may have to ask for, and its settings.

    `drop` is an option that the tree never takes, `board` the device tree that it makes.
    """
    tiny_tree.write(folder)
    needs = [
        need
        for name in TYPES
        for need in kernel_needs.of_board_type(catalogue.board_type(name), catalogue)
    ]
    defaults = [f"{n.option}={'y' if n.least is None else n.least}" for n in needs]
    drivers = {**DRIVERS, **NAMED}
    defaults += [f"CONFIG_{option}=y" for _, _, option in drivers.values() if option]
    files = {
        "Makefile": MAKEFILE.format(drop=f"sed -i /^{drop}=/d $(O)/.config" if drop else "true"),
        "defaults": "\n".join(defaults) + "\n",
        # By which tuxmake knows a kernel's source.
        "Kconfig": "",
        "Kbuild": "",
        "include/linux/pci_ids.h": NUMBERS,
        **({DEVICE_TREE: "/dts-v1/;\n"} if device_tree else {}),
    }
    stream = "commit refs/heads/main\ncommitter x <x@localhost> 2 +0000\ndata 1\ny\n"
    stream += "from refs/heads/main^0\n"
    made = source(folder / "drivers", drivers)
    contents = {
        **{name: text.encode() for name, text in files.items()},
        **{
            str(path.relative_to(made)): path.read_bytes()
            for path in made.rglob("*")
            if path.is_file() and ".git" not in path.parts
        },
        "board.dtb": board,
    }
    parts = [stream.encode()]
    for name, data in contents.items():
        parts += [f"M 100644 inline {name}\ndata {len(data)}\n".encode(), data, b"\n"]
    git(folder / "tiny.git", "fast-import", "--quiet", given=b"".join(parts))


def checked(board_type: str, status: int = 0) -> dict[str, Any]:
    argv = ["build", "--check", "--tree", "tiny", "--ref", "main", "--board-type", board_type]
    done = CliRunner().invoke(main, [*argv, "--format", "json"])
    assert done.exit_code == status, done.output
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    return tmp_path


@pytest.mark.parametrize("board_type", TYPES)
def test_the_kernel_has_what_a_board_needs(
    folder: Path, catalogue: Catalogue, board_type: str
) -> None:
    write(folder, catalogue)
    answer = checked(board_type)
    assert answer["wrong"] is None
    assert answer["needs"]
    assert all(need["met"] for need in answer["needs"])
    assert not (folder / "state" / "builds").exists()


def test_a_config_that_lacks_an_option_is_refused(folder: Path, catalogue: Catalogue) -> None:
    write(folder, catalogue, drop="CONFIG_IRQ_REMAP")
    answer = checked("x86-480", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"] == (
        "config: x86-480 with its 480 CPUs needs CONFIG_IRQ_REMAP=y, the kernel made it n"
    )
    assert [need["met"] for need in answer["needs"]].count(False) == 1


def test_a_kernel_without_the_boards_device_tree_is_refused(
    folder: Path, catalogue: Catalogue
) -> None:
    write(folder, catalogue, device_tree=False)
    answer = checked("rpi5", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"].startswith(
        "device tree: this kernel has no broadcom/bcm2712-rpi-5-b.dtb, without which"
    )


def test_a_driver_that_the_device_tree_asks_for_is_missed(
    folder: Path, catalogue: Catalogue
) -> None:
    write(folder, catalogue, drop="CONFIG_MIP")
    answer = checked("rpi5", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"] == (
        "config: rpi5's network: mip@20 (maker,mip), msi-parent of pcie@500, needs CONFIG_MIP=y,"
        " the kernel made it n"
    )
    assert [n["option"] for n in answer["needs"] if not n["met"]] == ["CONFIG_MIP"]


@pytest.mark.parametrize(
    ("board_type", "option", "device"),
    [
        ("x86-480", "CONFIG_LINE", "console: acpi:PNP0501"),
        ("x86-480", "CONFIG_DISKS", "storage: pci:class:010601"),
        ("x86-480", "CONFIG_INTEL_PSTATE", "frequency: driver:intel_pstate"),
        ("rpi5", "CONFIG_PHY",
         "network: phy@1 (ethernet-phy-id600d.84a2), phy-handle of ethernet@0,"),
    ],
)  # fmt: skip
def test_a_driver_of_a_device_that_has_only_a_number_is_missed(
    folder: Path, catalogue: Catalogue, board_type: str, option: str, device: str
) -> None:
    write(folder, catalogue, drop=option)
    answer = checked(board_type, status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"] == (
        f"config: {board_type}'s {device} needs {option}=y, the kernel made it n"
    )


def test_what_nobody_has_named_is_listed(folder: Path, catalogue: Catalogue) -> None:
    write(folder, catalogue)
    assert checked("x86-480")["unknown"] == [
        f"x86-480's {role}: `devices` of the board type names none for it"
        for role in ("network", "watchdog")
    ]


def test_a_device_for_which_no_driver_has_a_name_is_listed(
    folder: Path, catalogue: Catalogue
) -> None:
    other: Tree = {"compatible": "maker,intc-2", "phandle": [INTC], "#interrupt-cells": [3]}
    write(folder, catalogue, board=blob({**BOARD, "intc@10": other}))
    [sentence] = checked("rpi5")["unknown"]
    assert "intc@10 (maker,intc-2)" in sentence
    assert sentence.endswith("no driver of this kernel is for that name")


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        (b"no device tree" * 9, "broadcom/bcm2712-rpi-5-b.dtb does not begin as a"),
        (blob({**BOARD, "aliases": {"serial0": "/soc/serial@100"}}),
         "this kernel's device tree has no device for the network of rpi5; take a tree or a"),
    ],
)  # fmt: skip
def test_a_device_tree_that_cannot_serve_is_refused(
    folder: Path, catalogue: Catalogue, board: bytes, sentence: str
) -> None:
    write(folder, catalogue, board=board)
    answer = checked("rpi5", status=ExitCode.KERNEL_FAILED)
    assert answer["wrong"].startswith(f"device tree: {sentence}")
