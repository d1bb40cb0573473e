# SPDX-License-Identifier: GPL-2.0-only
"""Configuration of a LAVA server: device types, devices, health checks.

The sources are `lava-jobs/devices/` and the inventory, the only list of boards.
Rendering is LAVA's own: its search order, its Jinja2 settings, its variables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox
from attrs import field, frozen
from jinja2 import meta, nodes

from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.config.documents import read_yaml
from vlag.errors import UsageError, blame
from vlag.lava import render
from vlag.model import Board, BoardType
from vlag.pipeline.boot import command_line

#: Device types of Debian's lava-server; ours extend them.
LAVA_TYPES = Path("/usr/share/lava-server/device-types")

#: The noise floor: what a health check measures, and how long it may take on a board.
HEALTH_BENCHMARK, HEALTH_TIMEOUT_S = "cyclictest-idle", 600


@frozen(kw_only=True)
class Farm:
    """Files of a LAVA server by name, and the boards to register there."""

    device_types: Mapping[str, str]
    devices: Mapping[str, str]
    health_checks: Mapping[str, str]
    boards: tuple[Mapping[str, Any], ...]

    def write(self, folder: Path) -> None:
        """Write all files into `folder`, in the layout of LAVA's dispatcher-config."""
        for name, files in (
            ("device-types", self.device_types),
            ("devices", self.devices),
            ("health-checks", self.health_checks),
        ):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for file, text in files.items():
                (folder / name / file).write_text(text, encoding="utf-8")
        text = json.dumps(list(self.boards), indent=1, sort_keys=True)
        (folder / "boards.json").write_text(f"{text}\n", encoding="utf-8")


@frozen(kw_only=True)
class Templates:
    """Device type templates: ours first, then LAVA's, as a server searches them."""

    own: Mapping[str, str]  # file name -> text
    folder: Path  # source of ours, for messages
    environment: jinja2.sandbox.SandboxedEnvironment = field(init=False)
    _read: dict[str, tuple[frozenset[str], str]] = field(factory=dict, init=False)

    @environment.default
    def _loader(self) -> jinja2.sandbox.SandboxedEnvironment:
        if not LAVA_TYPES.is_dir():
            raise UsageError(
                f"{LAVA_TYPES}: missing; LAVA's own device types come with Debian's package"
                " lava-server: `make setup-check` installs it"
            )
        return jinja2.sandbox.SandboxedEnvironment(
            loader=jinja2.ChoiceLoader(
                [jinja2.DictLoader(dict(self.own)), jinja2.FileSystemLoader(LAVA_TYPES)]
            ),
            autoescape=False,
            trim_blocks=True,
        )

    def variables(self, lava_type: str) -> frozenset[str]:
        """Return every variable that a device type reads, with those it extends."""
        return frozenset().union(*self._chain(f"{lava_type}.jinja2"))

    def _chain(self, name: str) -> Iterator[frozenset[str]]:
        while name:
            read, extends = self._read.get(name) or self._parse(name)
            self._read[name] = (read, extends)
            yield read
            name = extends

    def _parse(self, name: str) -> tuple[frozenset[str], str]:
        """Return the variables that a template reads itself, and what it extends, or ""."""
        try:
            tree = self.environment.parse(self.source(name))
        except jinja2.TemplateSyntaxError as e:
            raise UsageError(
                f"{self.folder / name}:{e.lineno}: not a valid template: {e.message}"
            ) from e
        extends = tree.find(nodes.Extends)
        base = extends.template if extends is not None else None
        variables = frozenset(meta.find_undeclared_variables(tree))
        return variables, str(base.value) if isinstance(base, nodes.Const) else ""

    def source(self, name: str) -> str:
        """Return a device type's template; UsageError if it is missing."""
        if name in self.own:
            return self.own[name]
        try:
            return (LAVA_TYPES / name).read_text(encoding="utf-8")
        except OSError as e:
            raise blame(
                e, f"{self.folder / name}: missing; neither we nor LAVA have such a device type"
            ) from e

    def device(self, dictionary: str, context: Mapping[str, Any]) -> str:
        """Return a device as the server gives it to a dispatcher, for a job of that context."""
        try:
            return self.environment.from_string(dictionary).render(**context)
        except jinja2.TemplateSyntaxError as e:
            where = self.folder / e.name if e.name else "the device dictionary"
            raise UsageError(f"{where}:{e.lineno}: not a valid template: {e.message}") from e
        except jinja2.TemplateError as e:
            raise UsageError(f"{self.folder}: {e.message}") from e


