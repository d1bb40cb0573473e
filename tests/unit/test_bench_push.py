# SPDX-License-Identifier: GPL-2.0-only
"""Where the seconds of a push went, from times that are given."""

import subprocess
from pathlib import Path

import pytest

from bench.push import (
    COMPARED,
    NOTHING,
    ORDER,
    WAITED,
    Part,
    alone,
    commit_of,
    main,
    repository,
    table,
)
from tests import settings_files
from tests.repositories import bare
from vlag import config

BENCHMARK, COMPILED = "boot: the benchmark", "build: configured, compiled, linked, read"


def part(what: str, began: float, ended: float) -> Part:
    return Part(what=what, began=began, ended=ended)


def test_each_instant_counts_once() -> None:
    """Side by side: a boot hides the wait of another, and a build the wait for a board."""
    parts = [
        part(COMPILED, 2, 10), part(BENCHMARK, 10, 20), part(BENCHMARK, 12, 24),
        part(WAITED, 8, 22), part(COMPARED, 25, 27),
    ]  # fmt: skip
    seconds = alone(parts, 0, 30)
    assert sum(seconds.values()) == 30
    wanted = {COMPILED: 8, BENCHMARK: 14, COMPARED: 2, WAITED: 0, NOTHING: 2 + 1 + 3}
    assert {what: seconds[what] for what in wanted} == wanted
    # What was over before it was asked for is not of its seconds.
    assert alone([part(COMPILED, 0, 10)], 4, 12)[COMPILED] == 6


def test_the_table_has_a_row_for_each_step_that_was_there() -> None:
    rows = table([part(BENCHMARK, 0, 10), part(BENCHMARK, 5, 12)], 0, 14)
    assert [row.split()[-3:] for row in rows[1:]] == [
        ["2", "12.0", "17.0"],
        ["0", "2.0", "2.0"],
        ["in", "seconds", "14.0"],
    ]
    assert not any(COMPARED in row for row in rows)
    assert len(set(ORDER)) == len(ORDER)


def test_a_patch_is_committed_on_a_branch_without_a_work_tree(tmp_path: Path) -> None:
    work, bare = tmp_path / "work", tmp_path / "tree.git"

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=True)
        return done.stdout

    git("init", "--quiet", "--initial-branch=main", str(work))
    (work / "file").write_text("one\n")
    git("-C", str(work), "add", "file")
    who = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    git("-C", str(work), *who, "commit", "--quiet", "--message=first")
    git("clone", "--quiet", "--bare", str(work), str(bare))
    (work / "file").write_text("two\n")
    patch = tmp_path / "two.patch"
    patch.write_text(git("-C", str(work), "diff"))
    made = commit_of(bare, "main", patch)
    assert git("-C", str(bare), "rev-parse", "main").strip() == made
    assert git("-C", str(bare), "show", "main:file") == "two\n"
    assert git("-C", str(bare), "rev-parse", "main^") == git("-C", str(work), "rev-parse", "HEAD")
    with pytest.raises(SystemExit, match="git apply: error: "):  # it is there already
        commit_of(bare, "main", patch)
    assert git("-C", str(bare), "rev-parse", "main").strip() == made


def test_a_name_that_is_neither_gets_a_sentence() -> None:
    with pytest.raises(SystemExit, match="no such file, and no commit's whole id"):
        main(["no-such.patch"])
    with pytest.raises(SystemExit, match="name a patch to push, or a commit"):
        main([])


def test_a_patch_goes_to_the_repository_that_is_asked(tmp_path: Path) -> None:
    """Not to a mirror of it, in which nobody looks for commits."""
    place = bare(tmp_path / "tree.git")
    path = tmp_path / "vlag.toml"
    path.write_text(settings_files.settings(trees=f'[trees.debian]\nurl = "{place}"'))
    assert repository(config.load(path), "debian") == place
    path.write_text(settings_files.settings(trees='[trees.debian]\nurl = "https://example.org/l"'))
    with pytest.raises(SystemExit, match="push there yourself, and name the commit"):
        repository(config.load(path), "debian")
