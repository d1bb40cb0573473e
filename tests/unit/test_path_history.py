# SPDX-License-Identifier: GPL-2.0-only
"""The history of a path: which commit is the answer, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from vlag.errors import UsageError
from vlag.kernel.mirror import Commit
from vlag.search.path_history import Executed, Point, filled, from_ends
from vlag.search.path_history_text import data, render

FIRST = {"pick": 600.0, "wake": 400.0}


def point(n: int, functions: Mapping[str, float] | None, subject: str = "") -> Point:
    commit = Commit(
        sha=f"{n:040x}", describe=f"v6.12-{n}", subject=subject or f"sched: {n}",
        committed_at="2026-01-01T00:00:00+00:00", is_branch=False, ambiguities=(),
    )  # fmt: skip
    if functions is None:
        return Point(commit=commit, why="does not build: fair.c:1:1: error: x")
    metrics = {"kernel/sched": functions.get("pick", 0.0), "kernel": sum(functions.values())}
    return Point(commit=commit, executed=Executed(metrics=metrics, functions=dict(functions)))


HISTORY = [
    point(1, FIRST),
    point(2, FIRST, "docs: say more"),
    point(3, None, "sched: break"),
    point(4, {**FIRST, "pick": 606.0}, "sched/fair: look again"),
    point(5, {**FIRST, "pick": 606.0, "wake": 410.0, "new": 2.0}),
]


@pytest.mark.parametrize(
    ("metric", "least", "first"),
    [
        (None, 0.01, 4),  # 600 -> 606
        ("kernel", 0.01, 5),  # 1000 -> 1006 -> 1018
        ("wake", 0.01, 5),
        ("wake", 0.03, None),
    ],
)
def test_the_first_commit_that_makes_it_longer_is_named(
    metric: str | None, least: float, first: int | None
) -> None:
    told = data(HISTORY, operation="switch", metric=metric, least=least)
    assert told["first"] == (None if first is None else f"{first:040x}")
    text = render(told, "stress-ng-switch on sim2-1 (seed 1)")
    assert max(map(len, text.splitlines())) <= 78
    assert ("No commit makes" in text) == (first is None)


def test_each_commit_says_what_it_changes_and_nothing_is_0() -> None:
    told = data(HISTORY, operation="switch", metric=None, least=0.01)
    rows = {row["describe"]: row for row in told["commits"]}
    assert rows["v6.12-2"]["same"]
    assert rows["v6.12-2"]["functions"] == []
    # What is not counted is left out: the next one is compared with the last that was.
    assert rows["v6.12-4"]["functions"] == [{"name": "pick", "change": 6.0}]
    assert [f["name"] for f in rows["v6.12-5"]["functions"]] == ["wake", "new"]
    assert render(told, "x").splitlines()[2:] == [
        "000000000000  docs: say more",
        "              0",
        "000000000000  sched: break",
        "              not counted: does not build: fair.c:1:1: error: x",
        "000000000000  sched/fair: look again",
        "              kernel/sched +1.00 %, kernel +0.60 %; pick +6.00",
        "000000000000  sched: 5",
        "              kernel +1.19 %; wake +10.00, new +2.00",
        "",
        "The first commit that makes kernel/sched longer by 1.00 % or more is",
        '000000000000 ("sched/fair: look again"), +1.00 %, or the one before it that',
        "has no counts. All 4 together: +1.00 %. They change nothing: 1; not counted:",
        "1.",
    ]


def test_a_function_that_no_kernel_has_is_refused_with_the_metrics() -> None:
    with pytest.raises(UsageError, match=r"--metric pock: no kernel has .*kernel/sched, kernel$"):
        data(HISTORY, operation="switch", metric="pock", least=0.01)


def searched(levels: Mapping[int, float | None], commits: int) -> tuple[list[Point], list[int]]:
    """Return a history whose `pick` changes at numbers, and which commits were counted for it.

    None: that commit gives no counts; it changes nothing.
    """
    counted: list[int] = []

    def count(n: int) -> Point:
        counted.append(n)
        if n in levels and levels[n] is None:
            return point(n, None)
        level = next(
            (v for at, v in sorted(levels.items(), reverse=True) if at <= n and v is not None),
            600.0,
        )
        return point(n, {**FIRST, "pick": level})

    known = from_ends(commits, count)
    return list(filled([point(n, None).commit for n in range(commits)], known)), counted


def changed(points: Sequence[Point]) -> list[str]:
    told = data(points, operation="switch", metric=None, least=0.01)
    return [row["describe"] for row in told["commits"] if row["why"] is None and not row["same"]]


@pytest.mark.parametrize(
    ("levels", "commits", "most"),
    [
        ({100: 606.0}, 257, 10),
        ({}, 257, 2),
        ({1: 606.0, 2: 500.0, 256: 700.0}, 257, 20),
        ({1: 606.0}, 2, 2),
        ({}, 1, 1),
        # Neither the last one nor the middle can be counted.
        ({128: None, 129: None, 200: 606.0, 256: None}, 257, 14),
        # Nor can any between two that differ.
        ({1: None, 2: None, 3: 606.0}, 4, 4),
    ],
)
def test_from_both_ends_each_change_is_found_with_few_counts(
    levels: Mapping[int, float | None], commits: int, most: int
) -> None:
    points, counted = searched(levels, commits)
    assert [p.commit.describe for p in points] == [f"v6.12-{n}" for n in range(commits)]
    assert changed(points) == [f"v6.12-{n}" for n, level in levels.items() if level]
    assert len(counted) == len(set(counted)) <= most
    # What was not counted says so, and has a 0.
    assert [n for n, p in enumerate(points) if not p.between] == sorted(counted)
    text = render(data(points, operation="switch", metric=None, least=0.01), "x")
    assert ("not booted" in text) == (len(counted) < commits)


def test_what_is_taken_back_between_two_that_are_the_same_is_not_seen() -> None:
    """The negative control: it is what the exact ends cannot tell, and what the text says."""
    points, counted = searched({100: 606.0, 140: 600.0}, 257)
    assert counted == [0, 256]
    assert changed(points) == []
    told = data(points, operation="switch", metric=None, least=0.01)
    assert "They change nothing: 256, 1 of them booted; not counted: 0." in " ".join(
        render(told, "x").split()
    )
