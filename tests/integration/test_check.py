# SPDX-License-Identifier: GPL-2.0-only
"""`vlag check`: a tree on disk is built in the real sandbox; its boots are stand-ins."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import full_disk
from tests.integration import tiny_tree, tree_to_check
from tests.integration.tree_to_check import Tree, contents
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.report import checked


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, catalogue: Catalogue) -> Tree:
    settings = tmp_path / "vlag.toml"
    text = tiny_tree.settings(tmp_path / "elsewhere").replace('"v1"', '"v6.6.*"')
    settings.write_text(text)
    tree = tree_to_check.made(tmp_path / "work", settings, catalogue, dsn, monkeypatch)
    tiny_tree.git(tree.folder, "tag", "v6.6.9")
    return tree


def test_a_commit_that_is_slower(tree: Tree) -> None:
    tree.commit(speed="0.9\n")
    result = tree.check()
    assert result.exit_code == ExitCode.REGRESSION, result.stderr
    assert "against v6.6.9, the newest tag of the baseline's line" in result.stderr
    lines = result.stdout.splitlines()
    assert "; to name the function of a loss, about 3 min more" in result.stderr
    assert lines[0].startswith("HEAD is slower: 1 of "), result.stdout
    assert "worse, stress-ng-switch bogo-ops-rate -10.00 %" in " ".join(result.stdout.split())
    assert "confirmed by a rerun of 10 + 10 boots" in result.stdout
    assert "not caches, memory or" in result.stdout
    assert len(lines) <= checked.LINES
    assert max(map(len, lines)) <= 80
    # Five boots screen, ten of other seeds confirm.
    seeds = sorted({seed for speed, seed in tree.booted if speed == "0.9"})
    assert seeds == list(range(1, 16))


def test_an_unchanged_side_costs_nothing(tree: Tree) -> None:
    tree.commit(speed="0.9\n")
    tree.check()
    again = tree.check("--format", "json")
    assert again.exit_code == ExitCode.REGRESSION, again.stderr
    assert json.loads(again.stdout)["answer"] == "slower"
    assert again.stderr.count("is built already") == 2
    assert "0 kernels to build" in again.stderr
    tree.commit(speed="1.0\n", other="x\n")
    third = tree.check("--against", "HEAD~1", "--format", "json")
    assert json.loads(third.stdout)["answer"] == "not slower", third.stderr
    assert third.exit_code == 0
    assert third.stderr.count("is built already") == 1


def test_a_commit_that_changes_nothing_is_not_booted(tree: Tree) -> None:
    tree.commit(other="x\n")
    result = tree.check()
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("HEAD is not slower: both have the same image")
    assert tree.booted == []


def test_files_that_are_not_committed_are_a_kernel_of_their_own(tree: Tree) -> None:
    (tree.folder / "speed").write_text("0.9\n")
    same = tree.check()
    assert same.exit_code == ExitCode.USAGE
    assert "HEAD is v6.6.9 itself" in same.stderr
    assert "changes that are not committed: --work-tree judges them too" in same.stderr
    (tree.folder / "notes").write_text("mine\n")
    result = tree.check("--work-tree")
    assert result.exit_code == ExitCode.REGRESSION, result.stderr
    assert result.stdout.startswith("the work tree is slower: ")
    assert "uncommitted changes in 1 file" in " ".join(result.stdout.split())
    assert "left out, as unknown to git: notes;" in result.stderr
    assert tiny_tree.git(tree.folder, "status", "--porcelain").splitlines() == [
        " M speed",
        "?? notes",
    ]


def test_what_does_not_build_is_said_with_the_first_lines_of_the_compiler(tree: Tree) -> None:
    fault = "kernel/sched/fair.c:12:3: error: 'x' undeclared"
    failing = f'acts:\n\t@echo "$(CURDIR)/{fault}" >&2; exit 1\n'  # as Kbuild calls the compiler
    made = tiny_tree.MAKEFILE.replace("acts:\n", failing, 1)
    tree.commit(Makefile=made)
    result = tree.check()
    assert result.exit_code == ExitCode.KERNEL_FAILED
    assert result.stdout.startswith("HEAD does not build: ")
    *lines, last = result.stdout.splitlines()
    assert f"    {fault}" in lines
    log = Path(last.removeprefix("the whole log: "))
    assert f"/{fault}" in log.read_text()  # control: where vlag has checked the tree out
    assert tree.booted == []
    assert result.stderr.count("with 1 jobs") == 1  # nobody asks for the other kernel any more


def test_a_kernel_that_panics(tree: Tree) -> None:
    tree.commit(speed="panic\n")
    result = tree.check()
    assert result.exit_code == ExitCode.KERNEL_FAILED, result.stderr
    assert result.stdout.startswith("HEAD is not known: a boot of it failed")
    assert "it panics" in result.stdout
    assert [seed for speed, seed in tree.booted if speed == "panic"] == [1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "v5.0"), "has no branch, tag or commit 'v5.0'"),
        (("--ref", "none"), "has no branch, tag or commit 'none'"),
        (("--ref", "main", "--work-tree"), "leave out --ref"),
        (("--plan", "none"), "none"),
        (("--board-type", "qemu"), "name a deterministic one"),
    ],
)
def test_a_mistake_is_one_sentence(tree: Tree, words: tuple[str, ...], sentence: str) -> None:
    tree.commit(speed="0.9\n")
    result = tree.check(*words)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr.splitlines()[-1]
    assert "building" not in result.stderr


def test_a_tree_without_a_tag_of_the_line(tree: Tree) -> None:
    tiny_tree.git(tree.folder, "tag", "-d", "v6.6.9")
    tree.commit(speed="0.9\n")
    result = tree.check()
    assert result.exit_code == ExitCode.USAGE
    assert "has no tag of v6.6.*" in result.stderr.splitlines()[-1]


def packs(folder: Path) -> dict[str, int]:
    """Return when each object of a repository was last written or touched."""
    found = (folder / ".git" / "objects").rglob("*")
    return {str(path): path.stat().st_mtime_ns for path in found if path.is_file()}


def test_since_which_commit(tree: Tree) -> None:
    for number, speed in enumerate(("1.0", "1.0", "0.9", "0.9", "0.9")):
        tree.commit(speed=f"{speed}\n", other=f"{number}\n")
    culprit = tiny_tree.git(tree.folder, "rev-parse", "--short=12", "HEAD~2")
    tiny_tree.git(tree.folder, "repack", "-adq")
    before = packs(tree.folder)
    result = tree.check("--since")
    assert result.exit_code == ExitCode.REGRESSION, result.stderr
    assert f'since: {culprit} ("sched: change speed other"), 100' in result.stdout
    assert packs(tree.folder) == before
    # Control: without the question nobody searches.
    assert "since" not in tree.check().stdout


def test_each_of_the_last_commits_for_a_cover_letter(tree: Tree) -> None:
    tree.commit(other="1\n")
    tree.commit(speed="0.9\n")
    tree.commit(Makefile=tiny_tree.MAKEFILE.replace("acts:\n", "acts:\n\t@exit 1\n", 1))
    result = tree.check("--patches", "3")
    assert result.exit_code == ExitCode.KERNEL_FAILED, result.stderr
    shas = tiny_tree.git(tree.folder, "log", "--format=%h", "--abbrev=12").splitlines()
    for sha in shas:  # the last one is what the others are compared with
        assert sha in result.stdout
    table = " ".join(result.stdout.split())
    assert "did not build" in table
    assert "-10.00 % W" in table
    assert "3 kernels to build" not in result.stderr
    assert "4 kernels to build" in result.stderr
    assert "to name the function" not in result.stderr  # nothing is counted for a table
    tiny_tree.git(tree.folder, "reset", "--quiet", "--hard", "HEAD~1")
    two = tree.check("--patches", "2", "--format", "json")
    assert two.exit_code == ExitCode.REGRESSION, two.stderr
    assert len(json.loads(two.stdout)["matrices"][0]["columns"]) == 2


def test_more_patches_than_there_are(tree: Tree) -> None:
    result = tree.check("--patches", "3")
    assert result.exit_code == ExitCode.USAGE
    assert "has no branch, tag or commit" in result.stderr


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write in a folder, root included."""
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_tree_on_a_read_only_file_system(tree: Tree) -> None:
    tree.commit(speed="0.9\n")
    (tree.folder / "speed").write_text("0.8\n")
    before = contents(tree.folder)
    with read_only(tree.folder):
        assert not os.access(tree.folder, os.W_OK)
        result = tree.check("--work-tree", "--against", "HEAD")
    assert result.exit_code == ExitCode.REGRESSION, result.stderr
    assert result.stdout.startswith("the work tree is slower: ")
    assert contents(tree.folder) == before
    # Control: git's own status writes there, a new time into the index.
    os.utime(tree.folder / "options", (1, 1))
    tiny_tree.git(tree.folder, "status")
    assert contents(tree.folder)[".git/index"] != before[".git/index"]


