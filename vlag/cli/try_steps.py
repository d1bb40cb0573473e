# SPDX-License-Identifier: GPL-2.0-only
"""`vlag try-begin` and `vlag try-end`: what the service does for a try of the pages."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, end_with, one_sentence
from vlag.config import catalogue as catalogues
from vlag.model import Outcome, TryState


@click.command("try-begin", hidden=True)
@click.argument("number", type=int)
@FORMAT
@one_sentence
def try_begin(number: int, form: str) -> None:
    """Import the series of the try NUMBER and check that it applies; if not, the status is 20."""
    from vlag.pipeline.try_series import begin
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        begun = begin(conn, settings, catalogues.of(settings), number)
    outcome = Outcome.COMPLETE if begun.reason is None else Outcome.PATCH_FAILED
    emit(
        form,
        {"outcome": outcome.value, "reason": begun.reason, "try": begun.properties},
        begun.reason or f"try {number}: the series applies",
    )
    end_with(outcome)


@click.command("try-end", hidden=True)
@click.argument("number", type=int)
@click.option(
    "--comparison", "comparisons", type=int, multiple=True, help="One that it made; repeatable."
)
@click.option("--reason", help="Why it failed.")
@one_sentence
def try_end(number: int, comparisons: tuple[int, ...], reason: str | None) -> None:
    """Put the result of the try NUMBER on record; one that has ended keeps its own."""
    from vlag.store import tries
    from vlag.store.database import connect

    state = TryState.DONE if reason is None else TryState.FAILED
    with connect(config.load().dsn()) as conn:
        tries.end(conn, number, state, reason, comparisons)
