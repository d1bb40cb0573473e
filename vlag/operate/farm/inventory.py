# SPDX-License-Identifier: GPL-2.0-only
"""The inventory of a farm: hosts, boards and secrets, checked before anything is changed."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import ROOT
from vlag.config import ansible_hosts, board_facts, former_keys
from vlag.config.ansible_hosts import Host, Inventory
from vlag.config.board_facts import Fault
from vlag.config.catalogue import load_board_types
from vlag.config.documents import SCHEMAS, read_json, read_yaml
from vlag.config.documents import faults as document_faults
from vlag.errors import UsageError, blame
from vlag.model import BoardType
from vlag.ownership import write_private

#: Groups whose hosts run a part of vlag; nobody logs in to `boards`.
SERVICES = (
    "database", "master", "workers", "artifacts", "grafana", "lava_servers", "lava_dispatchers",
    "board_hosts",
)  # fmt: skip
_SECRET_BYTES = 32


@frozen(kw_only=True)
class Secret:
    """A file that must be on the controller."""

    name: str
    about: str
    bytes: int
    host: str  # a host that needs it
    host_file: Path


@frozen(kw_only=True)
class Checked:
    """The content of an inventory, and its faults."""

    hosts: Mapping[str, int]  # group -> number
    boards: int
    secrets: int
    faults: tuple[str, ...]


def check(files: Sequence[Path], *, root: Path = ROOT) -> Checked:
    """Check inventories, read together; UsageError for an unreadable one."""
    inventory = ansible_hosts.read(files)
    kinds = load_board_types(root)
    wanted = wanted_secrets(inventory, root)
    faults = [
        *_groups(inventory),
        *board_facts.faults(inventory.of("boards"), kinds),
        *_hosts(inventory, root),
        *_places(inventory, kinds),
        *_certificates(inventory),
        *_secrets(inventory, wanted),
    ]
    return Checked(
        hosts={g: len(inventory.of(g)) for g in SERVICES if inventory.of(g)},
        boards=len(inventory.of("boards")),
        secrets=len(wanted),
        faults=tuple(dict.fromkeys(map(str, faults))),
    )


def services(inventory: Inventory) -> tuple[Host, ...]:
    """Return the hosts that run a part of vlag."""
    return tuple(h for h in inventory.hosts.values() if not h.groups.isdisjoint(SERVICES))


def _groups(inventory: Inventory) -> Iterator[Fault]:
    """Yield hosts that no play would find."""
    for host in inventory.hosts.values():
        if host.groups.isdisjoint((*SERVICES, "boards")):
            message = f"is in none of the groups {', '.join((*SERVICES, 'boards'))}"
            yield Fault(host.file, host.name, "", message)
        elif "boards" in host.groups and not host.groups.isdisjoint(SERVICES):
            both = sorted(host.groups.intersection(SERVICES))[0]
            yield Fault(host.file, host.name, "", f"is a board and in the group {both} as well")


def _roles(root: Path) -> tuple[str, ...]:
    """Return the prefixes of roles' arguments."""
    names = sorted(path.name for path in (root / "ansible" / "roles").glob("*") if path.is_dir())
    return tuple(f"{name}_" for name in ("ansible", "vlag", *names))


def _hosts(inventory: Inventory, root: Path) -> Iterator[Fault]:
    known = read_json(SCHEMAS / "host.schema.json")["properties"]
    prefixes = _roles(root)
    addresses: dict[tuple[str, str], str] = {}
    for host in services(inventory):
        names = known.keys() | former_keys.OF_HOSTS.keys()
        values = {k: v.value for k, v in host.variables.items() if k in names}
        keys = former_keys.present(values, f"{host.file}: {host.name}")
        renamed = values.keys() - keys.keys()
        for message in document_faults(keys, "host.schema.json"):
            key, _, what = message.partition(": ")
            yield Fault(host.where(key), host.name, key, what)
        for key in sorted(host.own - known.keys() - renamed):
            if not key.startswith(prefixes):
                message = f"no fact of a host; there are: {', '.join(known)}, and roles' arguments"
                yield Fault(host.where(key), host.name, key, message)
        if host.get("ansible_connection") == "local":
            continue  # the controller: each of its hosts is that machine
        address = (str(host.get("ansible_host", host.name)), str(host.get("ansible_port", 22)))
        first = addresses.setdefault(address, host.name)
        if first != host.name:
            message = f"{address[0]} is the address of {first} too"
            yield Fault(host.where("ansible_host"), host.name, "ansible_host", message)


