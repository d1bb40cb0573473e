"""`vlag serve` and `vlag health`: the service, and whether a part of it is well."""

from __future__ import annotations

import sys

import click
from click.core import ParameterSource

from vlag import config
from vlag.cli.command import one_sentence
from vlag.errors import UsageError

_HOST = click.option(
    "--host", metavar="NAME", envvar="VLAG_WORKER_HOST",
    help="With worker: which of the settings' worker hosts this machine is.",
)  # fmt: skip


_NAME = click.option(
    "--name", metavar="NAME", envvar="VLAG_MASTER_NAME",
    help="With master: which of the settings' masters this is, where there are several.",
)  # fmt: skip


@click.command()
@click.option("--once", is_flag=True, help="Stop after the first report.")
@click.option(
    "--part", type=click.Choice(["master", "worker", "artifacts"]),
    help="Run this part alone; others run on other machines, or in other containers.",
)  # fmt: skip
@_HOST
@_NAME
@click.option(
    "--wait", "wait_s", type=click.FloatRange(min=0), default=300, show_default=True,
    metavar="SECONDS", help="How long a part waits for the database and the master.",
)  # fmt: skip
@one_sentence
def serve(once: bool, part: str | None, host: str | None, name: str | None, wait_s: float) -> None:
    """Run the service in the foreground: PostgreSQL, Buildbot, one worker.

    With --part only a part of it, on a PostgreSQL server that somebody else runs:
    [database] in the settings.  All parts see the folder `state` of the settings.
    A worker finds its master at VLAG_MASTER_HOST, or where the settings have it listen.
    """
    given = click.get_current_context().get_parameter_source("host")
    if part != "worker" and given is ParameterSource.COMMANDLINE:
        raise UsageError(f"--host {host}: only --part worker has a host name; leave it out")
    given = click.get_current_context().get_parameter_source("name")
    if part != "master" and given is ParameterSource.COMMANDLINE:
        raise UsageError(f"--name {name}: only --part master has a name; leave it out")
    if part is None:
        from vlag.operate.service import serve as stage

        sys.exit(stage(config.load(), once=once, out=sys.stdout))
    if once and part != "master":
        raise UsageError(f"--once: a {part} does not know of nights; leave it out")
    from vlag.operate.service.parts import serve_part

    sys.exit(
        serve_part(
            config.load(),
            part,
            host=host if part == "worker" else None,
            name=name if part == "master" else None,
            once=once,
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
    """Tell whether a part of the service that should run on this machine does its work.

    Ends with status 0, or with 75 and a sentence.
    """
    from vlag.operate.service.health import check

    click.echo(check(config.load(), part, host, name))
