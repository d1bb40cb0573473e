# SPDX-License-Identifier: GPL-2.0-only
"""`vlag inventory`: check the inventory of a farm, make its secrets."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vlag.cli.command import FORMAT, echo, emit, one_sentence
from vlag.errors import ExitCode

_FILES = click.option(
    "--inventory", "files", type=click.Path(path_type=Path), metavar="FILE", multiple=True,
    help="Inventory file in Ansible's format; repeatable. "
    "Default: `boards` under `[inventory]` of the settings.",
)  # fmt: skip


@click.group()
def inventory() -> None:
    """Check the inventory of a farm and make its secrets."""


def _default(files: tuple[Path, ...]) -> tuple[Path, ...]:
    from vlag import config

    return files or (config.load().inventory,)


@inventory.command()
@_FILES
@FORMAT
@one_sentence
def check(files: tuple[Path, ...], form: str) -> None:
    """Check an inventory without changing anything.

    Prints one line per fault, with file, host and key, and exits with status 2 if there is one.
    """
    from attrs import asdict

    from vlag.operate.farm.inventory import check as stage

    checked = stage(_default(files))
    for fault in checked.faults if form == "text" else ():
        echo(fault)
    groups = [f"{group} {number}" for group, number in checked.hosts.items()]
    faults = len(checked.faults)
    wrong = "all is well" if not faults else "1 fault" if faults == 1 else f"{faults} faults"
    parts = [*groups, f"boards {checked.boards}", f"secrets {checked.secrets}"]
    emit(form, asdict(checked), f"{', '.join(parts)}: {wrong}")
    if checked.faults:
        sys.exit(ExitCode.USAGE)


@inventory.command()
@_FILES
@click.option(
    "--renew", multiple=True, metavar="NAME",
    help="Replace this secret, or `all`. The hosts still have the old one until you run "
    "rotate.yml.",
)  # fmt: skip
@one_sentence
def secrets(files: tuple[Path, ...], renew: tuple[str, ...]) -> None:
    """Make the missing secrets, with mode 0600; keep the others."""
    from vlag.operate.farm.inventory import make_secrets

    made = make_secrets(_default(files), renew=renew)
    for path in made:
        echo(f"made {path}")
    echo(f"{len(made)} made")


@inventory.command("boards")
@_FILES
@one_sentence
def boards_(files: tuple[Path, ...]) -> None:
    """Print the boards as JSON, with what each needs from its host."""
    import json

    from vlag.operate.farm.inventory import boards

    echo(json.dumps(boards(_default(files)), sort_keys=True))
