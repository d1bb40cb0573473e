# SPDX-License-Identifier: GPL-2.0-only
"""Verbs that save an installation and bring it back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from vlag import config
from vlag.cli.command import echo, one_sentence, pairs_of
from vlag.errors import ExitCode, UsageError

_DATABASES = click.option(
    "--database", "databases", multiple=True, metavar="NAME=DSN",
    help="One more database, such as lavaserver; DSN is libpq's, its password in a file.",
)  # fmt: skip


_PASSWORD = click.option(
    "--password-file", "password", type=click.Path(path_type=Path), metavar="FILE",
    help="The repository's password. Without it: $RESTIC_PASSWORD_FILE, or REPO/password.",
)  # fmt: skip


@click.command()
@click.argument("repository", metavar="REPO")
@_PASSWORD
@_DATABASES
@one_sentence
def backup(repository: str, password: Path | None, databases: Sequence[str]) -> None:
    """Save all data to the restic repository REPO.

    The service may run. REPO is a folder or a place that restic knows (sftp:..., s3:...);
    the command makes it if it is missing, and prints the new snapshot. What an earlier
    snapshot has takes no room again.
    """
    from vlag.operate.backup import save
    from vlag.operate.backup.repository import Repository

    settings, others = config.load(), _others(databases)
    echo(save.backup(settings, Repository.at(repository, password), others))


@click.command()
@click.argument("repository", metavar="REPO")
@_PASSWORD
@click.option("--snapshot", metavar="ID", help="Of `restic snapshots`; else the newest.")
@click.option("--check", is_flag=True, help="Only read all of the repository: is it whole?")
@_DATABASES
@click.option("--without", multiple=True, metavar="NAME", help="Leave that database out.")
@one_sentence
def restore(
    repository: str, password: Path | None, snapshot: str | None, check: bool,
    databases: Sequence[str], without: Sequence[str],
) -> None:  # fmt: skip
    """Bring a backup back into an empty installation.

    REPO is what `vlag backup` has made.
    """
    from vlag.operate.backup import restore as stage
    from vlag.operate.backup.repository import Repository

    repository_ = Repository.at(repository, password)
    if check:
        newest = repository_.snapshot(snapshot)
        repository_.check(data=True)
        echo(
            f"{repository_.place}: whole; snapshot {newest['short_id']} is of {newest['time'][:19]}"
        )
        sys.exit(ExitCode.OK)
    settings = config.load()
    restored = stage.restore(settings, repository_, snapshot, _others(databases), without)
    echo(
        f"{repository_.place} {restored}: restored to {settings.state};"
        " `vlag serve` starts the service"
    )


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
