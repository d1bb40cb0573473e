"""Verbs for the inventory of a farm: whether it can be, and the secrets it needs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import ExitCode

_FILES = click.option(
    "--inventory", "files", type=click.Path(path_type=Path), metavar="FILE", multiple=True,
    help="Inventory, read as Ansible reads it; several are read together. "
    "Default: ansible/inventory/boards.yml.",
)  # fmt: skip


@click.group()
def inventory() -> None:
    """Check the hosts and boards of a farm, make its secrets."""


def _default(files: tuple[Path, ...]) -> tuple[Path, ...]:
    from vlag import ROOT

    return files or (ROOT / "ansible" / "inventory" / "boards.yml",)


@inventory.command()
@_FILES
@FORMAT
@one_sentence
def check(files: tuple[Path, ...], form: str) -> None:
    """Say what is wrong with an inventory, before anything is changed.

    Prints one line for each fault, with file, host and key, and then ends with status 2.
    """
    from attrs import asdict

    from vlag.operate.farm.inventory import check as stage

    checked = stage(_default(files))
    for fault in checked.faults if form == "text" else ():
        click.echo(fault)
    groups = [f"{group} {number}" for group, number in checked.hosts.items()]
    found = len(checked.faults)
    wrong = "all is well" if not found else "1 fault" if found == 1 else f"{found} faults"
    parts = [*groups, f"boards {checked.boards}", f"secrets {checked.secrets}"]
    emit(form, asdict(checked), f"{', '.join(parts)}: {wrong}")
    if checked.faults:
        sys.exit(ExitCode.USAGE)


@inventory.command()
@_FILES
@click.option(
    "--renew", multiple=True, metavar="NAME",
    help="Make this secret anew, though it is there; `all`: every one. "
    "Hosts do not know it yet: rotate.yml tells them.",
)  # fmt: skip
@one_sentence
def secrets(files: tuple[Path, ...], renew: tuple[str, ...]) -> None:
    """Make the secrets that are missing, mode 0600; others that are there stay."""
    from vlag.operate.farm.inventory import make_secrets

    made = make_secrets(_default(files), renew=renew)
    for path in made:
        click.echo(f"made {path}")
    click.echo(f"{len(made)} made")


@inventory.command("boards")
@_FILES
@one_sentence
def boards_(files: tuple[Path, ...]) -> None:
    """Print the boards as JSON, with what the host that boots each of them must offer."""
    import json

    from vlag.operate.farm.inventory import boards

    click.echo(json.dumps(boards(_default(files)), sort_keys=True))
