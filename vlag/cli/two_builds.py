# SPDX-License-Identifier: GPL-2.0-only
"""What commands on two builds and a benchmark of a deterministic board are all given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from attrs import frozen

from vlag.cli.profile import BASE_KNOB, NEW_KNOB
from vlag.cli.runs import KNOB, PARAM

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
