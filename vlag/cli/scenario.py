"""The verb that enters a field report's figures as runs and shows what is then on record."""

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
    """Enter field report NAME (S1, S2, ...) as synthetic runs and print its tables.

    The figures stand in lava-jobs/scenarios/; every number that is printed comes from the
    database.  What is on record already is not entered again.
    """
    from vlag.scenario import data, text
    from vlag.scenario.answers import Answers
    from vlag.scenario.bundles import enter
    from vlag.scenario.views import views
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    report = data.load(name)
    with connect(settings.dsn()) as conn:
        enter(report, catalogue, conn, settings.state / "scenarios")
        document = views(Answers(conn, catalogue, report))
    emit(form, document, text.render(document).rstrip("\n"))
