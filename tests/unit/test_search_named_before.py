# SPDX-License-Identifier: GPL-2.0-only
"""A commit that another board type has named is asked about first, and never believed unbooted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import frozen

from bench import noisy_boots
from tests.repositories import WorkTree
from vlag.kernel import mirror as mirrors
from vlag.search.noisy_search import AGAIN, NoisySearch
from vlag.search.odds import Odds

LAST, CULPRIT, ENDS = 32, 11, 10


@frozen(kw_only=True)
class Made:
    """A search, its boots and its answer."""

    search: NoisySearch
    odds: Odds
    boots: int  # beside those of the ends
    asked: list[str]  # commits in the order of their first boots


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    work = WorkTree(tmp_path_factory.mktemp("named") / "tree")
    commits = [work.commit(f"change {n}", **{f"file{n}": f"{n}\n"}) for n in range(LAST + 1)]
    return work.folder / ".git", commits


def searched(tree: tuple[Path, list[str]], named: int | None, lot: int) -> Made:
    """Search where boots scatter by 2 %, after another search has named a commit."""
    git, commits = tree
    boots = noisy_boots.Drawn(commits, {CULPRIT: 0.05}, noisy_boots.normal(0.02)(lot), lot)
    ends = [mirrors.resolve(git, commits[n]) for n in (0, LAST)]
    boots.values_of({end.sha: range(1, ENDS + 1) for end in ends})
    first = [] if named is None else [commits[named]]
    search = NoisySearch(
        measurer=boots, mirror=git, good=ends[0], bad=ends[1], ends=(ENDS, ENDS), most=80,
        budget=43, first=first,
    )  # fmt: skip
    odds = search.run(())
    made = sum(map(len, boots.boots.values())) - 2 * ENDS
    asked = [c for c in boots.boots if c not in (commits[0], commits[-1])]
    return Made(search=search, odds=odds, boots=made, asked=asked)


@pytest.mark.parametrize("lot", range(2))
def test_the_commit_of_another_board_type_takes_a_third_of_the_boots(
    tree: tuple[Path, list[str]], lot: int
) -> None:
    culprit = tree[1][CULPRIT]
    made, alone = searched(tree, CULPRIT, lot), searched(tree, None, lot)
    for found in (made, alone):
        assert ([c.sha for c in found.odds.commits], found.odds.doubt) == ([culprit], None)
    assert set(made.asked[:2]) == {culprit, tree[1][CULPRIT - 1]}
    assert made.odds.again >= AGAIN
    assert made.boots <= 16
    # Negative control: without it the same boards need more.
    assert alone.boots >= made.boots + 8


@pytest.mark.parametrize("away", [1, -1, 15])
def test_another_culprit_is_found_all_the_same(tree: tuple[Path, list[str]], away: int) -> None:
    """Negative control: what the other board type has named costs nothing here."""
    made = searched(tree, CULPRIT + away, 0)
    assert ([c.sha for c in made.odds.commits], made.odds.doubt) == ([tree[1][CULPRIT]], None)
    # It was asked about, or its parent was.
    assert {tree[1][CULPRIT + away], tree[1][CULPRIT + away - 1]} & set(made.asked)


def test_chances_are_those_of_the_boots_alone(tree: tuple[Path, list[str]]) -> None:
    made = searched(tree, CULPRIT + 1, 0)
    with_it = made.search._believe()
    guided = made.search._guided
    assert guided is not None
    assert guided.single[CULPRIT] > with_it.single[CULPRIT]
    made.search.first = ()
    made.search._prepare(())
    assert np.array_equal(made.search._believe().single, with_it.single)
