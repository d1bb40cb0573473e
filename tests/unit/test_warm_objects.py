# SPDX-License-Identifier: GPL-2.0-only
"""A build that goes on from kept objects gives what an empty folder gives, to the last byte."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from attrs import define, evolve

from tests import sandboxes
from tests.repositories import git
from vlag.bundle_records import BuildRecord, KernelRecord
from vlag.kept_folders import Store
from vlag.kernel import warm_objects
from vlag.kernel.series import Patch, Trailers
from vlag.kernel.tuxmake_build import Recipe, build
from vlag.kernel.warm_objects import ColdError, Files, Start
from vlag.sandbox import NONE

pytestmark = pytest.mark.slow

#: As the kernel's: objects depend on what they were made of, and on how they are configured.
MAKEFILE = r"""
OBJECTS := kernel/main.o kernel/sched/fair.o mm/slab.o
CONFIG := $(O)/include/generated/autoconf.h
all: bzImage
allnoconfig olddefconfig:
	sed -n 's/^config \(.*\)/CONFIG_\1=y/p' Kconfig > $(O)/.config
bzImage: $(O)/arch/x86/boot/bzImage
$(CONFIG): $(O)/.config
	@mkdir -p $(@D) $(O)/include/config
	sed 's/\(.*\)=y/#define \1 1/' $< > $@
	echo 1.0 > $(O)/include/config/kernel.release
$(O)/%.o: %.c $(CONFIG)
	@mkdir -p $(@D)
	@echo "  CC      $*.o"
	@$(CC) -Iinclude -include $(CONFIG) -MMD -MF $(@:.o=.d) -MT $@ -MP -c -o $@ $<
$(O)/arch/x86/boot/bzImage: $(addprefix $(O)/,$(OBJECTS))
	@mkdir -p $(@D)
	ld -r -o $@ $^
