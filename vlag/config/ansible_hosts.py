# SPDX-License-Identifier: GPL-2.0-only
"""Hosts, groups and variables of YAML inventories, read as Ansible reads them.

It covers the defaults of Ansible's `yaml` and `host_group_vars` plugins: named files, and
`group_vars/` and `host_vars/` beside an inventory.  It renders no templates: vlag reads
only plain values.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from attrs import field, frozen

from vlag import notation
from vlag.config.documents import contents
from vlag.errors import UsageError

_RANGE = re.compile(r"\[(\w+):(\w+)(?::(\d+))?\]")
_SUFFIXES = ("", ".yml", ".yaml", ".json")


@frozen(kw_only=True)
class Value:
    """The value of a variable, and the file that sets it."""

    value: Any
    file: Path


@frozen(kw_only=True)
class Host:
    """One host with all its variables."""

    name: str
    groups: frozenset[str]  # its groups and their parents, except `all`
    variables: Mapping[str, Value]
    own: frozenset[str]  # variables that are set for this host itself, or for a group given
    file: Path  # the first inventory that names it

    def get(self, key: str, default: Any = None) -> Any:
        """Return a variable's value."""
        value = self.variables.get(key)
        return default if value is None else value.value

    def where(self, key: str) -> Path:
        """Return the file that sets a variable, or else that names the host."""
        value = self.variables.get(key.partition(".")[0])
        return self.file if value is None else value.file


@frozen(kw_only=True)
class Inventory:
    """All hosts of some inventories by name, in the order of the files."""

    files: tuple[Path, ...]
    hosts: Mapping[str, Host]
    groups: frozenset[str]
    variables: Mapping[str, Value]  # of the group `all`

    def of(self, group: str) -> tuple[Host, ...]:
        """Return the hosts of a group and of its children."""
        return tuple(h for h in self.hosts.values() if group in h.groups)


@frozen
class _Group:
    name: str
    hosts: dict[str, None] = field(factory=dict)
    children: dict[str, None] = field(factory=dict)
    variables: dict[str, Value] = field(factory=dict)


@frozen
class _Tree:
    groups: dict[str, _Group] = field(factory=dict)
    hosts: dict[str, dict[str, Value]] = field(factory=dict)  # variables in inventories
    files: dict[str, Path] = field(factory=dict)  # host -> inventory

    def group(self, name: str) -> _Group:
        return self.groups.setdefault(name, _Group(name))


class _Loader(yaml.SafeLoader):
    """YAML with Ansible's own tags; vaulted values stay encrypted."""


_Loader.add_constructor("!vault", lambda loader, node: "(vault)")
_Loader.add_constructor("!unsafe", lambda loader, node: node.value)


def _no_key_twice(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[Any, yaml.Node] = {}
    for key, _ in node.value:
        name = getattr(key, "value", None)
        if isinstance(name, str) and name != "<<" and name in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {name!r} is given twice; the first would be lost",
                key.start_mark,
            )  # fmt: skip
        seen[name] = key
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _no_key_twice)


def read(files: Sequence[Path]) -> Inventory:
    """Read inventories, the later ones over the earlier.

    Raises UsageError with file and line or key for an invalid YAML inventory.
    """
    tree = _Tree()
    files = tuple(itertools.chain.from_iterable(map(_inventories, files)))
    for file in files:
        _read_file(tree, file)
    everything = tree.group("all")
    for name in list(tree.groups):
        if name != "all" and not any(name in g.children for g in tree.groups.values()):
            everything.children.setdefault(name)
    beside = tuple(dict.fromkeys(file.resolve().parent for file in files))
    depths = _depths(tree)
    ranks = {g.name: (depths[g.name], _priority(g), g.name) for g in tree.groups.values()}
    groups = sorted(tree.groups.values(), key=lambda g: ranks[g.name])
    extra = {g.name: _beside(beside, "group_vars", g.name) for g in groups}
    holding = {name: set(_holding(tree, name)) for name in tree.hosts}
    hosts = {}
    for name, own in tree.hosts.items():
        mine = [g for g in groups if g.name in holding[name]]
        variables = dict(everything.variables)
        for group in mine:
            variables |= group.variables
        variables |= extra["all"]
        for group in mine:
            variables |= extra[group.name]
        special = own | _beside(beside, "host_vars", name)
        variables |= special
        hosts[name] = Host(
            name=name,
            groups=frozenset(g.name for g in mine),
            variables=variables,
            own=frozenset(special),
            file=tree.files[name],
        )
    return Inventory(
        files=files,
        hosts=hosts,
        groups=frozenset(tree.groups),
        variables=everything.variables | extra["all"],
    )


