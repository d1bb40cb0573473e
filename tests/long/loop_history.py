# SPDX-License-Identifier: GPL-2.0-only
"""Commits of a tree whose kernel switches in turns of a loop: tests/long/loop_tree."""

from __future__ import annotations

import shutil
from pathlib import Path

from attrs import define

from tests.repositories import WorkTree, git
from vlag import ROOT

TREE = ROOT / "tests" / "long" / "loop_tree"
FAIR = "kernel/sched/fair.c"
#: What the culprit adds, in turns of the 400 that a switch takes; the feature takes it back.
COST = 32
SLOW = (
    "\tspend(44);",
    f'\tspend(44);\n\tif (feature("DELAY_DEQUEUE"))\n\t\tspend({COST});',
)
#: A kernel that cannot be measured.
HANGS = (
    "\tdequeue_task();\n\tenqueue_task();",
    '\tdequeue_task();\n\tfor (;;)\n\t\tasm volatile("hlt");\n\tenqueue_task();',
)


@define(kw_only=True)
class History:
    """A work tree with its commits."""

    folder: Path
    tree: WorkTree

    @classmethod
    def of(cls, folder: Path, options: str, ids: str = "sha1") -> History:
        """Make the tree with its release; `options` is the config of its kernels.

        `ids` is the kind of its commits' ids.
        """
        shutil.copytree(TREE, folder)
        git(folder, "init", "--quiet", "--initial-branch=main", f"--object-format={ids}")
        tree = WorkTree(folder)
        tree.commit("release", options=options, Kbuild="\n", Kconfig="\n")
        return cls(folder=folder, tree=tree)

    def edit(self, subject: str, *changes: tuple[str, str], path: str = FAIR) -> str:
        """Commit changes of texts that stand once in a file; without any, a comment more."""
        text = (self.folder / path).read_text() if (self.folder / path).exists() else ""
        for old, new in changes:
            assert text.count(old) == 1, (path, old)
            text = text.replace(old, new)
        if not changes:
            text += f"/* {subject} */\n"
        return self.tree.commit(subject, **{path: text})
