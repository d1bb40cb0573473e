# SPDX-License-Identifier: GPL-2.0-only
"""A commit that slows some boots of real kernels: night, confirmation, alert and search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.long.history import History, history
from tests.night.clone import Night, branch, shared_night, write_settings
from tests.night.service import git, report_of, serving

pytestmark = pytest.mark.long

RARE, QUIET = "rare", "quiet"
#: So many first boots show what is usual without a history.
PLAN = """
plan: rare
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: 20
    confirm: [20, 40]
    confirm_mode: [60]
    timeout_s: 240
"""
DEADLINE_S = 3 * 3600


@frozen(kw_only=True)
class Searched:
    """A night over two branches of four commits, one of which slows some boots in one of them."""

    rare: History
    reports: dict[str, dict[str, Any]]  # of the first boots, by branch
    alerts: list[dict[str, Any]]


def _made(night: Night, name: str, culprit: int, index: Path) -> History:
    mirror = night.state / "mirrors" / "debian.git"
    made = history(mirror, "linux-6.12", index, n=4, culprit=culprit, rare=True)
    git(night, "update-ref", f"refs/heads/{name}", made.commits[-1])
    return made


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp("rare")
    with shared_night() as night:
        rare = _made(night, RARE, 3, folder / "index")
        _made(night, QUIET, 99, folder / "index")
        plan = night.clone / "lava-jobs" / "plans" / "rare.yaml"
        plan.write_text(PLAN)
        branches = "".join(
            branch(name, baseline="debian/6.12.*", plan="rare") for name in (RARE, QUIET)
        )
        toml = write_settings(
            night.clone, "rare.toml", branches, automatic=["bisect"], poll_interval_s=86400
        )
        try:
            yield _searched(night, toml, rare)
        finally:
            plan.unlink()
            for name in (RARE, QUIET):
                git(night, "update-ref", "-d", f"refs/heads/{name}")


def _searched(night: Night, toml: Path, rare: History) -> Searched:
    with serving(night, toml) as service:
        before = len(service.builds("nightly"))
        service.force_night()

        def ended() -> list[dict[str, Any]]:
            return [b for b in service.builds("nightly")[before:] if b["complete"]]

        [build, *_] = service.wait(ended, DEADLINE_S)
        every = [report_of(night, c) for c in build["properties"]["comparisons"]]
        screens = {r["new"]["branch"]: r["id"] for r in every if r["stage"] == "screen"}
        service.wait(lambda: report_of(night, screens[RARE])["bisections"], DEADLINE_S)
        listed = night.vlag("alerts", "list", "--format", "json").stdout
        return Searched(
            rare=rare,
            reports={name: report_of(night, c) for name, c in screens.items()},
            alerts=json.loads(listed.splitlines()[-1])["alerts"],
        )


def test_the_share_of_the_boots_is_the_verdict(searched: Searched) -> None:
    [row] = [r for r in searched.reports[RARE]["rows"] if r["verdict"] == "REGRESSION"]
    assert "boots lose" in row["reason"]
    assert "of the base's" in row["reason"]
    assert [a for a in searched.alerts if a["branch"] == RARE]


def test_its_commit_is_found(searched: Searched) -> None:
    [one] = searched.reports[RARE]["bisections"]
    assert one["commits"] == [searched.rare.culprit]
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
