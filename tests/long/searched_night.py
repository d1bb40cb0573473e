# SPDX-License-Identifier: GPL-2.0-only
"""A night over two branches of four commits, of which one makes one of the branches slow.

The service searches that commit by itself; the other branch has comments instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.long.history import History, history
from tests.night.clone import Night, branch, shared_night, write_settings
from tests.night.service import git, report_of, serving

QUIET = "quiet"


@frozen(kw_only=True)
class Searched:
    """What the night has said, when the search in the slow branch has ended."""

    slow: History
    reports: dict[str, dict[str, Any]]  # of the first boots, by branch
    text: str  # of the slow branch's
    alerts: list[dict[str, Any]]


@contextmanager
def searched_night(
    folder: Path, name: str, entry: str, *, within_s: float, rare: bool = False
) -> Iterator[Searched]:
    """Run the night; the slow branch is `name`, the plan of both has one entry.

    `entry` is what that has besides its benchmark and board.  The slow commit is slow in each
    boot, or with `rare` in some; its branch is searched before `within_s` seconds.
    """
    with shared_night() as night:
        slow = _branch(night, name, folder / "index", culprit=3, rare=rare)
        _branch(night, QUIET, folder / "index", culprit=99)
        plan = night.clone / "lava-jobs" / "plans" / f"{name}.yaml"
        plan.write_text(
            f"plan: {name}\nentries:\n  - benchmark: stress-ng-switch\n"
            f"    board_types: [qemu-sim-2]\n    timeout_s: 240\n{entry}"
        )
        branches = "".join(branch(b, baseline="debian/6.12.*", plan=name) for b in (name, QUIET))
        toml = write_settings(
            night.clone, f"{name}.toml", branches, automatic=["bisect"], poll_interval_s=86400
        )
        try:
            yield _searched(night, toml, name, slow, within_s)
        finally:
            plan.unlink()
            for made in (name, QUIET):
                git(night, "update-ref", "-d", f"refs/heads/{made}")


def _branch(night: Night, name: str, index: Path, *, culprit: int, rare: bool = False) -> History:
    mirror = night.state / "mirrors" / "debian.git"
    made = history(mirror, "linux-6.12", index, n=4, culprit=culprit, rare=rare)
    git(night, "update-ref", f"refs/heads/{name}", made.commits[-1])
    return made


def _searched(night: Night, toml: Path, name: str, slow: History, within_s: float) -> Searched:
    with serving(night, toml) as service:
        before = len(service.builds("nightly"))
        service.force_night()

        def ended() -> list[dict[str, Any]]:
            return [b for b in service.builds("nightly")[before:] if b["complete"]]

        [build, *_] = service.wait(ended, within_s)
        compared = build["properties"].get("comparisons")
        assert compared, service.said()
        reports = [report_of(night, c) for c in compared]
        screens = {r["new"]["branch"]: r["id"] for r in reports if r["stage"] == "screen"}
        service.wait(lambda: report_of(night, screens[name])["bisections"], within_s)
        listed = night.vlag("alerts", "list", "--format", "json").stdout
        return Searched(
            slow=slow,
            reports={b: report_of(night, c) for b, c in screens.items()},
            text=night.vlag("report", "--comparison", screens[name]).stdout,
            alerts=json.loads(listed.splitlines()[-1])["alerts"],
        )
