# SPDX-License-Identifier: GPL-2.0-only
"""The boards' facts in an inventory, and their faults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.config.ansible_hosts import Host
from vlag.config.documents import SCHEMAS, read_json
from vlag.config.documents import faults as document_faults
from vlag.model import Board, BoardType

#: Job templates that load the kernel over the board's network port.
NETWORK_BOOT = ("uboot", "ipxe", "grub", "pair.")


@frozen
class Fault:
    """One fault; as text, one sentence with file, host and key."""

    file: Path
    host: str
    key: str
    message: str

    def __str__(self) -> str:
        """Return the sentence."""
        where = ".".join(word for word in (self.host, self.key) if word)
        return f"{self.file}: {f'{where}: ' if where else ''}{self.message}"


def _known() -> frozenset[str]:
    return frozenset(read_json(SCHEMAS / "board.schema.json")["properties"])


def facts(host: Host) -> dict[str, Any]:
    """Return the facts of a board.

    Ansible's own keys are left out: they define how Ansible reaches the host.  Of a group's
    keys only those of boards count; the others are for roles.
    """
    return {
        key: value.value
        for key, value in host.variables.items()
        if key in _known() or (key in host.own and not key.startswith("ansible_"))
    }


def boards(hosts: Sequence[Host]) -> tuple[Board, ...]:
    """Return the boards without faults."""
    listed = []
    for host in hosts:
        keys = facts(host)
        listed.append(
            Board(
                name=host.name,
                board_type=keys.pop("board_type"),
                lab=keys.pop("lab", None),
                worker=keys.pop("worker", None),
                facts=keys,
            )
        )
    return tuple(listed)


def faults(hosts: Sequence[Host], board_types: Mapping[str, BoardType]) -> Iterator[Fault]:
    """Yield the faults of each board and of pairs of boards."""
    known = {host.name: facts(host) for host in hosts}
    for host in hosts:
        wrong = list(_alone(host, known[host.name], board_types))
        yield from wrong
        if not wrong:
            yield from _partner(host, known, board_types)
    yield from _doubles(hosts, known)
    yield from _guests(hosts, known)


def _alone(
    host: Host, keys: Mapping[str, Any], board_types: Mapping[str, BoardType]
) -> Iterator[Fault]:
    def at(key: str, sentence: str) -> Fault:
        return Fault(host.where(key), host.name, key, sentence)

    templated = [k for k, v in keys.items() if "{{" in json.dumps(v, default=str)]
    for key in templated:
        yield at(
            key, "holds a template; a board's facts are plain values, also read without Ansible"
        )
    for sentence in document_faults(dict(keys), "board.schema.json"):
        key, _, what = sentence.partition(": ")
        yield at("" if key == "the document" else key, what)
    name = keys.get("board_type")
    if not isinstance(name, str) or "board_type" in templated:
        return
    if name not in board_types:
        yield at(
            "board_type", f"no board type {name!r}; there are: {', '.join(sorted(board_types))}"
        )
        return
    if keys.get("lab") is not None and keys.get("worker") is not None:
        sentence = f"the board is in lab {keys['lab']}, whose LAVA server boots it; keep one of the"
        yield at("worker", f"{sentence} keys lab and worker")
    if "disk" in keys and not _takes_disk(board_types[name]):
        yield at(
            "disk", f"only a virtual board of a type with the hardware disk has one, not {name}"
        )
    for key, why in _needed(board_types[name], keys):
        yield at(key, f"missing; {why}")


def _takes_disk(kind: BoardType) -> bool:
    return kind.virtual and "disk" in kind.hardware


def _needed(kind: BoardType, keys: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys that a board of a lab lacks, with the reasons."""
    if keys.get("lab") is None or kind.virtual:
        return
    job = str(kind.job)
    wanted = [
        ("power", "a board of a lab needs the commands that switch it on and off and reset it"),
        ("console", "a board of a lab needs the command that connects to its serial console"),
    ]
    if job.startswith(NETWORK_BOOT):
        wanted.append(("mac", f"a board of type {kind.name} boots over the port of that address"))
    if job.startswith("fastboot."):
        wanted.append(("serial_number", "fastboot finds the board by it"))
    if "kvm" in kind.hardware:
        wanted.append(("guest_kernel", "guests of its benchmarks boot that kernel"))
    yield from ((key, why) for key, why in wanted if key not in keys)


