# SPDX-License-Identifier: GPL-2.0-only
"""Knobs of a plan's entries: which kernels boot what, and what is compared with what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from master.confirm import rerun_boots
from master.kernel import kernel_request
from master.night_steps import night_requests
from master.triggers import Child
from tests.unit.shipped import copied
from vlag import ROOT, config
from vlag.compare.scope import scope
from vlag.config import Branch
from vlag.config.catalogue import Catalogue, load
from vlag.errors import UsageError
from vlag.model import Purpose
from vlag.pipeline import confirmation
from vlag.pipeline.night_plan import Night, plan_night, planned_runs

BOARD = "qemu-sim-2"
SLICE, OFF = {"base_slice_ns": "400000"}, {"sched_features": "NO_DELAY_DEQUEUE"}
PLAIN = f"""
  - benchmark: stress-ng-pipe
    board_types: [{BOARD}]
    seeds: 2
    confirm: [3]
"""
BOTH = f"{PLAIN}    knobs: {{base_slice_ns: '400000'}}\n"
NEW = f"{PLAIN}    new_knobs: {{sched_features: NO_DELAY_DEQUEUE}}\n"
OTHER = PLAIN.replace("stress-ng-pipe", "stress-ng-yield")
#: A branch that no patch series changes.
BRANCH = evolve(
    config.load(ROOT / "vlag.toml").branches[0], board_types=(BOARD,), plan="own", commit_plan="own"
)


def known(folder: Path, *entries: str) -> Catalogue:
    """Return the shipped lists with a plan of these entries."""
    copied(folder)
    path = folder / "lava-jobs" / "plans" / "own.yaml"
    path.write_text(f"plan: own\nentries:{''.join(entries)}")
    return load(folder)


def night(catalogue: Catalogue, watched: Branch = BRANCH) -> Night:
    shipped = config.load(ROOT / "vlag.toml")
    return plan_night(evolve(shipped, branches=(watched,)), catalogue, {})


def boots(catalogue: Catalogue, knobs: dict[str, str]) -> list[str]:
    return [r.entry.benchmark for r in planned_runs(catalogue, "own", [BOARD], knobs=knobs)]


def test_a_kernel_boots_the_entries_with_its_knobs(tmp_path: Path) -> None:
    catalogue = known(tmp_path, PLAIN, OTHER, BOTH, NEW)
    assert boots(catalogue, {}) == ["stress-ng-pipe"] * 2 + ["stress-ng-yield"] * 2
    assert boots(catalogue, SLICE) == boots(catalogue, OFF) == ["stress-ng-pipe"] * 2
    # Knobs of a patch or a person are no entry's: such a kernel boots what has none.
    assert boots(catalogue, {"sched_features": "NO_WAKEUP_PREEMPTION"}) == boots(catalogue, {})
    again = confirmation.reruns(catalogue, "own", BOARD, ["stress-ng-pipe"], 1, SLICE)
    assert [(r.entry.knobs, r.seed) for r in again] == [(SLICE, n) for n in (3, 4, 5)]


def test_each_setting_is_compared_on_its_own(tmp_path: Path) -> None:
    found = night(known(tmp_path, PLAIN, OTHER, BOTH, NEW))
    assert [(p.base.knobs, p.new.knobs) for p in found.pairs] == [
        ({}, {}),
        (SLICE, SLICE),
        ({}, OFF),
    ]
    assert len(found.kernels) == 5  # the base without knobs once
    assert {p.new.ref for p in found.pairs} == {"linux-6.12"}
    assert found.pairs[1].new.label == "linux-6.12 (base_slice_ns=400000)"
    requests = {r["key"]: r for r in night_requests(found)}
    for pair in found.pairs:
        assert requests[pair.new.key]["roles"] == {pair.base.key: "baseline"}
        assert requests[pair.new.key]["knobs"] == pair.new.knobs
    # Negative control: without such entries there is one pair.
    assert len(night(known(tmp_path / "plain", PLAIN, OTHER)).pairs) == 1


def test_a_comparison_has_the_entries_of_its_new_kernel(tmp_path: Path) -> None:
    catalogue = known(tmp_path, PLAIN, OTHER, BOTH, NEW)

    def benchmarks(knobs: dict[str, str]) -> list[str]:
        of = scope(
            catalogue=catalogue, board=catalogue.board_type(BOARD), plan=catalogue.plan("own"),
            stage=None, benchmarks=None, knobs=knobs,
        )  # fmt: skip
        return [e.benchmark for e in of.entries]

    assert benchmarks({}) == ["stress-ng-pipe", "stress-ng-yield"]
    assert benchmarks(OFF) == benchmarks(SLICE) == ["stress-ng-pipe"]


def test_rerun_boots_of_two_settings_are_not_one(tmp_path: Path) -> None:
    """A board that repeats exactly boots nothing twice; other knobs are another boot."""
    catalogue = known(tmp_path, PLAIN, BOTH, NEW)

    def child(asked: Any) -> Child:
        request = kernel_request(asked, purpose=Purpose.NIGHT.value, compared_with=[])
        return Child(request=request, results=0, properties={"build_bundle": asked.ref})

    left: list[Any] = [
        ({"board_type": BOARD}, ["stress-ng-pipe"], child(p.base), child(p.new))
        for p in night(catalogue).pairs
    ]
    asked = [
        (r["build_bundle"], str(r["knobs"]), r["seed"]) for r in rerun_boots(catalogue, left, 1)
    ]
    assert len(set(asked)) == len(asked) == 3 * 5  # five kernels with knobs, three seeds
    # The base without knobs is in two comparisons and boots once.
    assert len(rerun_boots(catalogue, left[::2], 1)) == 3 * 3


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ((NEW,), "entries.0.new_knobs: no entry boots the base of stress-ng-pipe on qemu-sim-2;"),
        ((PLAIN.replace("seeds: 2", "seeds: 1"), NEW), "entries.1.new_knobs: no entry boots"),
        ((PLAIN.replace("[3]", "[4]"), NEW), "entries.1.new_knobs: no entry boots the base"),
        ((OTHER, NEW), "entries.1.new_knobs: no entry boots the base of stress-ng-pipe"),
        (
            (PLAIN.replace("stress-ng-pipe", "stress-ng-switch-nested")
             + "    knobs: {cgroup_depth: '2'}\n",),
            "entries.0.knobs.cgroup_depth: stress-ng-switch-nested sets it itself; give its",
        ),
        ((f"{PLAIN}    knobs: {{Slice: '1'}}\n",), "entries.0.knobs: 'Slice' does not match"),
        ((f"{PLAIN}    knobs: {{base_slice_ns: '$(reboot)'}}\n",), "entries.0.knobs.base_slice_ns"),
    ],
)  # fmt: skip
def test_knobs_that_cannot_be_compared_are_refused(
    tmp_path: Path, entries: tuple[str, ...], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        known(tmp_path, *entries)
    assert said in str(refused.value)


def test_the_plans_of_the_reports_set_their_knobs() -> None:
    catalogue = load()
    of = {
        name: {tuple(e.all_knobs.items()) for e in catalogue.plan(name).entries}
        for name in ("s1", "s2", "s3")
    }
    assert of["s1"] == {(), tuple(OFF.items())}
    assert of["s3"] == {(), tuple(OFF.items()), tuple(SLICE.items())}
    assert of["s2"] == {()}  # negative control
