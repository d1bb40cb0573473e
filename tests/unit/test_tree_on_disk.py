# SPDX-License-Identifier: GPL-2.0-only
"""A person's kernel tree is read where it is, and nothing in it is changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import WorkTree, git
from vlag.errors import UsageError
from vlag.kernel import tree_on_disk
from vlag.kernel.git import git as in_mirror
from vlag.kernel.mirror import resolve

pytestmark = pytest.mark.slow

FILES = {"Makefile": "all:\n", "Kbuild": "\n", "Kconfig": "\n", "kernel/core.c": "int a;\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a work tree of two commits, the first one packed and tagged."""
    made = tmp_path / "linux"
    WorkTree(made).commit("first", **FILES, **{".gitignore": "*.o\n"})
    git(made, "tag", "v6.6")
    git(made, "tag", "-a", "-m", "stable", "v6.6.9")
    git(made, "repack", "-adq")
    (made / "kernel" / "core.c").write_text("int b;\n")
    git(made, "commit", "--quiet", "-am", "second")
    return made


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return content and times of everything in a folder."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        known = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path)] = (known.st_mode, known.st_mtime_ns, known.st_ctime_ns, data)
    return found


def taken(folder: Path, mirror: Path) -> tuple[tree_on_disk.TreeOnDisk, str | None, list[str]]:
    tree = tree_on_disk.find(folder)
    tree_on_disk.link(tree, mirror)
    return (tree, *tree_on_disk.snapshot(tree, mirror))


def edit(folder: Path) -> None:
    """Change, remove and add files, of which git knows one and does not know the other."""
    (folder / "kernel" / "core.c").write_text("int c;\n")
    (folder / "Makefile").chmod(0o755)
    (folder / "Kconfig").unlink()
    (folder / "Kconfig").symlink_to("Kbuild")
    (folder / "Kbuild").unlink()
    (folder / "kernel" / "new é.c").write_bytes(b"\xff\n")
    git(folder, "add", "-N", "kernel/new é.c")
    (folder / "notes.txt").write_text("not of the kernel\n")
    (folder / "kernel" / "core.o").write_text("ignored\n")


def test_a_work_tree_is_what_git_would_commit_and_stays_as_it_was(
    folder: Path, tmp_path: Path
) -> None:
    edit(folder)
    before = state(folder)
    tree, sha, unknown = taken(folder, tmp_path / "mirror.git")
    again = tree_on_disk.snapshot(tree, tmp_path / "mirror.git")
    assert state(folder) == before
    assert sha is not None
    assert again == (sha, unknown)  # its builds and boots are found again
    assert unknown == ["notes.txt"]
    assert resolve(tmp_path / "mirror.git", sha).describe.startswith("v6.6.9-2-g")
    # What git itself makes of it, and the control: that does change the folder.
    git(folder, "commit", "--quiet", "--all", "-m", "third")
    made = in_mirror(tmp_path / "mirror.git", "rev-parse", f"{sha}^{{tree}}")
    assert made == git(folder, "rev-parse", "HEAD^{tree}")
    assert state(folder) != before


def test_an_object_that_is_there_keeps_its_time(folder: Path, tmp_path: Path) -> None:
    """Files may become what another commit, or a loose object, already has."""
    (folder / "kernel" / "core.c").write_text("int d;\n")
    git(folder, "add", "--all")  # a loose object, and the index knows it
    (folder / "kernel" / "other.c").write_text(FILES["kernel/core.c"])  # that of a pack
    git(folder, "add", "-N", "kernel/other.c")
    before = state(folder)
    _, sha, _ = taken(folder, tmp_path / "mirror.git")
    assert sha is not None
    assert state(folder) == before
    # Control: git's usual way to write an object touches its equal.
    git(folder, "hash-object", "-w", "kernel/core.c")
    assert state(folder) != before


def test_a_clean_work_tree_is_its_commit(folder: Path, tmp_path: Path) -> None:
    os.utime(folder / "Kbuild", (1, 1))  # git has to read it to know that nothing changed
    assert taken(folder, tmp_path / "mirror.git")[1:] == (None, [])


