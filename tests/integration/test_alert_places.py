# SPDX-License-Identifier: GPL-2.0-only
"""A commit answers for its own loss: for no other board's, and for no other commit's."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.years.world import World
from tests.integration.planted import places, planted
from vlag.store.database import Connection

ITS, OTHER = ("rpi5", "stress-ng-switch"), ("qemu-sim-2", "stress-ng-switch")


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    """A branch with a commit that is slower on one board type, and has an alert."""
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    made.night([])
    made._push(lost={ITS: 0.08})
    made.night(["no push"])
    assert places(conn) == {1: {ITS}}
    return made


@pytest.mark.parametrize("steps", [[0.08], [0.012, 0.012]], ids=["a commit", "small steps"])
def test_a_loss_elsewhere_is_not_that_commit_s(world: World, steps: list[float]) -> None:
    """It lost nothing on the other board type: its comparison with its parent has decided that."""
    lost = 0.0
    for step in steps:
        lost += step
        world._push(lost={ITS: 0.08, OTHER: lost})
        world.night(["no push"])
    found = places(world.conn)
    assert found.pop(1) == {ITS}
    assert [*found.values()] == [{OTHER}]
    world._push(lost={OTHER: lost})  # the commit is reverted
    world.night(["no push"])
    assert [*places(world.conn).values()] == [{OTHER}]


def test_a_loss_everywhere_is_that_commit_s(world: World) -> None:
    """Negative control: of a board type where nothing compared it, it answers for the loss."""
    with planted(world.conn):
        world.conn.execute(
            "DELETE FROM verdict WHERE comparison IN (SELECT id FROM comparison WHERE role ="
            " 'parent' AND board_type = %s)", (OTHER[0],),
        )  # fmt: skip
    world.pushes = False
    world._push(lost={ITS: 0.08, OTHER: 0.08})
    world.night(["no push"])
    assert places(world.conn) == {1: {ITS, OTHER}}


def undecided(world: World, where: tuple[str, str], effect: float) -> None:
    """Make what the commit's comparison says of another board type undecided."""
    with planted(world.conn):
        world.conn.execute(
            "UPDATE verdict v SET verdict = 'INCONCLUSIVE', effect = %s, ci_low = -0.2,"
            " ci_high = 0.2 FROM comparison c JOIN kernel k ON k.id = c.new_kernel"
            " WHERE c.id = v.comparison AND c.role = 'parent' AND k.commit = %s"
            " AND c.board_type = %s AND v.effect IS NOT NULL",
            (effect, world.head.id, where[0]),
        )  # fmt: skip


@pytest.mark.parametrize(("effect", "its"), [(-0.004, False), (0.3, False), (-0.07, True)])
def test_a_commit_undecided_elsewhere_answers_for_what_it_seems_to_have_lost_there(
    world: World, effect: float, *, its: bool
) -> None:
    undecided(world, OTHER, effect)  # of a rate: below 0 is worse
    world.pushes = False
    world._push(lost={ITS: 0.08, OTHER: 0.08})
    world.night(["no push"])
    assert places(world.conn) == ({1: {ITS, OTHER}} if its else {1: {ITS}, 2: {OTHER}})


def test_a_commit_answers_for_no_place_where_another_one_s_loss_is_proven(world: World) -> None:
    undecided(world, OTHER, -0.05)
    world._push(lost={ITS: 0.08, OTHER: 0.08})
    world.night(["no push"])
    assert places(world.conn) == {1: {ITS}, 2: {OTHER}}
    world._push(lost={OTHER: 0.08})  # so that it ends with its revert, whatever is lost there
    world.night(["no push"])
    assert places(world.conn) == {2: {OTHER}}


def test_a_reverted_commit_is_not_blamed_for_another_one_s_loss(world: World) -> None:
    world._push(lost={})
    world.night(["no push"])
    assert places(world.conn) == {}
    world._push(lost={ITS: 0.06})
    world.night(["no push"])
    assert places(world.conn) == {2: {ITS}}


def test_a_loss_that_no_other_commit_accounts_for_came_back(world: World) -> None:
    """Negative control: only the head is compared, and shows what the commit had lost."""
    world._push(lost={})
    world.night(["no push"])
    assert places(world.conn) == {}
    world.pushes = False
    world._push(lost={ITS: 0.08})
    world.night(["no push"])
    assert places(world.conn) == {1: {ITS}}


@pytest.mark.parametrize(("left", "stands"), [(0.008, False), (0.03, True)])
def test_a_small_rest_keeps_no_alert_open(
    conn: Connection, tmp_path: Path, left: float, *, stands: bool
) -> None:
    """A loss far below the threshold outlives the revert, and is another commit's."""
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    made.night([])
    for size in (0.08, left):
        made._push(lost={OTHER: size})
        made.night(["no push"])
    assert (1 in places(conn)) is stands
    made.night([])
    assert (1 in places(conn)) is stands
