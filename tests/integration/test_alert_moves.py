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
