# SPDX-License-Identifier: GPL-2.0-only
"""An alert goes on, with what people said, when its branch is renamed or its commit rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from bench.years.world import World
from tests.integration.alerting import why
from vlag.model import digest
from vlag.store.database import Connection

PLACE = ("rpi5", "stress-ng-switch")


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    for _ in range(3):
        made._push()
    made.night([])
    return made


def lose(world: World) -> None:
    """Push a commit that loses, and let a person say what becomes of its alert."""
    world._push(lost={PLACE: 0.08})
    world.line.commits[-1] = evolve(world.head, culprits={PLACE: world.head.id})
    world.night(["no push"])
    assert standing(world) == [(1, "master", "new", None)]
    world.close(1, "investigating")


def standing(world: World) -> Sequence[Sequence[Any]]:
    return world.conn.execute(
        "SELECT id, branch, triage::text, owner FROM alert WHERE withdrawn_at IS NULL ORDER BY id"
    ).fetchall()


@pytest.mark.parametrize("pushes", [True, False], ids=["a commit's", "a branch's"])
@pytest.mark.parametrize("more", [["no push"], ["a reset"], []], ids=["same", "reset", "moved on"])
def test_an_alert_follows_a_renamed_branch(world: World, more: list[str], *, pushes: bool) -> None:
    world.pushes = pushes
    lose(world)
    world.night([])
    world.night([])
    world.night(["the branch is renamed", *more])
    assert standing(world) == [(1, world.branch, "investigating", "kim")]
    assert world.branch != "master"
    for _ in range(5):  # of what was built under the old name nothing is left
        world.night([])
    world.night(["the branch is renamed", "no push"])
    assert standing(world) == [(1, world.branch, "investigating", "kim")]
    world.night(["a revert"])
    assert standing(world) == []
    assert why(world.conn, 1).endswith("took it back" if pushes else "no longer shows it")


def test_what_a_renamed_branch_compares_only_now_is_as_old_as_it_was(world: World) -> None:
    """A commit's loss that the next one took back before is no new one."""
    world._push(lost={PLACE: 0.08})
    back = world.line.push(lost={})
    world.night(["no push"])
    assert standing(world) == []
    for _ in range(3):
        world.night([])
    world.night(["the branch is renamed", "a compiler's update"])
    again = [c.id for c in world.night([]).fresh]
    names = [c.id for c in world.line.commits]
    assert names[names.index(back.id) - 1] in again
    assert back.id not in again
    assert standing(world) == []


def test_a_loss_of_an_old_commit_that_nothing_took_back_is_said(world: World) -> None:
    """Negative control of the above."""
    world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    world.conn.execute("UPDATE alert SET withdrawn_at = now()")
    world.night([])
    world.night(["the branch is renamed", "a compiler's update"])
    world.night([])
    assert [row[:2] for row in standing(world)] == [(1, world.branch)]


def test_an_alert_waits_for_another_baseline_to_decide(world: World) -> None:
    """Where boots scatter much it takes some nights."""
    world.pushes = False
    lose(world)
    usual, world.farm._spread[PLACE] = world.farm._spread[PLACE], 0.6
    said = world.night(["another baseline", "no push"])
    found = world.conn.execute(
        "SELECT DISTINCT verdict FROM read_model.verdict WHERE comparison = ANY(%s)"
        " AND board_type = %s AND benchmark = %s", (list(said.comparisons), *PLACE)
    ).fetchall()  # fmt: skip
    assert found == [("INCONCLUSIVE",)]
    assert standing(world) == [(1, "master", "investigating", "kim")]
    world.farm._spread[PLACE] = usual
    world.night(["a revert"])
    assert standing(world) == []
    assert why(world.conn, 1) == "the branch is compared with another baseline now"


def test_what_people_closed_follows_a_renamed_branch(world: World) -> None:
    """It keeps its text, and is of the branch that is watched."""
    world.pushes = False
    lose(world)
    world.close(1, "wont_fix")
    [(text,)] = world.conn.execute("SELECT title FROM alert").fetchall()
    world.night(["the branch is renamed"])
    assert [row[:3] for row in standing(world)] == [(1, world.branch, "wont_fix")]
    assert world.conn.execute("SELECT title FROM alert").fetchall() == [(text,)]


def test_another_branch_takes_no_alert_over(world: World) -> None:
    """Negative control: one that was there before is another branch, whatever it has."""
    world.pushes = False
    called(world, "other")
    called(world, "master")
    lose(world)
    called(world, "other")
    assert [row[:3] for row in standing(world)] == [(2, "other", "new")]
    assert "linux/master is not watched any more" in why(world.conn, 1)


def called(world: World, branch: str) -> None:
    """Live through a night in which the settings have this branch."""
    world.branch = branch
    world._settle()
    world.night([])


def test_an_alert_follows_a_rewritten_commit(world: World) -> None:
    lose(world)
    for _ in range(2):
        old = world.head.id
        world.night(["a rebase", "no push"])
        assert world.head.id != old
        assert standing(world) == [(1, "master", "investigating", "kim")]
    world.night(["a revert"])
    assert standing(world) == []
    assert why(world.conn, 1).endswith("took it back")


def test_another_commit_with_the_same_loss_has_its_own_alert(world: World) -> None:
    """Negative control: the branch drops the commit, and another one loses as much."""
    lose(world)
    world._rewrite(lambda: bool(world.line.commits.pop()))
    world.night(["no push"])
    assert standing(world) == []
    world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    assert [row[:3] for row in standing(world)] == [(2, "master", "new")]


def test_alerts_for_two_names_of_a_commit_become_one(world: World) -> None:
    """As older versions left them; what people said stays, on whichever it was."""
    lose(world)
    old = world.head.id
    world.night(["a rebase"])
    key = {"kind": "culprit", "tree": "linux", "commit": old, "series": None,
           "application": "none", "synthetic": False}  # fmt: skip
    world.conn.execute(
        "INSERT INTO alert (key, kind, tree, branch, board_type, base_kernel, new_kernel, role,"
        " throughput, title, body) SELECT %s, kind, tree, branch, board_type, base_kernel,"
        " new_kernel, role, throughput, title, body FROM alert WHERE id = 1", (digest(key),),
    )  # fmt: skip
    assert len(standing(world)) == 2
    world.night([])
    assert standing(world) == [(1, "master", "investigating", "kim")]
    assert why(world.conn, 2) == "alert 1 is about the same commit"
