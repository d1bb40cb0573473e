"""The verb that keeps raw samples in one table a month."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from vlag import config
from vlag.cli.command import one_sentence, say


@click.command()
@one_sentence
def partition() -> None:
    """Keep raw samples in one table a month; run it each month.

    The first call makes each table that is there the first partition, without a copy; a
    later one begins the month that has come, or changes nothing.
    """
    from vlag.store.partition import partition as apply

    for name in apply(config.load().dsn(), say, today=datetime.now(UTC).date()):
        click.echo(name)