def test_a_work_tree_on_a_read_only_file_system(folder: Path, tmp_path: Path) -> None:
    edit(folder)
    (tmp_path / "state").mkdir()
    script = (
        "import os, sys; from pathlib import Path; from vlag.kernel import tree_on_disk as t\n"
        "assert not os.access(sys.argv[1], os.W_OK)\n"
        "tree, mirror = t.find(Path(sys.argv[1])), Path(sys.argv[2])\n"
        "t.link(tree, mirror); print(t.snapshot(tree, mirror)[0])\n"
    )
    words = ["bwrap", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]
    for how, where in (("--ro-bind", folder), ("--bind", tmp_path / "state")):
        words += [how, str(where), str(where)]
    words += [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(
        [*words, str(tmp_path / "state" / "mirror.git")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == taken(folder, tmp_path / "mirror.git")[1]


def test_work_trees_of_one_repository_are_one_tree(folder: Path, tmp_path: Path) -> None:
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "other"), "v6.6")
    (tmp_path / "other" / "Kbuild").write_text("obj-y := other.o\n")
    one, _, _ = taken(folder, tmp_path / "mirror.git")
    two, changed, _ = taken(tmp_path / "other" / "kernel", tmp_path / "mirror.git")
    assert one.name == two.name
    assert one.name.startswith("linux-")
    assert two.commit("HEAD") == git(folder, "rev-parse", "v6.6^{commit}")
    assert in_mirror(tmp_path / "mirror.git", "show", f"{changed}:Kbuild") == "obj-y := other.o"


def test_tags_follow(folder: Path, tmp_path: Path) -> None:
    taken(folder, tmp_path / "mirror.git")
    git(folder, "tag", "-d", "v6.6")
    git(folder, "tag", "v6.7")
    taken(folder, tmp_path / "mirror.git")
    assert in_mirror(tmp_path / "mirror.git", "tag", "--list").splitlines() == ["v6.6.9", "v6.7"]


@pytest.mark.parametrize(
    ("baselines", "tag"),
    [
        (["debian/6.6.*"], "v6.6.9"),  # no such tag, but releases of its line
        (["v6.6"], "v6.6"),
        (["v6.6*"], "v6.6.9"),
        (["v6.1.*", "v6.6.*"], "v6.6.9"),
        (["v6.1.*"], None),
        ([], None),
    ],
)
def test_the_newest_tag_of_a_line(
    folder: Path, tmp_path: Path, baselines: list[str], tag: str | None
) -> None:
    git(folder, "tag", "v6.6.10-rc1")
    taken(folder, tmp_path / "mirror.git")
    assert tree_on_disk.newest_of_line(tmp_path / "mirror.git", baselines) == tag


def refusal(folder: Path, ref: str = "HEAD") -> str:
    with pytest.raises(UsageError) as refused:
        tree_on_disk.find(folder).commit(ref)
    return str(refused.value)


def test_what_is_no_tree_is_said_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    url = f"file://{folder}"
    git(folder, "clone", "--quiet", "--depth", "1", url, str(tmp_path / "shallow"))
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "--quiet", "empty")
    assert "does not exist" in refusal(tmp_path / "none")
    assert "is not a folder" in refusal(folder / "Kbuild")
    assert "is no git tree" in refusal(tmp_path / "plain")
    assert "has no commit yet" in refusal(tmp_path / "empty")
    assert "is inside a .git folder" in refusal(folder / ".git")
    assert "no branch, tag or commit 'v5.0'" in refusal(folder, "v5.0")
    shallow = refusal(tmp_path / "shallow", "v6.6")
    assert "is a shallow clone without v6.6" in shallow
    assert "fetch --depth 1 origin tag v6.6" in shallow


def test_a_tree_of_something_else_is_no_kernel_tree(folder: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror.git"
    tree, _, _ = taken(folder, mirror)
    tree_on_disk.refuse_other(mirror, tree.commit("HEAD"), tree, "HEAD")
    git(folder, "rm", "--quiet", "Kconfig")
    git(folder, "commit", "--quiet", "-m", "third")
    with pytest.raises(UsageError, match="is no kernel tree: HEAD has no Kconfig at its top"):
        tree_on_disk.refuse_other(mirror, tree.commit("HEAD"), tree, "HEAD")


def test_a_shallow_clone_is_read(folder: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(folder, "clone", "--quiet", "--depth", "1", f"file://{folder}", str(shallow))
    (shallow / "Kbuild").write_text("obj-y := other.o\n")
    before = state(shallow)
    tree, changed, _ = taken(shallow, tmp_path / "mirror.git")
    assert changed is not None
    assert resolve(tmp_path / "mirror.git", tree.commit("HEAD")).subject == "second"
    assert state(shallow) == before
