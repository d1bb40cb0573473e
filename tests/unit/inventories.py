# SPDX-License-Identifier: GPL-2.0-only
"""Inventories of a farm, whole and with faults."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vlag import ROOT
from vlag.cli.inventory import inventory

EXAMPLE = ROOT / "ansible" / "inventory" / "farm-example.yml"

Edit = Callable[[Path], None]


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """Copy the example farm, with its secrets."""
    path = tmp_path / "farm.yml"
    shutil.copy(EXAMPLE, path)
    made = run("secrets", path)
    assert made.exit_code == 0, made.output
    return path


def run(verb: str, *paths: Path) -> Result:
    options = [word for path in paths for word in ("--inventory", str(path))]
    return CliRunner().invoke(inventory, [verb, *options])


def text(old: str, new: str) -> Edit:
    def edit(farm: Path) -> None:
        before = farm.read_text()
        assert old in before
        farm.write_text(before.replace(old, new, 1))

    return edit


def gone(name: str) -> Edit:
    return lambda farm: (farm.parent / "secrets" / name).unlink()


def holding(name: str, content: str) -> Edit:
    def edit(farm: Path) -> None:
        (farm.parent / "secrets" / name).write_text(content)

    return edit


FAULTS: dict[str, tuple[Edit, str]] = {
    "an unknown board type": (
        text("board_type: altra", "board_type: altera"),
        "farm.yml: altra-1.board_type: no board type 'altera'; there are: altra, ",
    ),
    "two boards with one MAC": (
        text("mac: 00:25:90:00:00:03", "mac: d8:3a:dd:00:00:01"),
        "farm.yml: x86-480-1.mac: d8:3a:dd:00:00:01 is the MAC address of rpi5-1 too",
    ),
    "two boards on one power port": (
        text("port: pdu-1/2", "port: pdu-1/1"),
        "farm.yml: rb5-1.power.port: pdu-1/1 is the power port of rpi5-1 too",
    ),
    "two boards switched by one command": (
        text('"on": redfishtool -r vhost-1-bmc', '"on": redfishtool -r x86-480-1-bmc'),
        "farm.yml: vhost-1.power.on: 'redfishtool -r x86-480-1-bmc -S Always -c"
        " /etc/lava/redfish.json Systems reset On' switches the power port of x86-480-1 too",
    ),
    "two boards on one console": (
        text("telnet console-1 7002", "telnet console-1 7001"),
        "farm.yml: rb5-1.console: 'telnet console-1 7001' is the console of rpi5-1 too",
    ),
    "a disk of real hardware": (
        text("board_type: altra\n", "board_type: altra\n          disk: /srv/disk.img\n"),
        "farm.yml: altra-1.disk: only a virtual board of a type with the hardware disk has one, not"
        " altra",
    ),
    "a disk where QEMU would read an option": (
        text("disk: /srv/vlag/mysql-1.img", "disk: /srv/disk.img,readonly=on"),
        "farm.yml: lab-pair-1-sut.disk: ",
    ),
    "a missing secret": (
        gone("lab-home"),
        "farm.yml: lava-1.secret lab-home: ",
    ),
    "a secret that others may read": (
        lambda farm: (farm.parent / "secrets" / "worker").chmod(0o644),
        "farm.yml: build-1.secret worker: others may read ",
    ),
    "an empty secret": (holding("worker", "\n"), "secrets/worker is empty"),
    "a secret of two lines": (holding("worker", "a\nb\n"), "secrets/worker holds more than one"),
    "an unknown dispatcher": (
        text("dispatcher: dispatcher-1", "dispatcher: dispatcher-9"),
        "farm.yml: rpi5-1.dispatcher: no host 'dispatcher-9' in the group lava_dispatchers; there"
        " are: dispatcher-1, dispatcher-2",
    ),
    "a board of a lab without a dispatcher": (
        text("          dispatcher: dispatcher-1\n", ""),
        "farm.yml: rpi5-1.dispatcher: missing; which host of the group lava_dispatchers",
    ),
    "an unknown lab": (
        text("          lab: home\n          dispatcher: dispatcher-1\n", "          lab: moon\n"),
        "farm.yml: rpi5-1.lab: no lab 'moon': neither a host of the group lava_servers nor"
        " vlag_labs has it; there are: home",
    ),
    "a dispatcher without a lab": (
        text(
            "        lab: home\n        lava_dispatcher_packages",
            "        lava_dispatcher_packages",
        ),
        "farm.yml: dispatcher-1.lab: missing; a dispatcher needs the name of its lab",
    ),
    "a LAVA server without a lab": (
        text("192.0.2.105\n          lab: home\n", "192.0.2.105\n"),
        "farm.yml: lava-1.lab: missing; a LAVA server needs the name of its lab",
    ),
    "an unknown worker": (
        text(
            "        # Virtual boards need",
            "        local-1: {board_type: qemu-sim-2, worker: build-9}\n        # Virtual boards",
        ),
        "farm.yml: local-1.worker: no host 'build-9' in the group workers that takes runs; there"
        " are: build-2",
    ),
    "a board that no worker boots": (
        lambda farm: (
            text("takes: [build, run, lab]", "takes: [build, lab]")(farm),
            text(
                "        # Virtual boards need",
                "        local-1: {board_type: qemu-sim-2}\n        # Virtual boards",
            )(farm),
        )[-1],
        "farm.yml: local-1.worker: missing, and no host of the group workers takes runs",
    ),
    "an unknown master": (
        text("takes: [build, run, lab]", "takes: [build, run, lab]\n          master: hub-9"),
        "farm.yml: build-2.master: no host 'hub-9' in the group master; there are: ",
    ),
    "two hosts with one address": (
        text("192.0.2.104", "192.0.2.103"),
        "farm.yml: build-2.ansible_host: 192.0.2.103 is the address of build-1 too",
    ),
    "a host that no play finds": (
        text("    board_hosts:", "    board_host:"),
        "farm.yml: tools-1: is in none of the groups database, master, ",
    ),
    "a fact that is none": (
        text("slots: 4", "slot: 4"),
        "farm.yml: build-2.slot: no fact of a host; there are: ansible_host, lab, master, slots,",
    ),
    "a fact of another type": (
        text("slots: 4", "slots: four"),
        "farm.yml: build-2.slots: 'four' is not of type 'integer'",
    ),
    "a board without the key that its type needs": (
        text("          serial_number: 5ab12c3d\n", ""),
        "farm.yml: rb5-1.serial_number: missing; fastboot finds the board by it",
    ),
    "a board that boots over a port without an address": (
        text("          mac: 00:25:90:00:00:02\n", ""),
        "farm.yml: altra-1.mac: missing; a board of type altra boots over the port of that",
    ),
    "a template in a fact of a board": (
        text("mac: d8:3a:dd:00:00:01", 'mac: "{{ macs.rpi5 }}"'),
        "farm.yml: rpi5-1.mac: holds a template; a board's facts are plain values",
    ),
    "a certificate that is not there": (
        text("192.0.2.105\n", "192.0.2.105\n          tls: {certificate: a.crt, key: a.key}\n"),
        "farm.yml: lava-1.tls.certificate: no file ",
    ),
}
