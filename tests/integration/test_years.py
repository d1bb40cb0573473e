"""The simulator of years: what it asks of the service, and that its oracles see faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.years.oracles import Judge, score
from bench.years.world import World
from vlag.alerts import derive, lifecycle
from vlag.report import read_model
from vlag.store.database import Connection

LOSS, HEAL = ["a loss"], ["a revert"]


@pytest.fixture
def judge(conn: Connection, tmp_path: Path) -> Judge:
    return Judge(world=World(conn=conn, state=tmp_path / "state", seed=11))


def live(judge: Judge, *nights: Sequence[str]) -> list[str]:
    """Live through nights with these events; return the oracles that found a fault."""
    for events in nights:
        judge.look(judge.world.night(events))
    return sorted({f.oracle for f in judge.faults})


#: What the world does to a loss that is there.
MOVES = {
    "nothing": [],
    "dates": ["a date in the future"],
    "a reset": ["a reset"],
    "a rebase": ["a rebase"],
    "a new tag": ["a new tag of the baseline"],
    "another baseline": ["another baseline"],
    "a second baseline": ["a second baseline"],
    "a tool": ["a tool's update"],
    "a compiler": ["a compiler's update"],
    "firmware": ["a firmware's update"],
    "a quiet branch": ["no push"],
    "a missed night": ["a missed night"],
    "a clock ahead": ["a clock ahead"],
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
def test_a_loss_is_said_stays_and_ends_whatever_moves(judge: Judge, move: list[str]) -> None:
    """Each event comes before the loss, while it is there, and as it ends."""
    found = live(judge, [], [], move, LOSS, [], move)
    judge.people("wont_fix")
    found = live(judge, [], move, [], HEAL, move, [], [])
    assert found == [], judge.faults
    said = score([judge])
    assert (said.losses, said.healed) != (0, 0)
    assert said.rates == dict.fromkeys(said.rates, 1.0)


# Each oracle sees a planted fault.


def test_a_loss_that_nobody_says_is_a_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "settle", lambda *_words, **_more: None)
    assert "a loss is said" in live(judge, [], LOSS, [], [])


def test_a_loss_without_its_commit_is_a_fault(judge: Judge) -> None:
    judge.world.pushes = False  # only heads are compared, so nobody knows which commit it was
    assert live(judge, [], LOSS, [], []) == ["its commit is named"]


def test_an_alert_that_outlives_its_cause_is_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(judge, [], LOSS, [])
    monkeypatch.setattr(derive, "withdraw", lambda *_words: None)
    monkeypatch.setattr(lifecycle, "withdraw", lambda *_words: None)
    found = live(judge, HEAL, [], [], [])
    assert {"a healed one ends", "an alert is true"} <= {*found}


def test_lost_triage_is_a_fault(judge: Judge) -> None:
    live(judge, [], LOSS, [])
    judge.people("wont_fix")
    judge.world.conn.execute("UPDATE alert SET triage = 'new'")
    assert "triage is kept" in live(judge, [])


def test_a_statement_that_changes_is_a_fault(judge: Judge) -> None:
    live(judge, [], [])
    judge.world.conn.execute("UPDATE verdict SET effect = effect + 0.01 WHERE effect IS NOT NULL")
    assert "a statement stays" in live(judge, [])


def test_pages_that_disagree_are_a_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    live(judge, [], LOSS)
    real: Callable[..., dict[str, Any]] = read_model.branch

    def without(*words: Any) -> dict[str, Any]:
        return {**real(*words), "comparisons": []}

    monkeypatch.setattr(read_model, "branch", without)
    assert "surfaces agree" in live(judge, [])
