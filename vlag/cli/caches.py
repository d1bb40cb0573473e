# SPDX-License-Identifier: GPL-2.0-only
"""`vlag caches`: what a model of caches says of two kernels."""

from __future__ import annotations

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence
from vlag.cli.profile import SEEDS
from vlag.cli.runs import TIMEOUT
from vlag.cli.two_builds import TwoBuilds, observed, which_builds
from vlag.config import catalogue as catalogues
from vlag.model import Observation


@frozen(kw_only=True)
class Options(TwoBuilds):
    """Arguments and options of `vlag caches`."""

    seeds: int
    rows: int


@click.command()
@which_builds
@SEEDS
@click.option("--rows", type=click.IntRange(1, 1000), default=10, show_default=True,
              help="Rows of each table.")  # fmt: skip
@TIMEOUT
@FORMAT
@one_sentence
@as_value(Options)
def caches(given: Options) -> None:
    """Show what two kernels do to caches.

    BASE and NEW are builds. The board's emulator models private caches of each CPU and a shared
    one while the benchmark runs: misses and an estimate of cycles by function of the kernel, and
    the fields of its structures that CPUs take from each other, for each of the benchmark's
    operations. The guest sees nothing of it. BASE and NEW may be one build, with --base-knob or
    --new-knob.
    """
    from vlag.profile import cache_difference, cache_text, profile_bundles

    settings = config.load()
    catalogue = catalogues.of(settings)
    benchmark = catalogue.benchmark(given.benchmark)
    sides = []
    for build, folders in observed(
        given, settings, catalogue, seeds=range(1, given.seeds + 1), observes=Observation.CACHES
    ):
        symbols, types = profile_bundles.read_symbols(build), profile_bundles.read_types(build)
        sides.append(
            [profile_bundles.read_caches(f, symbols, types, benchmark.tool) for f in folders]
        )
    difference = cache_difference.compare(sides[0], sides[1], benchmark.operation)
    emit(
        given.form,
        cache_text.data(difference),
        cache_text.render(difference, rows=given.rows),
    )
