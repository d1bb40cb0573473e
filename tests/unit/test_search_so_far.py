# SPDX-License-Identifier: GPL-2.0-only
"""What is said of a search that has named no commit so far."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from vlag.report.read_model.bisection_rows import LikelyData, SearchProgressRow, so_far

A, B, C = ("a" * 40, "b" * 40, "c" * 40)


def row(
    *chances: float, credible: int, several: float = 0.0, ended: bool = False
) -> SearchProgressRow:
    likeliest: list[LikelyData] = [
        {"commit": commit, "subject": "sched: change", "chance": chance}
        for commit, chance in zip((A, B, C), chances, strict=False)
    ]
    return {
        "comparison": 1, "tree": "tiny", "benchmark": "hackbench", "parameters": "",
        "likeliest": likeliest, "credible": credible, "several": several, "ended": ended,
        "at": datetime(2026, 1, 1, tzinfo=UTC),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (row(0.71, 0.2, 0.05, credible=3),
         f"one of 3 commits: {A[:12]} 71 %, {B[:12]} 20 %, {C[:12]} 5 %; the search goes on"),
        (row(0.05, 0.05, 0.05, credible=19),
         f"one of 19 commits, the likeliest: {A[:12]} 5 %, {B[:12]} 5 %, {C[:12]} 5 %;"
         " the search goes on"),
        (row(0.97, 0.01, credible=1),
         f"most likely {A[:12]} 97 %, not verified; the search goes on"),
        (row(0.5, 0.3, credible=2, several=0.2, ended=True),
         f"one of 2 commits: {A[:12]} 50 %, {B[:12]} 30 %; several commits 20 %;"
         " the search named none"),
    ],
)  # fmt: skip
def test_the_likeliest_commits_stand_with_their_chances(
    found: SearchProgressRow, said: str
) -> None:
    assert so_far(found) == said
