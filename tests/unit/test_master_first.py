# SPDX-License-Identifier: GPL-2.0-only
"""The first look: what it asks for, how long that takes, and mistakes in its settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import evolve

from vlag import ROOT, config
from vlag.config import First, catalogue
from vlag.errors import UsageError
from vlag.model import Purpose
from vlag.pipeline.forecast import of_prebuilt
from vlag.pipeline.night_plan import plan_night, planned_runs

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.comparison_steps import compare_arguments
from master.first import first_requests
from master.triggers import Child

SHIPPED = config.load(ROOT / "vlag.toml")


def first() -> First:
    assert SHIPPED.first is not None
    return SHIPPED.first


def test_it_is_five_boots_of_three_benchmarks_of_two_kernels_in_five_minutes() -> None:
    known = catalogue.of(SHIPPED)
    base, new = first_requests(first(), known)
    assert (base["tree"], base["ref"], new["ref"]) == ("prebuilt", "6.1", "6.12")
    assert (base["compared_with"], new["compared_with"]) == ([], [base["key"]])
    planned = planned_runs(known, new["plan"], new["board_types"])
    assert {r.board_type for r in planned} == {"qemu-sim-2"}
    assert len({r.entry.benchmark for r in planned}) == 3
    assert [r.seed for r in planned] == [1, 2, 3, 4, 5] * 3
    foreseen = of_prebuilt(
        SHIPPED, known, {r["key"]: (r["plan"], r["board_types"]) for r in (base, new)}
    )
    assert (foreseen.kernels_to_build, foreseen.runs_to_do) == (2, 30)
    assert evolve(foreseen, slots=2).seconds <= 300
    longer = evolve(first(), plan="nightly")
    more = of_prebuilt(SHIPPED, known, {"k": (longer.plan, longer.board_types)})
    assert evolve(more, slots=2).seconds > 300


def test_it_is_no_branchs_state_and_nobodys_night() -> None:
    """A comparison without a role opens no alert; a night asks for nothing of it."""
    known = catalogue.of(SHIPPED)
    base, new = first_requests(first(), known)
    assert {r["purpose"] for r in (base, new)} == {Purpose.PERSON.value}
    assert Purpose.PERSON.rank > Purpose.NIGHT.rank
    left, right = (
        Child(request=r, results=0, properties={"kernel": r["ref"]}) for r in (base, new)
    )
    words = compare_arguments(
        left, right, "qemu-sim-2", stage="screen", round_=None, benchmarks=None
    )
    assert "--role" not in words
    night = plan_night(SHIPPED, known, {})
    assert first().tree not in {kernel.tree for kernel in night.kernels}


@pytest.mark.parametrize(
    ("shipped", "mistaken", "said"),
    [
        ('tree = "prebuilt"', 'tree = "x"', "vlag.toml: first.tree: no tree 'x'; there are: "),
        ('plan = "first"', 'plan = "fast"', "vlag.toml: first: no plan 'fast'; there are: "),
        ('["qemu-sim-2"]', '["rpi"]', "vlag.toml: first: no board type"),
        ('plan = "first"\n', "", "vlag.toml: first: 'plan' is a required property"),
    ],
)
def test_a_mistake_in_the_settings_is_a_sentence(
    tmp_path: Path, shipped: str, mistaken: str, said: str
) -> None:
    text = (ROOT / "vlag.toml").read_text()
    head, tail = text.split("\n[first]\n")
    assert shipped in tail
    path = tmp_path / "vlag.toml"
    path.write_text(f"{head}\n[first]\n{tail.replace(shipped, mistaken, 1)}")
    with pytest.raises(UsageError) as refused:
        catalogue.of(config.load(path))
    assert said in str(refused.value)


def test_a_factor_of_alerts_for_boards_that_are_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    path.write_text(f"{text}\n[alerts]\nrelevances = {{fast = 2.0}}\n")
    with pytest.raises(UsageError, match=r"alerts\.relevances: no board type or class"):
        catalogue.of(config.load(path))
    path.write_text(f"{text}\n[alerts]\nrelevances = {{hardware = 2.0}}\n")
    assert catalogue.of(config.load(path)).boards
