# SPDX-License-Identifier: GPL-2.0-only
"""`vlag path-history`: what each commit makes of the instructions of an operation."""

from __future__ import annotations

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, pairs_of, tree_of
from vlag.cli.profile import own_board
from vlag.cli.runs import BENCHMARK, KNOB, PARAM, TIMEOUT, TREE
from vlag.config import catalogue as catalogues


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
    """
    from vlag.pipeline.build_stage import prepare_mirrors
    from vlag.search import path_history as stage
    from vlag.search import path_history_text as words

    settings = config.load()
    catalogue = catalogues.of(settings)
    tree = tree_of(settings, given.tree)
    if not settings.mirror(tree).exists():
        prepare_mirrors(settings)
    benchmark = catalogue.benchmark(given.benchmark)
    asked = stage.Asked(
        settings=settings, catalogue=catalogue, tree=tree,
        board=own_board(catalogue.board(given.board)), benchmark=benchmark,
        parameters=pairs_of(given.param, "--param"), knobs=pairs_of(given.knob, "--knob"),
        seed=given.seed, timeout_s=given.timeout_s,
    )  # fmt: skip
    paths = given.paths or config.PATHS
    points = list(
        stage.history(asked, given.first, given.last, paths, ends_first=given.ends_first)
    )  # fmt: skip
    document = words.data(
        points, operation=benchmark.operation, metric=given.metric, least=given.least / 100
    )
    where = f"{benchmark.name} on {given.board} (seed {given.seed})"
    emit(given.form, document, words.render(document, where))