def _places(inventory: Inventory, kinds: Mapping[str, BoardType]) -> Iterator[Fault]:
    """Yield keys that name a missing lab, dispatcher or worker."""
    if not services(inventory):
        return  # only a list of boards: the settings name their labs
    servers: dict[str, str] = {}
    for host in inventory.of("lava_servers"):
        lab = host.get("lab")
        if lab is None:
            message = "missing; a LAVA server needs the name of its lab"
            yield Fault(host.file, host.name, "lab", message)
        elif servers.setdefault(str(lab), host.name) != host.name:
            message = f"{servers[str(lab)]} is the server of the lab {lab} already"
            yield Fault(host.where("lab"), host.name, "lab", message)
    labs = servers.keys() | _mapping(inventory, "vlag_labs").keys()
    for host in (*inventory.of("lava_dispatchers"), *inventory.of("boards")):
        lab = host.get("lab")
        if lab is None and "lava_dispatchers" in host.groups:
            message = "missing; a dispatcher needs the name of its lab"
            yield Fault(host.file, host.name, "lab", message)
        elif lab is not None and lab not in labs:
            message = (
                f"no lab {lab!r}: neither a host of the group lava_servers nor vlag_labs has it;"
                f" there are: {', '.join(sorted(labs)) or 'none'}"
            )
            yield Fault(host.where("lab"), host.name, "lab", message)
    masters = [host.name for host in inventory.of("master")]
    for host in inventory.of("workers"):
        if host.get("master") is not None and host.get("master") not in masters:
            message = (
                f"no host {host.get('master')!r} in the group master; there are:"
                f" {', '.join(masters) or 'none'}"
            )
            yield Fault(host.where("master"), host.name, "master", message)
    for board in inventory.of("boards"):
        yield from _dispatcher(inventory, board, servers)
        yield from _worker(inventory, board, kinds)


def _mapping(inventory: Inventory, key: str) -> Mapping[str, Any]:
    variable = inventory.variables.get(key)
    return variable.value if variable is not None and isinstance(variable.value, dict) else {}


def _dispatcher(inventory: Inventory, board: Host, servers: Mapping[str, str]) -> Iterator[Fault]:
    name, lab = board.get("dispatcher"), board.get("lab")
    if lab is None and name is not None:
        message = f"{name!r} has nothing to do with a board that has no lab"
        yield Fault(board.where("dispatcher"), board.name, "dispatcher", message)
    if lab not in servers:
        return  # an external lab has its own dispatchers
    if name is None:
        message = f"missing; which host of the group lava_dispatchers reaches a board of lab {lab}?"
        yield Fault(board.file, board.name, "dispatcher", message)
        return
    known = {h.name: h for h in inventory.of("lava_dispatchers")}
    if name not in known:
        message = f"no host {name!r} in the group lava_dispatchers; there are: {', '.join(known)}"
        yield Fault(board.where("dispatcher"), board.name, "dispatcher", message)
    elif known[name].get("lab") != lab:
        message = f"{name} belongs to the lab {known[name].get('lab')}, the board to {lab}"
        yield Fault(board.where("dispatcher"), board.name, "dispatcher", message)


def _worker(inventory: Inventory, board: Host, kinds: Mapping[str, BoardType]) -> Iterator[Fault]:
    runs = {h.name: h for h in inventory.of("workers") if "run" in h.get("takes", ["run"])}
    name = board.get("worker")
    if name is not None and board.get("lab") is not None:
        message = f"{name!r} cannot boot a board that its lab schedules"
        yield Fault(board.where("worker"), board.name, "worker", message)
    elif name is not None and name not in runs:
        message = (
            f"no host {name!r} in the group workers that takes runs; there are:"
            f" {', '.join(runs) or 'none'}"
        )
        yield Fault(board.where("worker"), board.name, "worker", message)
    elif name is None and board.get("lab") is None and not runs:
        kind = kinds.get(str(board.get("board_type")))
        if kind is not None and kind.template is not None:
            message = "missing, and no host of the group workers takes runs: nothing would boot it"
            yield Fault(board.file, board.name, "worker", message)


def _certificates(inventory: Inventory) -> Iterator[Fault]:
    for host in services(inventory):
        tls = host.get("tls")
        for key in ("certificate", "key") if isinstance(tls, dict) else ():
            path = host.where("tls").parent / str(tls.get(key, ""))
            if key in tls and not path.is_file():
                message = f"no file {path} on the controller"
                yield Fault(host.where("tls"), host.name, f"tls.{key}", message)


