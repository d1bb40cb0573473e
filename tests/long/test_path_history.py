# SPDX-License-Identifier: GPL-2.0-only
"""A history whose commits are built and counted: the one that costs is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long import loop_installation
from tests.long.loop_history import BROKEN, COST, SLOW
from tests.long.loop_installation import vlag

pytestmark = pytest.mark.long


def test_the_commit_that_costs_is_named_and_all_others_change_nothing(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = loop_installation.installed(tmp_path, dsn, monkeypatch)
    first = tree.tree.git("rev-parse", "HEAD")
    comment = tree.edit("sched/fair: say more")
    broken = tree.edit("sched/fair: forget a semicolon", BROKEN)
    mended = tree.edit("sched/fair: do not", BROKEN[::-1])
    elsewhere = tree.edit("docs: say more", path="Documentation/more.rst")
    slow = tree.edit("sched/fair: keep tasks that are delayed", SLOW)
    last = tree.edit("sched/fair: say still more")
    asked = ("path-history", first, last, "--tree", "loop", "--benchmark", "stress-ng-switch",
             "--board", "sim2-1", "--path", "kernel/sched/",
             "--metric", "dequeue_task")  # fmt: skip
    told = vlag(*asked)
    rows = {row["commit"]: row for row in told["commits"]}
    # What does not touch the paths is not built.
    assert list(rows) == [comment, broken, mended, slow, last]
    assert elsewhere not in rows
    assert rows[broken]["why"].startswith("does not build: ")
    assert [c for c in (comment, mended, last) if not rows[c]["same"]] == []
    assert told["first"] == slow
    [function] = rows[slow]["functions"]
    assert function["name"] == "dequeue_task"
    assert function["change"] >= 4 * COST
    # Again it boots nothing, and says the same.
    runs = sorted((tmp_path / "state" / "runs").glob("*/*"))
    assert vlag(*asked) == told
    assert sorted((tmp_path / "state" / "runs").glob("*/*")) == runs
    # Negative control: where ten times as much is asked for, none is named.
    assert vlag(*asked, "--least", "1000")["first"] is None
