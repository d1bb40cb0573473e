# SPDX-License-Identifier: GPL-2.0-only
"""Commits that say that they mend another one, and the release that has them."""

from __future__ import annotations

from pathlib import Path

from tests.repositories import WorkTree
from vlag.kernel.fixes import candidates, release_of


def test_fixes_lines_and_reverts_name_a_culprit(tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree")
    upstream = "a" * 40
    culprit = tree.commit(f"sched: slow\n\n[ Upstream commit {upstream} ]", a="1\n")
    other = tree.commit("sched: other", b="1\n")
    named = tree.commit(f'sched: fast\n\nFixes: {culprit[:12]} ("sched: slow")', a="2\n")
    backport = tree.commit(f'sched: fast again\n\nfixes: {upstream[:12]} ("sched: slow")', a="3\n")
    # Negative control: it mends another one.
    tree.commit(f'sched: not it\n\nFixes: {other[:12]} ("sched: other")', b="2\n")
    revert = tree.commit(f'Revert "sched: slow"\n\nThis reverts commit {culprit}.', a="0\n")
    tree.git("tag", "v6.13")
    last = tree.commit("sched: after", c="1\n")
    mirror = tree.folder / ".git"
    assert candidates(mirror, culprit, last) == [named, backport, revert]
    assert candidates(mirror, other, other) == []
    assert release_of(mirror, named) == "v6.13"
    assert release_of(mirror, last) is None
