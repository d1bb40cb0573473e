# SPDX-License-Identifier: GPL-2.0-only
"""`vlag build --check` on a tree of a few files, whose makefile takes what a board asks for.

What Linux makes of it is in tests/long/deep/test_board_kernels.py and test_board_configs.py.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.integration import tiny_tree
from tests.unit.device_trees import BOARD, DRIVERS, blob, source
from vlag.cli.main import main
from vlag.config import kernel_needs
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode

#: One of a board that boots with a device tree, and one with many CPUs.
TYPES = ("rpi5", "x86-480")
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
    defaults += [f"CONFIG_{option}=y" for _, _, option in DRIVERS.values() if option]
    files = {
        "Makefile": MAKEFILE.format(drop=f"sed -i /^{drop}=/d $(O)/.config" if drop else "true"),
        "defaults": "\n".join(defaults) + "\n",
        # By which tuxmake knows a kernel's source.
        "Kconfig": "",
        "Kbuild": "",
        **({DEVICE_TREE: "/dts-v1/;\n"} if device_tree else {}),
    }
    stream = "commit refs/heads/main\ncommitter x <x@localhost> 2 +0000\ndata 1\ny\n"
    stream += "from refs/heads/main^0\n"
    drivers = source(folder / "drivers")
    contents = {
        **{name: text.encode() for name, text in files.items()},
        **{
            str(path.relative_to(drivers)): path.read_bytes()
            for path in drivers.rglob("*")
            if path.is_file() and ".git" not in path.parts
        },
        "board.dtb": board,
    }
    parts = [stream.encode()]
    for name, data in contents.items():
        parts += [f"M 100644 inline {name}\ndata {len(data)}\n".encode(), data, b"\n"]
    subprocess.run(
        ["git", f"--git-dir={folder / 'tiny.git'}", "fast-import", "--quiet"],
        input=b"".join(parts), check=True,
    )  # fmt: skip


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
    assert any("phy@1 (ethernet-phy-id600d.84a2)" in sentence for sentence in answer["unknown"])


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
