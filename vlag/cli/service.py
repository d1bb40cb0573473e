# SPDX-License-Identifier: GPL-2.0-only
"""`vlag serve`, `health`, `support` and `service`: run the service, check it, install its unit."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from vlag import config
from vlag.cli.command import echo, one_sentence
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.operate.service.install import Unit

_HOST = click.option(
    "--host", metavar="NAME", envvar="VLAG_WORKER_HOST",
    help="For a worker: name of this machine among the settings' worker hosts.",
)  # fmt: skip


_NAME = click.option(
    "--name", metavar="NAME", envvar="VLAG_MASTER_NAME",
    help="For a master: its name, if the settings list several masters.",
)  # fmt: skip


@click.command()
@click.option(
    "--once", type=click.Choice(["first", "report", "proof"]), is_flag=False, flag_value="report",
    help="Stop after the first report; `first`: after the first look at two prebuilt kernels;"
    " `proof`: after the self-proof too.",
)  # fmt: skip
@click.option(
    "--part", type=click.Choice(["master", "worker", "artifacts"]),
    help="Run only this part; the others run on other machines or in other containers.",
)  # fmt: skip
@_HOST
@_NAME
@click.option(
    "--wait", "wait_s", type=click.FloatRange(min=0), default=300, show_default=True,
    metavar="SECONDS", help="How long a part waits for the database and the master.",
)  # fmt: skip
@one_sentence
def serve(
    once: str | None, part: str | None, host: str | None, name: str | None, wait_s: float
) -> None:
    """Run the service in the foreground.

    The service is PostgreSQL, Buildbot and one worker. With --part, run one part only, on the
    PostgreSQL server that [database] in the settings names. All parts share the folder `state`
    of the settings. A worker connects to its master at VLAG_MASTER_HOST, or at the address in
    the settings.
    """
    given = click.get_current_context().get_parameter_source("host")
    if part != "worker" and given is ParameterSource.COMMANDLINE:
        raise UsageError(f"--host {host}: only --part worker has a host name; leave it out")
    given = click.get_current_context().get_parameter_source("name")
    if part != "master" and given is ParameterSource.COMMANDLINE:
        raise UsageError(f"--name {name}: only --part master has a name; leave it out")
    if part is None:
        from vlag.operate.service import serve as stage
        from vlag.operate.service.follow import Until

        until = None if once is None else Until(once)
        sys.exit(stage(config.load(), until=until, out=sys.stdout))
    if once and part != "master":
        raise UsageError(f"--once: a {part} does not run nights; leave it out")
    if once == "first":
        raise UsageError(
            "--once=first: an installation of several parts has no first look; use --once"
        )
    from vlag.operate.service.follow import Until
    from vlag.operate.service.parts import serve_part

    sys.exit(
        serve_part(
            config.load(),
            part,
            host=host if part == "worker" else None,
            name=name if part == "master" else None,
            until=None if once is None else Until(once),
            wait_s=wait_s,
            out=sys.stdout,
        )
    )


@click.command()
@click.argument("part", type=click.Choice(["master", "worker", "artifacts", "database"]))
@_HOST
@_NAME
@one_sentence
def health(part: str, host: str | None, name: str | None) -> None:
    """Check that a part of the service on this machine works.

    Exits with status 0 if it does, otherwise with 75 and a sentence.
    """
    from vlag.operate.service.health import check

    echo(check(config.load(), part, host, name))


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@one_sentence
def support(file: Path) -> None:
    """Write the tar file FILE for whoever helps with a fault.

    It has versions, settings, the ends of the logs, the health of all parts, sizes of tables and
    the last nights. Secrets, people, and addresses of mail and hosts are left out. Look into it
    before you send it: a log may name what vlag does not know to be private.
    """
    from vlag.operate.service.support import support as stage

    names = stage(config.load(), file.absolute())
    echo(f"{file}: {', '.join(names)}")


@click.group(name="service")
def unit() -> None:
    """Let the machine start the service (a unit of systemd)."""


_UNIT_NAME = click.option(
    "--name", default="vlag", show_default=True, metavar="NAME",
    help="Name of the unit, for several installations on one machine.",
)  # fmt: skip


@unit.command()
@_UNIT_NAME
@click.option("--dry-run", is_flag=True, help="Print the unit and change nothing.")
@one_sentence
def install(name: str, dry_run: bool) -> None:
    """Install the service as a unit of systemd, and start it.

    The unit runs `vlag serve` with these settings, starts with the machine, and starts again what
    has ended, but for a mistake in the settings (status 2). As root it is a unit of the system,
    else one of this user. Called again, it writes what has changed.
    """
    from vlag.operate.service import install as stage

    settings = config.load()
    if dry_run:
        echo(stage.text_of(settings, user=os.geteuid() != 0))
        return
    stage.install(settings, _unit(name))


@unit.command()
@_UNIT_NAME
@one_sentence
def remove(name: str) -> None:
    """Stop the unit and take it away; kernels, runs and the database stay."""
    from vlag.operate.service import install as stage

    stage.remove(_unit(name))


def _unit(name: str) -> Unit:
    from vlag.operate.service.install import Unit

    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise UsageError(f"--name {name}: only letters, digits, _ and - make a name of a unit")
    return Unit(user=os.geteuid() != 0, name=name)
