# SPDX-License-Identifier: GPL-2.0-only
"""Boots that raised a suspicion are no evidence of its search: they were chosen for their lot."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean, stdev

import pytest

from bench import noisy_boots
from tests.repositories import WorkTree
from vlag.kernel import mirror as mirrors
from vlag.search.bisection import Bisection
from vlag.stats.compare import Question, judge

SCREEN, BOOTS, LOSS, SCATTER = 5, 10, 0.03, 0.03
LOTS = range(120)


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A repository, and its good, middle and bad commit."""
    tree = WorkTree(tmp_path_factory.mktemp("screened") / "tree")
    return tree.folder / ".git", [tree.commit(f"change {n}", file=f"{n}\n") for n in range(3)]


def drawn(commits: list[str], lot: int) -> noisy_boots.Drawn:
    return noisy_boots.Drawn(commits, {1: LOSS}, noisy_boots.normal(SCATTER)(lot), lot)


def suspected(commits: list[str]) -> list[int]:
    """Return the lots whose screen requests a rerun of a loss."""
    return [lot for lot in LOTS if _suspected(drawn(commits, lot), commits)]


def _suspected(boots: noisy_boots.Drawn, commits: list[str]) -> bool:
    metric, seeds = boots.figure.metric, range(1, SCREEN + 1)
    base, new = (boots.values(commits[n], seeds) for n in (0, 2))
    question = Question(
        base=base, new=new, direction=metric.direction, resolution=metric.resolution,
        relevance=metric.relevance_on(boots.board_type),
    )  # fmt: skip
    [answer] = judge([question])  # each pair of kernels is a comparison of its own
    return answer.suspect and (answer.effect or 0) < 0


def loss_of_ends(git: Path, commits: list[str], lot: int, screened: int) -> float:
    """Return how much the bad end loses by the boots with which its search begins."""
    good, bad = (mirrors.resolve(git, commits[n]) for n in (0, 2))
    search = Bisection(
        measurer=drawn(commits, lot), mirror=git, scratch=git.parent / "scratch", good=good,
        bad=bad, boots=SCREEN, most=BOOTS, noisy=True, recorded=BOOTS, screened=screened,
    )  # fmt: skip
    search._measure_together((good, bad), BOOTS)
    logs = [fmean(map(math.log, search._values[end.sha])) for end in (good, bad)]
    return 1 - math.exp(logs[1] - logs[0])


def test_the_ends_of_a_search_differ_by_what_they_do(commits: tuple[Path, list[str]]) -> None:
    git, named = commits
    lots = suspected(named)
    assert 15 < len(lots) < 60
    with_screen, without = (
        [loss_of_ends(git, named, lot, screened) for lot in lots] for screened in (0, SCREEN)
    )
    error = stdev(without) / math.sqrt(len(lots))
    assert fmean(without) == pytest.approx(LOSS, abs=2.5 * error)
    # Control: with the boots that raised the suspicion the loss looks larger than it is.
    assert fmean(with_screen) > LOSS + 2.5 * error
