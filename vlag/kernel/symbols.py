"""The functions of a built kernel: address, name and the object file each comes from.

A line of `symbols.txt.gz` is `ADDRESS NAME OBJECT`, ascending by address: 16 hexadecimal
digits, the symbol, and the object's path in the kernel's tree without its suffix ("-" where
several objects have a function of this name).
"""

from __future__ import annotations

import gzip
import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import frozen

from vlag.errors import InfrastructureError, ParseError

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


def write(objects: Path, nm: str, to: Path) -> None:
    """Write the functions of the kernel built in `objects`; `nm` reads its object files.

    Raises InfrastructureError if `nm` fails.
    """
    table = (objects / "System.map").read_text(encoding="ascii", errors="replace")
    sources = _sources(objects, nm)
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


def _sources(objects: Path, nm: str) -> dict[str, str]:
    """Return the object file of each function's name, "-" where there are several."""
    paths = sorted(str(p.relative_to(objects)) for p in objects.rglob("*.o"))
    # Linked from others, whose functions they hold once more.
    parts = [p for p in paths if not re.search(r"(^|/)(vmlinux|built-in)[^/]*\.o$|^\.tmp", p)]
    found: dict[str, str] = {}
    for first in range(0, len(parts), 500):
        done = subprocess.run(
            [nm, "-A", "--defined-only", *parts[first : first + 500]],
            cwd=objects, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1):  # 1: some file is no object
            raise InfrastructureError(f"{nm}: {done.stderr.strip()[:300]}")
        for path, name in _DEFINED.findall(done.stdout):
            found[name] = path if found.setdefault(name, path) == path else "-"
    return found


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
        found = _LINE.fullmatch(line)
        if found is None:
            raise ParseError(
                f"'{line[:80]}' where 'ADDRESS NAME OBJECT' must stand", path=path, line=number
            )
        source = None if found[3] == "-" else found[3]
        yield Function(address=int(found[1], 16), name=found[2], source=source)
