# SPDX-License-Identifier: GPL-2.0-only
"""The devices by which a board boots and is measured, and the options that their drivers need.

They follow from the device tree of the kernel itself: the devices of each role, and whatever
these point to.  Where the firmware describes a board, its type names its devices (`device_ids`).
A driver must be built in, or be a module that the board loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import frozen

from vlag.kernel import device_ids
from vlag.kernel.device_tree import DeviceTree, Node, Required
from vlag.kernel.drivers import Driver, Source
from vlag.kernel.kconfig import Need

#: File of a build's bundle: the device tree of the board that the kernel was built for.
DEVICE_TREE = "board.dtb"

#: Devices that no driver of the tree is for: processors and memory are the architecture's.
_OF_ARCHITECTURE = ("cpu", "memory")


def _console(tree: DeviceTree) -> list[Node]:
    node = tree.console()
    return [] if node is None else [node]


def _network(tree: DeviceTree) -> list[Node]:
    nodes = (tree.alias(name) for name in ("ethernet", "ethernet0", "ethernet1"))
    return [node for node in nodes if node is not None]


def _storage(tree: DeviceTree) -> list[Node]:
    aliased = (tree.alias(f"mmc{number}") for number in range(4))
    return [*(node for node in aliased if node is not None), *tree.named("ufs*@*")]


def _having(name: str, value: str | None = None) -> Callable[[DeviceTree], list[Node]]:
    """Return what finds the enabled nodes with a property."""
    return lambda tree: [
        node
        for node in tree.nodes.values()
        if name in node.properties
        and (value is None or node.strings(name) == [value])
        and tree.enabled(node)
    ]


#: Role of devices -> what finds them, where the board type names none.
_FIND: Mapping[str, Callable[[DeviceTree], list[Node]]] = {
    "console": _console,
    "network": _network,
    "storage": _storage,
    "temperature": _having("thermal-sensors"),
    "frequency": _having("device_type", "cpu"),
    "watchdog": lambda tree: tree.named("watchdog@*"),
}
ROLES = tuple(_FIND)


@frozen
class Role:
    """How a board type has the devices of a role."""

    pattern: str | None = None  # of the nodes' names; None: the device tree says which they are
    must: bool = False  # a device tree without such a device does not serve
    ids: tuple[str, ...] = ()  # further devices, as in `device_ids`; each must have a driver


@frozen(kw_only=True)
class BootDevices:
    """What the devices of a board ask of a config."""

    needs: tuple[Need, ...] = ()
    unknown: tuple[str, ...] = ()  # sentences on what cannot be known
    wrong: str | None = None  # a role without a device, or a device without a driver


@frozen(kw_only=True)
class _Asked:
    """A device that must work, and the role that asks for it."""

    role: str
    required: Required


def find(
    board: str,
    roles: Mapping[str, Role],
    tree: DeviceTree | None,
    source: Source,
    options: Mapping[str, str],
    modules: Sequence[str] = (),
) -> BootDevices:
    """Return what the devices of some roles need of a config, as `kconfig.options` reads it.

    `tree` is None for a board that its firmware describes, `modules` are the options whose modules
    the board loads.
    """
    asked: dict[str, _Asked] = {}
    unknown: list[str] = []
    for role, its in roles.items():
        nodes = [] if tree is None else _nodes(role, its, tree)
        if tree is None and not its.ids:
            unknown.append(f"{board}'s {role}: `devices` of the board type names none for it")
        elif tree is not None:
            if not nodes and its.must:
                return BootDevices(wrong=_lacking(board, role, its.pattern))
            for one in _of_tree(role, nodes, tree):
                asked.setdefault(one.required.node.path, one)
            unknown += _phys(board, role, its, tree, nodes)
    named = [(role, name) for role, its in roles.items() for name in its.ids]
    known = source.drivers(
        [*(n for a in asked.values() for n in a.required.node.compatible), *(n for _, n in named)]
    )
    needs: dict[str, Need] = {}
    for one in asked.values():
        drivers = [d for name in one.required.node.compatible for d in known[name]]
        if not drivers:
            unknown.append(f"{_reason(board, one)}: no driver of this kernel is for that name")
        for need in _needs(_reason(board, one), drivers, options, modules):
            needs.setdefault(need.option, need)
    for role, name in named:
        if not known[name]:
            return BootDevices(wrong=_without_driver(board, role, name))
        for need in _needs(f"{board}'s {role}: {name}", known[name], options, modules):
            needs.setdefault(need.option, need)
    return BootDevices(needs=tuple(needs.values()), unknown=tuple(unknown))


def _nodes(role: str, its: Role, tree: DeviceTree) -> list[Node]:
    """Return the devices of a role in a device tree."""
    return _FIND[role](tree) if its.pattern is None else tree.named(its.pattern)


def _of_tree(role: str, nodes: Sequence[Node], tree: DeviceTree) -> Iterator[_Asked]:
    """Yield the devices of a role and all that they need."""
    for required in tree.required(nodes):
        if required.node.strings("device_type")[:1] not in [[t] for t in _OF_ARCHITECTURE]:
            yield _Asked(role=role, required=required)


def _phys(
    board: str, role: str, its: Role, tree: DeviceTree, nodes: Sequence[Node]
) -> Iterator[str]:
    """Yield a sentence on each PHY that has no name, unless the board type names the PHY."""
    if any(device_ids.MDIO.fullmatch(name) for name in its.ids):
        return
    for required in tree.required(nodes):
        for supplier in tree.suppliers(required.node):
            if supplier.link == "phy-handle" and not supplier.node.compatible:
                yield (
                    f"{board}'s {role}: {supplier.node.name}, phy-handle of {required.node.name},"
                    " has no name in the device tree; name its number in `devices` of the board"
                    " type"
                )


def _needs(
    reason: str, drivers: Sequence[Driver], options: Mapping[str, str], modules: Sequence[str]
) -> Iterator[Need]:
    """Yield the options of the first driver that a config has, else of the first one."""
    choices = [
        [Need(option=o, reason=reason, module=o in modules) for o in driver.options]
        for driver in drivers
    ]
    met = (needs for needs in choices if all(need.met(options) for need in needs))
    yield from next(met, choices[0] if choices else [])


def _reason(board: str, asked: _Asked) -> str:
    node, why = asked.required.node, asked.required.why
    return f"{board}'s {asked.role}: {node.name} ({node.compatible[0]}){f', {why},' if why else ''}"


def _without_driver(board: str, role: str, name: str) -> str:
    return (
        f"{board}'s {role}: no driver of this kernel is for {name}, which `devices` of the board"
        " type names; take a kernel that has one, or mend the board type"
    )


def _lacking(board: str, role: str, pattern: str | None) -> str:
    where = "" if pattern is None else f" named {pattern}"
    return (
        f"this kernel's device tree has no device{where} for the {role} of {board}; take a tree or"
        " a release that has it"
    )
