"""Verbs that ask what is on record: runs, reports, what a night would do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, pairs_of, say
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError


@click.command()
@click.argument("kernel", metavar="BUILD", type=click.Path(path_type=Path))
@click.option("--plan", required=True, help="Plan in lava-jobs/plans/.")
@click.option("--board-type", multiple=True, required=True, help="Only its runs on these.")
@click.option("--stage", type=click.Choice(["screen", "confirm"]), default="screen",
              show_default=True, help="First boots, or fresh ones.")  # fmt: skip
@click.option("--benchmark", multiple=True, help="Only these of the plan.")
@click.option("--knob", multiple=True, metavar="NAME=VALUE", help="Knobs of the runs.")
@FORMAT
@one_sentence
def recorded(
    kernel: Path,
    plan: str,
    board_type: tuple[str, ...],
    stage: str,
    benchmark: tuple[str, ...],
    knob: tuple[str, ...],
    form: str,
) -> None:
    """List the runs of a plan that bundle BUILD need not make, and put them into the database.

    Only runs on deterministic boards, which would give the very same numbers again.
    """
    from vlag.errors import RefusedError
    from vlag.pipeline.forecast import on_record
    from vlag.pipeline.ingest import ingest_all
    from vlag.pipeline.night import planned_runs
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    planned = planned_runs(
        catalogue, plan, board_type, stage=stage, benchmarks=list(benchmark) or None
    )
    found = on_record(
        settings, catalogue, kernel.absolute(), planned, pairs_of(knob, "--knob"), say
    )
    with connect(settings.dsn()) as conn:
        paths = [bundle.folder for _run, bundle in found]
        for item in ingest_all(paths, conn=conn, catalogue=catalogue):
            if isinstance(item, RefusedError):
                raise item
    runs = [
        {
            "benchmark": run.entry.benchmark,
            "parameters": dict(run.entry.parameters),
            "board_type": run.board_type,
            "seed": run.seed,
            "bundle": str(bundle.folder),
        }
        for run, bundle in found
    ]
    text = "\n".join(
        f"{r['benchmark']} seed {r['seed']} on {r['board_type']}: {r['bundle']}" for r in runs
    )
    emit(form, {"planned": len(planned), "recorded": runs}, text)


@click.command()
@click.option("--comparison", "ids", type=int, multiple=True, help="Which (default: the latest).")
@click.option("--night", "of_night", metavar="last|ID", help="All comparisons of a night.")
@click.option("--branch", metavar="TREE/BRANCH", help="How a branch stands on its boards.")
@click.option("--matrix", multiple=True, metavar="TREE/BRANCH|NUMBER",
              help="Patches or knobs by metrics: of a branch, or of comparisons.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@click.option("--note", multiple=True, metavar="TEXT", help="A line at the report's head.")
@click.option("--url", metavar="URL", help="Of the web pages: points of HTML plots lead there.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html", "json"]),
              default="text", show_default=True, help="What is written.")  # fmt: skip
@one_sentence
def report(
    ids: tuple[int, ...],
    of_night: str | None,
    branch: str | None,
    matrix: tuple[str, ...],
    output: Path | None,
    note: tuple[str, ...],
    url: str | None,
    form: str,
) -> None:
    """Print what is on record: comparisons, a night, a branch, or a matrix.

    Several comparisons make one night's report.  Text has 75 columns, so that it can be
    quoted in a mail; HTML is one file that needs no network.
    """
    from vlag.report.data import branch_state, matrices, plot_data
    from vlag.report.data.comparison import asked_night, night
    from vlag.report.data.comparison import report as stage
    from vlag.report.forms import render
    from vlag.store.database import connect

    if sum(map(bool, (ids, of_night, branch, matrix))) > 1:
        raise UsageError("give one of --comparison, --night, --branch and --matrix")
    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        if of_night is not None:
            ids, note = asked_night(conn, of_night, note)
        if branch is not None:
            data = branch_state.state(conn, catalogue, branch, note)
        elif matrix:
            data = matrices.matrix(conn, catalogue, matrix, note)
        elif of_night is not None or len(ids) > 1:
            data = night(conn, catalogue, ids, settings.state, note)
        else:
            data = stage(conn, catalogue, ids[0] if ids else None, settings.state, note)
        shown = plot_data.of(conn, _compared(data), url) if form == "html" else None
    written = render(data, form, shown)
    if output is None:
        click.echo(written, nl=not written.endswith("\n"))
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.partial")
    partial.write_text(written, encoding="utf-8")
    partial.rename(output)
    click.echo(str(output))


def _compared(data: Mapping[str, Any]) -> list[int]:
    """Return the numbers of the comparisons that a report shows one by one."""
    if data["kind"] == "comparison":
        return [data["id"]]
    return [c["id"] for c in data.get("comparisons", data.get("states", []))]


@click.command()
@FORMAT
@one_sentence
def forecast(form: str) -> None:
    """Say what a night would do now and when it would be over."""
    import datetime

    from vlag.pipeline.forecast import forecast as stage

    settings = config.load()
    known = stage(settings, catalogues.of(settings), say=say)
    now = datetime.datetime.now(datetime.UTC)
    emit(form, known.document(now), known.text(now))