-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d)
"""
FAIR, MAIN, SLAB = "kernel/sched/fair.c", "kernel/main.c", "mm/slab.c"
TREE = {
    "Makefile": MAKEFILE,
    "Kconfig": "config SMP\n",
    "Kbuild": "",
    "include/sched.h": "#define SLICE 3\n",
    "include/unused.h": "",
    "Documentation/sched.rst": "Slices\n",
    MAIN: '#include "sched.h"\nint main_slice = SLICE;\n#ifdef CONFIG_RT\nint rt;\n#endif\n',
    FAIR: '#include "sched.h"\nint place(void) { return SLICE; }\n',
    SLAB: "int slab = 1;\n",
}
GOES_ON, EMPTY = "from the objects of ", "from an empty folder of objects: "


@define
class Tree:
    """A small kernel with its history, and builds of it."""

    folder: Path
    store: Store
    builds: int = 0

    @property
    def source(self) -> Path:
        return self.folder / "source"

    def change(self, path: str, text: str | None) -> None:
        """Commit another text of a file; None: it is removed."""
        file = self.source / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink() if text is None else file.write_text(text)
        git(self.source, "add", "--all")
        git(self.source, "commit", "--quiet", "-m", path)

    def build(
        self,
        *,
        kept: bool = True,
        stores: bool = True,
        patches: Sequence[Patch] = (),
        recipe: Recipe | None = None,
        kind: str | None = None,
    ) -> Made:
        """Build what is checked out; with `kept` from the objects of the last build."""
        self.builds += 1
        bundle = self.folder / "builds" / str(self.builds)
        tools = sandboxes.tools(self.folder / f"ccache-{kept}")
        tools = evolve(tools, stores=stores, place=self.folder / "src" / "tree")
        if kept:
            tools = evolve(tools, kept=self.store)
        if kind is not None:
            tools = evolve(tools, rules=evolve(tools.rules, kind=kind))
        document = build(
            kernel=cast("KernelRecord", {"arch": "x86_64", "branch": "main"}),
            source=self.source, bundle=bundle, patches=patches, tools=tools, reproduce="",
            recipe=recipe or Recipe(kconfig_target="allnoconfig"),
        )  # fmt: skip
        git(self.source, "checkout", "--quiet", "--force", "HEAD")
        return Made(document, (bundle / "build.log").read_text())

    def kept(self) -> Path:
        """Return the one folder of kept objects."""
        (home,) = (path.parent for path in self.store.folder.glob("*/objects.json"))
        return home


@define
class Made:
    """What came of a build."""

    document: BuildRecord
    log: str

    @property
    def image(self) -> str:
        assert self.document["image"] is not None, self.document["reason"]
        return self.document["image"]["sha256"]

    @property
    def compiled(self) -> set[str]:
        return {line.split()[1] for line in self.log.splitlines() if line.startswith("  CC  ")}

    @property
    def began(self) -> str:
        """Return the line on how it began."""
        return next(line for line in self.log.splitlines() if line.startswith((GOES_ON, EMPTY)))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path, Store(folder=tmp_path / "objects", most_bytes=1 << 30))
    made.source.mkdir()
    for path, text in TREE.items():
        (made.source / path).parent.mkdir(parents=True, exist_ok=True)
        (made.source / path).write_text(text)
    git(made.source, "init", "--quiet", "--initial-branch=main")
    git(made.source, "add", "--all")
    git(made.source, "commit", "--quiet", "-m", "first")
    return made


def test_what_differs_alone_is_compiled_and_the_image_is_the_same(tree: Tree) -> None:
    first = tree.build()
    assert first.began == f"{EMPTY}there are none of a build that was configured alike"
    assert first.compiled == {"kernel/main.o", "kernel/sched/fair.o", "mm/slab.o"}
    images = [first.image]
    for path, text, compiled in (
        (FAIR, TREE[FAIR].replace("SLICE", "SLICE + 1"), {"kernel/sched/fair.o"}),
        (FAIR, TREE[FAIR].replace("SLICE", "SLICE + 1 /* more */"), {"kernel/sched/fair.o"}),
        ("include/sched.h", "#define SLICE 4\n", {"kernel/main.o", "kernel/sched/fair.o"}),
        ("Documentation/lag.rst", "Lags\n", set()),
    ):
        tree.change(path, text)
        warm, cold = tree.build(), tree.build(kept=False)
        assert warm.began.startswith(GOES_ON)
        assert (path, warm.compiled) == (path, compiled)
        assert (path, warm.image) == (path, cold.image)
        assert warm.document["config"] == cold.document["config"]
        images.append(warm.image)
    # A comment and a text change nothing.
    assert images[1] == images[2]
    assert images[3] == images[4]
    assert len(set(images)) == 3


def test_whatever_else_differs_the_folder_is_empty(tree: Tree) -> None:
    images = [tree.build().image]
    differs = "differs, on which more than its object may depend"
    for changes, why in (
        ({"include/unused.h": None}, "include/unused.h is gone"),
        ({"include/new.h": ""}, "include/new.h is new"),
        ({"Kconfig": "config SMP\nconfig RT\n"}, f"Kconfig {differs}"),
        ({"Makefile": MAKEFILE.replace(" mm/slab.o", ""), SLAB: None}, f"Makefile {differs}"),
    ):
        for path, text in changes.items():
            tree.change(path, text)
        warm, cold = tree.build(), tree.build(kept=False)
        assert warm.began == f"{EMPTY}{why}"
        assert warm.compiled == cold.compiled
        assert (why, warm.image) == (why, cold.image)
        images.append(warm.image)
    assert len(set(images)) == 3, "an option and a file that is gone change an image"


@pytest.mark.parametrize("how", ["tampered", "old"])
def test_objects_that_are_not_of_the_files_give_another_image(tree: Tree, how: str) -> None:
    """Negative control: the comparison of images sees what must not happen."""
    tree.build()
    objects = tree.kept() / "objects"
    if how == "tampered":
        subprocess.run(
            ["gcc", "-x", "c", "-c", "-o", objects / "mm" / "slab.o", "-"],
            input=b"int slab = 9;\n", check=True,
        )  # fmt: skip
    tree.change(FAIR, TREE[FAIR].replace("SLICE", "SLICE + 1"))
    if how == "old":
        record = tree.kept() / "objects.json"
        known = {**json.loads(record.read_text()), "commit": git(tree.source, "rev-parse", "HEAD")}
        record.write_text(json.dumps(known))
    warm, cold = tree.build(), tree.build(kept=False)
    assert warm.began.startswith(GOES_ON)
    assert warm.image != cold.image


def patch_of(tree: Tree, path: str, text: str) -> Patch:
    (tree.source / path).write_text(text)
    diff = subprocess.run(
        ["git", "-C", tree.source, "diff"], capture_output=True, check=True
    ).stdout
    git(tree.source, "checkout", "--quiet", "--force", "HEAD")
    return Patch(name="x.patch", sha256="", subject="x", trailers=Trailers(), data=diff)


def test_a_patch_is_a_difference_both_ways(tree: Tree) -> None:
    plain = tree.build()
    patch = patch_of(tree, FAIR, TREE[FAIR].replace("SLICE", "7"))
    patched, cold = tree.build(patches=[patch]), tree.build(patches=[patch], kept=False)
    assert patched.compiled == {"kernel/sched/fair.o"}
    assert patched.image == cold.image != plain.image
    assert tree.build(patches=[patch]).compiled == set(), "the same files twice"
    without = tree.build()
    assert without.compiled == {"kernel/sched/fair.o"}
    assert without.image == plain.image


def test_objects_of_a_stranger_serve_no_other_build(tree: Tree) -> None:
    plain = tree.build()
    before = sorted(path.stat().st_mtime_ns for path in tree.kept().rglob("*.o"))
    strange = patch_of(tree, FAIR, TREE[FAIR].replace("SLICE", "7"))
    assert tree.build(patches=[strange], stores=False).compiled == {"kernel/sched/fair.o"}
    assert sorted(path.stat().st_mtime_ns for path in tree.kept().rglob("*.o")) == before
    again = tree.build()
    assert again.compiled == set()
    assert again.image == plain.image


def test_what_fails_with_kept_objects_is_tried_without_them(tree: Tree) -> None:
    tree.build()
    tree.change(FAIR, TREE[FAIR].replace("SLICE", "SLICES"))
    warm, cold = tree.build(), tree.build(kept=False)
    assert warm.document["outcome"] == "build_failed"
    assert warm.document["reason"] == cold.document["reason"]
    assert f"{EMPTY}with those that are kept: " in warm.log
    tree.change(FAIR, TREE[FAIR])
    mended = tree.build()
    assert mended.began.startswith(GOES_ON), "those of the last complete build"
    assert mended.image == tree.build(kept=False).image


def test_objects_that_were_lost_are_made_again(tree: Tree) -> None:
    tree.build()
    (tree.kept() / "objects" / ".config").unlink()
    again = tree.build()
    assert again.began.startswith(EMPTY)
    assert again.image == tree.build(kept=False).image


def test_another_configuration_has_objects_of_its_own(tree: Tree) -> None:
    tree.build()
    fragment = tree.folder / "rt.config"
    fragment.write_text("# CONFIG_SMP: needed\n")
    other = tree.build(recipe=Recipe(kconfig_target="allnoconfig", fragments=[fragment]))
    assert other.began == f"{EMPTY}there are none of a build that was configured alike"


def test_without_bubblewrap_nothing_is_kept(tree: Tree) -> None:
    made = tree.build(kind=NONE)
    assert made.began == f"{EMPTY}without bubblewrap the folder has another path each time"
    assert not list(tree.store.folder.glob("*"))


def test_no_more_is_kept_than_there_is_room_for(tree: Tree) -> None:
    tree.store = evolve(tree.store, most_bytes=1000)
    assert "more than [build] objects_gb; they are not kept" in tree.build().log
    assert not list(tree.store.folder.glob("*/objects.json"))


def kept_under(store: Store, key: str, size: int) -> None:
    objects = store.folder.parent / "made"
    objects.mkdir()
    (objects / "vmlinux").write_bytes(b"x" * size)
    said = warm_objects.keep(store, key, objects, Files(commit="0" * 40, patched={}))
    assert said == "its objects are kept for the next build of the branch"


@pytest.mark.parametrize(("most", "left"), [(10 << 20, ["a", "c"]), (1 << 30, ["a", "b", "c"])])
def test_those_go_that_were_not_used_for_longest(
    tmp_path: Path, most: int, left: list[str]
) -> None:
    store = Store(folder=tmp_path / "objects", most_bytes=most)
    kept_under(store, "a", 4 << 20)
    kept_under(store, "b", 4 << 20)
    with warm_objects.kept(store, "a"):
        pass
    kept_under(store, "c", 4 << 20)
    assert sorted(path.parent.name for path in store.folder.glob("*/objects.json")) == left


def test_what_was_left_while_it_was_removed_is_in_nobodys_way(tmp_path: Path) -> None:
    store = Store(folder=tmp_path / "objects", most_bytes=1 << 30)
    kept_under(store, "a", 1)
    left = store.folder / "a.removed" / "objects"
    left.mkdir(parents=True)
    kept_under(store, "a", 1)
    assert not left.exists()


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    store = Store(folder=tmp_path / "objects", most_bytes=1 << 30)
    for number in range(warm_objects.MOST + 1):
        kept_under(store, f"{number:02}", 1)
    names = sorted(path.parent.name for path in store.folder.glob("*/objects.json"))
    assert names == [f"{number:02}" for number in range(1, warm_objects.MOST + 1)]


def test_a_clock_that_was_set_back_is_seen() -> None:
    start = Start.now()
    start.check()
    with pytest.raises(ColdError, match="set back"):
        evolve(start, offset_ns=start.offset_ns + 1_000_000_000).check()


def test_another_program_is_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = warm_objects.key("gcc", "main")
    assert warm_objects.key("gcc", "main") == first
    assert warm_objects.key("gcc", "other") != first
    program = tmp_path / "as"
    program.write_text('#!/bin/sh\nexec /usr/bin/as "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert warm_objects.key("gcc", "main") != first


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("arch/x86/boot/main.c", "on which more"),
        ("arch/x86/entry/vdso/vma.c", "on which more"),
        ("arch/x86/kernel/vmlinux.lds.S", "on which more"),
        ("kernel/sched/features.txt", "on which more"),
        ("scripts/mod/modpost.c", "on which more"),
        ("lib/gen_table.c", "a program that it runs"),
        ("kernel/link.c", "no plain file"),
        ("arch/x86/kernel/process.c", None),
        ("kernel/sched/core.c", None),
        ("tools/testing/selftests/x.py", None),
    ],
)
def test_which_files_make_sees(tmp_path: Path, path: str, why: str | None) -> None:
    source, objects = tmp_path / "source", tmp_path / "objects"
    source.mkdir()
    git(source, "init", "--quiet", "--initial-branch=main")
    file = source / path
    file.parent.mkdir(parents=True)
    made_of = []
    for text in ("1", "2"):
        file.unlink(missing_ok=True)
        file.symlink_to(text) if file.name == "link.c" else file.write_text(text)
        git(source, "add", "--all")
        git(source, "commit", "--quiet", "-m", text)
        made_of.append(warm_objects.files(source))
    old, new = made_of
    (objects / "lib").mkdir(parents=True)
    (objects / "lib" / ".gen_table.cmd").touch()
    if why is None:
        expected = [] if path.startswith("tools/") else [path]
        assert warm_objects.differing(source, old, new, objects) == expected
        return
    with pytest.raises(ColdError, match=why):
        warm_objects.differing(source, old, new, objects)
