# SPDX-License-Identifier: GPL-2.0-only
"""The settings file with the files that it includes, and which of them has which key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import notation
from vlag.config import former_keys, snapshot
from vlag.config.documents import fault, parsed
from vlag.errors import UsageError, blame

_SCHEMA = "settings.schema.json"
#: What several files may each have a part of; every other key is in one file.
_TREES, _BRANCHES = "trees", "branches"


@frozen(kw_only=True)
class Document:
    """What the settings say as a whole, and where each part of it is written."""

    path: Path  # the settings file
    raw: Mapping[str, Any]  # without the key `include`
    files: Mapping[str, Path]  # of each key but those of several files
    trees: Mapping[str, Path]  # file of each tree
    branches: Sequence[tuple[Path, int]]  # file and place in it of each entry of [[branches]]

    def file(self, key: str, part: str | int | None = None) -> Path:
        """Return the file of a key, of a tree or of an entry of [[branches]]."""
        if key == _TREES and part in self.trees:
            return self.trees[str(part)]
        if key == _BRANCHES and isinstance(part, int):
            return self.branches[part][0]
        return self.files.get(key, self.path)

    def where(self, key: str, *parts: str | int) -> str:
        """Return 'FILE: KEY', as the file has it, with which a sentence about a fault begins."""
        first = parts[0] if parts else None
        place: list[str | int] = [key, *parts]
        if key == _BRANCHES and isinstance(first, int):
            place[1] = self.branches[first][1]
        return f"{self.file(key, first)}: {'.'.join(map(str, place))}"


def read(path: Path) -> Document:
    """Read a settings file and what its key `include` names, relative to it.

    Raises UsageError with the file and key of a fault, and with both files for a key that two
    of them have; [[branches]] add up, and so do trees with names of their own.
    """
    raw = _part(path, "cannot read the settings ({}); VLAG_SETTINGS names the file")
    parts = {path: raw}
    for i, name in enumerate(raw.get("include", ())):
        where = (path.parent / name).absolute()
        if where in parts:
            raise UsageError(f"{path}: include.{i}: {name} is there already; take it out")
        message = f"cannot be read ({{}}); include.{i} of {path} names it, relative to its folder"
        parts[where] = _part(where, message)
        if "include" in parts[where]:
            raise UsageError(
                f"{where}: include: {path} includes this file, and an included file includes no"
                f" other; name them all in {path}"
            )
    whole = _sum(path, parts)
    if wrong := fault(whole.raw, _SCHEMA):
        raise UsageError(f"{path}: {wrong}")
    return whole


def _part(path: Path, unread: str) -> dict[str, Any]:
    """Return what one file says; keys that the settings need may be in another one."""
    try:
        data = snapshot.read(path)
    except OSError as e:
        raise blame(e, f"{path}: {unread.format(e.strerror)}") from e
    written: dict[str, Any] = parsed(path, "TOML", notation.read_toml, data)
    raw = former_keys.with_present_hosts(written, f"{path}")
    if wrong := fault(raw, _SCHEMA, part=True):
        raise UsageError(f"{path}: {wrong}")
    return raw


def _sum(path: Path, parts: Mapping[Path, Mapping[str, Any]]) -> Document:
    whole: dict[str, Any] = {}
    files: dict[str, Path] = {}
    trees: dict[str, Path] = {}
    branches: list[tuple[Path, int]] = []
    for at, raw in parts.items():
        for key, value in raw.items():
            if key == "include":
                continue
            if key == _TREES:
                for name, tree in value.items():
                    _once(trees, name, at, f"{_TREES}.{name}")
                    whole.setdefault(_TREES, {})[name] = tree
            elif key == _BRANCHES:
                whole.setdefault(_BRANCHES, []).extend(value)
                branches += [(at, i) for i in range(len(value))]
            else:
                _once(files, key, at, key)
                whole[key] = value
    return Document(path=path, raw=whole, files=files, trees=trees, branches=branches)


def _once(known: dict[str, Path], name: str, at: Path, key: str) -> None:
    """Note the file of a key; UsageError if another one has it as well."""
    if name in known:
        raise UsageError(f"{at}: {key}: {known[name]} has it too; keep it in one of the two files")
    known[name] = at
