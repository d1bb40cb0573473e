# SPDX-License-Identifier: GPL-2.0-only
"""`vlag db`: the tables of the database."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import echo, one_sentence


@click.group()
def db() -> None:
    """Update and partition the database's tables."""


@db.command()
@one_sentence
def migrate() -> None:
    """Bring the tables up to date; change nothing if they are.

    Prints the name of each migration that it applies, and each metric whose former name in the
    catalogue (`formerly`) is still in the tables: its history goes on under the present name.
    """
    from vlag.config import catalogue as catalogues
    from vlag.store import renames
    from vlag.store.database import connect
    from vlag.store.run_values import migrate as apply

    dsn = config.load().dsn()
    for name in apply(dsn):
        echo(name)
    with connect(dsn) as conn:
        for renamed in renames.apply(conn, catalogues.load().benchmarks.values()):
            echo(str(renamed))


@db.command()
@one_sentence
def partition() -> None:
    """Keep raw samples in one partition per month; run it each month.

    The first call makes each table its own first partition, without a copy. A later call
    adds the partition of the current month, or changes nothing.
    """
    from datetime import UTC, datetime

    from vlag.store.partition import partition as apply

    for name in apply(config.load().dsn(), today=datetime.now(UTC).date()):
        echo(name)
