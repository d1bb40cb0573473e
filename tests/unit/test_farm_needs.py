# SPDX-License-Identifier: GPL-2.0-only
"""Every entry of every plan fits the farm's boards: their hardware, and kernels of their needs.

That real sources make kernels with these needs is held by tests/long/deep/test_board_kernels.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.model import BoardType

CATALOGUE = load()
FARM = [k for k in CATALOGUE.board_types.values() if not k.virtual and k.kconfig]
#: Each benchmark that a plan runs on a board of the farm, once.
PLANNED = sorted(
    {
        (kind.name, entry.benchmark)
        for plan in CATALOGUE.plans.values()
        for entry in plan.entries
        for kind in FARM
        if kind.name in entry.board_types
    }
)


def config(kind: BoardType, path: Path, *dropped: str) -> Path:
    """Write a config that has what a board's kernels need, and nothing else."""
    needs = kernel_needs.of_board_type(kind, CATALOGUE)
    lines = [f"{n.option}={n.least or 'y'}" for n in needs if n.option not in dropped]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_farm_runs_plans() -> None:
    boards = {"rpi5", "rb5", "altra", "x86-480", "vhost-host", "sut-loadgen"}
    assert {name for name, _ in PLANNED} == boards
    assert len(PLANNED) > 40


@pytest.mark.parametrize(("board_type", "benchmark"), PLANNED)
def test_a_planned_benchmark_gets_what_it_needs(
    tmp_path: Path, board_type: str, benchmark: str
) -> None:
    kind, known = CATALOGUE.board_type(board_type), CATALOGUE.benchmark(benchmark)
    kernel_needs.check_boot(known, kind, config(kind, tmp_path / "config"))
    for option in known.needs.kconfig:
        without = config(kind, tmp_path / "without", option)
        with pytest.raises(UsageError, match=option):
            kernel_needs.check_boot(known, kind, without)
