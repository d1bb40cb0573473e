# SPDX-License-Identifier: GPL-2.0-only
"""Which point releases a history is made of, and in which order they are booted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from vlag import config
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.pipeline import side_by_side
from vlag.pipeline.build_stage import Request, build
from vlag.pipeline.releases import Release, last_releases, measure, watching

from .prebuilt_images import Packages

BRANCHES = {"6.1": "linux-image-6.1.*-cloud-amd64", "6.12": "linux-image-6.12.*-cloud-amd64"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three versions of one branch, whose order is not that of their names, and one of another."""
    packages = Packages(tmp_path_factory.mktemp("packages") / "archive")
    for abi, version in (("9", "6.1.90-1"), ("10", "6.1.100-1"), ("11", "6.1.110-1")):
        packages.add(f"linux-image-6.1.0-{abi}-cloud-amd64", version)
    packages.add("linux-image-6.12.9+deb12-cloud-amd64", "6.12.9-1~bpo12+1")
    return packages.folder


@pytest.fixture
def settings(archive: Path, tmp_path: Path) -> config.Settings:
    packages = Packages(tmp_path / "archive", like=archive)
    shipped = config.load()
    tree = evolve(shipped.trees["prebuilt"], images=BRANCHES, sources=packages.sources)
    return evolve(
        shipped,
        state=tmp_path / "state",
        trees={"prebuilt": tree, "debian": shipped.trees["debian"]},
    )


def tags(settings: config.Settings, branches: list[str], last: int) -> list[str]:
    return [v.tag for v in last_releases(settings, "prebuilt", branches, last)]


def test_the_last_of_each_branch_come_oldest_first(settings: config.Settings) -> None:
    assert tags(settings, ["6.1"], 2) == ["prebuilt/6.1.100-1", "prebuilt/6.1.110-1"]
    assert tags(settings, [], 1) == ["prebuilt/6.1.110-1", "prebuilt/6.12.9-1_bpo12+1"]
    assert len(tags(settings, [], 9)) == 4


@pytest.mark.parametrize(
    ("tree", "branch", "sentence"),
    [
        ("other", [], r"no tree 'other' in .*; there are: prebuilt, debian"),
        ("debian", [], r"--tree debian: has no packages of prebuilt kernels"),
        ("prebuilt", ["6.6"], r"--branch 6\.6: tree prebuilt has: 6\.1, 6\.12"),
    ],
)
def test_a_mistake_is_said(
    settings: config.Settings, tree: str, branch: list[str], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        last_releases(settings, tree, branch, 3)


def test_each_is_unpacked_booted_by_the_plan_and_stored_before_the_next(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue, booted, stored = load(), [], list[tuple[str, int]]()

    def boot(
        kernel: Path, board: Any, *, benchmark: str, seed: int, plan: str, **_others: Any
    ) -> Any:
        assert (board.board_type, plan) == ("qemu-sim-2", "releases")
        booted.append((kernel, benchmark, seed))
        return {"bundle": str(kernel), "outcome": "complete", "reason": None}

    monkeypatch.setattr(side_by_side, "boot", boot)

    def store(release: Release) -> None:
        stored.append((release.version.tag, len(booted)))
        assert (release.build / "build.json").is_file()

    def measured(plan: str) -> list[Release]:
        return measure(
            settings=settings, catalogue=catalogue, tree="prebuilt",
            versions=last_releases(settings, "prebuilt", ["6.1"], 2), plan=plan,
            board_type="qemu-sim-2", store=store,
        )  # fmt: skip

    newest = build(
        settings=settings, catalogue=catalogue,
        request=Request(tree="prebuilt", ref="6.1", board_type="qemu-sim-2"),
    )  # fmt: skip
    found = measured("releases")
    # The branch means its latest build: that of the newest release, although it was there before.
    assert found[-1].build.parent == newest.folder.parent
    assert found[-1].build != newest.folder
    seeds = sum(e.seeds for e in catalogue.plan("releases").entries)
    assert stored == [("prebuilt/6.1.100-1", seeds), ("prebuilt/6.1.110-1", 2 * seeds)]
    assert [len(r.boots) for r in found] == [seeds, seeds]
    assert len(set(booted)) == 2 * seeds
    # A plan without boots there is said, before anything is booted.
    with pytest.raises(UsageError, match="--plan s1: has no boots on boards of type qemu-sim-2"):
        measured("s1")


def test_change_points_are_looked_for_on_these_branches_only(settings: config.Settings) -> None:
    versions = last_releases(settings, "prebuilt", [], 2)
    watched = watching(settings, "prebuilt", versions, "releases", "qemu-sim-2").branches
    assert [(b.branch, b.baseline) for b in watched] == [
        ("6.12", "prebuilt/6.12.9-1_bpo12+1"), ("6.1", "prebuilt/6.1.100-1"),
    ]  # fmt: skip
