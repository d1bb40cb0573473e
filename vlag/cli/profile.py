"""`vlag profile`: which functions make one kernel's path longer than another's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, pairs_of, say
from vlag.cli.runs import BENCHMARK, KNOB, PARAM, TIMEOUT
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.model import Observation, Outcome

if TYPE_CHECKING:
    from vlag.model import Board
    from vlag.pipeline.boot import Boot
    from vlag.profile.difference import Boot as Profiled


@click.command()
@click.argument("base", metavar="BASE", type=click.Path(path_type=Path))
@click.argument("new", metavar="NEW", type=click.Path(path_type=Path))
@BENCHMARK
@click.option("--board", required=True, help="A deterministic board in ansible/inventory/.")
@PARAM
@KNOB
@click.option(
    "--seeds",
    type=click.IntRange(1, 30),
    default=3,
    show_default=True,
    help="Boots of each kernel.",
)
@click.option(
    "--rows",
    type=click.IntRange(1, 10000),
    default=10,
    show_default=True,
    help="Functions to show.",
)
@TIMEOUT
@FORMAT
@one_sentence
def profile(
    base: Path,
    new: Path,
    benchmark: str,
    board: str,
    param: tuple[str, ...],
    knob: tuple[str, ...],
    seeds: int,
    rows: int,
    timeout_s: int,
    form: str,
) -> None:
    """Show in which functions two kernels differ.

    Counts what builds BASE and NEW execute in a benchmark: instructions and calls of each kernel
    function, divided by the benchmark's operations. The counts are exact: nothing is sampled, and
    counting does not change what is counted. They do not see caches, memory, mispredicted
    branches or parallelism.
    """
    from vlag.pipeline.boot import prepare
    from vlag.profile import difference, text

    settings = config.load()
    catalogue = catalogues.of(settings)
    of, where = catalogue.benchmark(benchmark), catalogue.board(board)
    if where.lab is not None:
        raise UsageError(f"--board: {board} is a board of lab {where.lab}; name one of this host")
    given, knobs = pairs_of(param, "--param"), pairs_of(knob, "--knob")
    boots = [
        [
            prepare(
                settings=settings, build=config.plain_path(path.absolute(), side),
                board_type=catalogue.board_type(where.board_type), benchmark=of, given=given,
                seed=seed, knobs=knobs, observes=Observation.PROFILE, plan=None,
                timeout_s=timeout_s, say=say,
            )
            for seed in range(1, seeds + 1)
        ]
        for side, path in (("BASE", base), ("NEW", new))
    ]  # fmt: skip
    of_base, of_new = (_profiled(side, where, settings.runs) for side in boots)
    found = difference.compare(of_base, of_new, of.operation)
    emit(form, text.data(found), text.render(found, rows=rows))


def _profiled(boots: Sequence[Boot], board: Board, runs: Path) -> list[Profiled]:
    """Profile one kernel's boots, or take the runs of record."""
    from vlag.pipeline.run import run
    from vlag.profile import bundles

    build = boots[0].build
    table = bundles.read_symbols(build)
    found = []
    for boot in boots:
        ran = run(boot, board, runs, reuse=True, output=None, say=say)
        if ran.outcome is not Outcome.COMPLETE:
            raise UsageError(f"{ran.folder}: {ran.outcome.value}: {ran.document['reason']}")
        found.append(bundles.read_boot(ran.folder, build, table, boot.benchmark.tool))
    return found
