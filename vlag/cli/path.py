# SPDX-License-Identifier: GPL-2.0-only
"""`vlag path`: verdicts on what an operation of a benchmark executes."""

from __future__ import annotations

from pathlib import Path

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence
from vlag.cli.profile import BASE_KNOB, NEW_KNOB, SEEDS, boots_of, knobs_of
from vlag.cli.runs import KNOB, PARAM, TIMEOUT
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag path`."""

    base: Path
    new: Path
    benchmark: str
    board: str
    param: tuple[str, ...]
    knob: tuple[str, ...]
    base_knob: tuple[str, ...]
    new_knob: tuple[str, ...]
    seeds: int
    timeout_s: int
    form: str


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
@as_value(Options)
def path(given: Options) -> None:
    """Judge the path length of two kernels.

    Counts what builds BASE and NEW execute in a benchmark, as `vlag profile` does, and judges
    instructions of kernel/sched and of the whole kernel, and calls of hot functions
    (lava-jobs/path-metrics.toml), for each of the benchmark's operations: REGRESSION,
    IMPROVEMENT, UNCHANGED or INCONCLUSIVE over the boots. The counts do not see caches, memory,
    branch misses or parallelism. BASE and NEW may be one build, with --base-knob or --new-knob.
    """
    from vlag.profile import path_text
    from vlag.profile.path import lengths
    from vlag.profile.profiled_boots import check

    settings = config.load()
    catalogue = catalogues.of(settings)
    if not catalogue.path_metrics:
        raise UsageError("lava-jobs/path-metrics.toml names no metric; add one to judge")
    benchmark = catalogue.benchmark(given.benchmark)
    boots = boots_of(
        settings,
        catalogue,
        (given.base, given.new),
        benchmark=benchmark,
        board=given.board,
        param=given.param,
        knobs=knobs_of(given.knob, given.base_knob, given.new_knob),
        seeds=range(1, given.seeds + 1),
        timeout_s=given.timeout_s,
    )
    check(*boots, benchmark.operation)
    lengths_ = lengths(catalogue.path_metrics, *boots)
    emit(
        given.form,
        path_text.data(lengths_, benchmark.operation, boots),
        path_text.render(lengths_, benchmark.operation, boots),
    )
