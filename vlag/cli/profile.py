# SPDX-License-Identifier: GPL-2.0-only
"""`vlag profile`: which functions make one kernel's path longer than another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, pairs_of, say
from vlag.cli.runs import KNOB, PARAM, TIMEOUT
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.model import Benchmark, Board
    from vlag.profile.profiled_boots import Boot
    from vlag.search.profiling import Answer, Question
    from vlag.store.comparisons import Comparison
    from vlag.store.database import Connection

# Options for two builds only, by their names in Python.
_OF_BUILDS = {
    "benchmark": "--benchmark",
    "param": "--param",
    "board_type": "--board-type",
    "knob": "--knob",
    "base_knob": "--base-knob",
    "new_knob": "--new-knob",
    "seed": "--seed",
    "flame": "--flame",
}
_RUN = click.Path(path_type=Path)

SEEDS = click.option(
    "--seeds",
    type=click.IntRange(1, 30),
    default=3,
    show_default=True,
    help="Boots of each kernel.",
)
BASE_KNOB = click.option(
    "--base-knob", multiple=True, metavar="NAME=VALUE", help="A knob of BASE's boots alone."
)
NEW_KNOB = click.option(
    "--new-knob", multiple=True, metavar="NAME=VALUE", help="A knob of NEW's boots alone."
)


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag profile`."""

    base: Path | None
    new: Path | None
    comparison: int | None
    base_run: tuple[Path, ...]
    new_run: tuple[Path, ...]
    board: str | None
    board_type: str | None
    seeds: int
    rows: int
    timeout_s: int
    form: str
    benchmark: str | None
    param: tuple[str, ...]
    knob: tuple[str, ...]
    base_knob: tuple[str, ...]
    new_knob: tuple[str, ...]
    seed: tuple[int, ...]
    flame: Path | None


@click.command()
@click.argument("base", metavar="[BASE", required=False, type=click.Path(path_type=Path))
@click.argument("new", metavar="NEW]", required=False, type=click.Path(path_type=Path))
@click.option("--comparison", type=int, metavar="N",
              help="The benchmarks that changed in this comparison.")  # fmt: skip
@click.option("--base-run", multiple=True, metavar="RUN", type=_RUN,
              help="A run's folder that observes perf; repeatable.")  # fmt: skip
@click.option("--new-run", multiple=True, metavar="RUN", type=_RUN,
              help="Likewise, of the new kernel.")  # fmt: skip
@click.option("--benchmark", help="A benchmark in lava-jobs/benchmarks/.")
@click.option("--board", help="A deterministic board in ansible/inventory/ (for --comparison the"
              " default is any of its type).")  # fmt: skip
@click.option("--board-type", metavar="NAME",
              help="A board type with a PMU, of this host or of a lab: perf samples.")  # fmt: skip
@PARAM
@KNOB
@BASE_KNOB
@NEW_KNOB
@SEEDS
@click.option("--seed", multiple=True, type=click.IntRange(min=1), metavar="N",
              help="A seed to boot instead, as one that shows a new mode; repeatable.")  # fmt: skip
