# SPDX-License-Identifier: GPL-2.0-only
"""Chances of commits from boots that scatter: levels, modes, several steps, merges."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.repositories import WorkTree
from vlag.kernel.ancestry import between
from vlag.stats.culprits import beliefs, information, log_step
from vlag.stats.scatter import Array, Scatter

COMMITS = 8
PRIOR = np.full(COMMITS, 1 / COMMITS)


def boots(level: float, count: int, seed: int, spread: float = 0.01) -> Array:
    return level + np.random.default_rng([53, seed]).normal(0, spread, count)


def line(*places: int) -> np.ndarray:
    """Say which of the candidates 1 to 8 each kernel of one line of commits has."""
    return np.asarray([[place >= c for place in places] for c in range(1, COMMITS + 1)])


def test_the_commit_between_two_levels_is_the_likeliest() -> None:
    kernels = [boots(0, 10, 1), boots(-0.05, 10, 2), boots(0, 4, 3), boots(-0.05, 4, 4)]
    found = beliefs(kernels, line(0, 8, 4, 5), PRIOR, Scatter(kernels))
    assert int(np.argmax(found.single)) + 1 == 5
    assert found.single.max() > 0.95
    assert found.several < 0.05
    assert found.single.sum() + found.several == pytest.approx(1)
    assert found.levels == pytest.approx((0, -0.05), abs=0.01)


def test_a_commit_that_was_not_booted_shares_its_neighbours_chance() -> None:
    """Negative control: without boots of commit 4, commits 4 and 5 cannot be told apart."""
    kernels = [boots(0, 10, 1), boots(-0.05, 10, 2), boots(0, 4, 3), boots(-0.05, 4, 4)]
    found = beliefs(kernels, line(0, 8, 3, 5), PRIOR, Scatter(kernels))
    assert found.single[3] == pytest.approx(found.single[4])
    assert found.single[3:5].sum() > 0.9


def test_equal_kernels_are_no_step() -> None:
    """Negative control: only the step that is there is explained better by two levels."""
    base, same, less = boots(0, 8, 5), boots(0, 8, 6), boots(-0.05, 8, 7)
    scatter = Scatter([base, same, less])
    assert log_step(base, less, -0.05, scatter) > math.log(100)
    assert log_step(base, same, -0.05, scatter) < -math.log(100)


def test_two_steps_are_not_one_commit() -> None:
    kernels = [
        boots(0, 10, 1), boots(-0.06, 10, 2), boots(-0.03, 6, 3), boots(-0.03, 6, 4),
        boots(0, 6, 5), boots(-0.06, 6, 6),
    ]  # fmt: skip
    found = beliefs(kernels, line(0, 8, 3, 6, 2, 7), PRIOR, Scatter(kernels))
    assert found.several > 0.99
    assert found.steps is not None
    assert (found.steps.first, found.steps.second) == ((2,), (6,))
    assert found.steps.share == pytest.approx(0.5, abs=0.15)
    # Negative control: one step, as many boots.
    kernels[2:4] = boots(0, 6, 3), boots(-0.06, 6, 4)
    assert beliefs(kernels, line(0, 8, 3, 6, 2, 7), PRIOR, Scatter(kernels)).several < 0.1


def test_modes_that_all_kernels_have_are_no_levels() -> None:
    """Boots are a tenth apart by lot; a loss of a twentieth is still seen."""
    lot = np.random.default_rng(7)

    def modes(level: float, count: int) -> Array:
        low = lot.random(count) < 0.4
        return np.asarray(level - 0.10 * low + lot.normal(0, 0.004, count))

    history = [modes(0.01 * k, 5) for k in range(12)]
    kernels = [modes(0, 10), modes(-0.05, 10), modes(0, 4), modes(-0.05, 4)]
    found = beliefs(kernels, line(0, 8, 4, 5), PRIOR, Scatter([*history, *kernels]))
    assert found.single[4] > 0.9


def test_a_boot_that_is_off_hardly_counts() -> None:
    kernels = [boots(0, 10, 1), boots(-0.05, 10, 2), boots(0, 4, 3), boots(-0.05, 4, 4)]
    kernels[2] = np.append(kernels[2], -0.4)
    found = beliefs(kernels, line(0, 8, 4, 5), PRIOR, Scatter(kernels))
    assert found.single[4] > 0.9


def test_boots_in_the_middle_of_the_chances_say_most() -> None:
    sides = np.asarray([0.02, 0.5, 0.9])
    none = np.zeros(3)
    bits = information(sides, none, 2.0, 4)
    assert int(np.argmax(bits)) == 1
    assert 0.9 < bits[1] <= 1.001
    assert (information(sides, none, 2.0, 8) >= bits - 1e-6).all()
    # Negative control: levels that do not differ say nothing.
    assert information(sides, none, 0.0, 8) == pytest.approx(0, abs=1e-3)


def test_both_ends_need_boots() -> None:
    with pytest.raises(ValueError, match="both ends"):
        beliefs([boots(0, 3, 1), np.asarray([])], line(0, 8), PRIOR, Scatter([boots(0, 3, 1)]))
    with pytest.raises(ValueError, match="two boots"):
        Scatter([boots(0, 1, 1)])


def test_a_merge_has_the_commits_of_both_sides(tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree")
    good = tree.commit("good", file="0\n")
    main = tree.commit("main", a="1\n")
    tree.git("checkout", "--quiet", "-b", "side", good)
    side = tree.commit("side", b="1\n")
    tree.git("checkout", "--quiet", "main")
    tree.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    merge = tree.git("rev-parse", "HEAD")
    graph = between(tree.folder / ".git", good, merge)
    assert set(graph.commits) == {main, side, merge}
    have = {
        c: {other for other, there in zip(graph.commits, graph.contained(i), strict=True) if there}
        for i, c in enumerate(graph.commits)
    }
    assert have == {main: {main}, side: {side}, merge: {main, side, merge}}
    assert graph.parents[graph.commits.index(merge)] == main
    sums = graph.sums(np.ones(3))
    assert dict(zip(graph.commits, sums, strict=True)) == {main: 1, side: 1, merge: 3}


def test_fresh_boots_scatter_as_was_learned() -> None:
    """Five boots say little of a kernel's level: the likeliest one hides some of the scatter."""
    lot = np.random.default_rng(11)
    at = np.zeros(1)
    known = []
    for _ in range(40):
        scatter = Scatter([level + lot.normal(0, 0.01, 5) for level in lot.normal(0, 1, 12)])
        known.append(scatter.log_chances(lot.normal(0, 0.01, 400), at)[0] / 400)
    best = -math.log(0.01 * math.sqrt(2 * math.pi)) - 0.5
    assert best - 0.09 < float(np.mean(known)) < best


@pytest.mark.parametrize("apart", [1.0, 4.0, 8.0, 20.0, 5000.0])
def test_a_kernel_whose_side_is_known_says_no_more_however_little_boots_scatter(
    apart: float,
) -> None:
    known, none = np.asarray([0.0, 1.0]), np.zeros(2)
    for count in (2, 4, 8):
        assert information(known, none, apart, count) == pytest.approx(0, abs=0.01)
        # Control: one of three places tells as many bits at most as there are to tell.
        [bits] = information(np.asarray([0.45]), np.asarray([0.1]), apart, count)
        assert bits <= 1.3690 + 0.01
        assert bits > (1.35 if apart >= 20 else 0.2)
