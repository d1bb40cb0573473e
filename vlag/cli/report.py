# SPDX-License-Identifier: GPL-2.0-only
"""`vlag report` and `vlag forecast`: recorded results, and the next night."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict, frozen

from vlag import config, durable
from vlag.cli import report_mail
from vlag.cli.command import FORMAT, as_value, echo, emit, one_sentence, say
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, InfrastructureError, UsageError

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.report.document import NightData, PrintedComparison
    from vlag.store.database import Connection

# Kinds of report that have a short and a whole form.
_TWO_LENGTHS = ("comparison", "night")


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag report`."""

    ids: tuple[int, ...]
    of_night: str | None
    statement: int | None
    branch: str | None
    matrix: tuple[str, ...]
    across: bool
    board: str | None
    names: tuple[str, ...]
    output: Path | None
    full: bool
    origins: bool
    note: tuple[str, ...]
    missing: tuple[str, ...]
    predictions: bool
    exit_code: bool
    proof_file: Path | None
    url: str | None
    form: str
    mail: bool
    sender: str | None
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str | None
    in_reply_to: str | None


@click.command()
@click.option(
    "--comparison",
    "ids",
    type=int,
    multiple=True,
    help="Which ones (default: the latest).",
)
@click.option("--night", "of_night", metavar="last|ID", help="All comparisons of this night.")
@click.option("--said", "statement", type=int, metavar="N",
              help="What was said then: the number in a link of a mail or report.")  # fmt: skip
@click.option("--branch", metavar="TREE/BRANCH", help="The state of this branch on its boards.")
@click.option("--matrix", multiple=True, metavar="TREE/BRANCH|NUMBER",
              help="Patches or knobs by metrics, for a branch or for comparisons.")  # fmt: skip
@click.option("--across", is_flag=True,
              help="The kernels NAMES side by side; the first is the baseline.")  # fmt: skip
@click.option("--board", metavar="TYPE", help="With --across: only this board type.")
@click.argument("names", nargs=-1)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to a file.",
)
@click.option("--full", is_flag=True, help="Add every figure, with parameters and reasons.")
@click.option("--origins", is_flag=True,
              help="The same, with raw file, job, config and command of each number.")  # fmt: skip
@click.option("--note", multiple=True, metavar="TEXT", help="A line at the top of the report.")
@click.option("--missing", multiple=True, metavar="TEXT", help="What did not run, and why.")
@click.option("--predictions", is_flag=True,
              help="Only what the headers of patches predict, and what was found.")  # fmt: skip
@click.option("--exit-code", is_flag=True,
              help="Exit with 30 if known regressions were not flagged as predicted.")  # fmt: skip
@click.option("--proof-file", type=click.Path(path_type=Path, dir_okay=False), hidden=True,
              help="Write what known regressions prove as JSON.")  # fmt: skip
@click.option("--url", metavar="URL", help="Base URL of the web pages, for links.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html", "json"]),
              default="text", show_default=True, help="Format of the report.")  # fmt: skip
@report_mail.options
@one_sentence
@as_value(Options)
def report(given: Options) -> None:
    """Print a report: comparisons, a night, a branch or a matrix.

    Several comparisons give one report, like that of a night. Text has 75 columns and is
    short, so that you can paste it into a mail: what changed, and a count of the rest; --full
    has the rest, and --mail makes the mail for `git send-email` or `msmtp -t`. HTML is one
    file that needs no network. NAMES are for --across: branches, tags, commits or kernels, as
    `vlag kernels` lists them.
    """
    from vlag.report import proof_file
    from vlag.report.data import plot_data
    from vlag.store.database import connect

    _refuse(given)
    if given.across:
        _write(_across(given.names, given.board), given.output)
        return
    settings = config.load()
    head = report_mail.head(settings, given)
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        data = _data(conn, catalogue, settings, given)
        shown = plot_data.of(conn, _compared(data), given.url) if given.form == "html" else None
    if given.proof_file is not None:
        # Before the text: whoever finds a report finds its proof.
        proof_file.write(given.proof_file, data["proof"])
    _write(report_mail.message(data, _written(data, given, settings, shown), head), given.output)
    if given.exit_code and data["proof"] is not None and data["proof"]["failed"]:
        sys.exit(ExitCode.PROOF_FAILED)


