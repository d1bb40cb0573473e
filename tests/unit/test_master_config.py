# mypy: ignore-errors
# Buildbot has no types.
"""The master's configuration: it loads, it says what is wrong, it asks for the right builds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from buildbot.process.properties import Properties

from vlag import ROOT
from vlag.pipeline import catalogue, settings

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders, schedulers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "var" / "secrets").mkdir(parents=True)
    (tmp_path / "var" / "secrets" / "worker").write_text("a password\n")
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    return tmp_path


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "vlag.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def checkconfig(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("buildbot"), "checkconfig", ROOT / "master" / "master.cfg"],
        env={**os.environ, "VLAG_SETTINGS": str(folder / "vlag.toml"), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_checkconfig_passes(folder: Path) -> None:
    status, said = checkconfig(folder)
    assert (status, said.strip()) == (0, "Config file is good!")


def test_master_cfg_only_assembles() -> None:
    assert len((ROOT / "master" / "master.cfg").read_text().splitlines()) <= 80


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('plan = "nightly"', 'plan = "nightley"', "no plan 'nightley'; there are: nightly"),
        ('["qemu-sim-2"]', '["qemu-sim-9"]', "no board type 'qemu-sim-9'; there are: "),
        ("web = 8010", 'web = "x"', "vlag.toml: ports.web: 'x' is not of type 'integer'"),
        ("hour = 1", "huor = 1", "vlag.toml: nightly: "),
    ],
)
def test_a_wrong_setting_is_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    change(folder, old, new)
    status, said = checkconfig(folder)
    assert status == 1
    assert sentence in said
    assert "Traceback" not in said


def test_a_missing_password_is_a_sentence(folder: Path) -> None:
    (folder / "var" / "secrets" / "worker").unlink()
    status, said = checkconfig(folder)
    assert status == 1
    assert "cannot read the worker's password (No such file or directory)" in said


def properties(**values: object) -> Properties:
    found = Properties()
    for name, value in values.items():
        found.setProperty(name, value, "test")
    return found


def rendered(argument: object, found: Properties) -> list[object]:
    return argument.getRenderingFor(found).result


KERNEL = {
    "tree": "debian",
    "ref": "linux-6.12",
    "board_type": "qemu-sim-2",
    "plan": "nightly",
    "kernel": "ab",
    "build_bundle": "/b/ab",
}


def test_a_kernel_asks_for_each_entry_and_seed_of_its_plan() -> None:
    known = catalogue.load()
    asked = builders.run_requests(known, properties(**KERNEL))
    entries = known.plan("nightly").entries
    assert [(r["benchmark"], r["seed"]) for r in asked] == [
        (e.benchmark, seed) for e in entries for seed in range(1, e.seeds + 1)
    ]
    assert {r["build_bundle"] for r in asked} == {"/b/ab"}
    assert asked[0]["label"] == f"linux-6.12 {entries[0].benchmark} seed 1"
    assert builders.run_requests(known, properties(**{**KERNEL, "board_type": "other"})) == []


def test_arguments_of_a_run() -> None:
    run = {"benchmark": "b", "parameters": {"pipe": 4}, "seed": 3, "timeout_s": 240}
    words = rendered(builders._run_arguments, properties(**KERNEL, **run))
    options = ["--plan=nightly", "--benchmark=b", "--seed=3", "--timeout=240"]
    end = ["--param", "pipe=4", "--reuse", "--format", "json"]
    assert words == ["run", "/b/ab", *options, *end]


def test_arguments_of_a_build() -> None:
    words = rendered(builders._build_arguments, properties(**KERNEL, watched="linux-6.12"))
    assert words == [
        *["build", "--tree", "debian", "--ref", "linux-6.12", "--branch", "linux-6.12"],
        *["--board-type", "qemu-sim-2", "--format", "json"],
    ]


def night(folder: Path, heads: list[str]) -> list[dict[str, object]]:
    async def listed(_settings: object, _tree: str) -> list[str]:
        return heads

    return asyncio.run(builders.night_requests(settings.load(folder / "vlag.toml"), listed))


def test_a_night_builds_each_distinct_baseline_once(folder: Path) -> None:
    text = (folder / "vlag.toml").read_text()
    watched = text[text.index("[[branches]]") : text.index("[nightly]")]
    other = watched.replace('branch = "linux-6.12"', 'branch = "topic/*"')
    change(folder, "[nightly]", other + "[nightly]")
    asked = night(folder, ["linux-6.12", "topic/a", "topic/b", "unwatched"])
    assert [r["ref"] for r in asked] == ["debian/6.1.*", "linux-6.12", "topic/a", "topic/b"]
    assert ["compared_with" in r for r in asked] == [False, True, True, True]


def test_a_night_compares_each_branch_with_its_baseline(folder: Path) -> None:
    step = mock.Mock()
    asked = night(folder, [])
    children = [
        mock.Mock(request=r, properties={"kernel": digest})
        for r, digest in zip(asked, ("base", "new"), strict=True)
    ]
    builders.plan_comparisons(step, children)
    [[compare]] = step.build.addStepsAfterCurrentStep.call_args.args
    assert compare.arguments[:5] == ["compare", "base", "new", "--board-type", "qemu-sim-2"]

    # A kernel that the infrastructure kept from being built cannot be compared.
    step.reset_mock()
    children[0].properties = {}
    builders.plan_comparisons(step, children)
    step.build.addStepsAfterCurrentStep.assert_not_called()


def test_a_push_builds_the_commit_and_its_baseline() -> None:
    pushed = properties(
        tree="debian", plan="nightly", board_type="qemu-sim-2", baseline="debian/6.1.*",
        branch="linux-6.12", revision="1234567890abcdef1234567890abcdef12345678",
    )  # fmt: skip
    head, base = builders.push_requests(pushed)
    assert (head["ref"], head["watched"]) == (
        "1234567890abcdef1234567890abcdef12345678",
        "linux-6.12",
    )
    assert head["compared_with"] == base["ref"] == "debian/6.1.*"
    assert head["label"] == "linux-6.12 1234567890ab on qemu-sim-2"


def test_only_watched_branches_are_fetched(folder: Path) -> None:
    change(folder, 'branch = "linux-6.12"', 'branch = "topic/*"')
    [poller] = schedulers.pollers(settings.load(folder / "vlag.toml"))
    fits = poller._config_kwargs["branches"]
    assert fits("refs/heads/topic/a")
    assert not fits("refs/heads/linux-6.12")
    assert not fits("refs/tags/topic/a")
