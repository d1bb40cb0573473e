# SPDX-License-Identifier: GPL-2.0-only
"""A search on boards whose boots hardly scatter asks each commit about itself once."""

from __future__ import annotations

import math
from pathlib import Path

from bench import noisy_boots
from tests.repositories import WorkTree
from vlag.kernel import mirror as mirrors
from vlag.search.noisy_search import NoisySearch

LAST, CULPRIT = 16, 11


def test_boots_that_are_alike_are_not_made_without_end(tmp_path: Path) -> None:
    """Scatter is 10^-5: the first two boots of a commit say all that it can say."""
    tree = WorkTree(tmp_path / "tree")
    commits = [tree.commit(f"change {n}", **{f"file{n}": f"{n}\n"}) for n in range(LAST + 1)]
    git = tree.folder / ".git"
    boots = noisy_boots.Drawn(commits, {CULPRIT: 0.05}, noisy_boots.normal(1e-5)(0), 0)
    good, bad = (mirrors.resolve(git, commits[n]) for n in (0, LAST))
    search = NoisySearch(
        measurer=boots, mirror=git, good=good, bad=bad, ends=(10, 10), most=80, budget=40
    )
    odds = search.run(())
    assert ([c.sha for c in odds.commits], odds.doubt) == ([commits[CULPRIT]], None)
    assert max(search._boots.values()) == 2
    assert len(search._boots) <= math.log2(LAST) + 1
