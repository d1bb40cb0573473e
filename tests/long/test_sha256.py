# SPDX-License-Identifier: GPL-2.0-only
"""A kernel of a repository with SHA-256 ids, from its commits to the verdict and the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests import sandboxes, settings_files
from tests.integration import tiny_boots
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from tests.long.loop_history import SLOW, History
from vlag.cli.main import main
from vlag.config import catalogue
from vlag.kernel.git import git

pytestmark = pytest.mark.long

SWITCH = ("--board", "sim2-1", "--benchmark", "stress-ng-switch")


@pytest.fixture
def tree(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A repository whose second commit makes a switch longer, and the settings that name it."""
    for above in (tmp_path, *tmp_path.parents):  # the build's user goes through them
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o001)
    made = History.of(tmp_path / "loop", tiny_boots.options(catalogue.load()), "sha256")
    text = settings_files.settings(
        state=tmp_path / "state", trees=f'[trees.loop]\nurl = "{made.folder}"', tree="loop",
        branch="main", baseline="v1", keys="paths = []",
    )  # fmt: skip
    settings = tmp_path / "vlag.toml"
    settings.write_text(f'{text}[sandbox]\nuser = "{sandboxes.user()}"\n')
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return made


def vlag(*words: object) -> dict[str, Any]:
    """Run `vlag`; return the document that it prints last."""
    done = CliRunner().invoke(main, [*map(str, words), "--format", "json"])
    assert done.exit_code == 0, done.output[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def booted(commit: str) -> Iterator[str]:
    """Build a commit, boot it, store both; yield the ids of its record."""
    build = vlag("build", "--tree", "loop", "--ref", commit, "--board-type", "qemu-sim-2")
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
