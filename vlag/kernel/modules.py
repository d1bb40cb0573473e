"""Modules of a kernel for the boards that load some: one archive of a bundle, and their order.

An archive is an uncompressed tar of `NAME.ko`, sorted, whose bytes depend on the modules alone.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from vlag.errors import UsageError
from vlag.sandbox import results

#: File of a bundle.
FILE = "modules.tar"

#: What modpost writes into a module: the names of those whose symbols it uses.
_DEPENDS = re.compile(rb"\0depends=([\w,-]*)\0")

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
    found = {}
    for line in results.text(folder, f"{home}/modules.order").splitlines():
        part = to.with_name(f"{to.name}.part")
        results.take(folder, f"{home}/{line}", part)
        found[PurePosixPath(line).name] = part.read_bytes()
        part.unlink()
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(found.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def ordered(archive: Path, asked: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return modules and those that they need, each after all that it needs: name and content.

    Raises UsageError for a module that the archive does not have.
    """
    with tarfile.open(archive, "r:") as tar:
        files = ((m.name, tar.extractfile(m)) for m in tar.getmembers())
        found = {_plain(name.removesuffix(".ko")): f.read() for name, f in files if f is not None}
    taken: dict[str, bytes] = {}

    def take_with_needs(name: str, below: tuple[str, ...]) -> None:
        if name in taken:
            return
        if name in below:
            raise UsageError(f"{archive}: the modules {', '.join(below)} need each other")
        if name not in found:
            whose = f", which {below[-1]} needs" if below else ""
            raise UsageError(
                f"{archive}: no module {name}{whose}; there are: {', '.join(sorted(found))}"
            )
        match = _DEPENDS.search(found[name])
        for other in match[1].decode().split(",") if match and match[1] else ():
            take_with_needs(_plain(other), (*below, name))
        taken[name] = found[name]

    for name in asked:
        take_with_needs(_plain(name), ())
    return list(taken.items())


def _plain(name: str) -> str:
    """Return a module's name as the kernel has it: files may have hyphens."""
    return name.replace("-", "_")
