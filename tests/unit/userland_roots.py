# SPDX-License-Identifier: GPL-2.0-only
"""Roots of which userlands are made, of programs of this machine: nothing is fetched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vlag.lava import initramfs
from vlag.model import digest


def root(folder: Path, *packages: str) -> Path:
    """Make a root of packages that has busybox and zstd of this machine, and one data file."""
    made = folder / f"root-{digest({'suite': initramfs.SUITE, 'packages': sorted(packages)})[:16]}"
    for name in ("busybox", "zstd"):
        program = Path(str(shutil.which(name))).resolve()
        for source in (str(program), *initramfs.libraries(Path("/"), str(program), "x86_64")):
            target = made / ("usr/bin/" + name if source == str(program) else source.lstrip("/"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (made / "usr/share/seabios").mkdir(parents=True)
    (made / "usr/share/seabios/bios.bin").write_bytes(b"BIOS")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of userlands with a root of busybox and of what compresses."""
    root(tmp_path / "userland", "busybox", "zstd")
    return tmp_path / "userland"
