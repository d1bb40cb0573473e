# SPDX-License-Identifier: GPL-2.0-only
"""Every kind of repository that people have, under everything that vlag asks of one."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from attrs import frozen

from tests.repositories import bare, git
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import (
    branch_sight,
    commit_diff,
    fixes,
    mirror,
    patch_check,
    search,
    series,
    tree_on_disk,
    tuxmake_build,
    upstream,
)
from vlag.kernel.git import git as in_mirror
from vlag.model import COMMIT_ID, is_commit_id

pytestmark = pytest.mark.slow

FILES = {"Makefile": "all:\n", "Kbuild": "\n", "Kconfig": "\n"}
MAILMAP = "Ada Proper <ada@example.org> <x@localhost>\n"
#: Commits of which the first one is the last that is good; so far back does a shallow clone go.
LATER = 5


@frozen(kw_only=True)
class Repository:
    """A mirror of vlag's, and whose it is."""

    mirror: Path
    source: Path  # the work tree in which somebody commits
    commits: tuple[str, ...]  # oldest first; a shallow clone has all but the first


def history(folder: Path, kind: str) -> tuple[str, ...]:
    """Make a work tree with ids of `kind`; return its commits, each of which sets a line."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", f"--object-format={kind}")
    contents = [
        ("first", FILES),
        ("second", {".mailmap": MAILMAP}),
        *((f"number {n}", {}) for n in range(1, LATER)),
    ]
    stream = ""
    for number, (subject, files) in enumerate(contents):
        stream += f"commit refs/heads/main\ncommitter x <x@localhost> {number + 1} +0000\n"
        stream += f"data {len(subject)}\n{subject}\n"
        for name, text in {**files, "a.c": f"int n{number - 1};\n"}.items():
            stream += f"M 100644 inline {name}\ndata {len(text)}\n{text}\n"
        if number < 2:
            stream += f"reset refs/tags/v6.6{'.1' * number}\nfrom refs/heads/main\n\n"
    git(folder, "fast-import", "--quiet", given=stream)
    git(folder, "reset", "--quiet", "--hard")
    return tuple(git(folder, "rev-list", "--reverse", "main").split())


def cloned(folder: Path, source: Path, *options: str) -> Path:
    git(source, "config", "uploadpack.allowFilter", "true")
    git(source, "clone", "--quiet", *options, f"file://{source}", str(folder))
    return folder


def watched(tmp_path: Path, source: Path, url: Path) -> Path:
    """Return the mirror of a remote that the settings name by its path."""
    made = tmp_path / "mirrors" / "tree.git"
    mirror.clone(made, str(url), ["main"])
    return made


def on_disk(tmp_path: Path, folder: Path) -> Path:
    """Return the mirror of a person's tree, as `vlag check` makes it."""
    made = tmp_path / "mirrors" / "disk.git"
    tree = tree_on_disk.find(folder)
    tree_on_disk.link(tree, made)
    in_mirror(made, "update-ref", "refs/heads/main", tree.commit("HEAD"))
    return made


def _bare(tmp_path: Path, source: Path) -> Path:
    return watched(tmp_path, source, cloned(tmp_path / "bare.git", source, "--bare"))


