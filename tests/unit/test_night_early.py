# SPDX-License-Identifier: GPL-2.0-only
"""The part with which an installation's first night begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from vlag import ROOT, config
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.pipeline.night_plan import is_first, plan_early, plan_night, planned_runs


@pytest.fixture(scope="module")
def shipped() -> Settings:
    return config.load(ROOT / "vlag.toml")


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogues.load()


def test_it_is_what_a_push_runs_on_the_first_board(shipped: Settings, known: Catalogue) -> None:
    early = plan_early(shipped, known, {})
    assert [(k.ref, k.board_types, k.benchmarks) for k in early.kernels] == [
        (ref, ("qemu-sim-2",), ("stress-ng-switch", "cyclictest-hackbench"))
        for ref in ("debian/6.1.*", "linux-6.12")
    ]
    [pair] = early.pairs
    assert (pair.base, pair.new) == early.kernels


def test_its_boots_are_boots_of_the_night(shipped: Settings, known: Catalogue) -> None:
    night = plan_night(shipped, known, {})
    for part in plan_early(shipped, known, {}).kernels:
        [whole] = [
            k for k in night.kernels
            if (k.ref, k.plan, k.series) == (part.ref, part.plan, part.series)
        ]  # fmt: skip
        assert part.key != whole.key
        every = planned_runs(known, whole.plan, whole.board_types)
        some = planned_runs(known, part.plan, part.board_types, benchmarks=part.benchmarks)
        assert all(run in every for run in some)
        assert 0 < len(some) < len(every) / 2


def test_a_night_that_is_as_small_has_none(shipped: Settings, known: Catalogue) -> None:
    [branch, *proof] = shipped.branches
    same = evolve(branch, plan="commit", commit_plan="commit")
    assert plan_early(evolve(shipped, branches=(same, *proof)), known, {}).kernels == ()
    # One board more, and there is something to begin with.
    assert plan_early(evolve(shipped, branches=(branch, *proof)), known, {}).kernels


def test_only_branches_whose_pushes_are_tested_have_one(
    shipped: Settings, known: Catalogue
) -> None:
    [branch, *_] = shipped.branches
    lazy = evolve(branch, variant="preempt_rt")
    assert plan_early(evolve(shipped, branches=(lazy,)), known, {}).pairs == ()


@pytest.mark.parametrize(("name", "first"), [(None, True), ("x-early.txt", False)])
def test_a_night_is_the_first_until_there_is_a_report(
    shipped: Settings, tmp_path: Path, name: str | None, first: bool
) -> None:
    (tmp_path / "reports" / "first").mkdir(parents=True)
    (tmp_path / "reports" / "first" / "look.txt").touch()
    if name is not None:
        (tmp_path / "reports" / name).touch()
    assert is_first(evolve(shipped, state=tmp_path)) is first
