# SPDX-License-Identifier: GPL-2.0-only
"""`vlag export`: results for other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag import config, durable
from vlag.cli.command import echo, one_sentence, say
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.store.database import Connection


@click.group()
def export() -> None:
    """Write results in the forms that other programs read."""


@export.command()
@click.option("--comparison", "ids", type=int, multiple=True, help="These comparisons.")
@click.option("--night", "of_night", metavar="last|ID", help="All comparisons of this night.")
@click.option("--origin", default="vlag", show_default=True,
              help="Name of this installation in KCIDB.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False),
              help="Write to a file (default: stdout).")  # fmt: skip
@one_sentence
def kcidb(ids: tuple[int, ...], of_night: str | None, origin: str, output: Path | None) -> None:
    """Write comparisons as a KCIDB report: checkouts, builds, boots and verdicts.

    A confirmed REGRESSION is a test that fails; a hint or an open suspicion is not. The report
    is valid by KCIDB's own schema; `kcidb-submit` sends it.
    """
    from vlag.report.export.kcidb import report
    from vlag.store.database import connect

    settings = config.load()
    with connect(settings.dsn()) as conn:
        chosen = _chosen(conn, ids, of_night or (None if ids else "last"))
        repositories = {name: t.url for name, t in settings.trees.items() if t.url is not None}
        document = report(conn, chosen or (), origin=origin, repositories=repositories)
    written = json.dumps(document, indent=1, sort_keys=True) + "\n"
    if output is None:
        echo(written, nl=False)
    else:
        with durable.replacing(output) as draft:
            draft.write_text(written, encoding="utf-8")


@export.command()
@click.option("--comparison", "ids", type=int, multiple=True, help="Boots of these comparisons.")
@click.option("--night", "of_night", metavar="last|ID", help="Boots of this night's comparisons.")
@click.option("--branch", metavar="TREE/BRANCH", help="Boots of this branch's kernels.")
@click.option("--benchmark", metavar="NAME", help="Only this benchmark.")
@click.option("--histograms", is_flag=True, help="Buckets of the histograms instead of samples.")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv",
              show_default=True, help="Format of the table.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False),
              help="Write to a file (default: CSV on stdout).")  # fmt: skip
@one_sentence
def samples(
    ids: tuple[int, ...],
    of_night: str | None,
    branch: str | None,
    benchmark: str | None,
    histograms: bool,
    form: str,
    output: Path | None,
) -> None:
    """Write each sample of each boot as a row of a table, in the unit of its metric."""
    from vlag.report.export import tables
    from vlag.report.read_model import exports
    from vlag.store.database import connect

    if form == "parquet" and output is None:
        raise UsageError("--format parquet needs --output FILE")
    kind = "histograms" if histograms else "samples"
    with connect(config.load().dsn()) as conn:
        rows = exports.samples(
            conn, kind, ids=_chosen(conn, ids, of_night), branch=branch, benchmark=benchmark
        )
        if output is None:
            number = tables.write_csv(rows, sys.stdout)
        else:
            with durable.replacing(output) as draft:
                if form == "parquet":
                    number = tables.write_parquet(rows, draft)
                else:
                    with open(draft, "w", encoding="utf-8", newline="") as out:
                        number = tables.write_csv(rows, out)
    say(f"{number} rows")


def _chosen(conn: Connection, ids: tuple[int, ...], of_night: str | None) -> tuple[int, ...] | None:
    """Return the comparisons that are asked for, or None for all."""
    from vlag.report import read_model
    from vlag.report.data.comparison import asked_night

    if ids and of_night is not None:
        raise UsageError("give --comparison or --night, not both")
    if of_night is not None:
        return asked_night(conn, of_night)[0]
    known = {c["id"] for c in read_model.by_ids(conn, ids)}
    if unknown := [str(i) for i in ids if i not in known]:
        raise UsageError(f"there is no comparison {', '.join(unknown)} on record")
    return ids or None
