# SPDX-License-Identifier: GPL-2.0-only
"""Who blocks the worst wake-ups more often, beyond what boots of one kernel differ by."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from vlag.stats.blockers import LEVEL, NAMES, more_often

KERNEL_BASE = [{"thread hackbench": 6}] * 5
KERNEL_NEW = [{"thread kworker": 5, "thread hackbench": 1}] * 5


def test_a_name_that_all_boots_of_new_have_and_none_of_base_is_named_with_its_counts() -> None:
    [found] = more_often(KERNEL_BASE, KERNEL_NEW)
    assert (found.name, found.base, found.new) == ("thread kworker", 0, 25)
    assert found.p == pytest.approx(2 / 252)  # of 252 ways two are as far apart


def test_who_blocks_less_often_is_not_named() -> None:
    assert "thread hackbench" not in {b.name for b in more_often(KERNEL_BASE, KERNEL_NEW)}
    assert [b.name for b in more_often(KERNEL_NEW, KERNEL_BASE)] == ["thread hackbench"]


@pytest.mark.parametrize(
    ("base", "new"),
    [
        (KERNEL_BASE, KERNEL_BASE),
        (KERNEL_BASE, []),
        ([{}] * 5, KERNEL_NEW),  # nothing was above a threshold
        # Most wake-ups of one boot are no five boots.
        (KERNEL_BASE, [{"thread kworker": 60}, *KERNEL_BASE[:4]]),
        # Three boots of each cannot say it.
        (KERNEL_BASE[:3], KERNEL_NEW[:3]),
    ],
)
def test_what_may_be_chance_is_not_named(
    base: list[dict[str, int]], new: list[dict[str, int]]
) -> None:
    assert more_often(base, new) == []


def test_equal_kernels_name_somebody_no_more_often_than_the_level_says() -> None:
    lot = random.Random(7)
    names = [f"thread {n}" for n in range(NAMES + 2)]

    def boot() -> Counter[str]:
        # Wake-ups of a boot resemble each other: two in three have the boot's own blocker.
        own = lot.choice(names)
        return Counter(own if lot.random() < 2 / 3 else lot.choice(names) for _ in range(8))

    rounds = 300
    wrong = sum(
        bool(more_often([boot() for _ in range(5)], [boot() for _ in range(5)]))
        for _ in range(rounds)
    )
    assert wrong / rounds <= LEVEL
