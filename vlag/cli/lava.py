# SPDX-License-Identifier: GPL-2.0-only
"""`vlag lava`: check and write the configuration of a LAVA server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, emit, one_sentence
from vlag.errors import ExitCode

if TYPE_CHECKING:
    from vlag.operate.farm.validate import Report

_INVENTORY = click.option(
    "--inventory", type=click.Path(path_type=Path), metavar="FILE",
    help="List of boards (default: from the settings).",
)  # fmt: skip


@click.group()
def lava() -> None:
    """Check and write LAVA's device types, devices and jobs."""


@lava.command()
@_INVENTORY
@FORMAT
@one_sentence
def validate(inventory: Path | None, form: str) -> None:
    """Check every plan, job template and device with LAVA's own code.

    Prints one line per fault, with file and key, and exits with status 2; if there is none,
    prints how long each plan takes.
    """
    from attrs import asdict

    from vlag.operate.farm.validate import validate as stage

    report = stage(inventory=inventory or config.load().inventory)
    for finding in report.findings if form == "text" else ():
        echo(finding)
    emit(form, asdict(report), _text(report))
    if report.findings:
        sys.exit(ExitCode.USAGE)


def _text(report: Report) -> str:
    findings = len(report.findings)
    wrong = "all is well" if not findings else "1 fault" if findings == 1 else f"{findings} faults"
    rows = [f"{'plan':<20} {'board type':<16} {'runs':>5} {'minutes':>8}"]
    rows += [
        f"{d.plan:<20} {d.board_type:<16} {d.runs:>5} {d.minutes:>8.0f}" for d in report.durations
    ]
    return "\n".join(
        [
            *(rows if not report.findings else []),
            f"{report.jobs} jobs on {report.devices} boards of labs, {report.questions}"
            f" distinct ones checked by LAVA: {wrong}",
        ]
    )


@lava.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@_INVENTORY
@click.option("--lab", metavar="NAME", help="Only boards of this lab.")
@click.option(
    "--health", type=click.Path(path_type=Path), metavar="FILE",
    help="Images for health checks: YAML, board type: {kernel: URL, ramdisk: URL, dtb: URL}.",
)  # fmt: skip
@one_sentence
def render(folder: Path, inventory: Path | None, lab: str | None, health: Path | None) -> None:
    """Write device types, devices and health checks for LAVA into FOLDER.

    FOLDER has the layout of LAVA's dispatcher-config. boards.json lists the hostname, device
    type, worker and tags of each board.
    """
    from vlag.config.catalogue import load
    from vlag.operate.farm import lava_config

    inventory = inventory or config.load().inventory
    catalogue = load(inventory=inventory)
    files = {} if health is None else lava_config.read_health(health, catalogue)
    made = lava_config.farm(catalogue, inventory=inventory, health=files, lab=lab)
    made.write(folder)
    echo(
        f"{folder}: {len(made.device_types)} device types, {len(made.devices)} devices,"
        f" {len(made.health_checks)} health checks"
    )