def secrets_folder(inventory: Inventory) -> Path:
    """Return the controller's folder of secrets."""
    variable = inventory.variables.get("vlag_secrets")
    if variable is None or not isinstance(variable.value, str):
        return inventory.files[0].resolve().parent / "secrets"
    return Path(variable.value)


def wanted_secrets(inventory: Inventory, root: Path = ROOT) -> tuple[Secret, ...]:
    """Return the secrets that the roles of these hosts need, each once."""
    document = read_yaml(root / "ansible" / "secrets.yml", "secrets.schema.json")
    wanted: dict[str, Secret] = {}
    for entry in document["secrets"]:
        # A secret of several groups belongs to its first user.
        for host in inventory.of(entry["groups"][0]):
            if "{lab}" in entry["name"] and host.get("lab") is None:
                continue  # reported as another fault
            name = entry["name"].format(host=host.name, lab=host.get("lab"))
            wanted.setdefault(
                name,
                Secret(
                    name=name,
                    about=entry["about"],
                    bytes=entry.get("bytes", _SECRET_BYTES),
                    host=host.name,
                    host_file=host.file,
                ),
            )
    return tuple(wanted.values())


def _secrets(inventory: Inventory, wanted: Sequence[Secret]) -> Iterator[Fault]:
    folder = secrets_folder(inventory)
    make = "`vlag inventory secrets` makes missing ones"
    for secret in wanted:
        path = folder / secret.name
        key = f"secret {secret.name}"

        def at(message: str, secret: Secret = secret, key: str = key) -> Fault:
            return Fault(secret.host_file, secret.host, key, f"{message} ({secret.about}; {make})")

        try:
            status = path.stat()
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as e:
            problem = "missing" if isinstance(e, FileNotFoundError) else "cannot be read"
            yield at(f"{path} is missing" if problem == "missing" else f"{path} {problem}")
            continue
        if stat.S_IMODE(status.st_mode) & 0o077:
            yield Fault(
                secret.host_file, secret.host, key,
                f"others may read {path}; its mode must be 0600: chmod 0600 {path}",
            )  # fmt: skip
        if not text or "\n" in text:
            yield at(f"{path} {'holds more than one line' if text else 'is empty'}")


def make_secrets(
    files: Sequence[Path], *, renew: Sequence[str] = (), root: Path = ROOT
) -> tuple[Path, ...]:
    """Make missing secrets, and renew those in `renew`; return their files.

    `renew` has names, or "all" for every secret of these hosts; UsageError for an unknown
    name, before any is made.  It leaves the tokens of external labs alone.
    """
    inventory = ansible_hosts.read(files)
    folder = secrets_folder(inventory)
    wanted = wanted_secrets(inventory, root)
    names = {secret.name for secret in wanted}
    for name in renew:
        if name != "all" and name not in names:
            there = ", ".join(sorted(names)) or "none"
            raise UsageError(
                f"there is no secret {name} of these hosts to renew; there are: {there}"
            )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = []
    for secret in wanted:
        path = folder / secret.name
        if path.exists() and secret.name not in renew and "all" not in renew:
            continue
        try:
            write_private(path, secrets.token_hex(secret.bytes) + "\n")
        except OSError as e:
            raise blame(e, f"{path}: cannot be written ({e.strerror})") from e
        made.append(path)
    return tuple(made)


def boards(files: Sequence[Path], *, root: Path = ROOT) -> tuple[Mapping[str, Any], ...]:
    """Return each board with the requirements on the host that boots it.

    `boots` is "network" (TFTP), "fastboot", "emulator" or None; UsageError for an invalid
    board.
    """
    kinds = load_board_types(root)
    hosts = ansible_hosts.read(files).of("boards")
    for fault in board_facts.faults(hosts, kinds):
        raise UsageError(str(fault))
    rows = []
    for board in board_facts.boards(hosts):
        kind = kinds[board.board_type]
        job = str(kind.job)
        minimum = kind.emulator_minimum
        rows.append(
            {
                "name": board.name,
                "board_type": board.board_type,
                "lab": board.lab,
                "dispatcher": board.facts.get("dispatcher"),
                "worker": board.facts.get("worker"),
                "boots": "emulator"
                if kind.virtual
                else "fastboot"
                if job.startswith("fastboot.")
                else "network"
                if job.startswith(board_facts.NETWORK_BOOT)
                else None,
                "emulator": kind.emulator,
                "deterministic": kind.deterministic,
                "emulator_minimum": None if minimum is None else list(minimum),
                "tags": [board.name, *board.facts.get("tags", [])],
            }
        )
    return tuple(rows)
