# SPDX-License-Identifier: GPL-2.0-only
"""A board's device tree, and the devices without which one of its devices does not work.

The file is as the Devicetree Specification has it (version 17).  A tree of others made it.
"""

from __future__ import annotations

import fnmatch
import struct
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from attrs import field, frozen

#: Begins each file, and its tokens.
_MAGIC = 0xD00DFEED
_VERSION = 17
#: Most levels of nodes; those of boards have eight.
_LEVELS = 64
_BEGIN_NODE, _END_NODE, _PROPERTY, _NOP, _END = 1, 2, 3, 4, 9

#: Property that lists phandles, each with arguments -> property of the target with their number.
_WITH_ARGUMENTS: Mapping[str, str] = {
    "clocks": "#clock-cells",
    "dmas": "#dma-cells",
    "gpios": "#gpio-cells",
    "hwlocks": "#hwlock-cells",
    "interconnects": "#interconnect-cells",
    "interrupts-extended": "#interrupt-cells",
    "io-channels": "#io-channel-cells",
    "iommus": "#iommu-cells",
    "mboxes": "#mbox-cells",
    "msi-parent": "#msi-cells",
    "nvmem-cells": "#nvmem-cell-cells",
    "performance-domains": "#performance-domain-cells",
    "phys": "#phy-cells",
    "power-domains": "#power-domain-cells",
    "pwms": "#pwm-cells",
    "qcom,freq-domain": "#freq-domain-cells",
    "resets": "#reset-cells",
    "thermal-sensors": "#thermal-sensor-cells",
}
#: Properties that list phandles alone.
_PLAIN = ("extcon", "firmware", "phy", "phy-handle", "raspberrypi,firmware")
_PLAIN_PATTERNS = ("*-supply", "pinctrl-[0-9]*")
_GPIO_PATTERNS = ("*-gpio", "*-gpios")
#: Maps of identifiers: four cells an entry, of which the second is a phandle.
_MAPS = ("iommu-map", "msi-map")


class DeviceTreeError(ValueError):
    """A file that is no device tree; the message is half a sentence."""