def _partner(
    host: Host, known: Mapping[str, Mapping[str, Any]], board_types: Mapping[str, BoardType]
) -> Iterator[Fault]:
    """Yield the faults of a board that measures together with another machine of its lab."""
    keys = known[host.name]
    wanted = board_types[keys["board_type"]].partner
    name = keys.get("partner")
    file = host.where("partner")
    if (wanted is None) != (name is None):
        sentence = (
            f"missing; name a board of type {wanted}" if wanted else "its board type has none"
        )
        yield Fault(file, host.name, "partner", sentence)
    if wanted is None or name is None:
        return
    other = known.get(name, {})
    if other.get("board_type") != wanted or other.get("lab") != keys.get("lab"):
        sentence = f"{name!r} is no board of type {wanted} in the same lab"
        yield Fault(file, host.name, "partner", sentence)
        return
    if "ip" not in keys.get("network", {}):
        sentence = f"missing; {name} has to find it by its address"
        yield Fault(host.where("network"), host.name, "network.ip", sentence)


def _guests(hosts: Sequence[Host], known: Mapping[str, Mapping[str, Any]]) -> Iterator[Fault]:
    """Yield the boards whose guests have another kernel than those of the first of their type."""
    first: dict[str, tuple[str, Any]] = {}
    for host in hosts:
        keys = known[host.name]
        kernel = keys.get("guest_kernel")
        name, its = first.setdefault(str(keys.get("board_type")), (host.name, kernel))
        if kernel != its:
            sentence = f"{kernel}, where {name} of the same type has {its}; their runs are compared"
            yield Fault(host.where("guest_kernel"), host.name, "guest_kernel", sentence)


def _doubles(hosts: Sequence[Host], known: Mapping[str, Mapping[str, Any]]) -> Iterator[Fault]:
    """Yield facts that two boards share by mistake."""
    seen: dict[tuple[str, ...], str] = {}
    for host in hosts:
        shared: set[str] = set()
        for key, mark, what in _marks(known[host.name]):
            first = seen.setdefault(mark, host.name)
            top = key.partition(".")[0]
            # One sentence is enough for a board that was copied with all its commands.
            if first != host.name and top not in shared:
                shared.add(top)
                yield Fault(host.where(key), host.name, key, f"{what} of {first} too")


def _marks(keys: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield key, a value that must be unique, and its description."""
    dispatcher = str(keys.get("dispatcher"))
    if isinstance(mac := keys.get("mac"), str):
        yield "mac", ("mac", mac.lower()), f"{mac} is the MAC address"
    if isinstance(power := keys.get("power"), dict):
        if "port" in power:
            yield "power.port", ("port", str(power["port"])), f"{power['port']} is the power port"
        for verb in ("on", "off", "reset"):
            if verb in power:
                # Two commands of one text switch one outlet.
                mark = ("power", dispatcher, json.dumps(power[verb]))
                yield f"power.{verb}", mark, f"{power[verb]!r} switches the power port"
    if isinstance(console := keys.get("console"), str):
        yield "console", ("console", dispatcher, console), f"{console!r} is the console"
    if isinstance(serial := keys.get("serial_number"), str):
        yield "serial_number", ("serial", serial), f"{serial} is the serial number"
    network = keys.get("network")
    if isinstance(network, dict) and "ip" in network and "console" in keys:
        yield "network.ip", ("ip", str(network["ip"])), f"{network['ip']} is the address"
