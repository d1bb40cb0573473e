# SPDX-License-Identifier: GPL-2.0-only
"""Merge bases: what a branch itself changed, before and after a rebase."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.integration import bundles, tiny_tree
from tests.integration.alerting import SAME, SLOW, Record
from tests.repositories import WorkTree, git
from vlag import config
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.kernel import mirror
from vlag.pipeline.night_plan import Night, plan_night
from vlag.store.database import Connection


class Tree(WorkTree):
    """A repository in which a topic is rebased, and the mirror that a service has of it."""

    def __init__(self, folder: Path, url: Path, mirror: Path):
        git(folder.parent, "clone", "--quiet", str(url), str(folder))
        super().__init__(folder)
        self.url, self.mirror = url, mirror

    def add(self, name: str) -> str:
        """Commit a file of that name; a rebase moves it without a conflict."""
        return self.commit(name, **{name: name})

    def publish(self) -> None:
        """Push everything, and bring the mirror up to date as a build does."""
        self.git("push", "--quiet", "--force", "--all", str(self.url))
        mirror.clone(self.mirror, str(self.url))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """`main` with four commits; `topic` left it after the second and has one of its own."""
    settings = tiny_tree.write(tmp_path, "v1")
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    made = Tree(tmp_path / "work", tmp_path / "tiny.git", config.load().mirror("tiny"))
    made.mirror.parent.mkdir(parents=True)
    made.git("checkout", "--quiet", "-B", "main", "v1")
    made.add("two")
    made.git("checkout", "--quiet", "-b", "topic")
    made.add("own")
    made.git("checkout", "--quiet", "main")
    made.add("three")
    made.add("four")
    made.publish()
    return made


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path / "bundles")


@pytest.fixture
def compare(tree: Tree, dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    words = ("compare", "main", "topic", "--format", "json")
    return lambda *more: CliRunner().invoke(main, [*words, *more])


def kernel(tree: Tree, ref: str, branch: str, **changes: Any) -> dict[str, Any]:
    sha = tree.git("rev-parse", ref)
    given = {"tree": "tiny", "commit": sha, "describe": f"v1-{sha[:12]}", "branch": branch}
    return bundles.kernel("6.12", **given, **changes)


def changed(done: Result) -> tuple[list[str], list[str]]:
    """Return the benchmarks that are worse, and those that are better."""
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    return answer["regressed"], answer["improved"]


def test_upstream_s_own_changes_do_not_count(
    tree: Tree, record: Record, compare: Callable[..., Result]
) -> None:
    record.fill(kernel(tree, "main", "main"), SLOW * 2)  # upstream became slow since
    record.fill(kernel(tree, "main~2", "main~2"), SAME * 2)
    record.fill(kernel(tree, "topic", "topic"), SAME * 2)
    done = compare("--merge-base")
    sha = tree.git("merge-base", "main", "topic")
    assert f"the merge base of main and topic is {sha[:12]} (" in done.stderr
    assert changed(done) == ([], [])
    # Negative control: the heads mix upstream's loss into it.
    assert changed(compare()) == ([], ["stress-ng-switch"])


def test_after_a_rebase_the_base_follows(
    tree: Tree, record: Record, compare: Callable[..., Result], conn: Connection
) -> None:
    record.fill(kernel(tree, "main", "main"), SLOW * 2)
    record.fill(kernel(tree, "main~2", "main~2"), SAME * 2)
    record.fill(kernel(tree, "topic", "topic"), SAME * 2)
    old = json.loads(compare("--merge-base").stdout)["comparison"]
    tree.git("rebase", "--quiet", "main", "topic")
    tree.publish()
    record.fill(kernel(tree, "topic", "topic"), SLOW * 2, finished_at="2026-03-09T10:00:00Z")
    new = json.loads(compare("--merge-base").stdout)["comparison"]
    found = conn.execute(
        "SELECT k.commit FROM comparison c JOIN kernel k ON k.id = c.base_kernel"
        " WHERE c.id IN (%s, %s) ORDER BY c.id",
        (old, new),
    ).fetchall()
    assert [row[0] for row in found] == [tree.git("rev-parse", r) for r in ("main~2", "main")]


def test_a_base_that_was_never_built_is_one_sentence(
    tree: Tree, record: Record, compare: Callable[..., Result]
) -> None:
    record.fill(kernel(tree, "topic", "topic"), SAME)
    base = tree.git("rev-parse", "main~2")

    def said() -> str:
        done = compare("--merge-base")
        assert done.exit_code == ExitCode.USAGE
        [line] = done.stderr.splitlines()
        assert f"`vlag build --tree tiny --ref {base} --board-type qemu-sim-2`" in line
        assert f"the merge base of main and topic is {base[:12]}" in line
        return line

    assert said().endswith("or use another base: no ancestor of it is on record")
    # What is newer is no ancestor, and another config is another kernel.
    record.fill(kernel(tree, "main", "main"), SAME)
    record.fill(kernel(tree, "main~2", "main~2", kconfig="0" * 64), SAME)
    assert said().endswith("no ancestor of it is on record")
    first = kernel(tree, "v1", "v1")
    record.fill(first, SAME)
    near = f"its nearest ancestor on record, {first['commit'][:12]} ({first['describe']})"
    assert said().endswith(f"{near}, 1 commit before it")


def test_mistakes_are_one_sentence(
    tree: Tree, record: Record, compare: Callable[..., Result], dsn: str
) -> None:
    record.fill(kernel(tree, "topic", "topic"), SAME)
    record.fill(kernel(tree, "main~1", "older"), SAME)
    record.fill(bundles.kernel("6.6"), SAME)

    def refused(base: str, new: str) -> str:
        done = CliRunner().invoke(main, ["compare", base, new, "--merge-base"])
        assert done.exit_code == ExitCode.USAGE, done.output
        [line] = done.stderr.splitlines()
        return line

    assert "main contains it, and there is nothing to compare" in refused("main", "older")
    assert "linux-6.6 is of tree debian and the new kernel of tiny" in refused("linux-6.6", "topic")
    assert "no kernel 'nothing' is on record" in refused("nothing", "topic")
    assert "tree debian has no mirror at" in refused("main", "linux-6.6")
    file = tree.folder / "two"
    assert "--merge-base is for kernels on record" in refused(str(file), str(file))


# A merge base as a ref, and as the baseline of a branch.


def test_a_ref_may_be_a_merge_base(tree: Tree) -> None:
    found = mirror.resolve(tree.mirror, "main...topic")
    assert found.sha == tree.git("rev-parse", "main~2")
    assert not found.is_branch
    # Negative control: without the dots it is upstream's head.
    assert mirror.resolve(tree.mirror, "main").sha == tree.git("rev-parse", "main")
    tree.git("checkout", "--quiet", "--orphan", "alone")
    tree.add("alone")
    tree.publish()
    with pytest.raises(UsageError, match="main and alone have no commit in common in "):
        mirror.resolve(tree.mirror, "main...alone")
    for wrong, missing in (("main...nothing", "nothing"), ("...topic", ""), ("main...", "")):
        with pytest.raises(UsageError, match=f"no branch, tag or commit '{missing}' in "):
            mirror.resolve(tree.mirror, wrong)


def test_a_build_of_a_merge_base_has_the_commit_s_name(tree: Tree) -> None:
    words = ["build", "--tree", "tiny", "--ref", "main...topic", "--board-type", "qemu-sim-2"]
    done = CliRunner().invoke(main, [*words, "--format", "json"])
    assert done.exit_code == ExitCode.KERNEL_FAILED, done.output  # the tree has no Makefile
    answer = json.loads(done.stdout)
    built = json.loads((Path(answer["bundle"]) / "build.json").read_text())["kernel"]
    assert built["commit"] == tree.git("rev-parse", "main~2")
    # The name would mean another commit after a rebase.
    assert built["branch"] == built["describe"]


def watched(tree: Tree, baseline: str, branch: str = "topic") -> Night:
    path = Path(os.environ["VLAG_SETTINGS"])
    text = tiny_tree.settings(tree.url).replace('"v1"', f'"{baseline}"')
    path.write_text(text.replace('branch = "main"', f'branch = "{branch}"'))
    settings = config.load()
    return plan_night(settings, catalogues.of(settings), {"tiny": ["main", "topic", "topic-2"]})


def test_the_baseline_of_a_branch_follows_a_rebase(tree: Tree) -> None:
    [pair] = watched(tree, "merge-base:main").pairs
    assert (pair.base.ref, pair.base.branch, pair.new.ref) == ("main...topic", None, "topic")
    assert pair.base.label == "baseline main...topic"
    before = mirror.resolve(tree.mirror, pair.base.ref).sha
    tree.git("rebase", "--quiet", "main", "topic")
    tree.publish()
    after = mirror.resolve(tree.mirror, pair.base.ref).sha
    assert [before, after] == [tree.git("rev-parse", r) for r in ("main~2", "main")]
    # Negative control: a branch as the baseline is its head.
    [pair] = watched(tree, "main").pairs
    assert pair.base.ref == "main"


def test_each_branch_of_a_pattern_has_its_own(tree: Tree) -> None:
    night = watched(tree, "merge-base:main", "*")
    assert [(p.base.ref, p.new.ref) for p in night.pairs] == [
        ("main...topic", "topic"),
        ("main...topic-2", "topic-2"),
    ]
    # `main` is built and compared with nothing: it does not leave itself.
    assert [k.ref for k in night.kernels if k.branch] == ["main", "topic", "topic-2"]


@pytest.mark.parametrize("baseline", ["merge-base:", "merge-base:v6.*", "merge-base:a..b"])
def test_a_baseline_that_is_no_branch_is_refused(tree: Tree, baseline: str) -> None:
    with pytest.raises(UsageError, match=r"branches\.0\.baseline: .*: write merge-base:UPSTREAM"):
        watched(tree, baseline)


def test_a_branch_does_not_leave_itself(tree: Tree) -> None:
    with pytest.raises(UsageError, match=r"branches\.0\.baseline: topic does not leave itself"):
        watched(tree, "merge-base:topic")


def test_board_checks_need_a_kernel_that_stays(tree: Tree) -> None:
    watched(tree, "merge-base:main")
    path = Path(os.environ["VLAG_SETTINGS"])
    path.write_text(f"{path.read_text()}[checks]\nhours = [5]\n")
    with pytest.raises(UsageError, match=r"checks\.hours: .*give one branch a tag"):
        config.load()
    path.write_text(path.read_text().replace("merge-base:main", "v1"))
    assert config.load().check_hours == (5,)
