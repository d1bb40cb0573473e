"""Verbs that save an installation and bring it back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from vlag import config
from vlag.cli.command import one_sentence, pairs_of, say
from vlag.errors import ExitCode, UsageError

_DATABASES = click.option(
    "--database", "databases", multiple=True, metavar="NAME=DSN",
    help="One more database, such as lavaserver; DSN is libpq's, its password in a file.",
)  # fmt: skip


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@_DATABASES
@one_sentence
def backup(folder: Path, databases: Sequence[str]) -> None:
    """Save all data to a new folder below FOLDER, while the service runs.

    Files that are as they were in the last backup there take no room again.
    """
    from vlag.operate.backup import save

    click.echo(save.backup(config.load(), folder, _others(databases), say))


@click.command()
@click.argument("backup", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Only read it: is it whole?")
@_DATABASES
@click.option("--without", multiple=True, metavar="NAME", help="Leave that database out.")
@one_sentence
def restore(backup: Path, check: bool, databases: Sequence[str], without: Sequence[str]) -> None:
    """Bring a backup back into an empty installation.

    BACKUP is a folder that `vlag backup` has made, or one of several: then the newest.
    """
    from vlag.operate.backup import restore as stage

    if check:
        found = stage.check(backup, say)
        click.echo(f"{found.folder}: whole, of {found.manifest['began_at']}")
        sys.exit(ExitCode.OK)
    settings = config.load()
    found = stage.restore(settings, backup, _others(databases), without, say)
    click.echo(f"{found.folder}: restored to {settings.state}; `vlag serve` starts the service")


def _others(databases: Sequence[str]) -> dict[str, str]:
    """Read --database; a password on a command line is everybody's to read."""
    from vlag.store.database import parts

    others = pairs_of(databases, "--database")
    for name, dsn in others.items():
        if name in ("vlag", "buildbot"):
            raise UsageError(f"--database {name}: is taken anyway; the settings say where it is")
        if not name.isidentifier() or name != name.lower():
            raise UsageError(f"--database {name}: is no name of a database")
        if parts(dsn).get("password"):
            raise UsageError(
                f"--database {name}: has a password, which others could read; put it into a file"
                " and write passfile=FILE"
            )
    return others
