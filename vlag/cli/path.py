# SPDX-License-Identifier: GPL-2.0-only
"""`vlag path`: verdicts on what an operation of a benchmark executes."""

from __future__ import annotations

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence
from vlag.cli.profile import SEEDS, boots_of, knobs_of
from vlag.cli.runs import TIMEOUT
from vlag.cli.two_builds import TwoBuilds, which_builds
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError


@frozen(kw_only=True)
class Options(TwoBuilds):
    """Arguments and options of `vlag path`."""

    seeds: int


@click.command()
@which_builds
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
