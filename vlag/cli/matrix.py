"""`vlag matrix`: which patch of a series makes what of its effect."""

from __future__ import annotations

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, one_sentence, pairs_of, say, tree_of
from vlag.cli.runs import PARAM, TIMEOUT
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

_MODES = ("solo", "prefix", "without")


@click.command()
@click.argument("series")
@click.option("--base", required=True, metavar="REF",
              help="Branch, tag or commit to which the patches are applied.")  # fmt: skip
@click.option("--tree", help="A tree of the settings (default: the only one).")
@click.option("--benchmark", "benchmarks", required=True, multiple=True,
              help="A benchmark in lava-jobs/benchmarks/; repeatable.")  # fmt: skip
@click.option("--mode", "modes", multiple=True, type=click.Choice(_MODES),
              help="Each patch alone, on those before it, or left out (default: all).")  # fmt: skip
@click.option("--board-type", default="qemu-sim-2", show_default=True,
              help="A board type of this host.")  # fmt: skip
@PARAM
@click.option("--boots", type=click.IntRange(2, 100), default=5, show_default=True,
              help="Boots of each kernel and benchmark.")  # fmt: skip
@TIMEOUT
@FORMAT
@one_sentence
def matrix(
    series: str,
    base: str,
    tree: str | None,
    benchmarks: tuple[str, ...],
    modes: tuple[str, ...],
    board_type: str,
    param: tuple[str, ...],
    boots: int,
    timeout_s: int,
    form: str,
) -> None:
    """Measure each patch of a series and show which does what.

    Builds the base without patches, with each patch alone, with those before it, without each, and
    with all; boots all of them, stores the runs and compares each kernel with the base. A patch
    that does not apply is a cell of the matrix. Kernels and boots on record are not made again.
    """
    from vlag.compare.kernels import compare
    from vlag.pipeline.ingest import ingest
    from vlag.pipeline.series_matrix import Measurement
    from vlag.report.data import matrices
    from vlag.report.forms import render
    from vlag.store.database import connect
    from vlag.store.kernels import KernelRef

    settings = config.load()
    catalogue = catalogues.of(settings)
    if param and len(benchmarks) > 1:
        raise UsageError("--param is of one benchmark; give one, and repeat the command")
    measurement = Measurement(
        settings=settings, catalogue=catalogue, tree=tree_of(settings, tree), base=base,
        series=series, board_type=catalogue.board_type(board_type),
        benchmarks=[catalogue.benchmark(name) for name in dict.fromkeys(benchmarks)],
        parameters=pairs_of(param, "--param"), boots=boots, timeout_s=timeout_s, say=say,
    )  # fmt: skip
    with connect(settings.dsn()) as conn:
        plain, ids = "", []
        for made in measurement.run(modes or _MODES):
            for folder in (made.build.folder, *made.runs):
                ingest(folder, conn=conn, catalogue=catalogue)
            digest = made.build.document["kernel"]["digest"]
            if not plain:
                plain = digest
                continue
            compared = compare(
                conn=conn, catalogue=catalogue, base=KernelRef(text=plain),
                new=KernelRef(text=digest), board_type=board_type, benchmarks=set(benchmarks),
            )  # fmt: skip
            ids.append(compared.id)
        data = matrices.matrix(conn, catalogue, [str(id_) for id_ in ids])
    echo(render(data, form), nl=False)
