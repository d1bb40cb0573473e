# SPDX-License-Identifier: GPL-2.0-only
"""A small tree that builds as a kernel."""

from pathlib import Path
from typing import Any, cast

import pytest

from tests import sandboxes
from vlag.bundle_records import KernelRecord
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.tuxmake_build import Recipe

#: A tree of one file whose image is the object that the compiler made of it.
MAKEFILE = """
RUSTC = rustc
allnoconfig olddefconfig:
	echo "CONFIG_RUSTC_VERSION=$$($(RUSTC) --version || echo 0)" >> $(O)/.config
Image bzImage:
	mkdir -p $(O)/arch/arm64/boot $(O)/arch/x86/boot $(O)/include/config
	echo 1.0 > $(O)/include/config/kernel.release
	$(CC) -Wp,-MMD,$(O)/one.d -c -o $(O)/one.o one.c
	for arch in arm64 x86; do cp $(O)/one.o $(O)/arch/$$arch/boot/$@; done
	echo "made $@ by $(CC)"
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source")


def write(folder: Path, makefile: str = MAKEFILE) -> Path:
    """Write the tree into a new folder."""
    folder.mkdir()
    (folder / "Makefile").write_text(makefile)
    for name in ("Kconfig", "Kbuild"):  # by which tuxmake knows a kernel's source
        (folder / name).touch()
    (folder / "one.c").write_text("int one = 1;\n")
    return folder


def arch_alone(arch: str) -> KernelRecord:
    """Return of an identity what a build needs of it."""
    return cast("KernelRecord", {"arch": arch})


def build(tmp_path: Path, source: Path, arch: str, name: str = "bundle") -> Any:
    return kernel_build.build(
        kernel=arch_alone(arch), source=source, bundle=tmp_path / "builds" / name,
        recipe=Recipe(kconfig_target="allnoconfig"),
        tools=sandboxes.tools(tmp_path / "ccache"), reproduce="",
    )  # fmt: skip


def module(name: str, *needs: str) -> bytes:
    return b"\x7fELF..\0license=GPL\0depends=%s\0name=%s\0" % (
        ",".join(needs).encode(),
        name.encode(),
    )