def test_a_shallow_clone(tree: Tree, tmp_path: Path) -> None:
    tree.commit(speed="0.9\n")
    folder = tmp_path / "shallow"
    tiny_tree.git(
        tmp_path, "clone", "--quiet", "--depth", "1", f"file://{tree.folder}", folder.name
    )
    shallow = Tree(folder, tree.booted)
    for words, said in (
        ((), "it is a shallow clone: fetch the tag; name what it is compared with"),
        (("--against", "v6.6.9"), "is a shallow clone without v6.6.9: `git -C"),
    ):
        refused = shallow.check(*words)
        assert refused.exit_code == ExitCode.USAGE
        assert said in refused.stderr.splitlines()[-1]
        assert tree.booted == []
    # With the tag both commits are there, although nothing lies between them.
    tiny_tree.git(folder, "fetch", "--quiet", "--depth", "1", "origin", "tag", "v6.6.9")
    result = shallow.check()
    assert result.exit_code == ExitCode.REGRESSION, result.stderr
    assert result.stdout.startswith("HEAD is slower: 1 of ")


def test_no_space_for_what_it_builds(tree: Tree, tmp_path: Path) -> None:
    tree.commit(speed="0.9\n")
    with full_disk.mounted(tmp_path / "state", 64 << 20):
        result = tree.check()
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    said = result.stderr.splitlines()[-1]
    assert f"0.1 GB are free under {tmp_path / 'state'}, a check needs 4: make room" in said
    assert tree.booted == []
