# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Plans of a farm: they grow with its boards, its night ends, and a clock starts its week."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from attrs import evolve
from twisted.internet import defer

from tests.repositories import bare_with
from tests.unit.asked import properties
from vlag import ROOT, config
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.config.settings import Settings
from vlag.errors import UsageError
from vlag.pipeline import boot, programs
from vlag.pipeline import forecast as stage

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import night_steps, schedulers, titles

pytestmark = pytest.mark.slow

FARM = ROOT / "ansible" / "inventory" / "farm-example.yml"
PLANS = ROOT / "lava-jobs" / "plans"
#: Hours of a night, from the end of work to its beginning; and of a weekend.
NIGHT_H, WEEKEND_H = 8, 60
#: How many of what does the same.
LOAD = {"instances", "groups", "pairs", "threads", "users"}


def documented() -> str:
    """Return the settings of docs/farm.md, with what a small installation has beside them."""
    text = (ROOT / "docs" / "farm.md").read_text()
    _, _, after = text.partition("## Plans of a farm\n")
    section = after.partition("\n## ")[0]
    code = [line[4:] for line in section.splitlines() if line.startswith("    ") or not line]
    return (
        'state = "var"\n[ports]\npostgresql = 1\nweb = 2\nworker = 3\n'
        '[trees.mainline.packages]\nmaster = "linux-source-6.12"\n'
        f'[inventory]\nboards = "{FARM}"\n'
        "[nightly]\nhour = 22\nminute = 0\n[build]\njobs = 16\npoll_interval_s = 30\n"
        + "\n".join(code)
    )


def bring(settings: Settings) -> None:
    """Bring the programs that no package has."""
    path = settings.programs / "x86_64" / "schbench"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    path = tmp_path / "vlag.toml"
    path.write_text(documented())
    made = config.load(path)
    bring(made)
    bare_with(made.mirror("mainline"), "tags/v6.12", "heads/master")
    monkeypatch.setattr(boot, "prepare_userland", lambda *_a: SimpleNamespace(sha256="f" * 64))
    return made


@pytest.fixture
def known(here: Settings) -> Catalogue:
    return catalogues.of(here)


def hours(settings: Settings, known: Catalogue) -> float:
    """Return how long the boards are busy: how long builds take is the build host's affair."""
    return stage.forecast(settings, known).boards_s / 3600


def test_the_night_of_a_farm_ends_with_time_for_a_suspicion(
    here: Settings, known: Catalogue
) -> None:
    found = stage.forecast(here, known)
    assert set(found.busy_s) == {"rpi5", "rb5", "altra", "x86-480", "vhost-host", "sut-loadgen"}
    assert 1 < hours(here, known) < NIGHT_H / 2
    assert "x86-480 needs longest" in found.text(stage.datetime.datetime.now(stage.datetime.UTC))
    for entry in known.plan("farm-nightly").entries:
        for name in entry.board_types:
            kind = known.board_type(name)
            one = boot.estimate_s(known.benchmark(entry.benchmark), kind, entry.parameters)
            rerun_h = 2 * entry.rounds[0] * one / 3600
            assert found.busy_s[name] / 3600 + rerun_h < NIGHT_H, (entry.benchmark, name)


def test_a_night_of_too_many_boots_does_not_end(here: Settings, known: Catalogue) -> None:
    plan = known.plan("farm-nightly")
    longer = evolve(plan, entries=tuple(evolve(e, seeds=4 * e.seeds) for e in plan.entries))
    known = evolve(known, plans={**known.plans, plan.name: longer})
    assert hours(here, known) > NIGHT_H


def test_the_week_of_a_farm_ends_in_a_weekend(here: Settings, known: Catalogue) -> None:
    assert NIGHT_H < hours(here.of_week(), known) < WEEKEND_H
    plans = {k.plan for k in stage.plan_night(here.of_week(), known, {}).kernels}
    assert plans == {"weekly", "workloads", "s1", "s2", "s3", "s4", "s5", "debug"}
    assert {k.plan for k in stage.plan_night(here, known, {}).kernels} == {"farm-nightly"}


def test_boards_of_one_type_share_its_work(here: Settings, known: Catalogue) -> None:
    alone = hours(here, known)
    twin = evolve(known.board("x86-480-1"), name="x86-480-2")
    assert hours(here, evolve(known, boards=(*known.boards, twin))) < alone


