# SPDX-License-Identifier: GPL-2.0-only
"""Commits of a tree whose kernel switches in turns of a loop: tests/long/loop_tree.

Those of a merge are pushed at once, so that only a search finds the one that costs.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from attrs import define, field

from tests.repositories import WorkTree, git
from vlag import ROOT

TREE = ROOT / "tests" / "long" / "loop_tree"
FAIR = "kernel/sched/fair.c"
#: What the culprit adds, in turns of the 400 that a switch takes; the feature takes it back.
COST = 32
SLOW = (
    "\tspend(44);",
    f"\tspend(44);\n\tif (sched_feat(DELAY_DEQUEUE))\n\t\tspend({COST});",
)
#: Kernels that cannot be measured, and what the next commit makes of them.
BROKEN = ("\tspend(210);", "\tspend(210) /* no semicolon */")
HANGS = (
    "\tdequeue_task();\n\tenqueue_task();",
    '\tdequeue_task();\n\tfor (;;)\n\t\tasm volatile("hlt");\n\tenqueue_task();',
)


@define(kw_only=True)
class History:
    """A work tree with its commits, and whoever pushes them."""

    folder: Path
    tree: WorkTree
    #: By the name of a merge its commits, oldest first, by what they do; "slow" may cost turns.
    commits: dict[str, dict[str, str]] = field(factory=dict)

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

    def push_merge(self, name: str, *, slow: bool) -> str:
        """Push a merge of a topic with a merge of its own, and of commits that cannot be measured.

        Return the merge; with `slow` one of the commits costs turns.  The tag `before-NAME` is
        what it is merged into.
        """
        git = self.tree.git
        made: dict[str, str] = {}
        git("checkout", "--quiet", "-b", name, "main")
        made["early"] = self.edit(f"sched/fair: {name}: comment 1")
        made["broken"] = self.edit(f"sched/fair: {name}: forget a semicolon", BROKEN)
        made["mended"] = self.edit(f"sched/fair: {name}: do not", BROKEN[::-1])
        git("checkout", "--quiet", "-b", f"{name}-side", made["early"])
        made["side"] = self.edit(f"sched: {name}: side", path=f"kernel/sched/{name}-side.h")
        git("checkout", "--quiet", name)
        git("merge", "--quiet", "--no-ff", "-m", f"Merge the side of {name}", f"{name}-side")
        changes = [SLOW] if slow else []
        made["slow"] = self.edit(f"sched/fair: {name}: keep tasks that are delayed", *changes)
        made["hangs"] = self.edit(f"sched/fair: {name}: wait for nobody", HANGS)
        made["goes on"] = self.edit(f"sched/fair: {name}: go on", HANGS[::-1])
        made["late"] = self.edit(f"sched/fair: {name}: comment 2")
        git("checkout", "--quiet", "main")
        self.commits[name] = made
        git("tag", f"before-{name}")
        git("merge", "--quiet", "--no-ff", "-m", f"Merge {name}", name)
        return git("rev-parse", "HEAD")