@frozen(kw_only=True)
class Node:
    """A node of the tree."""

    path: str  # "/" for the root
    properties: Mapping[str, bytes] = field(repr=False, hash=False)

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def compatible(self) -> tuple[str, ...]:
        """Return the names by which drivers know the device, the most specific first."""
        return tuple(self.strings("compatible"))

    def strings(self, name: str) -> list[str]:
        """Return a property that is a list of strings."""
        data = self.properties.get(name, b"")
        return [part.decode("utf-8", "replace") for part in data.split(b"\0") if part]

    def cells(self, name: str) -> list[int]:
        """Return a property that is a list of numbers of 32 bits."""
        data = self.properties.get(name, b"")
        return list(struct.unpack(f">{len(data) // 4}I", data[: len(data) // 4 * 4]))

    def count(self, name: str, default: int = 0) -> int:
        """Return a property that is one number."""
        return (self.cells(name) or [default])[0]


@frozen(kw_only=True)
class Supplier:
    """A node that another one needs."""

    node: Node
    link: str  # name of the property that points to it


@frozen(kw_only=True)
class Required:
    """A device that must work."""

    node: Node
    why: str  # what it is to another one, as in "msi-parent of pcie@1000120000"; "": asked for


@frozen(kw_only=True)
class DeviceTree:
    """All nodes of a device tree."""

    nodes: Mapping[str, Node]
    phandles: Mapping[int, Node] = field(repr=False)

    def parent(self, node: Node) -> Node | None:
        """Return the node above; None for the root."""
        if node.path == "/":
            return None
        return self.nodes[node.path.rpartition("/")[0] or "/"]

    def enabled(self, node: Node) -> bool:
        """Return whether neither the node nor one above it is switched off."""
        at: Node | None = node
        while at is not None:
            if at.strings("status")[:1] not in ([], ["okay"], ["ok"]):
                return False
            at = self.parent(at)
        return True

    def named(self, pattern: str) -> list[Node]:
        """Return the enabled nodes whose name matches a shell's pattern, in the file's order."""
        return [
            node
            for node in self.nodes.values()
            if fnmatch.fnmatchcase(node.name, pattern) and self.enabled(node)
        ]

    def alias(self, name: str) -> Node | None:
        """Return the enabled node that `/aliases` calls so."""
        aliases = self.nodes.get("/aliases")
        paths = [] if aliases is None else aliases.strings(name)
        node = self.nodes.get(paths[0]) if paths else None
        return node if node is not None and self.enabled(node) else None

    def console(self) -> Node | None:
        """Return the enabled node that `/chosen` names for output."""
        chosen = self.nodes.get("/chosen")
        paths = [] if chosen is None else chosen.strings("stdout-path")
        name = paths[0].partition(":")[0] if paths else ""
        node = self.nodes.get(name) if name.startswith("/") else self.alias(name)
        return node if node is not None and self.enabled(node) else None

    def required(self, nodes: Sequence[Node]) -> list[Required]:
        """Return these devices and all that they need, directly or not, each once.

        Nodes without `compatible` belong to the device above them; the root is none.
        """
        seen: dict[str, Required] = {}
        waiting = deque((node, "") for node in nodes)
        while waiting:
            node, why = waiting.popleft()
            if node.path == "/" or node.path in seen or not self.enabled(node):
                continue
            seen[node.path] = Required(node=node, why=why)
            for supplier in self.suppliers(node):
                waiting.append((supplier.node, f"{supplier.link} of {node.name}"))
            above = self.parent(node)
            if above is not None:
                waiting.append((above, f"bus of {node.name}" if node.compatible else why))
        return [required for required in seen.values() if required.node.compatible]

    def suppliers(self, node: Node) -> Iterator[Supplier]:
        """Yield the nodes that the properties of a node point to, as far as bindings are known."""
        seen = set()
        for link, target in (
            *self._interrupts(node), *self._arguments(node), *self._plain(node), *self._maps(node)
        ):  # fmt: skip
            if target is not None and (link, target.path) not in seen:
                seen.add((link, target.path))
                yield Supplier(node=target, link=link)

    def _interrupts(self, node: Node) -> Iterator[tuple[str, Node | None]]:
        if "interrupts" not in node.properties:
            return
        at: Node | None = node
        while at is not None and "interrupt-parent" not in at.properties:
            at = self.parent(at)
        if at is not None:
            yield "interrupt-parent", self.phandles.get(at.count("interrupt-parent"))

    def _arguments(self, node: Node) -> Iterator[tuple[str, Node | None]]:
        for name in node.properties:
            counted = _WITH_ARGUMENTS.get(name)
            if any(fnmatch.fnmatchcase(name, p) for p in _GPIO_PATTERNS) and name != "nr-gpios":
                counted = "#gpio-cells"
            if counted is None:
                continue
            cells = node.cells(name)
            at = 0
            while at < len(cells):
                target = self.phandles.get(cells[at])
                yield name, target
                # Zero stands for an entry that is left out, without arguments.
                at += 1 + (0 if target is None else target.count(counted))

    def _plain(self, node: Node) -> Iterator[tuple[str, Node | None]]:
        for name in node.properties:
            if name in _PLAIN or any(fnmatch.fnmatchcase(name, p) for p in _PLAIN_PATTERNS):
                for cell in node.cells(name):
                    yield name, self.phandles.get(cell)

    def _maps(self, node: Node) -> Iterator[tuple[str, Node | None]]:
        for name in _MAPS:
            for cell in node.cells(name)[1::4]:
                yield name, self.phandles.get(cell)
        cells = node.cells("interrupt-map")
        own = node.count("#address-cells", 2) + node.count("#interrupt-cells", 1)
        at = own
        while at < len(cells):
            target = self.phandles.get(cells[at])
            yield "interrupt-map", target
            if target is None:
                return
            more = target.count("#address-cells") + target.count("#interrupt-cells")
            at += 1 + more + own


def read(data: bytes) -> DeviceTree:
    """Read a file; DeviceTreeError for one that is no device tree."""
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError, KeyError) as e:
        if isinstance(e, DeviceTreeError):
            raise
        raise DeviceTreeError(f"is cut or damaged ({e})") from e


def _read(data: bytes) -> DeviceTree:
    magic, _, structure, strings, _, _, last_compatible = struct.unpack_from(">7I", data)
    if magic != _MAGIC:
        raise DeviceTreeError("does not begin as a device tree does")
    if last_compatible > _VERSION:
        raise DeviceTreeError(f"is of version {last_compatible}, which nothing here can read")
    found: dict[str, dict[str, bytes]] = {}
    path: list[str] = []
    at = structure
    while True:
        (token,) = struct.unpack_from(">I", data, at)
        at += 4
        if token == _BEGIN_NODE:
            end = data.index(b"\0", at)
            path.append(data[at:end].decode("utf-8", "replace"))
            if len(path) > _LEVELS:
                raise DeviceTreeError(f"has nodes more than {_LEVELS} levels deep")
            found["/".join(path) or "/"] = {}
            at = _aligned(end + 1)
        elif token == _END_NODE:
            path.pop()
        elif token == _PROPERTY:
            length, offset = struct.unpack_from(">2I", data, at)
            start = strings + offset
            name = data[start : data.index(b"\0", start)].decode("utf-8", "replace")
            found["/".join(path) or "/"][name] = data[at + 8 : at + 8 + length]
            at = _aligned(at + 8 + length)
        elif token == _END:
            break
        elif token != _NOP:
            raise DeviceTreeError(f"has the unknown token {token}")
    nodes = {name: Node(path=name, properties=its) for name, its in found.items()}
    if "/" not in nodes or any(
        (name.rpartition("/")[0] or "/") not in nodes for name in nodes if name != "/"
    ):
        raise DeviceTreeError("has a node without one above it")
    phandles = {node.count("phandle"): node for node in nodes.values() if node.cells("phandle")}
    return DeviceTree(nodes=nodes, phandles=phandles)


def _aligned(offset: int) -> int:
    return (offset + 3) // 4 * 4
