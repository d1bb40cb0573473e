# SPDX-License-Identifier: GPL-2.0-only
"""Settings of several files: what adds up, whose paths and faults are whose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from vlag import ROOT, config
from vlag.config import Settings, catalogue
from vlag.errors import UsageError

TREES = sorted((ROOT / "workers" / "trees").glob("*.toml"))
MAIN = """state = "var"
ports = {postgresql = 1, web = 2, worker = 3}
nightly = {hour = 1, minute = 30}
build = {jobs = 0, poll_interval_s = 30}
[trees.own]
url = "/own.git"
[[branches]]
tree = "own"
branch = "main"
baseline = "v1"
board_types = ["qemu-sim-2"]
plan = "nightly"
"""
MORE = MAIN[MAIN.index("[trees") :].replace("own", "more")


def load(folder: Path, files: Mapping[str, str], main: str = MAIN) -> Settings:
    """Load settings that include these files, by their paths below the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    path = folder / "vlag.toml"
    path.write_text(f"include = {list(files)}\n{main}")
    return config.load(path)


def refused(folder: Path, files: Mapping[str, str], main: str = MAIN) -> str:
    with pytest.raises(UsageError) as caught:
        load(folder, files, main)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def shipped(folder: Path, *parts: Path) -> Settings:
    text = (ROOT / "vlag.toml").read_text()
    path = folder / "vlag.toml"
    path.write_text(f"include = {[str(part) for part in parts]}\n{text}")
    return config.load(path)


@pytest.mark.parametrize("tree", TREES, ids=lambda p: p.stem)
def test_a_ready_file_is_watched_beside_the_shipped_settings(tree: Path, tmp_path: Path) -> None:
    alone, both = config.load(ROOT / "vlag.toml"), shipped(tmp_path, tree)
    (added,) = set(both.trees) - set(alone.trees)
    assert both.trees[added].public
    assert both.branches[: len(alone.branches)] == alone.branches
    assert {b.tree for b in both.branches[len(alone.branches) :]} == {added}
    assert {b.board_types for b in both.branches[len(alone.branches) :]} == {("deterministic",)}
    catalogue.of(both)


def test_all_ready_files_go_together_and_docs_name_each(tmp_path: Path) -> None:
    both = shipped(tmp_path, *TREES)
    catalogue.of(both)
    watched = {(b.tree, b.branch) for b in both.branches}
    assert watched >= {
        ("mainline", "master"), ("stable", "linux-6.6.y"), ("stable", "linux-6.12.y"),
        ("stable", "linux-6.18.y"), ("tip", "sched/core"), ("raspberrypi", "rpi-6.12.y"),
    }  # fmt: skip
    page = (ROOT / "docs" / "trees.md").read_text()
    assert [p.name for p in TREES if f"workers/trees/{p.name}" not in page] == []


def test_trees_and_branches_add_up_and_other_keys_come_from_either_file(tmp_path: Path) -> None:
    mail = '[mail]\nsmtp = "m:25"\nfrom = "a@b"\n[mail.owners]\n"more/main" = ["c@d"]\n'
    found = load(tmp_path, {"sub/more.toml": MORE, "mail.toml": mail})
    assert list(found.trees) == ["own", "more"]
    assert [b.tree for b in found.branches] == ["own", "more"]
    assert found.mail is not None
    assert found.state == tmp_path / "var"


def test_paths_are_relative_to_the_file_that_has_them(tmp_path: Path) -> None:
    people = '[people]\npassword_file = "who"\ntriage = []\n'
    found = load(tmp_path, {"sub/people.toml": people})
    assert found.people is not None
    assert found.people.password_file == tmp_path / "sub" / "who"
    here = config.load(tmp_path / "vlag.toml")
    (tmp_path / "vlag.toml").write_text(MAIN + people)
    alone = config.load(tmp_path / "vlag.toml").people
    assert alone is not None
    assert here.people is not None
    assert alone.password_file == tmp_path / "who" != here.people.password_file


@pytest.mark.parametrize(
    ("included", "key"),
    [
        ("build = {jobs = 1, poll_interval_s = 1}\n", "build"),
        (MAIN[MAIN.index("[trees") :], "trees.own"),
    ],
)
def test_a_key_of_two_files_is_refused_with_both(tmp_path: Path, included: str, key: str) -> None:
    said = refused(tmp_path, {"a.toml": included})
    here, both = tmp_path / "a.toml", tmp_path / "vlag.toml"
    assert said == f"{here}: {key}: {both} has it too; keep it in one of the two files"
    said = refused(tmp_path, {"b.toml": MORE, "c.toml": MORE})
    assert f"{tmp_path / 'c.toml'}: trees.more: {tmp_path / 'b.toml'} has it too" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('plan = "nightly"', 'plan = ""', "more.toml: branches.0.plan: "),
        ('plan = "nightly"', "", "more.toml: branches.0: 'plan' is a required"),
        ("[trees.more]", "[trees.m]", "more.toml: branches.0.tree: no tree 'more'; there are: own"),
        ('"v1"', '"merge-base:main"', "more.toml: branches.0.baseline: main does not leave"),
        ('"/more.git"', '"https://a:b/"', "more.toml: trees.more.url: 'https://a:b/' is no add"),
        ("[trees.more]", "[trees.more", "more.toml:1: not valid TOML"),
        ("[trees.more]", 'include = ["x.toml"]\n[trees.more]', "more.toml: include: "),
    ],
)
def test_a_fault_names_the_file_that_has_it(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in MORE
    load(tmp_path, {"more.toml": MORE})
    found = refused(tmp_path, {"more.toml": MORE.replace(old, new, 1)})
    assert found.startswith(str(tmp_path / said.split(":", maxsplit=1)[0]))
    assert said.partition("more.toml")[2].partition(":1:")[2] in found
    assert f"{tmp_path / 'vlag.toml'}: branches" not in found


def test_faults_in_the_catalogue_name_the_file_too(tmp_path: Path) -> None:
    wrong = MORE.replace("qemu-sim-2", "qemu-sim-99")
    with pytest.raises(UsageError, match=r"more\.toml: branches\.0\.board_types: "):
        catalogue.of(load(tmp_path, {"more.toml": wrong}))


def test_a_part_may_lack_what_the_whole_must_have(tmp_path: Path) -> None:
    ports = "ports = {postgresql = 1, web = 2, worker = 3}\n"
    assert load(tmp_path, {"p.toml": ports}, MAIN.replace(ports, "")).web_port == 2
    said = refused(tmp_path, {"p.toml": 'listen = "::1"\n'}, MAIN.replace(ports, ""))
    assert said == f"{tmp_path / 'vlag.toml'}: the document: 'ports' is a required property"


def test_a_missing_or_repeated_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "vlag.toml").write_text(f'include = ["gone.toml"]\n{MAIN}')
    with pytest.raises(UsageError, match=r"gone\.toml: cannot be read .*include\.0 of "):
        config.load(tmp_path / "vlag.toml")
    (tmp_path / "vlag.toml").write_text(f'include = ["./vlag.toml"]\n{MAIN}')
    with pytest.raises(UsageError, match=r"include\.0: \./vlag\.toml is there already"):
        config.load(tmp_path / "vlag.toml")
