# SPDX-License-Identifier: GPL-2.0-only
"""`vlag scenario`: what the figures of a field report say."""

from __future__ import annotations

from pathlib import Path

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, emit, one_sentence, say
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError, blame

#: First word of the line that writes a file to begin with.
NEW = "new"


@click.command()
@click.argument("report", metavar="REPORT")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@FORMAT
@one_sentence
def scenario(report: str, file: Path | None, form: str) -> None:
    """Judge the figures of a field report by what they support.

    REPORT is S1 to S5, whose figures are in lava-jobs/scenarios/, or a file of the same form;
    `vlag scenario new FILE` writes one to begin with, with comments. Its claims are judged by
    the report's own figures. For views vlag enters the figures as synthetic runs, and every
    printed number comes from the database; runs of S1 to S5 stay there, those of a file do not.
    """
    from vlag.scenario import data, scenario_text
    from vlag.scenario.entered import shown
    from vlag.store.database import connect

    if report == NEW:
        _write(data.TEMPLATE.read_text(encoding="utf-8"), file)
        return
    if file is not None:
        raise UsageError(f"{report} {file}: name one report; only `vlag scenario new` takes a file")
    settings = config.load()
    document = shown(
        data.read(data.place(report)),
        catalogues.of(settings),
        lambda: connect(settings.dsn()),
        settings.state / "scenarios",
    )
    emit(form, document, scenario_text.render(document).rstrip("\n"))


def _write(text: str, file: Path | None) -> None:
    """Write a file that is not there, or print it."""
    if file is None:
        echo(text, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise UsageError(f"{file}: is there already; name another file") from None
    except OSError as e:
        raise blame(e, f"{file}: cannot be written ({e.strerror})") from e
    say(f"wrote {file}: fill it in, then `vlag scenario {file}`")