def _own(name: str, values: Mapping[str, Any], devices: Path) -> str:
    """Render a template of ours that makes a template of LAVA's."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(devices),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - a template, and the values are ours
        keep_trailing_newline=True,
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    return environment.get_template(name).render(values)


def templates(catalogue: Catalogue, root: Path = ROOT) -> Templates:
    """Return our device type templates, those of the virtual boards made from their types."""
    devices = root / "lava-jobs" / "devices"
    folder = devices / "types"
    own = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja2"))}
    for kind in catalogue.board_types.values():
        if kind.virtual:
            own[f"{kind.lava_type}.jinja2"] = _own(
                "device-type.jinja2",
                {
                    "lava_type": kind.lava_type,
                    "board_type": kind.name,
                    "arch": kind.arch,
                    "emulator": kind.command,
                    "options": kind.options,
                },
                devices,
            )
    return Templates(own=own, folder=folder)


def _facts(board: Board) -> Iterator[tuple[str, str, Any, bool]]:
    """Yield key of the inventory, LAVA's variable, value, and whether it must be read."""
    facts = board.facts
    if "console" in facts:
        yield "console", "connection_command", facts["console"], True
    power = facts.get("power", {})
    for key, variable in (
        ("on", "power_on_command"),
        ("off", "power_off_command"),
        ("reset", "hard_reset_command"),
    ):
        if key in power:
            yield f"power.{key}", variable, power[key], True
    if "mac" in facts:
        yield "mac", "device_mac", facts["mac"], True
        # Boot loaders that get their address from LAVA.
        # LAVA's template does not quote it, and YAML reads 10:20:30:40:50:10 as a number.
        yield "mac", "lava_mac_address", f"'{facts['mac']}'", False
        yield "mac", "uboot_mac_addr", facts["mac"], False
        yield "mac", "uboot_set_mac", True, False
    network = facts.get("network", {})
    if "ip" in network:
        # Only the partner uses a virtual machine's address.
        yield "network.ip", "device_ip", network["ip"], "console" in facts
    if "gateway" in network:
        for key, variable in (
            ("ip", "static_ip"),
            ("gateway", "static_gateway"),
            ("netmask", "static_netmask"),
            ("dns", "static_dns"),
        ):
            yield f"network.{key}", variable, network[key], True
    if "serial_number" in facts:
        yield "serial_number", "fastboot_serial_number", facts["serial_number"], True
        yield "serial_number", "adb_serial_number", facts["serial_number"], True
    if "disk" in facts:
        yield "disk", "emulator_disk", facts["disk"], True
    for variable, value in facts.get("variables", {}).items():
        yield f"variables.{variable}", variable, value, True


def dictionary(
    board: Board,
    board_type: BoardType,
    shipped: Templates,
    *,
    inventory: Path,
    root: Path = ROOT,
) -> str:
    """Return a board's device dictionary, a template of LAVA's.

    Raises UsageError for a key of the inventory whose variable no template of the board's
    type reads.
    """
    read = shipped.variables(board_type.lava_type)
    variables: dict[str, Any] = {}
    for key, variable, value, must in _facts(board):
        if variable in read:
            variables[variable] = value
        elif must:
            raise UsageError(
                f"{inventory}: {board.name}.{key}: no template of LAVA's device type"
                f" {board_type.lava_type} reads {variable}"
            )
    return _own(
        "dictionary.jinja2",
        {
            "board": board.name,
            "inventory": inventory.name,
            "lava_type": board_type.lava_type,
            "variables": variables,
        },
        root / "lava-jobs" / "devices",
    )


def health_check(
    board_type: BoardType, catalogue: Catalogue, files: render.Files, root: Path = ROOT
) -> str:
    """Return the job of LAVA's health check for boards of a type."""
    alone = board_type
    if board_type.partner is not None:  # without its partner it boots like that machine
        alone = catalogue.board_type(board_type.partner)
    if alone.job is None:
        raise UsageError(
            f"lava-jobs/devices/{alone.name}.yaml: job: null, so no lab can boot its boards"
        )
    return render.job(
        root / "lava-jobs" / "boot" / "health-check.yaml.jinja2",
        board_type=board_type,
        name=f"health check of {board_type.name} with {HEALTH_BENCHMARK}",
        run_key="health-check",
        cmdline=command_line(board_type, {}),
        files=files,
        timeout_s=HEALTH_TIMEOUT_S,
        job=alone.job,
    )


def read_health(path: Path, catalogue: Catalogue) -> dict[str, render.Files]:
    """Read the files that health checks load, by board type; UsageError with file and key."""
    checks = {}
    for name, urls in read_yaml(path, "health-files.schema.json").items():
        if name not in catalogue.board_types:
            raise UsageError(f"{path}: {name}: no board type of that name")
        checks[name] = render.Files(**urls)
    return checks


def in_labs(boards: Iterable[Board]) -> tuple[Board, ...]:
    """Return the boards that a LAVA server schedules."""
    return tuple(b for b in boards if b.lab is not None)


def farm(
    catalogue: Catalogue,
    *,
    inventory: Path,
    health: Mapping[str, render.Files],
    lab: str | None = None,
    root: Path = ROOT,
) -> Farm:
    """Render the configuration of a lab's LAVA server; without `lab`, for the boards of all labs.

    `health` has the files that the health check of each board type loads; other types get no
    health check.  Raises UsageError with file and key for anything invalid.
    """
    boards = [b for b in in_labs(catalogue.boards) if lab in (None, b.lab)]
    if not boards:
        raise UsageError(
            f"{inventory}: no board has the key lab{f': {lab}' if lab else ''}; only boards of a"
            " lab are given to a LAVA server"
        )
    shipped = templates(catalogue, root)
    kinds = {b.board_type: catalogue.board_type(b.board_type) for b in boards}
    return Farm(
        device_types=shipped.own,
        devices={
            f"{b.name}.jinja2": dictionary(
                b, kinds[b.board_type], shipped, inventory=inventory, root=root
            )
            for b in boards
        },
        health_checks={
            f"{kind.lava_type}.yaml": health_check(kind, catalogue, health[name], root)
            for name, kind in kinds.items()
            if name in health
        },
        boards=tuple(
            {
                "hostname": b.name,
                "device_type": kinds[b.board_type].lava_type,
                "worker": b.facts.get("dispatcher"),
                # A job is pinned to a board by the tag of its name.
                "tags": [b.name, *b.facts.get("tags", [])],
            }
            for b in boards
        ),
    )
