# SPDX-License-Identifier: GPL-2.0-only
"""A night's loss whose commit the service searches by itself, among real kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.long.searched_night import QUIET, Searched, searched_night

pytestmark = pytest.mark.long

SLOW = "searched"
PLAN = "    seeds: 5\n    confirm: [10]\n"


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp(SLOW)
    with searched_night(folder, SLOW, PLAN, within_s=3600) as night:
        yield night


def test_the_commit_is_found_and_proven(searched: Searched) -> None:
    [one] = searched.reports[SLOW]["bisections"]
    assert one["commits"] == [searched.slow.culprit]
    check = one["document"]["check"]
    assert check["share"] == pytest.approx(1, abs=0.1)
    assert check["recovered"] == pytest.approx(1, abs=0.1)
    # Two questions decide among four commits; both ends were there before.
    assert len(one["document"]["steps"]) == 2


def test_the_report_says_since_when(searched: Searched) -> None:
    assert searched.slow.culprit[:12] in searched.text
    assert "sched/fair: look again at each pick" in searched.text


def test_comments_are_not_searched(searched: Searched) -> None:
    """Negative control: the same commits without the slow one."""
    report = searched.reports[QUIET]
    assert not [r for r in report["rows"] if r["verdict"] == "REGRESSION"]
    assert report["bisections"] == []
