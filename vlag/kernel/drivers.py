# SPDX-License-Identifier: GPL-2.0-only
"""The drivers of a kernel's source: for which devices they are, and which options build them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from attrs import field, frozen

from vlag.errors import InfrastructureError
from vlag.kernel import device_ids
from vlag.kernel.git import GIT

#: Where drivers for devices of a device tree are; the folder below arch/ is the architecture's.
_PLACES = ("drivers/*.c", "sound/*.c", "arch/{}/*.c", "kernel/*.c", "net/*.c")
#: What names a device that a driver is for; to ask for a node by name is something else.
_FOR = r'(?:\.compatible\s*=\s*|_DECLARE\s*\([^;"]*|IRQCHIP_MATCH\s*\(\s*)"{}"'
#: A line of a makefile that puts objects into a driver, or drivers into the kernel.
_OBJECTS = re.compile(r"([\w.-]+?)-(y|m|objs|\$\((CONFIG_\w+)\))\s*[:+]?=(.*)")
#: Makefiles of a folder, of which the kernel reads the first.
_MAKEFILES = ("Kbuild", "Makefile")
_CONTINUED = re.compile(r"\\\s*\n")
_COMMENT = re.compile(r"#.*")


@frozen(kw_only=True)
class Driver:
    """A source file that is for a device, and the options that build it."""

    file: str
    options: tuple[str, ...]  # with CONFIG_; each must be set; none: every kernel has it


@frozen
class Source:
    """A kernel's source, which git knows or not."""

    folder: Path
    arch: str  # folder below arch/
    _makefiles: dict[str, list[tuple[str, str | None, frozenset[str]]]] = field(factory=dict)

    def drivers(self, compatible: Iterable[str]) -> Mapping[str, Sequence[Driver]]:
        """Return the drivers for each name of a device, in the order of their files' names.

        A name is one of a device tree, or as in `device_ids`.  Raises InfrastructureError if git
        cannot search.
        """
        asked = sorted(set(compatible))
        names = [name for name in asked if not device_ids.is_id(device_ids.of_compatible(name))]
        made: dict[str, list[Driver]] = {name: [] for name in asked}
        tables = device_ids.Tables(self.folder, self._grep)
        for name in asked:
            if name not in names:
                made[name] += self._built(tables.files(device_ids.of_compatible(name)))
        for file in self._files(names) if names else ():
            text = (self.folder / file).read_text(encoding="utf-8", errors="replace")
            for name in names:
                if f'"{name}"' in text and re.search(_FOR.format(re.escape(name)), text):
                    made[name] += self._built([file])
        return made

    def _built(self, files: Iterable[str]) -> Iterator[Driver]:
        """Yield the drivers of files that a makefile here builds."""
        for file in files:
            options = self._options(PurePosixPath(file).with_suffix(".o"))
            if options is not None:
                yield Driver(file=file, options=options)

    def _files(self, names: Sequence[str]) -> list[str]:
        places = (place.format(self.arch) for place in _PLACES)
        patterns = "".join(f'"{name}"\n' for name in names)
        return self._grep(["-F", "-f", "-", "--", *places], patterns)

    def _grep(self, words: Sequence[str], patterns: str = "") -> list[str]:
        """Return the files in which `git grep` finds something, in the order of their names."""
        done = subprocess.run(
            [*GIT, "-C", str(self.folder), "grep", "-l", "--untracked", "--no-exclude-standard",
             *words],
            input=patterns, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode > 1:
            raise InfrastructureError(f"git grep in {self.folder}: {done.stderr.strip()[-300:]}")
        return sorted(done.stdout.splitlines())

    def _options(self, of_object: PurePosixPath) -> tuple[str, ...] | None:
        """Return the options that build an object; None if no makefile here names it."""
        options: list[str] = []
        folder, name = of_object.parent, of_object.name
        for _ in range(20):  # a makefile of others may go round in circles
            line = next((m for m in self._read(folder) if name in m[2]), None)
            if line is None:
                # No makefile is above arch/NAME.
                return None if self._read(folder) or not name.endswith("/") else tuple(options)
            target, option, _ = line
            if option is not None:
                options.append(option)
            if target not in ("obj", "lib"):  # a driver of several files
                name = f"{target}.o"
            elif option is not None or str(folder.parent) in (".", ""):
                # What is above a driver's own option follows from that in Kconfig.
                return tuple(options)
            else:
                folder, name = folder.parent, f"{folder.name}/"
        return None

    def _read(self, folder: PurePosixPath) -> list[tuple[str, str | None, frozenset[str]]]:
        """Return what a folder's makefile builds: target, option, objects."""
        key = str(folder)
        if key not in self._makefiles:
            self._makefiles[key] = list(_lines(self.folder / folder))
        return self._makefiles[key]


def _lines(folder: Path) -> Iterator[tuple[str, str | None, frozenset[str]]]:
    path = next((folder / name for name in _MAKEFILES if (folder / name).is_file()), None)
    if path is None:
        return
    text = _CONTINUED.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
    for line in text.splitlines():
        if match := _OBJECTS.fullmatch(_COMMENT.sub("", line).strip()):
            yield match[1], match[3], frozenset(match[4].split())