def _refuse(given: Options) -> None:
    """Raise UsageError for options that do not go together."""
    text = given.form == "text"
    whole = (given.full, given.origins, given.missing, given.predictions, given.exit_code,
             given.proof_file)  # fmt: skip
    common = (*whole, given.branch, given.matrix, not text)
    report_mail.refuse(given, any((*common, given.across, given.board, given.names)))
    past = given.statement is not None
    if given.across:
        if any((*common, given.ids, given.of_night, given.note, past, given.url)):
            raise UsageError(
                "--across is a text of its own: of the other options it takes --board and --output"
            )
        return
    if given.names or given.board is not None:
        word = repr(given.names[0]) if given.names else "--board"
        raise UsageError(f"{word} is for --across; write `vlag report --across NAME NAME`")
    if sum(map(bool, (given.ids, given.of_night, given.branch, given.matrix))) > 1:
        raise UsageError("give one of --comparison, --night, --branch and --matrix")
    of_figures = not (given.branch or given.matrix)
    proves = given.exit_code or given.proof_file
    if not of_figures and (given.predictions or proves or given.missing):
        raise UsageError("--predictions, --exit-code and --missing are for comparisons and nights")
    if not of_figures and past:
        raise UsageError("--said is for comparisons and nights")
    if (given.full or given.origins) and not (of_figures and text and not given.predictions):
        raise UsageError("--full and --origins are for comparisons and nights as text")
    if given.predictions and given.form not in ("text", "json"):
        raise UsageError(f"--predictions has the formats text and json, not {given.form}")


def _data(
    conn: Connection, catalogue: Catalogue, settings: Settings, given: Options
) -> Mapping[str, Any]:
    """Return the data of the report."""
    from vlag.report.data import branch_state, matrices

    if given.branch is not None:
        return branch_state.state(conn, catalogue, given.branch, given.note)
    if given.matrix:
        return matrices.matrix(conn, catalogue, given.matrix, given.note)
    return _of_comparisons(conn, catalogue, settings, given)


def _written(
    data: Mapping[str, Any],
    given: Options,
    settings: Settings,
    plotted: Mapping[int, Mapping[str, Any]] | None,
) -> str:
    """Return the report in its form."""
    from vlag.buildbot import PAGES
    from vlag.report import predicted
    from vlag.report.forms import render
    from vlag.report.short import render as short
    from vlag.report.short import whole

    if given.predictions:
        return predicted.render(data, given.form)
    if given.form != "text" or data["kind"] not in _TWO_LENGTHS:
        return render(data, given.form, plotted)
    where = _where(data, given.of_night, given.statement, given.url or settings.url + PAGES)
    if given.full or given.origins:
        return whole(data, where, origins=given.origins)
    return short(data, where)


def _across(names: Sequence[str], board: str | None) -> str:
    """Return the kernels of these names side by side, on one board type or all."""
    from vlag.report import across as written
    from vlag.report.read_model import board_types
    from vlag.report.read_model import several_kernels as model
    from vlag.store.database import connect

    with connect(config.load().dsn()) as conn:
        known = board_types(conn)
        if board is not None and board not in known:
            there = ", ".join(known) or "none yet"
            raise UsageError(f"nothing was measured on board type {board!r}; there are: {there}")
        kernels = model.chosen(conn, names)
        for k in kernels:
            if not k.kernels:
                near = ", ".join(name for name, _ in k.candidates)
                raise UsageError(" ".join(filter(None, (k.sentence, near))))
        first = model.across(conn, kernels, board)
        others = [] if board else first["boards"][1:]
        tables = [first, *(model.across(conn, kernels, b) for b in others)]
    return written.text([k.name for k in kernels], tables)


