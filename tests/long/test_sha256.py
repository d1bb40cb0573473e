# SPDX-License-Identifier: GPL-2.0-only
"""A kernel of a repository with SHA-256 ids, from its commits to the verdict and the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from tests.long.loop_history import SLOW, History
from tests.long.loop_installation import built, installed, vlag
from vlag.kernel.git import git

pytestmark = pytest.mark.long

SWITCH = ("--board", "sim2-1", "--benchmark", "stress-ng-switch")


@pytest.fixture
def tree(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A repository whose second commit makes a switch longer, and the settings that name it."""
    return installed(tmp_path, dsn, monkeypatch, "sha256")


def booted(commit: str) -> Iterator[str]:
    """Build a commit, boot it, store both; yield the ids of its record."""
    build = built(commit)
    document = json.loads((Path(build["bundle"]) / "build.json").read_text())
    yield document["kernel"]["commit"]
    for seed in range(1, 6):
        run = vlag("run", build["bundle"], *SWITCH, "--seed", seed, "--timeout", 30)
        stored = vlag("ingest", run["bundle"])
        assert stored
    yield build["kernel"]


def test_its_commits_go_the_whole_road(tree: History, dsn: str, tmp_path: Path) -> None:
    base = tree.tree.git("rev-parse", "HEAD")
    new = tree.edit("sched: switch for longer", SLOW)
    assert len(base) == len(new) == 64
    sides = [list(booted(commit)) for commit in (base, new)]
    assert [commit for commit, _ in sides] == [base, new]
    mirror = tmp_path / "state" / "mirrors" / "loop.git"
    assert git(mirror, "rev-parse", "--show-object-format").strip() == "sha256"
    found = vlag("compare", *(kernel for _, kernel in sides), "--board-type", "qemu-sim-2")
    assert found["regressions"] == 1
    site = visitor(application(dsn, tmp_path / "state", mirrors={"loop": mirror}))
    page = text(read(site, f"/commit?tree=loop&commit={new}"))
    assert f"sched: switch for longer Commit {new} of loop" in page
    assert "No comparison of a kernel of this commit is on record." not in page
    # Negative control: nothing of the other commit was compared as the new one.
    other = text(read(site, f"/commit?tree=loop&commit={base}"))
    assert "No comparison of a kernel of this commit is on record." in other
