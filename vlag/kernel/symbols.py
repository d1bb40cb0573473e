# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a built kernel: address, name and the object file each comes from.

A line of `symbols.txt.gz` is `ADDRESS NAME OBJECT`, ascending by address: 16 hexadecimal
digits, the symbol, and the object's path in the kernel's tree without its suffix ("-" where
several objects have a function of this name).
"""

from __future__ import annotations

import gzip
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from attrs import frozen

from vlag.errors import ParseError

#: Its name in a build's bundle.
FILE = "symbols.txt.gz"

# ffffffff81000000 T _stext
_SYMBOL = re.compile(r"([0-9a-f]{16}) ([tTwW]) (\S+)")
# kernel/sched/fair.o:0000000000001230 t pick_next_entity
_DEFINED = re.compile(r"(\S+)\.o:[0-9a-f]+ [tTwW] (\S+)")
_LINE = re.compile(r"([0-9a-f]{16}) (\S+) (\S+)")


@frozen(kw_only=True)
class Function:
    """One function of a kernel."""

    address: int
    name: str
    source: str | None  # as in "kernel/sched/fair"; None: not known


@frozen(kw_only=True)
class Symbols:
    """All functions of a kernel, ascending by address."""

    functions: tuple[Function, ...]
    addresses: tuple[int, ...]

    def at(self, address: int) -> Function | None:
        """Return the function that an address of the kernel's text lies in."""
        i = bisect_right(self.addresses, address)
        return self.functions[i - 1] if i else None


def write(table: str, objects: Path, names: Callable[[Sequence[str]], str], to: Path) -> None:
    """Write the functions of the kernel built in `objects`, whose System.map is `table`.

    `names` returns what `nm -A --defined-only` prints of object files there.
    """
    sources = _sources(objects, names)
    lines = []
    seen: dict[str, tuple[str, str]] = {}
    for address, _, name in _SYMBOL.findall(table):
        source = sources.get(name, "-")
        # Of several names of one address, one whose source is known.
        if address not in seen or (seen[address][1] == "-" and source != "-"):
            seen[address] = (name, source)
    for address in sorted(seen):
        lines.append(" ".join([address, *seen[address]]))
    with gzip.GzipFile(to, "wb", mtime=0) as packed:
        packed.write("".join(f"{line}\n" for line in lines).encode("ascii", "replace"))


def _sources(objects: Path, names: Callable[[Sequence[str]], str]) -> dict[str, str]:
    """Return the object file of each function's name, "-" where there are several."""
    paths = sorted(
        os.path.relpath(os.path.join(folder, name), objects)
        for folder, _, files in os.walk(objects)
        for name in files
        if name.endswith(".o")
    )
    # Linked from others, whose functions they hold once more.
    parts = [p for p in paths if not re.search(r"(^|/)(vmlinux|built-in)[^/]*\.o$|^\.tmp", p)]
    sources: dict[str, str] = {}
    for first in range(0, len(parts), 500):
        for path, name in _DEFINED.findall(names(parts[first : first + 500])):
            sources[name] = path if sources.setdefault(name, path) == path else "-"
    return sources


def read(data: bytes, *, path: str) -> Symbols:
    """Read `symbols.txt.gz`; ParseError names file and line."""
    try:
        lines: Sequence[str] = gzip.decompress(data).decode("ascii").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as e:
        raise ParseError(f"no list of a kernel's functions ({e})", path=path) from e
    return of(_functions(lines, path))


def of(functions: Iterable[Function]) -> Symbols:
    """Return a table of these functions."""
    ordered = tuple(sorted(functions, key=lambda f: f.address))
    return Symbols(functions=ordered, addresses=tuple(f.address for f in ordered))


def _functions(lines: Sequence[str], path: str) -> Iterable[Function]:
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ParseError(
                f"'{line[:80]}' where 'ADDRESS NAME OBJECT' must stand", path=path, line=number
            )
        source = None if match[3] == "-" else match[3]
        yield Function(address=int(match[1], 16), name=match[2], source=source)
