"""Verbs of the `vlag` command: thin wrappers that read settings and print results.

Results go to stdout, as text or as one JSON object on the last line; progress
and errors go to stderr.  Exit codes: `vlag.errors.ExitCode`.
"""

from __future__ import annotations

import click

import vlag
from vlag import config
from vlag.cli import (
    alerts,
    artifacts,
    backup,
    boards,
    boots,
    changepoints,
    compare,
    completion,
    inventory,
    kernels,
    lava,
    notify,
    parse,
    partition,
    scenario,
    schedstat,
    serve,
    stages,
    verdicts,
    watch,
)
from vlag.cli.command import one_sentence, say


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(vlag.__version__)
def main() -> None:
    """Build kernels, boot them on boards, measure their scheduler, compare."""


for _verb in (
    stages.mirror,
    stages.userland,
    stages.build,
    boots.run,
    boots.submit,
    boots.collect,
    stages.ingest,
    verdicts.recorded,
    compare.compare,
    kernels.kernels,
    verdicts.report,
    verdicts.forecast,
    watch.watch,
    boards.boards,
    alerts.alerts,
    alerts.ack,
    alerts.mute,
    alerts.unmute,
    lava.lava,
    inventory.inventory,
    artifacts.artifacts,
    changepoints.changepoints,
    parse.parse,
    schedstat.schedstat,
    scenario.scenario,
    notify.tell,
    notify.send,
    notify.messages,
    serve.serve,
    serve.health,
    backup.backup,
    backup.restore,
    partition.partition,
):
    main.add_command(_verb)


@main.command()
@one_sentence
def migrate() -> None:
    """Bring the database's tables up to date; harmless when they are."""
    from vlag.store.run_values import migrate as apply

    for name in apply(config.load().dsn(), say):
        click.echo(name)


completion.complete(main)

if __name__ == "__main__":
    main()
