# SPDX-License-Identifier: GPL-2.0-only
"""A night's loss whose commit the service searches by itself, among real kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.long.history import History, history
from tests.night.clone import Night, branch, shared_night, write_settings
from tests.night.service import git, report_of, serving

pytestmark = pytest.mark.long

SLOW, QUIET = "searched", "quiet"
PLAN = """
plan: searched
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: 5
    confirm: [10]
    timeout_s: 240
"""
#: Some kernels of few objects, and as many boots as a search has.
DEADLINE_S = 3600


@frozen(kw_only=True)
class Searched:
    """A night over two branches of four commits, one of which is slow in one of them."""

    slow: History
    reports: dict[str, dict[str, Any]]  # of the first boots, by branch
    text: str  # of the slow branch's


def _made(night: Night, name: str, culprit: int, index: Path) -> History:
    made = history(
        night.state / "mirrors" / "debian.git", "linux-6.12", index, n=4, culprit=culprit
    )
    git(night, "update-ref", f"refs/heads/{name}", made.commits[-1])
    return made


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp("searched")
    with shared_night() as night:
        slow = _made(night, SLOW, 3, folder / "index")
        _made(night, QUIET, 99, folder / "index")
        plan = night.clone / "lava-jobs" / "plans" / "searched.yaml"
        plan.write_text(PLAN)
        branches = "".join(
            branch(name, baseline="debian/6.12.*", plan="searched") for name in (SLOW, QUIET)
        )
        toml = write_settings(
            night.clone, "searched.toml", branches, automatic=["bisect"], poll_interval_s=86400
        )
        try:
            yield _searched(night, toml, slow)
        finally:
            plan.unlink()
            for name in (SLOW, QUIET):
                git(night, "update-ref", "-d", f"refs/heads/{name}")


def _searched(night: Night, toml: Path, slow: History) -> Searched:
    with serving(night, toml) as service:
        before = len(service.builds("nightly"))
        service.force_night()

        def ended() -> list[dict[str, Any]]:
            return [b for b in service.builds("nightly")[before:] if b["complete"]]

        [build, *_] = service.wait(ended, DEADLINE_S)
        ids = build["properties"]["comparisons"]
        found = [report_of(night, c) for c in ids]
        screens = {r["new"]["branch"]: r["id"] for r in found if r["stage"] == "screen"}
        service.wait(lambda: report_of(night, screens[SLOW])["bisections"], DEADLINE_S)
        reports = {name: report_of(night, c) for name, c in screens.items()}
        said = night.vlag("report", "--comparison", screens[SLOW]).stdout
        return Searched(slow=slow, reports=reports, text=said)


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
