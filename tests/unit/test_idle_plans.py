# SPDX-License-Identifier: GPL-2.0-only
"""A branch whose plan has nothing to run for it is refused at start."""

from pathlib import Path

import pytest
from attrs import evolve

from vlag import ROOT, config
from vlag.config import catalogue
from vlag.errors import UsageError

BRANCH = """
[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = {types}
plan = "{plan}"
{more}
"""


def read(folder: Path, types: str, plan: str, more: str = "") -> None:
    shipped = (ROOT / "vlag.toml").read_text()
    head, tail = shipped.split("[[branches]]", 1)[0], "[nightly]" + shipped.split("[nightly]")[1]
    path = folder / "vlag.toml"
    path.write_text(head + BRANCH.format(types=types, plan=plan, more=more) + tail)
    catalogue.of(config.load(path))


@pytest.mark.parametrize(
    ("types", "plan", "more"),
    [
        ('["qemu-sim-2", "qemu-sim-4"]', "nightly", ""),
        # Pushes may leave out a board type that the night has.
        ('["qemu-sim-2", "qemu-sim-4"]', "nightly", 'commit_plan = "commit"'),
    ],
)
def test_a_plan_with_work_for_each_board_type_is_taken(
    tmp_path: Path, types: str, plan: str, more: str
) -> None:
    read(tmp_path, types, plan, more)


@pytest.mark.parametrize(
    ("types", "plan", "more", "said"),
    [
        (
            '["qemu-sim-2", "qemu"]', "commit", "",
            "branches.0.plan: commit has nothing to run on qemu; add an entry for it,",
        ),
        (
            '["qemu"]', "smoke", 'commit_plan = "commit"',
            "branches.0.commit_plan: commit has nothing to run on any of qemu; choose another",
        ),
        ('["qemu"]', "chekc", "", "branches.0.plan: no plan 'chekc'; there are: "),
        ('["qemu"]', "smoke", 'commit_plan = "x"', "branches.0.commit_plan: no plan 'x'; there"),
    ],
)  # fmt: skip
def test_a_plan_with_none_is_refused(
    tmp_path: Path, types: str, plan: str, more: str, said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, types, plan, more)
    assert said in str(refused.value)


def test_a_benchmark_whose_program_is_nowhere_is_no_work(tmp_path: Path) -> None:
    known = catalogue.load()
    plan = known.plan("commit")
    assert known.runs_something(plan, "qemu-sim-2")
    absent = frozenset((e.benchmark, "x86_64") for e in plan.entries)
    assert not evolve(known, absent=absent).runs_something(plan, "qemu-sim-2")
