# SPDX-License-Identifier: GPL-2.0-only
"""A commit that slows some boots of real kernels: night, confirmation, alert and search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.long.searched_night import QUIET, Searched, searched_night

pytestmark = pytest.mark.long

RARE = "rare"
#: So many first boots show what is usual without a history.
PLAN = "    seeds: 20\n    confirm: [20, 40]\n    confirm_mode: [60]\n"


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp(RARE)
    with searched_night(folder, RARE, PLAN, within_s=3 * 3600, rare=True) as night:
        yield night


def test_the_share_of_the_boots_is_the_verdict(searched: Searched) -> None:
    [row] = [r for r in searched.reports[RARE]["rows"] if r["verdict"] == "REGRESSION"]
    assert "boots lose" in row["reason"]
    assert "of the base's" in row["reason"]
    assert [a for a in searched.alerts if a["branch"] == RARE]


def test_its_commit_is_found(searched: Searched) -> None:
    [one] = searched.reports[RARE]["bisections"]
    assert one["commits"] == [searched.slow.culprit]
    document = one["document"]
    assert document["mode"]["good"][0] == 0 < document["mode"]["bad"][0]
    assert document["check"]["in_mode"][0] == 0 < document["check"]["in_mode"][1]
    assert all(s["boots"] >= 10 for s in document["steps"] if s["word"] == "good")


def test_comments_are_told_of_nothing(searched: Searched) -> None:
    """Negative control: the same commits without the one that slows some boots."""
    report = searched.reports[QUIET]
    assert not [r for r in report["rows"] if r["verdict"] == "REGRESSION"]
    assert report["bisections"] == []
    assert not [a for a in searched.alerts if a["branch"] == QUIET]
