# SPDX-License-Identifier: GPL-2.0-only
"""Whether patches apply: with what offset, which hunks not, and what is there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import git
from vlag.cli.series import fit_lines
from vlag.kernel import patch_check, series
from vlag.kernel.patch_check import Fit, State, Tree, parts
from vlag.kernel.series import Patch

FAIR = "kernel/sched/fair.c"
CORE = "kernel/sched/core.c"
LINES = [f"int line_{i};" for i in range(1, 61)]


class Kernel:
    """A work tree with two files; patches are made by git from edits of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        git(folder, "init", "--quiet", "--initial-branch=main")
        for name in (FAIR, CORE):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, LINES)
        self.base = self.commit("base")

    def write(self, name: str, lines: list[str]) -> None:
        (self.folder / name).write_text("\n".join([*lines, ""]))

    def commit(self, subject: str) -> str:
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", subject)
        return git(self.folder, "rev-parse", "HEAD")

    def patch(self, edits: dict[str, dict[int, str]], name: str = "1.patch") -> Patch:
        """Return a patch on the base that makes lines of files other ones."""
        git(self.folder, "checkout", "--quiet", self.base)
        for path, lines in edits.items():
            self.write(path, [lines.get(i, old) for i, old in enumerate(LINES, 1)])
        self.commit(f"change {name}")
        return self.here(name)

    def here(self, name: str) -> Patch:
        """Return the newest commit as a patch."""
        root = self.folder.parent / "patches"
        (root / "s").mkdir(parents=True, exist_ok=True)
        text = git(self.folder, "format-patch", "-1", "--stdout") + "\n\n"
        (root / "s" / name).write_text(text)
        (root / "s" / "series").write_text(f"{name}\n")
        (found,) = series.read(root, "s")
        return found

    def head(self, files: dict[str, list[str]]) -> str:
        """Return a commit on the base in which files are other ones."""
        git(self.folder, "checkout", "--quiet", self.base)
        for path, lines in files.items():
            self.write(path, lines)
        return self.commit("head")


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    (tmp_path / "kernel").mkdir()
    return Kernel(tmp_path / "kernel")


def fit(kernel: Kernel, commit: str, *patches: Patch) -> list[Fit]:
    scratch = kernel.folder.parent / f"scratch-{commit[:8]}"
    scratch.mkdir()
    return Tree(kernel.folder / ".git", commit, scratch).fit(patches)


def changed(number: int, text: str) -> list[str]:
    return [text if i == number else old for i, old in enumerate(LINES, 1)]


def test_a_patch_on_its_own_base_applies(kernel: Kernel) -> None:
    (found,) = fit(kernel, kernel.base, kernel.patch({FAIR: {10: "int ten;"}}))
    assert (found.state, found.offset, found.hunks) == (State.CLEAN, 0, ())
    assert found.state.applies


