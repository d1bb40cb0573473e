# SPDX-License-Identifier: GPL-2.0-only
"""Servers whose firmware fetches GRUB from the network, in a real LAVA, up to the database.

An emulated arm64 machine with UEFI plays an Altra.
Needs the packages of workers/packages/lava-dispatcher.txt and long.txt.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.long import bmc
from tests.long.rehearsal import TFTP, Rehearsal, rehearsal
from vlag.kernel.archive import Archive

pytestmark = pytest.mark.long

STEPS = (
    "lab", "artifacts", "serial", "power", "boot loader", "boot", "policy", "temperature",
    "network", "benchmark", "run",
)  # fmt: skip


def grub(folder: Path) -> Path:
    """Return GRUB for arm64's UEFI as Debian makes it for a boot from the network."""
    archive = Archive(folder=folder / "apt", architecture="arm64", sources=None)
    archive.refresh(print)
    package = archive.packages(["grub-efi-arm64-bin"])[0]
    archive.fetch(package, folder / "grub.deb", print)
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


@pytest.fixture(scope="module")
def altra(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("grub")
    with (
        offered(grub(folder)) as file,
        rehearsal(cluster, folder, "grub", file=file) as made,
    ):
        yield made


@pytest.fixture(params=["altra"])
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