def _inventories(path: Path) -> Sequence[Path]:
    """Return the files of a folder that is an inventory, or the file itself."""
    if not path.is_dir():
        return [path]
    files = sorted(p for p in path.iterdir() if p.suffix in (".yml", ".yaml") and p.is_file())
    if not files:
        raise UsageError(f"{path}: no file NAME.yml in it, so no inventory")
    return files


def _load(file: Path) -> Any:
    # It makes only plain values: a SafeLoader with two tags that are text.
    return contents(file, "YAML", lambda data: notation.read_yaml(data, _Loader))


def _mapping(value: Any, file: Path, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{file}: {where}: needs a mapping of names, has {value!r}")
    return {str(k): v for k, v in value.items()}


def _read_file(tree: _Tree, file: Path) -> None:
    document = _load(file)
    if not isinstance(document, dict) or not document:
        raise UsageError(
            f"{file}: no YAML inventory; it begins with `all:` and names groups and hosts"
        )
    for name, keys in document.items():
        _read_group(tree, file, str(name), keys, str(name))


def _read_group(tree: _Tree, file: Path, name: str, keys: Any, where: str) -> None:
    group = tree.group(name)
    document = _mapping(keys, file, where)
    for key in document:
        if key not in ("hosts", "children", "vars"):
            raise UsageError(
                f"{file}: {where}.{key}: a group has hosts, children and vars, nothing else"
            )
    for key, value in _mapping(document.get("vars"), file, f"{where}.vars").items():
        group.variables[key] = Value(value=value, file=file)
    for child, below in _mapping(document.get("children"), file, f"{where}.children").items():
        if child != name:
            group.children.setdefault(child)
        _read_group(tree, file, child, below, f"{where}.children.{child}")
    for pattern, variables in _mapping(document.get("hosts"), file, f"{where}.hosts").items():
        given = _mapping(variables, file, f"{where}.hosts.{pattern}")
        for host in _expanded(pattern):
            group.hosts.setdefault(host)
            tree.files.setdefault(host, file)
            tree.hosts.setdefault(host, {}).update(
                {k: Value(value=v, file=file) for k, v in given.items()}
            )


def _expanded(pattern: str) -> Iterator[str]:
    """Yield the hosts of a pattern such as board[01:12] or rack[a:c]."""
    match = _RANGE.search(pattern)
    if match is None:
        yield pattern
        return
    first, last, step = match[1], match[2], int(match[3] or 1)
    if first.isdigit():
        width = len(first) if first.startswith("0") else 0
        middle = [f"{n:0{width}d}" for n in range(int(first), int(last) + 1, step)]
    else:
        middle = [chr(c) for c in range(ord(first), ord(last) + 1, step)]
    for text, rest in itertools.product(middle, _expanded(pattern[match.end() :])):
        yield f"{pattern[: match.start()]}{text}{rest}"


def _depths(tree: _Tree) -> dict[str, int]:
    """Return each group's longest way down from `all`."""
    depths = dict.fromkeys(tree.groups, 0)
    for _ in tree.groups:
        deeper = {
            child: depths[g.name] + 1
            for g in sorted(tree.groups.values(), key=lambda g: depths[g.name])
            for child in g.children
            if depths[child] < depths[g.name] + 1
        }
        if not deeper:
            return depths
        depths |= deeper
    raise UsageError(
        f"{next(iter(tree.files.values()), 'inventory')}: children: the groups form a cycle"
    )


def _priority(group: _Group) -> int:
    """Return a group's own setting, which is not a variable of its hosts."""
    priority = group.variables.pop("ansible_group_priority", None)
    return 1 if priority is None else int(priority.value)


def _holding(tree: _Tree, host: str) -> Iterator[str]:
    """Yield the groups of a host and their parents, except `all`."""
    names = {g.name for g in tree.groups.values() if host in g.hosts}
    while True:
        above = {g.name for g in tree.groups.values() if names & g.children.keys()} - names
        if not above:
            break
        names |= above
    yield from names - {"all"}


def _beside(folders: Sequence[Path], kind: str, name: str) -> dict[str, Value]:
    """Return the variables of group_vars/NAME or host_vars/NAME, a file or a folder."""
    beside: dict[str, Value] = {}
    for folder in folders:
        for file in _variable_files(folder / kind, name):
            variables = _mapping(_load(file), file, "the document")
            beside |= {k: Value(value=v, file=file) for k, v in variables.items()}
    return beside


def _variable_files(folder: Path, name: str) -> Iterator[Path]:
    for suffix in _SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.is_dir():
            yield from sorted(
                p
                for p in path.rglob("*")
                if p.is_file()
                and p.suffix in _SUFFIXES
                and not any(part.startswith(".") for part in p.relative_to(path).parts)
                and not p.name.endswith("~")
            )
            return
        if path.is_file():
            yield path
            return