def test_moved_lines_are_an_offset(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;", 40: "int forty;"}})
    head = kernel.head({FAIR: ["int new;", *LINES[:30], "int a;", "int b;", *LINES[30:]]})
    (found,) = fit(kernel, head, patch)
    assert (found.state, found.offset) == (State.OFFSET, 3)
    assert found.state.applies


def test_the_hunk_that_is_rejected_is_named(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;", 40: "int forty;"}, CORE: {5: "int five;"}})
    (found,) = fit(kernel, kernel.head({FAIR: changed(40, "long line_40;")}), patch)
    assert (found.state, found.state.applies) == (State.REJECTED, False)
    (hunk,) = found.hunks
    assert (hunk.file, hunk.number, hunk.line, hunk.state) == (FAIR, 2, 37, State.REJECTED)
    # Negative control: with that line as it was, all of it applies.
    (same,) = fit(kernel, kernel.base, patch)
    assert same.state is State.CLEAN


def test_hunks_beyond_the_most_are_counted_and_said(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = {FAIR: {10: "int a;", 30: "int b;", 50: "int c;"}, CORE: {5: "int five;"}}
    patch = kernel.patch(edits)
    head = kernel.head({FAIR: [f"long {line}" for line in LINES], CORE: LINES[20:]})
    (every,) = fit(kernel, head, patch)
    assert (len(every.hunks), every.untried) == (4, 0)  # control
    monkeypatch.setattr(patch_check, "MOST_HUNKS", 2)
    scratch = kernel.folder.parent / "again"
    scratch.mkdir()
    (some,) = Tree(kernel.folder / ".git", head, scratch).fit([patch])
    assert (some.state, len(some.hunks), some.untried) == (State.REJECTED, 2, 2)
    said = fit_lines("head", [(1, some)])
    assert said[-1].strip() == "and 2 hunks, which were not tried one by one"


@pytest.mark.parametrize(("line", "fuzz"), [(7, 1), (8, 2)])
def test_other_context_is_fuzz_which_no_build_takes(kernel: Kernel, line: int, fuzz: int) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;"}})
    (found,) = fit(kernel, kernel.head({FAIR: changed(line, "long other;")}), patch)
    assert (found.state, found.state.applies) == (State.FUZZ, False)
    assert [(h.number, h.fuzz) for h in found.hunks] == [(1, fuzz)]


def test_a_patch_that_is_in_the_branch_is_already_applied(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;"}})
    (found,) = fit(kernel, kernel.head({FAIR: ["int new;", *changed(10, "int ten;")]}), patch)
    assert (found.state, found.state.applies) == (State.APPLIED, False)


def test_half_of_a_patch_is_not_all_of_it(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;"}, CORE: {5: "int five;"}})
    (found,) = fit(kernel, kernel.head({FAIR: changed(10, "int ten;")}), patch)
    assert found.state is State.REJECTED
    assert [(h.file, h.state) for h in found.hunks] == [(FAIR, State.APPLIED)]


def test_a_file_that_is_gone_or_there_already_is_named_once(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;", 40: "int forty;"}})
    git(kernel.folder, "checkout", "--quiet", kernel.base)
    (kernel.folder / FAIR).unlink()
    (found,) = fit(kernel, kernel.commit("gone"), patch)
    (hunk,) = found.hunks
    assert (found.state, hunk.file, hunk.number) == (State.REJECTED, FAIR, None)
    assert hunk.why == "does not exist in index"
    git(kernel.folder, "checkout", "--quiet", kernel.base)
    kernel.write("kernel/sched/new.c", ["int a;"])
    kernel.commit("new")
    new = kernel.here("new.patch")
    (found,) = fit(kernel, kernel.head({"kernel/sched/new.c": ["int b;"]}), new)
    assert [(h.file, h.why) for h in found.hunks] == [
        ("kernel/sched/new.c", "already exists in index")
    ]


def test_patches_are_applied_on_each_other(kernel: Kernel) -> None:
    first = kernel.patch({FAIR: {10: "int ten;"}}, "1.patch")
    kernel.write(FAIR, changed(10, "int eleven;"))
    kernel.commit("second")
    second = kernel.here("2.patch")
    assert [f.state for f in fit(kernel, kernel.base, first, second)] == [State.CLEAN] * 2
    head = kernel.head({CORE: changed(1, "other")})
    assert [f.state for f in fit(kernel, head, second, first)] == [State.REJECTED, State.CLEAN]


def test_the_mirror_is_only_read(kernel: Kernel) -> None:
    patch = kernel.patch({FAIR: {10: "int nobody_has_this;"}})
    git(kernel.folder, "checkout", "--quiet", kernel.base)
    git(kernel.folder, "branch", "--quiet", "-D", "main")
    head = kernel.head({FAIR: ["int new;", *LINES]})
    before = {p: p.stat().st_mtime_ns for p in (kernel.folder / ".git").rglob("*")}
    assert fit(kernel, head, patch)[0].state is State.OFFSET
    assert {p: p.stat().st_mtime_ns for p in (kernel.folder / ".git").rglob("*")} == before


def test_a_persons_own_settings_of_git_change_nothing(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch = kernel.patch({FAIR: {10: "int ten;"}})
    head = kernel.head({FAIR: changed(8, "int  line_8;")})
    (tmp_path / "config").write_text("[apply]\n\tignoreWhitespace = change\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (found,) = fit(kernel, head, patch)
    assert not found.state.applies


def test_a_patch_is_taken_apart_like_git_does() -> None:
    text = b"""Subject: x

--- is no file
diff --git a/one b/one
index 1..2 100644
--- a/one
+++ b/one
@@ -1,2 +1,2 @@ head
-- two hyphens
++++ three
 x
\\ No newline at end of file
@@ -9 +9 @@
-a
+b
--- a/two\tdate
+++ b/two\tdate
@@ -3,0 +4 @@
+new
diff --git a/bin b/bin
new file mode 100755
--
2.39
"""
    found = [(p.path, [line for line, _ in p.hunks]) for p in parts(text)]
    assert found == [("one", [1, 9]), ("two", [3]), ("bin", [])]
    assert parts(text)[0].hunks[0][1].endswith(b"No newline at end of file\n")
