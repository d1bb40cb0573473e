# SPDX-License-Identifier: GPL-2.0-only
"""A small archive of packages with kernel images, as `apt` reads it, and the tree made of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from vlag.kernel.images import Images
from vlag.kernel.refs import Files

#: When the packages were made: 2026-11-16 10:17 UTC.
MADE = 1_794_824_220


def bzimage(release: str) -> bytes:
    """Return the header of an x86_64 kernel, and nothing to boot."""
    image = bytearray(0x400)
    image[0x202:0x206] = b"HdrS"
    image[0x20E:0x210] = (0x100).to_bytes(2, "little")
    text = f"{release} (x@example.org) #1 SMP".encode()
    image[0x300 : 0x300 + len(text)] = text
    return bytes(image)


def arm64_image(release: str) -> bytes:
    """Return the header of an arm64 kernel, and its banner."""
    image = bytearray(0x100)
    image[0x38:0x3C] = b"ARM\x64"
    return bytes(image) + f"Linux version {release} (x@example.org) #1\0".encode()


def config(hz: int = 250) -> str:
    """Return a distribution's config."""
    return f'CONFIG_CC_VERSION_TEXT="gcc-12 (Debian 12.2.0) 12.2.0"\nCONFIG_HZ={hz}\n'


class Packages:
    """A folder with packages and their index, which apt reads without a network."""

    def __init__(self, folder: Path, like: Path | None = None) -> None:
        """Make an empty one, or a copy of that in the folder `like`."""
        self.folder = folder
        self.pool = folder / "pool"
        if like is None:
            self.pool.mkdir(parents=True)
        else:
            shutil.copytree(like, folder)
        self.sources = folder / "kernels.list"
        self.sources.write_text(f"deb [trusted=yes] file:{folder} ./\n")

    def add(
        self,
        name: str,
        version: str,
        *,
        image: bytes | None = None,
        architecture: str = "amd64",
        leave_out: Sequence[str] = (),
    ) -> Path:
        """Make a package of a kernel image, and the index of all of them."""
        release = name.removeprefix("linux-image-")
        root = self.folder / "root" / f"{name}_{version}"
        (root / "DEBIAN").mkdir(parents=True)
        (root / "boot").mkdir()
        (root / "DEBIAN" / "control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
            "Maintainer: x <x@example.org>\nDescription: a kernel\n a paragraph: with a colon\n"
        )
        files = {
            f"vmlinuz-{release}": bzimage(release) if image is None else image,
            f"config-{release}": config().encode(),
            f"System.map-{release}": b"ffffffffffffffff B The real System.map is elsewhere\n",
        }
        for file, data in files.items():
            if file.partition("-")[0] not in leave_out:
                (root / "boot" / file).write_bytes(data)
                os.utime(root / "boot" / file, (MADE, MADE))
        path = self.pool / f"{name}_{version}_{architecture}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--build", root, path],
            check=True, capture_output=True,
        )  # fmt: skip
        self.index()
        return path

    def index(self) -> None:
        """Write the index as the packages are now."""
        said = subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "pool"],
            cwd=self.folder, check=True, capture_output=True,
        ).stdout  # fmt: skip
        (self.folder / "Packages").write_bytes(said)

    def tree(self, state: Path, branches: dict[str, str | Files]) -> Images:
        """Return a tree of these packages."""
        return Images(
            tree="prebuilt", mirror=state / "prebuilt.git", folder=state / "images",
            branches=branches, sources=self.sources,
        )  # fmt: skip
