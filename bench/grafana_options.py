# SPDX-License-Identifier: GPL-2.0-only
"""Which options the panels of each promised Grafana have, from the types that it publishes.

`python -m bench.grafana_options` fetches the package of each of `VERSIONS` with `npm` and writes
the names of the options and of the fields' settings, no text, to `tests/data/grafana/options.json`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import define, field, frozen

from vlag import ROOT

#: The oldest promised one, the last of 10, the pinned one, and the newest of the others.
VERSIONS = ("10.0.3", "10.4.19", "11.6.1", "12.4.11", "13.2.3")
#: Folder of a panel's types -> its name in a dashboard.
PANELS = {
    "barchart": "barchart",
    "heatmap": "heatmap",
    "histogram": "histogram",
    "stat": "stat",
    "statetimeline": "state-timeline",
    "statushistory": "status-history",
    "table": "table",
    "timeseries": "timeseries",
    "xychart": "xychart",
}
TABLE = ROOT / "tests" / "data" / "grafana" / "options.json"

_PACKAGE = "@grafana/schema"
_DEEPEST = 4  # levels of options within options

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INTERFACE = re.compile(r"interface (\w+)(?: extends ([^{]+))? \{")
_ALIAS = re.compile(r"type (\w+) = ([^;]+);")
_MEMBER = re.compile(r"(\w+)\??: ")


@frozen(kw_only=True)
class _Shape:
    """An interface: the names of those that it extends, and its members' types."""

    extends: tuple[str, ...]
    members: Mapping[str, str]


@define
class Types:
    """Interfaces and aliases of TypeScript declarations, by name."""

    shapes: dict[str, _Shape] = field(factory=dict)
    aliases: dict[str, str] = field(factory=dict)

    @classmethod
    def read(cls, *texts: str) -> Types:
        """Return what declarations have; of one name the last."""
        types = cls()
        for text in texts:
            bare = _COMMENT.sub("", text)
            types.aliases |= {m[1]: m[2] for m in _ALIAS.finditer(bare)}
            for match in _INTERFACE.finditer(bare):
                extends = tuple(_plain(name) for name in (match[2] or "").split(",") if name)
                body = _braced(bare, match.end() - 1)
                types.shapes[match[1]] = _Shape(extends=extends, members=dict(_members(body)))
        return types

    def paths(self, name: str, depth: int = 0) -> Iterator[str]:
        """Yield the members of a type and of what they hold: "legend", "legend.calcs"."""
        if depth == _DEEPEST:
            return
        for member, kind in self._all(name):
            yield member
            for below in self._below(kind, depth + 1):
                yield f"{member}.{below}"

    def _all(self, name: str) -> Iterator[tuple[str, str]]:
        if (shape := self.shapes.get(name)) is not None:
            for other in shape.extends:
                yield from self._all(other)
            yield from shape.members.items()
        elif (alias := self.aliases.get(name)) is not None:
            for one in re.split(r"[|&]", alias):
                yield from self._all(_plain(one))

    def _below(self, kind: str, depth: int) -> Iterator[str]:
        if kind.startswith("{"):
            inner = _Shape(extends=(), members=dict(_members(kind[1:-1])))
            types = Types(shapes={**self.shapes, "": inner}, aliases=self.aliases)
            yield from types.paths("", depth)
        else:
            for one in re.split(r"[|&]", kind):
                yield from self.paths(_plain(one), depth)


def _plain(kind: str) -> str:
    """Return the name of a type without its module, and that of a list's elements."""
    bare = re.sub(r"^(Array|Partial)<(.*)>$", r"\2", kind.strip())
    return bare.rpartition(".")[2].strip("() []")


def _braced(text: str, start: int) -> str:
    """Return what is between the brace at `start` and the one that closes it."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return text[start + 1 : place]
    raise ValueError("a brace is not closed")


def _members(body: str) -> Iterator[tuple[str, str]]:
    place = 0
    while match := _MEMBER.search(body, place):
        start = match.end()
        if body[start] == "{":
            kind = "{" + _braced(body, start) + "}"
            place = start + len(kind)
        else:
            place = body.index(";", start)
            kind = body[start:place]
        yield match[1], kind


def options(package: Path) -> dict[str, dict[str, list[str]]]:
    """Return of an unpacked package: panel -> "options" and "custom" -> paths, in order."""
    types = package / "dist" / "types"
    root = types if types.is_dir() else package / "dist" / "esm"
    common = (root / "common" / "common.gen.d.ts").read_text(encoding="utf-8")
    found = {}
    for folder, name in PANELS.items():
        [path] = (root / "raw" / "composable" / folder / "panelcfg" / "x").glob("*.d.ts")
        text = path.read_text(encoding="utf-8")
        own, read = Types.read(text), Types.read(common, text)
        # Before 10.4 that of a table was in the common types alone.
        named = (n for n in (*own.shapes, *own.aliases) if n.endswith("FieldConfig"))
        custom = next(named, "TableFieldOptions" if name == "table" else "")
        found[name] = {
            "options": sorted(set(read.paths("Options"))),
            "custom": sorted(set(read.paths(custom))),
        }
    return found


def main() -> int:
    """Write the table anew."""
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            packed = subprocess.run(
                ["npm", "pack", "--silent", f"{_PACKAGE}@{version}"],
                cwd=folder, check=True, capture_output=True, text=True,
            ).stdout.strip()  # fmt: skip
            place = Path(folder) / version
            with tarfile.open(Path(folder) / packed.splitlines()[-1]) as archive:
                archive.extractall(place, filter="data")
            table[version] = options(place / "package")
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
