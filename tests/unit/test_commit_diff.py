# SPDX-License-Identifier: GPL-2.0-only
"""A commit from a mirror: what it says, what it touches, and where reading it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import WorkTree, git
from vlag.errors import InfrastructureError
from vlag.kernel import commit_diff
from vlag.kernel.commit_diff import CommitDifference, difference_of, text_of

OLD = "int slice(void)\n{\n\tint a = 1;\n\n\treturn base_slice * 2;\n}\n"
NEW = OLD.replace("base_slice * 2", "base_slice * 3")


@pytest.fixture
def tree(tmp_path: Path) -> WorkTree:
    made = WorkTree(tmp_path / "tree")
    made.commit("sched: begin\n\nWhy.\n", fair=OLD, other="one\n")
    return made


def mirror(tree: WorkTree) -> Path:
    return tree.folder / ".git"


def changes(tree: WorkTree, commit: str = "HEAD") -> CommitDifference:
    return difference_of(mirror(tree), text_of(mirror(tree), commit))


def lines(difference: CommitDifference) -> list[str]:
    """Return the lines of all hunks as text; a marked word is in brackets."""
    return [
        line.sign + "".join(f"[{p.text}]" if p.changed else p.text for p in line.pieces)
        for file in difference.differences
        for hunk in file.hunks
        for line in hunk.lines
    ]


def test_what_a_commit_says(tree: WorkTree) -> None:
    first = tree.git("rev-parse", "HEAD")
    second = tree.commit("fair: a longer slice\n\nFirst line.\n\nFixes: 1234", fair=NEW)
    said = text_of(mirror(tree), second)
    assert (said.sha, said.parents, said.author) == (second, (first,), "x@localhost")
    assert (said.subject, said.body) == ("fair: a longer slice", "First line.\n\nFixes: 1234")
    assert said.left == 0


def test_the_words_that_differ_are_marked(tree: WorkTree) -> None:
    tree.commit("fair: a longer slice", fair=NEW)
    shown = lines(changes(tree))
    assert "-\treturn base_slice * [2];" in shown
    assert "+\treturn base_slice * [3];" in shown
    [hunk] = changes(tree).differences[0].hunks
    assert (hunk.place, hunk.section) == ("@@ -2,5 +2,5 @@", "int slice(void)")
    # Negative control: lines that have nothing in common are changed as a whole.
    tree.commit("fair: another", fair=NEW.replace("\tint a = 1;", "#define QUITE_OTHER"))
    assert {"-\tint a = 1;", "+#define QUITE_OTHER"} <= set(lines(changes(tree)))


def test_files_come_go_move_and_hold_no_text(tree: WorkTree) -> None:
    (tree.folder / "image").write_bytes(bytes(range(256)))
    tree.git("mv", "fair", "fair.c")
    tree.commit("all kinds", **{"a b": "x\n"})
    found = changes(tree)
    assert {(f.path, f.former, f.status) for f in found.files} == {
        ("image", None, "new"), ("a b", None, "new"), ("fair.c", "fair", "renamed"),
    }  # fmt: skip
    assert {f.path: len(f.hunks) for f in found.differences} == {
        "image": 0, "a b": 1, "fair.c": 0,
    }  # fmt: skip
    tree.git("rm", "--quiet", "other")
    tree.commit("away")
    assert [(f.path, f.status) for f in changes(tree).files] == [("other", "removed")]
    assert lines(changes(tree)) == ["-one"]


def test_a_first_commit_an_empty_one_and_a_merge(tree: WorkTree) -> None:
    assert [f.status for f in changes(tree).files] == ["new", "new"]
    tree.git("checkout", "--quiet", "-b", "side")
    tree.commit("side", side="s\n")
    tree.git("checkout", "--quiet", "main")
    tree.commit("main", fair=NEW)
    tree.git("merge", "--quiet", "--no-ff", "--message", "Merge side", "side")
    assert [f.path for f in changes(tree).files] == ["side"]
    tree.commit("nothing")
    assert changes(tree) == CommitDifference(files=(), number=0, differences=(), cut=None)


def test_a_form_feed_ends_no_line(tree: WorkTree) -> None:
    tree.commit("form feed", other="one\x0ctwo\n")
    assert lines(changes(tree)) == ["-one", "+one[\x0ctwo]"]


def test_a_huge_commit_is_cut_at_a_whole_file(
    tree: WorkTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"file{n:03}": f"{n}\n" * 200 for n in range(20)}
    tree.commit("large", **files)
    whole = changes(tree)
    assert (len(whole.differences), whole.cut) == (20, None)
    monkeypatch.setattr(commit_diff, "MOST_BYTES", 4 << 10)
    monkeypatch.setattr(commit_diff, "MOST_FILES", 3)
    found = changes(tree)
    assert found.cut == "The difference is longer than 4 KiB."
    assert 0 < len(found.differences) < 20
    assert found.differences == whole.differences[: len(found.differences)]
    assert (len(found.files), found.number) == (3, 20)


def test_the_settings_of_a_person_change_nothing(tree: WorkTree) -> None:
    tree.commit("fair: a longer slice", fair=NEW)
    before = changes(tree)
    for name, value in (
        ("diff.noprefix", "true"), ("diff.external", "/bin/false"), ("color.ui", "always"),
        ("diff.mnemonicPrefix", "true"), ("core.quotePath", "true"),
    ):  # fmt: skip
        git(tree.folder, "config", name, value)
    assert changes(tree) == before


def test_a_commit_that_is_not_there(tree: WorkTree) -> None:
    with pytest.raises(InfrastructureError, match=r"git show in .* failed"):
        text_of(mirror(tree), "0" * 40)