def literals(folder: Path) -> list[str]:
    """Return loads of the farm's plans that are numbers; s3 has those of its report."""
    return [
        f"{path.stem}.{i}.{key}"
        for path in sorted([*folder.glob("farm-*.yaml"), folder / "s1.yaml", folder / "s2.yaml"])
        for i, entry in enumerate(yaml.safe_load(path.read_text())["entries"])
        for key, value in entry.get("parameters", {}).items()
        if key in LOAD and "cpus" not in str(value)
    ]


def test_loads_follow_from_the_number_of_cpus(tmp_path: Path) -> None:
    assert literals(PLANS) == []
    for name in ("s1.yaml", "s2.yaml", "farm-nightly.yaml"):
        text = (PLANS / name).read_text()
        (tmp_path / name).write_text(text.replace('groups: "{cpus/2}"', "groups: 240"))
    assert literals(tmp_path) == ["s2.3.groups"]
    s2 = {e.benchmark: e.parameters for e in catalogues.load().plan("s2").entries}
    assert [s2["stress-ng-cyclic"]["instances"], s2["pi-stress"]["groups"]] == [480, 240]
    assert s2["ffmpeg-fifo"]["instances"] == 60


def test_the_clock_and_a_person_start_the_week(here: Settings, known: Catalogue) -> None:
    made = {s.name: s for s in schedulers.schedule_all(here, known)}
    assert made["week"].builderNames == made["weekly-now"].builderNames == ["nightly"]
    asked = made["week"]._config_kwargs
    assert [asked[key] for key in ("dayOfWeek", "hour", "minute")] == [4, 20, 0]
    assert asked["properties"] == {"weekly": True}
    assert "properties" not in made["night"]._config_kwargs
    assert titles.title("nightly", properties(weekly=True)).startswith("the week: ")
    assert "week" not in titles.title("nightly", properties())


@pytest.mark.parametrize(
    ("weekly", "options", "plan"), [(True, ["--weekly"], "s5"), (False, [], "farm-nightly")]
)
def test_the_week_asks_for_its_own_kernels(
    here: Settings, known: Catalogue, weekly: bool, options: list[str], plan: str
) -> None:
    steps = {step.name: step for step in night_steps.night_steps(here, known)}
    estimate, kernels = steps["estimate"], steps["kernels"]
    asked = properties(**({"weekly": True} if weekly else {}))
    words = defer.ensureDeferred(asked.render(estimate.arguments))
    assert words.result == ["forecast", "--format", "json", *options]
    requests = asyncio.run(kernels.requests(asked))
    assert plan in {r["plan"] for r in requests}
    assert ("farm-nightly" in {r["plan"] for r in requests}) is not weekly


WRONG = {
    "weekly plans that nothing starts": (
        '[weekly]\nday = "friday"\nhour = 20\nminute = 0\n', "",
        "branches.0.weekly_plans: nothing starts them; add [weekly] with day, hour and minute",
    ),
    "a day without plans": (
        'weekly_plans = ["weekly", "workloads", "s1", "s2", "s3", "s4", "s5"]', "",
        "weekly: no branch has weekly_plans; add them to a branch, or take [weekly] out",
    ),
    "no plan": ('"s5"]', '"s6"]', "branches.0.weekly_plans.6: no plan 's6'; there are: "),
    "nothing to run": (
        '"s5"]', '"releases"]',
        "branches.0.weekly_plans.6: releases has nothing to run on any of rpi5, rb5, altra,",
    ),
    "no day": ('"friday"', '"freitag"', "weekly.day: 'freitag' is not one of ['monday', "),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_a_week_that_cannot_be_is_said_with_file_and_key(tmp_path: Path, fault: str) -> None:
    old, new, said = WRONG[fault]
    text = documented()
    assert old in text
    path = tmp_path / "vlag.toml"
    text = text.replace(old, new)
    if fault == "a day without plans":
        text = text.replace('weekly_plans = ["debug"]', 'plan = "debug"')
    path.write_text(text)

    def read() -> Catalogue:
        made = config.load(path)
        bring(made)
        return catalogues.of(made)

    with pytest.raises(UsageError) as refused:
        read()
    assert f"{path}: {said}" in str(refused.value)


def test_plans_need_no_program_that_somebody_brings(tmp_path: Path) -> None:
    path = tmp_path / "vlag.toml"
    path.write_text(documented())
    known = catalogues.of(config.load(path))
    absent = {name for name, _ in known.absent}
    built = {n for n in absent if programs.recipe_of(known.benchmark(n)) is not None}
    assert absent - built == {"schbench", "uperf-vms"}
    assert known.runs_on("mysql-tprocc", "sut-loadgen")
    # What is missing is left out.
    assert not known.runs_on("schbench", "altra")