@click.option(
    "--rows",
    type=click.IntRange(1, 10000),
    default=10,
    show_default=True,
    help="Functions to show.",
)
@click.option("--flame", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the tree of calls as a flame graph, an SVG file.")  # fmt: skip
@TIMEOUT
@FORMAT
@one_sentence
@as_value(Options)
def profile(given: Options) -> None:
    """Show in which functions two kernels differ.

    Counts what builds BASE and NEW execute in a benchmark: instructions and calls of each kernel
    function, divided by the benchmark's operations. The counts are exact: nothing is sampled, and
    counting does not change what is counted. They do not see caches, memory, mispredicted
    branches or parallelism. BASE and NEW may be one build, with --base-knob or --new-knob.

    With --comparison, vlag counts each benchmark with a confirmed REGRESSION or IMPROVEMENT, and
    stores the result for reports and pages; what is stored already is not counted again. On a
    board type with a PMU it counts nothing: perf samples the cycles of extra boots of both kernels,
    in turns on boards of this host or of a lab, and each change has its interval over the boots.

    BASE and NEW on a --board-type with a PMU are sampled likewise, and nothing is stored.

    With --base-run and --new-run, vlag compares such boots by their folders, and stores nothing.
    """
    if given.base_run or given.new_run:
        if (
            given.base is not None
            or given.comparison is not None
            or given.board
            or any(getattr(given, name) for name in _OF_BUILDS)
        ):
            raise UsageError("--base-run and --new-run name all; give them without BASE and NEW,"
                             " --comparison and what these take")  # fmt: skip
        _sampled(given.base_run, given.new_run, given.rows, given.form)
        return
    if given.comparison is None:
        if given.base is None or given.new is None:
            raise UsageError("give two folders of `vlag build`, BASE and NEW, or --comparison N")
        where = given.board or given.board_type
        for option, value in (("--benchmark", given.benchmark), ("--board or --board-type", where)):
            if value is None:
                raise UsageError(f"two builds need {option}")
        if given.board_type is None:
            _builds(given.base, given.new, given)
        elif given.board is not None:
            raise UsageError("--board and --board-type exclude each other")
        else:
            _sampled_builds(given.base, given.new, given, given.board_type)
        return
    if given.base is not None:
        raise UsageError("--comparison names the kernels; leave out BASE and NEW")
    for name, option in _OF_BUILDS.items():
        if getattr(given, name):
            raise UsageError(f"{option} is for two builds; --comparison names what differs")
    _comparison(given.comparison, given.board, given.seeds, given.rows, given.form)


def _builds(base: Path, new: Path, given: Options) -> None:
    """Profile two builds and print the difference."""
    from vlag.profile import profile_difference, profile_text
    from vlag.report import plots

    settings = config.load()
    catalogue = catalogues.of(settings)
    benchmark = catalogue.benchmark(str(given.benchmark))
    boots = boots_of(
        settings, catalogue, (base, new), benchmark=benchmark, board=str(given.board),
        param=given.param, knobs=knobs_of(given.knob, given.base_knob, given.new_knob),
        seeds=tuple(dict.fromkeys(given.seed)) or range(1, given.seeds + 1),
        timeout_s=given.timeout_s,
    )  # fmt: skip
    difference = profile_difference.compare(*boots, benchmark.operation)
    if given.flame is not None:
        drawn = plots.flame(profile_text.data(difference))
        if not drawn:
            raise UsageError("--flame: these boots have no calls by caller")
        given.flame.write_text(drawn, encoding="utf-8")
    emit(
        given.form, profile_text.data(difference), profile_text.render(difference, rows=given.rows)
    )


def _sampled_builds(base: Path, new: Path, given: Options, board_type: str) -> None:
    """Sample two builds on boards with a PMU and print the difference."""
    from vlag.profile import sampled_text
    from vlag.search import sampled_builds as stage

    if given.flame is not None:
        raise UsageError("--flame: perf samples no calls; leave it out, or name a --board")
    settings = config.load()
    knobs = knobs_of(given.knob, given.base_knob, given.new_knob)
    builds = [
        config.plain_path(settings.bundle(path), side)
        for side, path in (("BASE", base), ("NEW", new))
    ]
    difference = stage.compare(
        settings,
        catalogues.of(settings),
        (stage.Side(build=builds[0], knobs=knobs[0]), stage.Side(build=builds[1], knobs=knobs[1])),
        board_type=board_type,
        benchmark=str(given.benchmark),
        given=pairs_of(given.param, "--param"),
        seeds=tuple(dict.fromkeys(given.seed)) or range(1, given.seeds + 1),
        timeout_s=given.timeout_s,
    )
    emit(
        given.form, sampled_text.data(difference), sampled_text.render(difference, rows=given.rows)
    )


def knobs_of(
    both: Sequence[str], base: Sequence[str], new: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the knobs of BASE's and NEW's boots; UsageError for one that is given twice."""
    common = pairs_of(both, "--knob")
    sides = []
    for option, given in (("--base-knob", base), ("--new-knob", new)):
        own = pairs_of(given, option)
        for name in own.keys() & common.keys():
            raise UsageError(
                f"{option} {name}={own[name]}: --knob sets {name} for both kernels; give it to"
                " each with --base-knob and --new-knob"
            )
        sides.append({**common, **own})
    return sides[0], sides[1]


def boots_of(
    settings: Settings,
    catalogue: Catalogue,
    builds: tuple[Path, Path],
    *,
    benchmark: Benchmark,
    board: str,
    param: tuple[str, ...],
    knobs: tuple[Mapping[str, str], Mapping[str, str]],
    seeds: Sequence[int],
    timeout_s: int,
) -> tuple[list[Boot], list[Boot]]:
    """Return the profiled boots of builds BASE and NEW, each with its own knobs.

    What is on record is not booted.
    """
    from vlag.search import profiling as stage

    where = own_board(catalogue.board(board))
    given = pairs_of(param, "--param")
    asked = [
        stage.prepared(
            settings=settings, catalogue=catalogue,
            build=config.plain_path(settings.bundle(path), side), board=where,
            benchmark=benchmark, given=given, knobs=own, seeds=seeds, timeout_s=timeout_s,
        )
        for side, path, own in zip(("BASE", "NEW"), builds, knobs, strict=True)
    ]  # fmt: skip
    base, new = (stage.profiled(boots, where, benchmark, settings.runs) for boots in asked)
    return base, new


def own_board(board: Board) -> Board:
    """Return a board; UsageError if it is not one of this host."""
    if board.lab is not None:
        raise UsageError(
            f"--board: {board.name} is a board of lab {board.lab}; name one of this host"
        )
    return board


def _comparison(number: int, board: str | None, seeds: int, rows: int, form: str) -> None:
    """Profile what changed in a comparison, store it and print it."""
    from vlag.pipeline.ingest import ingest
    from vlag.search import by_hand, sampled_boots
    from vlag.search import profiling as stage
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        comparison = stage.comparison_of(conn, number)
        kind = catalogue.board_type(comparison.board_type)
        if kind.samples:
            if board is not None:
                raise UsageError(
                    f"--board: comparison {number} is of board type {comparison.board_type}, whose"
                    " boots `vlag run --observe perf` samples; leave it out"
                )
            if any(b.board_type == kind.name for b in catalogue.boards):
                for boots in sampled_boots.missing(conn, catalogue, comparison, seeds):
                    for folder in by_hand.make(settings, catalogue, boots, f"profile {number}"):
                        ingest(folder, conn=conn, catalogue=catalogue, built=settings.builds)
            _sampled_comparison(conn, catalogue, comparison, seeds, rows, form)
            return
        questions = stage.questions(conn, catalogue, number, seeds)
        for sentence in questions.skipped:
            say(f"skipped: {sentence}")
        answers = []
        for question in questions.asked:
            where = catalogue.boards_here(kind.name)[0] if board is None else catalogue.board(board)
            if own_board(where).board_type != kind.name:
                raise UsageError(f"--board: {board} is no {kind.name}, the comparison's board type")
            answer = stage.answer(
                question, conn=conn, settings=settings, catalogue=catalogue, board=where,
            )  # fmt: skip
            answers.append(answer)
    pairs = list(zip(questions.asked, answers, strict=True))
    if form == "json":
        document = {
            "comparison": number,
            "profiles": [_data(q, a) for q, a in pairs],
            "skipped": list(questions.skipped),
            "reused": not any(a.new for a in answers),
        }
        emit(form, document, "")
    elif not pairs:
        emit(form, {}, f"comparison {number} has no confirmed change that a profile can explain")
    else:
        emit(form, {}, "\n\n".join(_text(q, a, rows) for q, a in pairs))


def _data(question: Question, answer: Answer) -> dict[str, Any]:
    from vlag.profile import profile_text

    return {
        "benchmark": question.benchmark.name,
        "parameters": dict(question.parameters),
        "reused": not answer.new,
        **profile_text.data(answer.difference),
    }


def _text(question: Question, answer: Answer, rows: int) -> str:
    from vlag.profile import profile_text

    shown = profile_text.render(answer.difference, rows=rows)
    return f"{question.benchmark.name} on {question.comparison.board_type}\n\n{shown}"


def _sampled_comparison(
    conn: Connection,
    catalogue: Catalogue,
    comparison: Comparison,
    boots: int,
    rows: int,
    form: str,
) -> None:
    """Compare the samples on record for what changed in a comparison, store and print them."""
    from vlag.profile import sampled_text
    from vlag.search import sampled_runs as stage

    answers = stage.explain(conn, catalogue, comparison, boots)
    for sentence in answers.skipped:
        say(f"skipped: {sentence}")
    document = {
        "comparison": comparison.id,
        "sampled": [
            {
                "benchmark": a.benchmark,
                "parameters": dict(a.parameters),
                **sampled_text.data(a.difference),
            }
            for a in answers.answers
        ],
        "skipped": list(answers.skipped),
    }
    shown = [
        f"{a.benchmark} on {comparison.board_type}\n\n"
        + sampled_text.render(a.difference, rows=rows)
        for a in answers.answers
    ]
    nothing = f"comparison {comparison.id} has no confirmed change that samples can explain"
    emit(form, document, "\n\n".join(shown) or nothing)


def _sampled(base: Sequence[Path], new: Sequence[Path], rows: int, form: str) -> None:
    """Compare runs whose cycles perf has sampled, and print the difference."""
    from vlag.profile import sampled_text
    from vlag.search import sampled_runs as stage

    difference = stage.compare(catalogues.load(), base, new)
    emit(form, sampled_text.data(difference), sampled_text.render(difference, rows=rows))
