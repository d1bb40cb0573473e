# SPDX-License-Identifier: GPL-2.0-only
"""A baseline in another tree than the branch: planned, built and named from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.integration import tiny_tree
from tests.repositories import bare, git
from vlag import config
from vlag.cli.main import main
from vlag.config import Settings, catalogue
from vlag.errors import ExitCode, UsageError
from vlag.pipeline.night_plan import Asked, plan_night

KEY = 'baseline = "v1"\n'


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A branch without a tag, and `upstream`, another repository, with its baseline `v1`."""
    path = tiny_tree.write(tmp_path)
    upstream = tmp_path / "upstream.git"
    stream = (
        "commit refs/heads/main\ncommitter x <x@localhost> 2 +0000\ndata 1\ny\n"
        "M 100644 inline text\ndata 4\ntwo\n\nreset refs/tags/v1\nfrom refs/heads/main\n\n"
    )
    bare(upstream, stream)
    text = path.read_text().replace(KEY, f'{KEY}baseline_tree = "upstream"\n')
    path.write_text(f'{text}[trees.upstream]\nurl = "{upstream}"\n')
    monkeypatch.setenv("VLAG_SETTINGS", str(path))
    return config.load()


def built(kernel: Asked) -> tuple[int, str, str]:
    """Return the exit code, the commit and the tree of a build."""
    words = ["build", "--tree", kernel.tree, "--ref", kernel.ref, "--format", "json"]
    done = CliRunner().invoke(main, [*words, "--board-type", "qemu-sim-2"])
    if done.exit_code == ExitCode.USAGE:
        return done.exit_code, done.stderr, kernel.tree
    bundle = Path(json.loads(done.stdout)["bundle"])
    found = json.loads((bundle / "build.json").read_text())["kernel"]
    return done.exit_code, found["commit"], found["tree"]


def test_the_night_takes_the_baseline_from_its_own_tree(settings: Settings) -> None:
    [pair] = plan_night(settings, catalogue.of(settings), {}).pairs
    assert (pair.base.tree, pair.base.ref, pair.new.tree) == ("upstream", "v1", "tiny")
    assert pair.base.label == "baseline v1 of tree upstream"
    there = git(Path(str(settings.trees["upstream"].url)), "rev-parse", "v1")
    # These trees have no Makefile: that they are built is what counts.
    assert built(pair.base) == (ExitCode.KERNEL_FAILED, there, "upstream")


def test_without_the_key_it_is_a_tag_of_the_branch_s_tree(settings: Settings) -> None:
    settings.path.write_text(settings.path.read_text().replace('baseline_tree = "upstream"\n', ""))
    own = config.load()
    [pair] = plan_night(own, catalogue.of(own), {}).pairs
    assert (pair.base.tree, pair.base.label) == ("tiny", "baseline v1")
    code, said, _tree = built(pair.base)
    assert code == ExitCode.USAGE
    assert "no branch, tag or commit 'v1' in" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"upstream"', '"upstraem"', "no tree 'upstraem'; there are: tiny, upstream"),
        (KEY, 'baseline = "merge-base:main"\n', "a merge base needs one history, and upstream"),
        ("url = \"{}\"", '[trees.upstream.images]\n"6" = "linux-image-6-amd64"\n', "prebuilt"),
    ],
)  # fmt: skip
def test_a_tree_that_cannot_have_the_baseline_is_refused(
    settings: Settings, old: str, new: str, said: str
) -> None:
    text = settings.path.read_text()
    if "{}" in old:
        old = f'[trees.upstream]\nurl = "{settings.trees["upstream"].url}"\n'
    assert old in text
    settings.path.write_text(text.replace(old, new))
    with pytest.raises(UsageError, match=r"branches\.0\.baseline_tree: ") as caught:
        config.load()
    assert said in str(caught.value)
