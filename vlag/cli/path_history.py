# SPDX-License-Identifier: GPL-2.0-only
"""`vlag path-history`: what each commit makes of the instructions of an operation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, pairs_of, tree_of
from vlag.cli.profile import own_board
from vlag.cli.runs import BENCHMARK, KNOB, PARAM, TIMEOUT, TREE
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError
from vlag.model import Benchmark, Board

if TYPE_CHECKING:
    from vlag.search.path_history import Point

log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag path-history`."""

    first: str
    last: str
    tree: str | None
    benchmark: str
    board: str
    param: tuple[str, ...]
    knob: tuple[str, ...]
    paths: tuple[str, ...]
    metric: str | None
    least: float
    seed: int
    ends_first: bool
    recorded: bool
    timeout_s: int
    form: str


@click.command("path-history")
@click.argument("first")
@click.argument("last")
@TREE
@BENCHMARK
@click.option("--board", required=True, help="A deterministic board in ansible/inventory/.")
@PARAM
@KNOB
@click.option("--path", "paths", multiple=True, metavar="PATH",
              help="Commits that touch it (default: the scheduler).")  # fmt: skip
@click.option("--metric", metavar="NAME",
              help="What is asked about: a metric of lava-jobs/path-metrics.toml as printed, or a"
              " function's own instructions (default: the first metric).")  # fmt: skip
@click.option("--least", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True,
              metavar="PERCENT", help="How much longer makes a commit the answer.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="The seed that each kernel is booted with, once.")  # fmt: skip
@click.option("--ends-first", is_flag=True,
              help="Count both ends, then the middle of each range whose ends differ.")  # fmt: skip
@click.option("--recorded", is_flag=True,
              help="Take what is on record alone: nothing is built or booted.")  # fmt: skip
@TIMEOUT
@FORMAT
@one_sentence
@as_value(Options)
def path_history(given: Options) -> None:
    """Count what an operation executes, commit by commit.

    FIRST and LAST are branches, tags or commits of a tree; FIRST is an ancestor of LAST. Each
    commit after FIRST that touches the scheduler is built, booted once, and compared with the one
    before: the counts are exact, and 0 is nothing. A merge is one commit; name its parent and its
    side to look into it. The answer is the first commit that makes --metric longer by --least or
    more. One that does not build or boot is not counted. What is on record is not made again.
    Pushes and nights count the commits that they compare: --recorded answers from these.
    """
    from vlag.pipeline.build_stage import prepare_mirrors
    from vlag.search import path_history_text as words

    settings = config.load()
    catalogue = catalogues.of(settings)
    tree = tree_of(settings, given.tree)
    if not settings.mirror(tree).exists():
        prepare_mirrors(settings)
    benchmark, board = catalogue.benchmark(given.benchmark), catalogue.board(given.board)
    if given.recorded:
        points, operation = _recorded(settings, given, tree, benchmark, board)
    else:
        points, operation = _counted(settings, catalogue, given, tree, board), benchmark.operation
    document = words.data(
        points, operation=operation, metric=given.metric, least=given.least / 100
    )  # fmt: skip
    where = f"{benchmark.name} on {given.board} (seed {given.seed})"
    emit(given.form, document, words.render(document, where))


def _recorded(
    settings: Settings, given: Options, tree: str, benchmark: Benchmark, board: Board
) -> tuple[list[Point], str]:
    """Return the history as it is on record, and the word for one operation."""
    from vlag.lava import render
    from vlag.search import path_points
    from vlag.store.database import connect
    from vlag.store.path_points import Of

    if given.knob or given.ends_first:
        raise click.UsageError("--recorded has no --knob and no --ends-first: it boots nothing")
    of = Of(
        board_type=board.board_type, benchmark=benchmark.name, seed=given.seed,
        parameters=render.parameters(benchmark, pairs_of(given.param, "--param")),
    )  # fmt: skip
    asked = path_points.Range(
        tree=tree, first=given.first, last=given.last, paths=given.paths or config.PATHS
    )
    with connect(settings.dsn()) as conn:
        return path_points.recorded(conn, settings.mirror(tree), asked, of)


def _counted(
    settings: Settings, catalogue: Catalogue, given: Options, tree: str, board: Board
) -> list[Point]:
    """Return the history, built and booted; counts go on record where there is a database."""
    from vlag.search import path_history as stage

    def asked(keep: Callable[[Path, Path], None] | None) -> stage.Asked:
        return stage.Asked(
            settings=settings, catalogue=catalogue, tree=tree, board=own_board(board),
            benchmark=catalogue.benchmark(given.benchmark), seed=given.seed,
            parameters=pairs_of(given.param, "--param"), knobs=pairs_of(given.knob, "--knob"),
            timeout_s=given.timeout_s, keep=keep,
        )  # fmt: skip

    with ExitStack() as stack:
        keep = None if given.knob else _record(stack, settings, catalogue)
        paths = given.paths or config.PATHS
        return list(
            stage.history(asked(keep), given.first, given.last, paths, ends_first=given.ends_first)
        )


def _record(
    stack: ExitStack, settings: Settings, catalogue: Catalogue
) -> Callable[[Path, Path], None] | None:
    """Return what puts the counts of a build's run on record; None: there is no database now."""
    from vlag.pipeline.ingest import ingest
    from vlag.search import path_points
    from vlag.store.database import connect

    try:
        conn = stack.enter_context(connect(settings.dsn()))
    except InfrastructureError as e:
        log.info(f"nothing is put on record: {e}")
        return None

    def keep(build: Path, run: Path) -> None:
        ingest(build, conn=conn, catalogue=catalogue)
        _, skipped = path_points.collect(conn, catalogue, [run])
        for sentence in skipped:
            log.info(f"not put on record: {sentence}")

    return keep
