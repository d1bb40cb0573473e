# SPDX-License-Identifier: GPL-2.0-only
"""What the guests of a board boot: a fixed kernel and an initramfs, as files of the board's own."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from vlag import ROOT
from vlag.bundle_records import GuestRecord
from vlag.config import Settings
from vlag.errors import UsageError
from vlag.kernel import kconfig, package, prebuilt
from vlag.kernel import modules as kernel_modules
from vlag.lava import initramfs
from vlag.lava.newc import archive
from vlag.model import Benchmark, GuestSystem

#: Functions for the scripts of benchmarks that start guests.
SCRIPT = ROOT / "lava-jobs" / "boot" / "guests.sh"

_BOOT = re.compile(r"\./(?:usr/)?boot/(vmlinuz|config)-[^/]+")


@frozen(kw_only=True)
class Guest:
    """What all guests of a boot are started from."""

    release: str  # of their kernel
    kernel_sha256: str
    initramfs_sha256: str
    packages: Mapping[str, str]  # of their initramfs: package -> Debian version
    archive: bytes  # cpio archive with both files, for the board's initramfs

    @property
    def identity(self) -> dict[str, str]:
        """Return what makes it another guest: the digests of both files."""
        return {"kernel": self.kernel_sha256, "initramfs": self.initramfs_sha256}

    def record(self) -> GuestRecord:
        """Return the part of run.json about it."""
        return {
            "release": self.release,
            "kernel_sha256": self.kernel_sha256,
            "initramfs_sha256": self.initramfs_sha256,
            "packages": dict(self.packages),
        }


@frozen(kw_only=True)
class _Kernel:
    image: bytes
    release: str
    modules: tuple[tuple[str, bytes], ...]  # name and content, in the order they are loaded


def prepare(
    settings: Settings, benchmark: Benchmark, kernel: str | None, arch: str
) -> Guest | None:
    """Return what a benchmark's guests boot, None for one that starts none; built once.

    `kernel` is the board's `guest_kernel`: a Debian package of a kernel, with the modules that
    guests load, or an image that has their drivers built in.  `arch` is the board's.  Raises
    UsageError if it is missing, or is of another architecture, or lacks such a module.
    """
    wanted = benchmark.guest
    if wanted is None:
        return None
    where = f"{settings.inventory}: guest_kernel"
    if kernel is None:
        raise UsageError(
            f"{where}: missing; {benchmark.name} starts guests, which boot a fixed kernel: name a"
            " Debian package of one for the board, or an image with its drivers built in"
        )
    if not Path(kernel).is_file():
        raise UsageError(f"{where}: no file {kernel}")
    unpacked = _kernel(Path(kernel), wanted, arch)
    common = initramfs.package_list(ROOT / "workers" / "packages" / "userland.txt")
    userland = initramfs.build(
        settings.state / "userland",
        [*common, *wanted.packages],
        wanted.programs,
        arch=arch,
        brought=settings.programs / arch,
    )
    initrd = userland.path.read_bytes() + _entry(wanted, unpacked)
    with tempfile.TemporaryDirectory(prefix="vlag-guest-") as scratch:
        folder = Path(scratch) / "vlag" / "guest"
        folder.mkdir(parents=True)
        (folder / "vmlinuz").write_bytes(unpacked.image)
        (folder / "initrd").write_bytes(initrd)
        files = archive(Path(scratch))
    return Guest(
        release=unpacked.release,
        kernel_sha256=hashlib.sha256(unpacked.image).hexdigest(),
        initramfs_sha256=hashlib.sha256(initrd).hexdigest(),
        packages=userland.packages,
        archive=files,
    )


def _kernel(path: Path, wanted: GuestSystem, arch: str) -> _Kernel:
    modules: list[tuple[str, bytes]] = []
    if path.suffix == ".deb":
        boot = {
            name[1]: data
            for file, data in package.files(path, _BOOT.fullmatch).items()
            if (name := _BOOT.fullmatch(file))
        }
        if boot.keys() != {"vmlinuz", "config"}:
            raise UsageError(f"{path}: has no /boot/vmlinuz-* with its config: no kernel's package")
        options = kconfig.options(boot["config"].decode("utf-8", "replace"))
        if asked := kernel_modules.names(wanted.modules, options):
            modules = kernel_modules.of_package(path, asked)
        image = prebuilt.plain(boot["vmlinuz"])
    else:
        image = prebuilt.plain(path.read_bytes())
    its, release = prebuilt.header(image, str(path))
    if its != arch:
        raise UsageError(f"{path}: a kernel of {its}; guests of boards of {arch} need that too")
    return _Kernel(image=image, release=release, modules=tuple(modules))


def _entry(wanted: GuestSystem, kernel: _Kernel) -> bytes:
    """Return the cpio archive behind the guests' userland: their first program, and modules."""
    with tempfile.TemporaryDirectory(prefix="vlag-guest-") as scratch:
        folder = Path(scratch) / "vlag"
        (folder / "modules").mkdir(parents=True)
        (folder / "init").write_bytes(wanted.init)
        (folder / "init").chmod(0o755)
        names = "".join(f"{name}\n" for name, _ in kernel.modules)
        (folder / "modules" / "list").write_text(names)
        for name, data in kernel.modules:
            (folder / "modules" / f"{name}.ko").write_bytes(data)
        return archive(Path(scratch))
