"""`vlag path`: verdicts on what an operation of a benchmark executes."""

from __future__ import annotations

from pathlib import Path

import click

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.cli.profile import BASE_KNOB, NEW_KNOB, SEEDS, boots_of, knobs_of
from vlag.cli.runs import KNOB, PARAM, TIMEOUT
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--benchmark", required=True, help="A benchmark in lava-jobs/benchmarks/.")
@click.option("--board", required=True, help="A deterministic board in ansible/inventory/.")
@PARAM
@KNOB
@BASE_KNOB
@NEW_KNOB
@SEEDS
@TIMEOUT
@FORMAT
@one_sentence
def path(
    base: Path,
    new: Path,
    benchmark: str,
    board: str,
    param: tuple[str, ...],
    knob: tuple[str, ...],
    base_knob: tuple[str, ...],
    new_knob: tuple[str, ...],
    seeds: int,
    timeout_s: int,
    form: str,
) -> None:
    """Judge the path length of two kernels.

    Counts what builds BASE and NEW execute in a benchmark, as `vlag profile` does, and judges
    instructions of kernel/sched and of the whole kernel, and calls of hot functions
    (lava-jobs/path-metrics.toml), for each of the benchmark's operations: REGRESSION,
    IMPROVEMENT, UNCHANGED or INCONCLUSIVE over the boots. The counts do not see caches, memory,
    branch misses or parallelism. BASE and NEW may be one build, with --base-knob or --new-knob.
    """
    from vlag.profile import path_text
    from vlag.profile.boots import check
    from vlag.profile.path import lengths

    settings = config.load()
    catalogue = catalogues.of(settings)
    if not catalogue.path_metrics:
        raise UsageError("lava-jobs/path-metrics.toml names no metric; add one to judge")
    of = catalogue.benchmark(benchmark)
    boots = boots_of(
        settings, catalogue, (base, new), benchmark=of, board=board, param=param,
        knobs=knobs_of(knob, base_knob, new_knob), seeds=seeds, timeout_s=timeout_s,
    )  # fmt: skip
    check(*boots, of.operation)
    found = lengths(catalogue.path_metrics, *boots)
    emit(
        form,
        path_text.data(found, of.operation, boots),
        path_text.render(found, of.operation, boots),
    )