def _second_work_tree(tmp_path: Path, source: Path) -> Path:
    git(source, "worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    assert (tmp_path / "second" / ".git").is_file()
    return tmp_path / "second"


PARTIAL = ("--filter=blob:none", "--no-checkout")
#: Name -> kind of ids, and how a mirror of a work tree comes to be.
KINDS: dict[str, tuple[str, Callable[[Path, Path], Path]]] = {
    "SHA-1": ("sha1", _bare),
    "SHA-256": ("sha256", _bare),
    "a work tree's path": ("sha1", lambda at, source: watched(at, source, source)),
    "a second work tree's path": (
        "sha1", lambda at, source: watched(at, source, _second_work_tree(at, source)),
    ),
    "a tree on disk": ("sha1", on_disk),
    "a SHA-256 tree on disk": ("sha256", on_disk),
    "a second work tree": ("sha256", lambda at, source: on_disk(at, _second_work_tree(at, source))),
    "a shallow clone": (
        "sha256", lambda at, source: on_disk(at, cloned(at / "cut", source, f"--depth={LATER}")),
    ),
    "a partial clone with all files": (
        "sha256", lambda at, source: on_disk(at, _filled(cloned(at / "part", source, *PARTIAL))),
    ),
}  # fmt: skip


def _filled(folder: Path) -> Path:
    """Do what the refusal of a partial clone says."""
    git(folder, "fetch", "--quiet", "--refetch", "--no-filter")
    return folder


@pytest.fixture(params=KINDS)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    kind, make = KINDS[request.param]
    source = tmp_path / "linux"
    commits = history(source, kind)
    assert {len(c) for c in commits} == {64 if kind == "sha256" else 40}
    return Repository(mirror=make(tmp_path, source), source=source, commits=commits)


def test_commits_are_named(repository: Repository) -> None:
    head = repository.commits[-1]
    for ref in ("main", "v6.6.1", head, head[:12], "v6.6.*", "main...v6.6.1"):
        found = mirror.resolve(repository.mirror, ref)
        assert found.sha == (head if ref in ("main", head, head[:12]) else repository.commits[1])
        assert is_commit_id(found.sha)
    assert mirror.resolve(repository.mirror, "main").describe == f"v6.6.1-{LATER - 1}-g{head[:12]}"
    assert mirror.distance(repository.mirror, repository.commits[1], head) == LATER - 1


def test_a_commit_is_shown_with_its_author_by_the_mailmap(repository: Repository) -> None:
    # The tree of this commit has no .mailmap that names its author: that of HEAD counts.
    said = commit_diff.text_of(repository.mirror, repository.commits[-1])
    assert (said.sha, said.parents) == (repository.commits[-1], (repository.commits[-2],))
    assert said.author == "Ada Proper"
    [file] = commit_diff.difference_of(repository.mirror, said).files
    assert file.path == "a.c"


@pytest.mark.parametrize("skipped", [False, True])
def test_a_bad_commit_is_searched(repository: Repository, tmp_path: Path, skipped: bool) -> None:
    good, *later = repository.commits[1:]
    bad = later[1]
    found = search.Search(repository.mirror, tmp_path / "scratch.git", good, later[-1])
    asked, ahead = [], []

    def judge(commit: str, _left: int) -> str:
        asked.append(commit)
        ahead.extend(found.after(commit))
        if skipped and commit in later[:2]:
            return search.SKIP
        return search.BAD if later.index(commit) >= later.index(bad) else search.GOOD

    end = found.run(judge)
    if skipped:
        assert set(end.commits) == {*later[:3]}
    else:
        assert end.commits == (bad,)
        assert set(asked[1:]) <= set(ahead)  # what was built ahead is what git asks about
    assert set(asked) <= set(later)
    assert search.reverted(repository.mirror, later[-1], later[-1], tmp_path / "index") is not None


def test_a_fix_is_found_in_a_branch(repository: Repository, tmp_path: Path) -> None:
    bug = repository.commits[2]
    tree = bare_copy(repository, tmp_path)
    message = f"mend it\n\nFixes: {bug} (second)"
    fixed = git(tree, "commit-tree", "main^{tree}", "-p", "main", "-m", message)
    known = fixes.fix(tree, fixed)
    assert known.mends == bug
    assert fixes.find(tree, "main", known).state == fixes.LACKS
    assert fixes.find(tree, repository.commits[1], known).state == fixes.UNNEEDED
    backport = git(tree, "commit-tree", "main^{tree}", "-p", "main", "-m",
                   f"mend it\n\n[ Upstream commit {fixed} ]")  # fmt: skip
    assert fixes.find(tree, backport, known).commit == backport
    reverting = f'Revert "mend it"\n\nThis reverts commit {backport}.'
    revert = git(tree, "commit-tree", "main^{tree}", "-p", backport, "-m", reverting)
    assert fixes.find(tree, revert, known).state == fixes.REVERTED


def bare_copy(repository: Repository, tmp_path: Path) -> Path:
    """Return a mirror that a test may write into: one of a tree on disk reads its objects."""
    kind = git(repository.mirror, "rev-parse", "--show-object-format")
    copy = tmp_path / "copy.git"
    git(tmp_path, "init", "--quiet", "--bare", f"--object-format={kind}", str(copy))
    shallow = repository.mirror / "shallow"
    git(copy, "fetch", "--quiet", "--update-shallow" if shallow.exists() else "--force",
        str(repository.mirror), "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*")  # fmt: skip
    return copy


def test_patches_are_checked_and_applied(repository: Repository, tmp_path: Path) -> None:
    head = repository.commits[-1]
    folder = tmp_path / "series"
    folder.mkdir()
    patch = git(repository.source, "format-patch", "-1", "--stdout", head)
    (folder / "0001.patch").write_text(patch + "\n")
    (folder / "series").write_text("0001.patch\n")
    patches = series.read(tmp_path, "series")
    (tmp_path / "scratch").mkdir()
    tree = patch_check.Tree(repository.mirror, f"{head}~1", tmp_path / "scratch")
    assert [f.state for f in tree.fit(patches)] == [patch_check.State.CLEAN]
    with tuxmake_build.checkout(repository.mirror, tmp_path / "built", f"{head}~1") as source:
        assert series.apply(patches, source, StringIO()) is None
        assert (source / "a.c").read_text() == f"int n{LATER - 1};\n"


def test_a_branch_is_seen_to_grow_and_to_be_rewritten(repository: Repository) -> None:
    *_, before, head = repository.commits
    seen = branch_sight.sight(repository.mirror, "main", before)
    assert seen is not None
    assert (seen["head"], seen["history"][0]) == (head, before)
    assert seen["number"] == seen["head_number"] - 1
    upstream.look(repository.mirror, ["main"])
    in_mirror(repository.mirror, "update-ref", "refs/heads/main", before)
    upstream.look(repository.mirror, ["main"])
    [event] = upstream.events(repository.mirror)
    assert (event.kind, event.old) == (upstream.REWRITTEN, head)


def test_what_a_partial_clone_lacks_is_said_of_the_commit_that_lacks_it(tmp_path: Path) -> None:
    source = tmp_path / "linux"
    commits = history(source, "sha1")
    folder = cloned(tmp_path / "part", source, "--filter=blob:none")
    made = on_disk(tmp_path, folder)
    tree = tree_on_disk.find(folder)
    tree_on_disk.refuse_other(made, commits[-1], tree, "HEAD")  # its files are checked out
    (folder / "a.c").write_text("int mine;\n")
    changed, _ = tree_on_disk.snapshot(tree, made)
    assert changed is not None
    before = sorted(folder.rglob("*"))
    with pytest.raises(UsageError, match=r"lacks 1 file or folders of v6\.6; `git -C \S+ fetch"):
        tree_on_disk.refuse_other(made, commits[0], tree, "v6.6")
    assert sorted(folder.rglob("*")) == before  # nothing was fetched by looking
    folders = cloned(tmp_path / "folders", source, "--filter=tree:0", "--no-checkout")
    with pytest.raises(UsageError, match="is a partial clone, which lacks"):
        tree_on_disk.refuse_other(on_disk(tmp_path / "f", folders), commits[-1],
                                  tree_on_disk.find(folders), "HEAD")  # fmt: skip
    # The way out that the refusal names.
    tree_on_disk.refuse_other(made, commits[0], tree_on_disk.find(_filled(folder)), "v6.6")


def test_a_shallow_remote_is_no_tree_to_watch(tmp_path: Path) -> None:
    history(tmp_path / "linux", "sha256")
    shallow = cloned(tmp_path / "shallow", tmp_path / "linux", "--depth=2")
    with pytest.raises(InfrastructureError, match=r"rejected .* because shallow"):
        mirror.clone(tmp_path / "tree.git", str(shallow))
    assert not (tmp_path / "tree.git").exists()


def test_a_remote_that_has_other_ids_now_is_said_with_the_way_out(tmp_path: Path) -> None:
    history(tmp_path / "one", "sha1")
    history(tmp_path / "two", "sha256")
    made = tmp_path / "tree.git"
    assert mirror.clone(made, str(tmp_path / "one")) is None
    said = mirror.clone(made, str(tmp_path / "two"))
    assert said is not None
    assert f"the ids of its commits are of sha256 now: remove {made}" in said
    assert mirror.clone(made, str(tmp_path / "one")) is None


@pytest.mark.parametrize(
    ("text", "is_id"),
    [("a" * 40, True), ("0" * 64, True), ("a" * 41, False), ("a" * 63, False), ("A" * 40, False),
     ("g" * 40, False), ("", False), ("a" * 12, False), ("a" * 40 + "\n", False)],
)  # fmt: skip
def test_an_id_of_a_commit_is_whole(text: str, is_id: bool) -> None:
    assert is_commit_id(text) is is_id
    # In a longer text, too, the longer one is meant.
    assert not is_id or re.findall(COMMIT_ID, f"{text} is the first bad commit") == [text]


def test_a_mailmap_that_is_no_file_names_nobody(tmp_path: Path) -> None:
    empty = bare(tmp_path / "none.git")
    blob = git(empty, "hash-object", "-w", "--stdin", given="x\n")
    inner = git(empty, "mktree", given=f"100644 blob {blob}\tx\n")
    tree = git(empty, "mktree", given=f"040000 tree {inner}\t.mailmap\n")
    commit = git(empty, "commit-tree", tree, "-m", "odd")
    git(empty, "update-ref", git(empty, "symbolic-ref", "HEAD"), commit)
    assert commit_diff.text_of(empty, commit).author == git(
        empty, "show", "--no-patch", "--format=%an", commit
    )
