# SPDX-License-Identifier: GPL-2.0-only
"""`vlag matrix`: which patch of a series makes what of its effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import COVER_FORMAT, as_value, echo, one_sentence, pairs_of, tree_of
from vlag.cli.runs import BOARD_TYPE, PARAM, TIMEOUT, TREE
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.model import BoardType, PlanEntry
    from vlag.report.cover_letter import Series
    from vlag.report.document import MatrixData
    from vlag.search.series_matrix import Measurement, Patched
    from vlag.store.database import Connection

_MODES = ("solo", "prefix", "without")

BASE = click.option(
    "--base", required=True, metavar="REF",
    help="Branch, tag or commit to which the patches are applied.",
)  # fmt: skip
BOOTS = click.option(
    "--boots", type=click.IntRange(2, 100), default=5, show_default=True,
    help="Boots of each kernel and benchmark.",
)  # fmt: skip


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag matrix`."""

    series: str
    base: str
    tree: str | None
    benchmarks: tuple[str, ...]
    plan: str | None
    modes: tuple[str, ...]
    board_type: str
    param: tuple[str, ...]
    boots: int
    timeout_s: int
    form: str


@click.command()
@click.argument("series")
@BASE
@TREE
@click.option("--benchmark", "benchmarks", multiple=True,
              help="A benchmark in lava-jobs/benchmarks/; repeatable.")  # fmt: skip
@click.option("--plan", help="Instead of --benchmark: a plan in lava-jobs/plans/.")
@click.option("--mode", "modes", multiple=True, type=click.Choice(_MODES),
              help="Each patch alone, on those before it, or left out (default: all).")  # fmt: skip
@BOARD_TYPE
@PARAM
@BOOTS
@TIMEOUT
@COVER_FORMAT
@one_sentence
@as_value(Options)
def matrix(given: Options) -> None:
    """Measure each patch of a series and show which does what.

    Builds the base without patches, with each patch alone, with those before it, without each, and
    with all; boots all of them, stores the runs and compares each kernel with the base. A patch
    that does not apply is a cell of the matrix. Kernels and boots on record are not made again.
    """
    from vlag.kernel import series as patch_series
    from vlag.pipeline.build_stage import select_patches
    from vlag.report.cover_letter import Series
    from vlag.report.data import matrices
    from vlag.search.series_matrix import Measurement, Patched, applications
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    kind = catalogue.board_type(given.board_type)
    measurement = Measurement(
        settings=settings,
        catalogue=catalogue,
        tree=tree_of(settings, given.tree),
        base=given.base,
        board_type=kind,
        entries=entries_of(
            catalogue,
            kind,
            plan=given.plan,
            benchmarks=given.benchmarks,
            param=given.param,
            boots=given.boots,
            timeout_s=given.timeout_s,
        ),
    )
    patches = select_patches(given.series, None)[1]
    kernels = [Patched(given.series, a) for a in applications(len(patches), given.modes or _MODES)]
    with connect(settings.dsn()) as conn:
        ids = compared(conn, measurement, kernels)
        data = matrices.matrix(conn, catalogue, list(map(str, ids)))
    series = Series(
        title=patch_series.title(patch_series.PATCHES, given.series),
        subjects=[p.subject for p in patches],
        files=[p.name for p in patches],
    )
    echo(rendered(data, series, given.form), nl=False)


def rendered(data: MatrixData, series: Series, form: str) -> str:
    """Return the matrix of a series for its cover letter, or as JSON."""
    from vlag.report import cover_letter, jsonform

    if form == "json":
        return jsonform.render(data)
    write = cover_letter.markdown if form == "markdown" else cover_letter.text
    return write(data, series)


def entries_of(
    catalogue: catalogues.Catalogue,
    board_type: BoardType,
    *,
    plan: str | None,
    benchmarks: Sequence[str],
    param: Sequence[str],
    boots: int,
    timeout_s: int,
) -> list[PlanEntry]:
    """Return what options ask to boot of each kernel; UsageError unless it is one thing."""
    from vlag.search.series_matrix import of_benchmarks, of_plan

    if bool(plan) == bool(benchmarks):
        raise UsageError("what is to be booted? Give --benchmark, or --plan, and not both")
    if plan:
        if param:
            raise UsageError("--param is of a benchmark; a plan has its own parameters")
        return of_plan(board_type, catalogue.plan(plan))
    if param and len(benchmarks) > 1:
        raise UsageError("--param is of one benchmark; give one, and repeat the command")
    named = [catalogue.benchmark(name) for name in dict.fromkeys(benchmarks)]
    return of_benchmarks(board_type, named, pairs_of(param, "--param"), boots, timeout_s)


def compared(conn: Connection, measurement: Measurement, kernels: Sequence[Patched]) -> list[int]:
    """Measure kernels and compare all others with the first; return the comparisons."""
    from vlag.compare.kernels import compare
    from vlag.pipeline.ingest import ingest
    from vlag.store import durations
    from vlag.store.kernels import KernelRef

    catalogue = measurement.catalogue
    seconds = [s for like in durations.recent(conn).builds.values() for s in like]
    measurement.build_s = sum(seconds) / len(seconds) if seconds else None
    base, ids = "", []
    for made in measurement.run(kernels):
        for folder in (made.build.folder, *made.runs):
            ingest(folder, conn=conn, catalogue=catalogue, built=measurement.settings.builds)
        digest = made.build.kernel_digest
        if not base:
            base = digest
            continue
        stored = compare(
            conn=conn, catalogue=catalogue, base=KernelRef(text=base), new=KernelRef(text=digest),
            board_type=measurement.board_type.name,
            benchmarks={e.benchmark for e in measurement.entries},
        )  # fmt: skip
        ids.append(stored.id)
    return ids