def _of_comparisons(
    conn: Connection, catalogue: Catalogue, settings: Settings, given: Options
) -> PrintedComparison | NightData:
    """Return the data of one comparison, or of several as a night."""
    from vlag.report.data import trailers
    from vlag.report.data.comparison import asked_night, night, report, show_at

    ids, note, missing = given.ids, given.note, given.missing
    if given.of_night is not None:
        ids, note, unmade = asked_night(conn, given.of_night, note)
        missing = (*unmade, *missing)
    if given.statement is not None:
        ids, head = show_at(conn, given.statement, ids)
        note = (head, *note)
    if given.of_night is not None or len(ids) > 1 or missing:
        return night(conn, catalogue, ids, settings.state, note, missing)
    data = report(conn, catalogue, ids[0] if ids else None, settings.state, note)
    return {**data, "trailers": trailers.of(data, settings)}


def _where(
    data: Mapping[str, Any], of_night: str | None, statement: int | None, pages: str
) -> dict[str, Any]:
    """Return how to see the whole of a report: commands and a page."""
    if data["kind"] == "comparison":
        which = f"--comparison {data['id']}"
        page = f"compare?id={data['id']}&said={data['said']}"
    else:
        page = ""
        which = f"--night {of_night}" if of_night else "--comparison N"
    which += "" if statement is None else f" --said {statement}"
    return {
        "commands": [f"vlag report {which} --full", f"vlag report {which} --origins"],
        "url": f"{pages}{page}",
    }


def _write(written: str, output: Path | None) -> None:
    """Print a report, or write it to a file and print the file's name."""
    if output is None:
        echo(written, nl=not written.endswith("\n"))
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    with durable.replacing(output) as draft:
        draft.write_text(written, encoding="utf-8")
    echo(str(output))


def _compared(data: Mapping[str, Any]) -> list[int]:
    """Return the numbers of the comparisons that a report shows individually."""
    if data["kind"] == "comparison":
        return [data["id"]]
    return [c["id"] for c in data.get("comparisons", data.get("states", []))]


@click.command()
@click.option("--weekly", is_flag=True, help="The weekly plans of the branches, not the night.")
@FORMAT
@one_sentence
def forecast(weekly: bool, form: str) -> None:
    """Print what a night would run now, and when it would end.

    With boards of a farm the one that needs longest decides. The newest builds and runs on record
    say how long the next ones take; without the database the durations are guesses. Where the
    settings say by when a night ends, it names what the night leaves out. Below are how
    many benchmarks each branch runs on each type of boards; a warning names the lines to write
    where boards of hardware have too little to do.
    """
    import datetime

    from vlag.pipeline.board_work import board_work, text
    from vlag.pipeline.forecast import forecast as stage
    from vlag.pipeline.night_cut import left_s
    from vlag.store import durations, nights
    from vlag.store.database import connect

    settings = config.load()
    if weekly and settings.weekly is None:
        raise UsageError(f"{settings.path}: weekly: missing; no branch has weekly plans")
    asked = settings.of_week() if weekly else settings
    try:
        with connect(settings.dsn()) as conn:
            measured, left_out = durations.recent(conn), nights.last_left_out(conn)
    except InfrastructureError as e:
        say(f"{e}; durations are guesses")
        measured, left_out = durations.Durations(), {}
    now = datetime.datetime.now(datetime.UTC)
    known = stage(
        asked, catalogues.of(settings), measured=measured, early=not weekly,
        seconds=left_s(asked, now), left_out=left_out,
    )  # fmt: skip
    works = [] if weekly else board_work(settings, catalogues.of(settings))
    about = [{**asdict(work), "warning": work.warning} for work in works]
    lines = [known.text(now), *([text(works)] if works else [])]
    emit(form, {**known.document(now), "board_work": about}, "\n".join(lines))
