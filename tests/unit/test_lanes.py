# SPDX-License-Identifier: GPL-2.0-only
"""Build lanes: their file, the settings that name them, their programs and their words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from vlag import ROOT, config
from vlag.config import build_lanes
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import lane
from vlag.kernel.lane_kind import Lane
from vlag.report import lane_lines as worded

SHIPPED = build_lanes.read()
#: Key of the first branch of the shipped settings, which is watched without patches.
PLAN = 'commit_plan = "commit"\n'


def load(folder: Path, line: str, after: str = PLAN) -> config.Settings:
    path = folder / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text().replace(after, f"{after}{line}\n", 1)
    path.write_text(text)
    return config.load(path)


def test_the_shipped_lanes_are_those_of_the_issue() -> None:
    assert tuple(SHIPPED) == ("preempt-rt", "lazy", "up", "allno-debug", "arm64", "clang")
    assert SHIPPED["up"].needs == {"CONFIG_SMP": "n"}
    assert SHIPPED["allno-debug"].targets == ("vmlinux",)
    assert all(of.options["CONFIG_WERROR"] == "n" for of in SHIPPED.values())
    # Each program of a lane is in a package of the list, or of what every worker has.
    packages = [
        line
        for name in ("lanes", "worker")
        for line in (ROOT / f"workers/packages/{name}.txt").read_text().splitlines()
    ]
    assert {p for of in SHIPPED.values() for p in of.programs.values()} <= set(packages)


def test_a_branch_names_lanes(tmp_path: Path) -> None:
    assert load(tmp_path, "").lanes_of("debian", "linux-6.12")[0] == ()
    settings = load(tmp_path, 'lanes = ["up", "clang"]')
    found, paths = settings.lanes_of("debian", "linux-6.12")
    assert found == ("up", "clang")
    assert set(config.PATHS) <= set(paths)
    assert load(tmp_path, 'lanes = "all"').branches[0].lanes == tuple(SHIPPED)
    # Whoever watches another branch builds none.
    assert settings.lanes_of("debian", "linux-6.1")[0] == ()


@pytest.mark.parametrize(
    ("line", "after", "sentence"),
    [
        ('lanes = ["none"]', PLAN, "branches.0.lanes: no build lane 'none'; there are: preempt-rt"),
        ('lanes = "some"', PLAN, "branches.0.lanes: 'some' is not valid"),
        ('lanes = ["up"]', 'plan = "known-regressions"\n', "a branch with series are not tested"),
    ],
)
def test_a_mistake_of_the_settings_is_one_sentence(
    tmp_path: Path, line: str, after: str, sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, line, after)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "vlag.toml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "where"),
    [
        ('arch = "arm64"', 'arch = "riscv"', "lanes.arm64.arch"),
        ("CONFIG_SMP=n", "SMP=n", "lanes.up.needs.0"),
        ("[lanes.up]", "[lanes.all]", "lanes: 'all'"),
        ('targets = ["vmlinux"]', 'targets = ["--eval=x"]', "lanes.allno-debug.targets.0"),
        ("[lanes.lazy]", "[lanes.lazy", "not valid TOML"),
    ],
)
def test_a_mistake_of_the_file_is_one_sentence(
    tmp_path: Path, before: str, after: str, where: str
) -> None:
    path = tmp_path / "lanes.toml"
    path.write_text(build_lanes.LANES.read_text().replace(before, after))
    with pytest.raises(UsageError) as caught:
        build_lanes.read(path)
    assert where in str(caught.value)


@pytest.mark.parametrize(
    ("name", "program", "package"),
    [
        ("clang", "clang", "clang"),
        ("arm64", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
        ("up", "gcc", "gcc"),
    ],
)
def test_a_missing_compiler_is_the_machines_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str, package: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError) as caught:
        SHIPPED[name].toolchain()
    assert str(caught.value) == (
        f"lane {name}: {program} is missing; install Debian's {package}:"
        " workers/setup-host packages workers/packages/lanes.txt"
    )
    assert not caught.value.retry


def test_a_record_is_of_files_lane_and_compiler() -> None:
    up = SHIPPED["up"]
    key = lane.key(up, "f" * 40, "gcc 12")
    others: list[tuple[Lane, str, str]] = [
        (up, "e" * 40, "gcc 12"),
        (up, "f" * 40, "gcc 13"),
        (evolve(up, kconfig={}), "f" * 40, "gcc 12"),
    ]
    assert len({key, *(lane.key(*other) for other in others)}) == 4
    assert lane.key(up, "f" * 40, "gcc 12") == key


def told(outcome: str, *kinds: str, **more: Any) -> dict[str, Any]:
    findings = [
        {"kind": kind, "file": f"kernel/sched/{n}.c", "line": n, "message": f"m{n}", "count": 1,
         "is_new": True}
        for n, kind in enumerate(kinds, 1)
    ]  # fmt: skip
    return {
        "lane": "up", "outcome": outcome, "reason": "why", "is_new": outcome == "breaks",
        "unjudged": None, "findings": findings, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        (told("builds"), "up: builds"),
        (told("breaks", "error", "error"), "up: breaks: kernel/sched/1.c:1: error: m1"),
        (told("breaks"), "up: breaks: why"),
        (told("breaks", is_new=False), "up: breaks, as its parent: why"),
        (told("not_applicable"), "up: not applicable: why"),
        (told("not_applicable", is_new=True), "up: no longer applicable: why"),
        (told("builds", "warning"), "up: 1 new warning in kernel/sched/1.c: m1"),
        (
            told("builds", *["warning"] * 3),
            "up: 3 new warnings in kernel/sched/1.c, kernel/sched/2.c and 1 more: m1",
        ),
        (told("builds", unjudged="the parent breaks"), "up: builds; the parent breaks"),
    ],
)
def test_each_lane_has_a_sentence(of: dict[str, Any], sentence: str) -> None:
    assert worded.sentence(of) == sentence


def test_the_headline_of_a_commit_is_what_is_new() -> None:
    quiet, broken, warned = told("builds"), told("breaks"), told("builds", "warning")
    assert worded.headline([quiet, warned, broken]) == "up: breaks: why, and 1 more"
    assert worded.headline([quiet, quiet]) == "nothing new in 2 lanes"


def test_a_report_of_an_earlier_version_has_no_lanes() -> None:
    assert worded.sentences({}) == []
    assert worded.part({}).items == []
