# SPDX-License-Identifier: GPL-2.0-only
"""Modules of a kernel for the boards that load some: one archive of a bundle, and their order.

An archive is an uncompressed tar of `NAME.ko`, sorted, whose bytes depend on the modules alone.
"""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from vlag.errors import UsageError
from vlag.kernel import package
from vlag.sandbox import results

#: File of a bundle.
FILE = "modules.tar"

#: What modpost writes into a module: the names of those whose symbols it uses.
_DEPENDS = re.compile(rb"\0depends=([\w,-]*)\0")

#: A module in a package.
_IN_PACKAGE = re.compile(r"\./(?:usr/)?lib/modules/.*\.ko(?:\.xz)?")

#: Modules of an archive that a message lists; a distribution's has thousands.
_MOST_NAMED = 40

#: Option of the kernel -> modules to load where it is one.
Wanted = Mapping[str, Sequence[str]]


def names(wanted: Wanted, options: Mapping[str, str]) -> list[str]:
    """Return the modules to load with a config, as `kconfig.options` reads it."""
    return [name for option, its in wanted.items() if options.get(option) == "m" for name in its]


def take(folder: Path, staging: str, release: str, to: Path) -> None:
    """Write the archive `to` of the modules that `make modules_install` has put below `staging`.

    `staging` is a name in `folder`, which code of others wrote.  Raises OddResultError for a
    module that is no plain file there.
    """
    home = f"{staging}/lib/modules/{release}"
    contents = {}
    for line in results.text(folder, f"{home}/modules.order").splitlines():
        part = to.with_name(f"{to.name}.part")
        results.take(folder, f"{home}/{line}", part)
        contents[PurePosixPath(line).name] = part.read_bytes()
        part.unlink()
    _write(to, contents)


def _write(to: Path, files: Mapping[str, bytes]) -> None:
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def of_package(kernel: Path, asked: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return modules of a distribution's kernel package, and those that they need, as `ordered`.

    Raises UsageError for a module that it does not have, InfrastructureError for a package that
    cannot be unpacked.
    """
    files = package.files(kernel, _IN_PACKAGE.fullmatch)
    contents = {_plain(_name(path)): _unpacking(path, data) for path, data in files.items()}
    return _closed(kernel, contents, asked)


def take_package(kernel: Path, asked: Iterable[str], to: Path) -> None:
    """Write the archive `to` of modules of a package; the rest is as in `of_package`."""
    _write(to, {f"{name}.ko": data for name, data in of_package(kernel, asked)})


def _name(path: str) -> str:
    return PurePosixPath(path).name.partition(".ko")[0]


def _unpacking(path: str, data: bytes) -> Callable[[], bytes]:
    return (lambda: lzma.decompress(data)) if path.endswith(".xz") else (lambda: data)


def ordered(archive: Path, asked: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return modules and those that they need, each after all that it needs: name and content.

    Raises UsageError for a module that the archive does not have.
    """
    with tarfile.open(archive, "r:") as tar:
        files = ((m.name, tar.extractfile(m)) for m in tar.getmembers())
        read = {_plain(name.removesuffix(".ko")): f.read() for name, f in files if f is not None}
    return _closed(archive, {name: _unpacking(name, data) for name, data in read.items()}, asked)


def _closed(
    archive: Path, contents: Mapping[str, Callable[[], bytes]], asked: Iterable[str]
) -> list[tuple[str, bytes]]:
    """Return the modules that are asked for and those that they need, each after these."""
    taken: dict[str, bytes] = {}

    def take_with_needs(name: str, below: tuple[str, ...]) -> None:
        if name in taken:
            return
        if name in below:
            raise UsageError(f"{archive}: the modules {', '.join(below)} need each other")
        if name not in contents:
            whose = f", which {below[-1]} needs" if below else ""
            there = (
                ", ".join(sorted(contents))
                if len(contents) <= _MOST_NAMED
                else f"{len(contents)} others"
            )
            raise UsageError(f"{archive}: no module {name}{whose}; there are: {there}")
        data = contents[name]()
        match = _DEPENDS.search(data)
        for other in match[1].decode().split(",") if match and match[1] else ():
            take_with_needs(_plain(other), (*below, name))
        taken[name] = data

    for name in asked:
        take_with_needs(_plain(name), ())
    return list(taken.items())


def _plain(name: str) -> str:
    """Return a module's name as the kernel has it: files may have hyphens."""
    return name.replace("-", "_")
