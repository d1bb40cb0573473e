# SPDX-License-Identifier: GPL-2.0-only
"""The page that says who waits for boards; what a real master tells is in test_board_queue.py."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration.webpages import read, table, text
from tests.integration.websites import application, visitor
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.model import Purpose
from vlag.operate.farm import queue

NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
Page = Callable[..., str]


def item(what: str, purpose: Purpose, **changes: Any) -> queue.Item:
    given: dict[str, Any] = {
        "what": what, "board_type": "qemu-sim-2", "priority": purpose.lava_priority,
        "submitted_at": NOW, "started_at": None, "estimate_s": 60, **changes,
    }  # fmt: skip
    return queue.Item(**given)


@pytest.fixture
def page(dsn: str, tmp_path: Path, catalogue: Catalogue) -> Page:
    """Return the page of a master with these runs and so many kernels."""
    boards = [b for b in catalogue.boards if b.board_type == "qemu-sim-2"]

    def work(items: Sequence[queue.Item], kernels: int = 0) -> str:
        found = queue.plan(items, boards, boards, {}, now=NOW)
        app = application(dsn, tmp_path, queue=lambda: (found, kernels))
        return read(visitor(app), "/queue")

    return work


def test_who_waits_and_what_runs(page: Page) -> None:
    later = NOW + datetime.timedelta(seconds=1)
    found = page(
        [
            item("the first", Purpose.NIGHT, started_at=NOW, lab="home", jobs=("7",)),
            item("<b>for a push", Purpose.PUSH, submitted_at=later),
            item("<b>for a person", Purpose.PERSON),
            item("on a board that is not there", Purpose.NIGHT, board_type="rpi5"),
        ],
        kernels=1,
    )
    _, *rows = table(found, "queue of qemu-sim-2")
    assert [r[:3] for r in rows] == [
        ["the first", "runs, lab home", "night"],
        ["<b>for a person", "waits", "person"],
        ["<b>for a push", "waits", "push"],
    ]
    # Each has its time: what waits begins when what runs before it is due.
    due = [r[5] for r in rows]
    assert "-" not in due
    assert due == sorted(due)
    assert all(begins < ends for *_, begins, ends in rows)
    _, lost = table(found, "queue of rpi5")
    assert lost[0] == "on a board that is not there"
    assert lost[4:] == ["-", "-"]
    served, without = found.split('<h2 id="rpi5">')
    assert "No board of this type is in service" in text(without)
    assert "No board of this type is in service" not in text(served)
    assert "1 kernel waits to be built" in text(found)


def test_an_idle_master_keeps_nobody_waiting(page: Page) -> None:
    said = text(page([]))
    assert "0 running, 0 waiting" in said
    assert "to be built" not in said


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UsageError("no builder kernel: is this vlag's master?"), "is this vlag's master?"),
        (
            InfrastructureError("Buildbot's web interface: GET /builders: refused", retry=True),
            "The queue is unknown now: Buildbot's web interface",
        ),
    ],
    ids=["another", "away"],
)
def test_a_master_that_is_away_or_another_is_said(
    dsn: str, tmp_path: Path, error: Exception, sentence: str
) -> None:
    def fails() -> Any:
        raise error

    said = text(read(visitor(application(dsn, tmp_path, queue=fails)), "/queue", 503))
    assert sentence in said
    assert "database" not in said


def test_a_site_without_a_master_says_whom_to_ask(dsn: str, tmp_path: Path) -> None:
    said = text(read(visitor(application(dsn, tmp_path)), "/queue"))
    assert "vlag boards queue" in said
