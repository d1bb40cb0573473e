# SPDX-License-Identifier: GPL-2.0-only
"""`vlag scenario`: enter the figures of a field report as synthetic runs."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues


@click.command()
@click.argument("name")
@FORMAT
@one_sentence
def scenario(name: str, form: str) -> None:
    """Enter a field report as synthetic runs and print it.

    The figures are in lava-jobs/scenarios/. Every printed number comes from the database.
    vlag does not enter a recorded figure again.
    """
    from vlag.scenario import data, scenario_text
    from vlag.scenario.bundles import enter
    from vlag.scenario.scenario_verdicts import Answers
    from vlag.scenario.scenario_views import views
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    report = data.load(name)
    with connect(settings.dsn()) as conn:
        enter(report, catalogue, conn, settings.state / "scenarios")
        document = views(Answers(conn, catalogue, report))
    emit(form, document, scenario_text.render(document).rstrip("\n"))
