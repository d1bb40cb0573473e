# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
"""What the base of a comparison is to the new kernel: of pushes, of nights, of rerun boots."""

from __future__ import annotations

import pytest
from attrs import evolve

from master import comparison_steps, night_steps
from master.triggers import Child
from vlag import ROOT, config
from vlag.config import catalogue as catalogues


def child(request: dict[str, object]) -> Child:
    return Child(request=request, results=0, properties={"kernel": "k", "outcome": "complete"})


def requests(**changes: object) -> list[dict[str, object]]:
    here = config.load(ROOT / "vlag.toml")
    [branch] = [b for b in here.branches if "*" not in b.branch][:1]
    here = evolve(here, branches=(evolve(branch, **changes),))
    return night_steps.night_requests(night_steps.plan_night(here, catalogues.load(), {}))


def roles(asked: list[dict[str, object]]) -> dict[tuple[str, str], str | None]:
    """(base, new) -> role, of all pairs."""
    by_key = {r["key"]: child(r) for r in asked}
    return {
        (key, new.request["key"]): comparison_steps.role_of(by_key[key], new)
        for new in by_key.values()
        for key in new.request["compared_with"]
    }


def test_a_night_compares_every_candidate_with_its_baseline() -> None:
    asked = requests()
    found = roles(asked)
    assert found
    assert set(found.values()) == {"baseline"}


def test_the_same_kernel_without_knobs_is_one_more_candidate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = night_steps.plan_night(
        evolve(here := config.load(ROOT / "vlag.toml"), branches=here.branches[:1]),
        catalogues.load(),
        {},
    )
    new = plain.pairs[0].new
    knobs = evolve(new, knobs={"sched_features": "NO_DELAY_DEQUEUE"})
    pairs = (plain.pairs[0], evolve(plain.pairs[0], base=new, new=knobs))
    planned = evolve(plain, kernels=(pairs[0].base, new, knobs), pairs=pairs)
    found = roles(night_steps.night_requests(planned))
    assert found == {(pairs[0].base.key, new.key): "baseline", (new.key, knobs.key): None}


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ({"role": "parent"}, ["--role", "parent"]),
        ({"role": "baseline", "ref": "v6.1.*"},
         ["--role", "baseline", "--baseline", "linux/v6.1.*"]),
        # Wherever a commit left it, it is one baseline.
        ({"role": "baseline", "ref": "master...2f41c9a0"},
         ["--role", "baseline", "--baseline", "linux/merge-base:master"]),
        ({}, []),
    ],
)  # fmt: skip
def test_the_role_is_told_to_the_comparison(base: dict[str, str], said: list[str]) -> None:
    common = {"key": "k", "plan": "commit", "knobs": {}, "tree": "linux", "ref": "v6.12"}
    arguments = comparison_steps.compare_arguments(
        child(common | base), child(common), "a2", stage="screen", round_=None, benchmarks=None
    )
    at = arguments.index("--exit-code")
    assert arguments[at - len(said) : at] == said
    assert arguments.count("--role") == bool(said)
