# SPDX-License-Identifier: GPL-2.0-only
"""What commands on two builds and a benchmark of a deterministic board are all given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import pairs_of
from vlag.cli.profile import BASE_KNOB, NEW_KNOB, knobs_of, own_board
from vlag.cli.runs import KNOB, PARAM
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Observation

_C = TypeVar("_C", bound=Callable[..., object])


@frozen(kw_only=True)
class TwoBuilds:
    """Their arguments and options."""

    base: Path
    new: Path
    benchmark: str
    board: str
    param: tuple[str, ...]
    knob: tuple[str, ...]
    base_knob: tuple[str, ...]
    new_knob: tuple[str, ...]
    timeout_s: int
    form: str


def which_builds(command: _C) -> _C:
    """Give a command those that say what is booted, which stand before its own."""
    for option in (
        NEW_KNOB,
        BASE_KNOB,
        KNOB,
        PARAM,
        click.option("--board", required=True, help="A deterministic board in ansible/inventory/."),
        click.option("--benchmark", required=True, help="A benchmark in lava-jobs/benchmarks/."),
        click.argument("new", type=click.Path(path_type=Path)),
        click.argument("base", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


def observed(
    given: TwoBuilds,
    settings: Settings,
    catalogue: Catalogue,
    *,
    seeds: Sequence[int],
    observes: Observation,
) -> Iterator[tuple[Path, list[Path]]]:
    """Boot both builds, or take the runs of record; yield each one's folder and its runs'.

    Raises UsageError for what cannot be booted, and for a boot that did not end well.
    """
    from vlag.search import profiling as stage

    board = own_board(catalogue.board(given.board))
    benchmark = catalogue.benchmark(given.benchmark)
    parameters = pairs_of(given.param, "--param")
    knobs = knobs_of(given.knob, given.base_knob, given.new_knob)
    for side, path, own in zip(("BASE", "NEW"), (given.base, given.new), knobs, strict=True):
        build = config.plain_path(settings.bundle(path), side)
        asked = stage.prepared(
            settings=settings, catalogue=catalogue, build=build, board=board,
            benchmark=benchmark, given=parameters, knobs=own, seeds=seeds,
            timeout_s=given.timeout_s, observes=observes,
        )  # fmt: skip
        yield build, stage.booted(asked, board, settings.runs)
