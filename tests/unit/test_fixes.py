# SPDX-License-Identifier: GPL-2.0-only
"""Which branches have a fix: over real histories, with backports, reverts and look-alikes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import define
from click.testing import CliRunner

from tests.repositories import git
from vlag import ROOT
from vlag.cli.main import main
from vlag.errors import UsageError
from vlag.kernel import fixes
from vlag.kernel.fixes import HAS, LACKS, REVERTED, UNNEEDED, Found

SUBJECT = "sched/fair: Do not lose a wake-up"


@define
class Tree:
    """A repository in which each commit sets one file."""

    path: Path
    clock: int = 1_700_000_000

    def git(self, *words: str, given: str = "") -> str:
        self.clock += 60
        at = f"{self.clock} +0000"
        return git(self.path, *words, given=given, GIT_AUTHOR_DATE=at, GIT_COMMITTER_DATE=at)

    def commit(self, name: str, text: str, message: str) -> str:
        (self.path / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--file=-", given=message)
        return self.git("rev-parse", "HEAD")

    def find(self, branch: str, what: str) -> Found:
        mirror = self.path / ".git"
        return fixes.find(mirror, f"refs/heads/{branch}", fixes.fix(mirror, what))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """`master` has a bug and its fix; `old` branched off before the bug, `stable` after it."""
    made = Tree(tmp_path / "tree")
    made.path.mkdir()
    made.git("init", "--quiet", "--initial-branch=master")
    made.commit("a.c", "1\n", "first")
    made.git("branch", "old")
    made.commit("a.c", "bug\n", "sched/fair: Be faster")
    made.git("branch", "stable")
    return made


@pytest.fixture
def mend(tree: Tree) -> str:
    bug = tree.git("rev-parse", "HEAD")
    commit = tree.commit("a.c", "fixed\n", f'{SUBJECT}\n\nFixes: {bug[:12]} ("Be faster")\n')
    tree.commit("b.c", "1\n", "another thing")
    return commit


def test_branches_have_it_lack_it_or_do_not_need_it(tree: Tree, mend: str) -> None:
    assert tree.find("master", mend) == Found(state=HAS, commit=mend, how="the commit itself")
    assert tree.find("stable", mend).state == LACKS
    old = tree.find("old", mend)
    assert old.state == UNNEEDED
    assert old.how.startswith("it has no ")
    # A subject alone says nothing of what it mends.
    assert tree.find("old", SUBJECT).state == LACKS
    assert tree.find("master", SUBJECT).commit == mend


@pytest.mark.parametrize(
    "line",
    ["commit {0} upstream.", "[ Upstream commit {0} ]", "(cherry picked from commit {0})"],
)
def test_a_backport_that_names_it_counts_whatever_its_patch(
    tree: Tree, mend: str, line: str
) -> None:
    tree.git("checkout", "--quiet", "stable")
    made = tree.commit("a.c", "fixed otherwise\n", f"backport: {SUBJECT}\n\n{line.format(mend)}\n")
    found = Found(state=HAS, commit=made, how="a backport that names it")
    assert tree.find("stable", mend) == found


def test_a_mention_is_no_backport(tree: Tree, mend: str) -> None:
    """Negative control."""
    tree.git("checkout", "--quiet", "stable")
    tree.commit("c.c", "1\n", f"sched: Prepare\n\nMakes room for commit {mend} of master.\n")
    tree.commit("c.c", "2\n", f"{SUBJECT} on Mondays\n")
    assert tree.find("stable", mend).state == LACKS


def test_a_commit_with_its_subject_is_told_by_its_patch(tree: Tree, mend: str) -> None:
    tree.git("checkout", "--quiet", "stable")
    tree.git("cherry-pick", mend)
    assert tree.find("stable", mend).how == "the same patch"
    tree.git("reset", "--quiet", "--hard", "HEAD^")
    tree.commit("a.c", "something else\n", SUBJECT)
    assert tree.find("stable", mend).how == "a commit with its subject, another patch"


def test_a_revert_is_said_and_its_revert_too(tree: Tree, mend: str) -> None:
    revert = tree.commit("a.c", "bug\n", f'Revert "{SUBJECT}"\n\nThis reverts commit {mend}.\n')
    found = tree.find("master", mend)
    assert (found.state, found.commit) == (REVERTED, revert)
    tree.commit("a.c", "fixed\n", f"Reapply it\n\nThis reverts commit {revert}.\n")
    assert tree.find("master", mend).state == HAS


def test_a_commit_that_nobody_knows_is_refused(tree: Tree) -> None:
    with pytest.raises(UsageError, match="no commit 1234567890ab in"):
        fixes.fix(tree.path / ".git", "1234567890ab")


def test_all_watched_branches_are_listed(tree: Tree, mend: str, tmp_path: Path) -> None:
    shipped = (ROOT / "vlag.toml").read_text()
    branch = '[[branches]]\ntree = "{0}"\nbranch = "{1}"\nbaseline = "v1"\nboard_types = []\n'
    branch += 'plan = "nightly"\ncommit_plan = "commit"\n\n'
    watched = [("mine", "*"), ("mine", "gone"), ("debian", "linux-6.12")]
    start, end = shipped.index("[[branches]]"), shipped.index("[checks]")
    text = f'{shipped[:start]}[trees.mine]\nurl = "/nowhere"\n\n'
    text += "".join(branch.format(*of) for of in watched) + shipped[end:]
    settings = tmp_path / "vlag.toml"
    settings.write_text(text.replace("board_types = []", 'board_types = ["deterministic"]'))
    (tmp_path / "var" / "mirrors").mkdir(parents=True)
    (tmp_path / "var" / "mirrors" / "mine.git").symlink_to(tree.path / ".git")
    env = {"VLAG_SETTINGS": str(settings)}
    said = CliRunner().invoke(main, ["fixes", mend[:12], "--format", "json"], env=env)
    assert said.exit_code == 0, said.output
    document = json.loads(said.stdout)
    assert {b["branch"]: b["state"] for b in document["branches"]} == {
        "mine/master": HAS, "mine/old": UNNEEDED, "mine/stable": LACKS,
        "mine/gone": "not known", "debian/linux-6.12": "not known",
    }  # fmt: skip
    text = CliRunner().invoke(main, ["fixes", mend[:12]], env=env).stdout
    assert text.startswith(f'{mend[:12]} ("{SUBJECT}")\nFixes: ')
    assert max(map(len, text.splitlines())) <= 80
    wrong = CliRunner().invoke(main, ["fixes", "f" * 12], env=env)
    assert (wrong.exit_code, "Traceback" in wrong.output) == (2, False)
