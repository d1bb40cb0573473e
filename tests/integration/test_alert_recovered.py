# SPDX-License-Identifier: GPL-2.0-only
"""A commit's alert ends with the commit that takes its loss back, whatever else has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.years.world import World
from tests.integration.alerting import why
from tests.integration.planted import places, planted
from vlag.alerts.derive import derive
from vlag.store.database import Connection

PLACE, OTHER = ("rpi5", "stress-ng-switch"), ("qemu-sim-2", "stress-ng-switch")


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    return World(conn=conn, state=tmp_path / "state", seed=11)


def undecided(world: World) -> None:
    """Let the comparison of the head with its parent have decided nothing."""
    with planted(world.conn):
        world.conn.execute(
            "UPDATE verdict v SET verdict = 'INCONCLUSIVE', suspect = false"
            " FROM comparison c JOIN kernel k"
            " ON k.id = c.new_kernel WHERE c.id = v.comparison AND c.role = 'parent'"
            " AND k.commit = %s", (world.head.id,),
        )  # fmt: skip


@pytest.mark.parametrize(("left", "stands"), [(0.0, False), (0.06, True)])
def test_what_the_first_push_of_a_branch_loses_and_takes_back_is_no_alert(
    world: World, left: float, *, stands: bool
) -> None:
    """No head was before the loss, and the first one has it no more."""
    world._push(lost={PLACE: 0.08})
    world._push(lost={PLACE: left} if left else {})
    world.night(["no push"])
    assert places(world.conn) == ({1: {PLACE}} if stands else {})


def test_a_loss_whose_revert_decided_nothing_ends_with_the_heads(world: World) -> None:
    world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    world._push(lost={})
    world.night(["no push"])
    assert why(world.conn, 1) == f"{world.head.id[:12]} ({world.head.id[:12]}) took it back"
    undecided(world)
    with planted(world.conn):
        world.conn.execute("UPDATE alert SET withdrawn_at = NULL")
    world.night([])
    assert places(world.conn) == {}
    assert why(world.conn, 1).endswith("no longer shows it")


def test_a_revert_that_only_its_rerun_decided_takes_the_loss_back(world: World) -> None:
    """As on real boards, of whose screens many decide nothing."""
    world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    world._push(lost={})
    world.night(["no push"])
    with planted(world.conn):
        screens = world.conn.execute(
            "UPDATE verdict v SET verdict = 'INCONCLUSIVE' FROM comparison c JOIN kernel k"
            " ON k.id = c.new_kernel WHERE c.id = v.comparison AND c.stage = 'screen' AND v.suspect"
            " AND c.role = 'parent' AND k.commit = %s", (world.head.id,),
        )  # fmt: skip
        assert screens.rowcount == 1
        world.conn.execute("UPDATE alert SET withdrawn_at = NULL")
    world.night([])
    assert why(world.conn, 1).endswith("took it back")


@pytest.mark.parametrize(("half", "stands"), [(0.026, False), (0.045, True)])
def test_what_is_asked_once_has_the_error_of_one_question(
    world: World, half: float, *, stands: bool
) -> None:
    """As with a second mode of boots, where neither change is known well and no head decides."""
    world.night([])
    for lost in ({PLACE: 0.08}, {}):
        world._push(lost=lost)
        said = world.night(["no push"])
        with planted(world.conn):
            world.conn.execute("UPDATE alert SET withdrawn_at = NULL")
            world.conn.execute(
                "DELETE FROM alert_verdict a USING verdict v, comparison c"
                " WHERE v.id = a.verdict AND c.id = v.comparison AND c.role = 'baseline'"
            )
            world.conn.execute(
                "UPDATE verdict v SET ci_low = v.effect - w.half, ci_high = v.effect + w.half,"
                " verdict = CASE WHEN c.role = 'parent' THEN v.verdict ELSE 'INCONCLUSIVE' END,"
                " suspect = c.role = 'parent' AND v.suspect FROM comparison c CROSS JOIN LATERAL"
                "   (SELECT CASE c.role WHEN 'parent' THEN %s ELSE 0.3 END AS half) w"
                " WHERE c.id = v.comparison AND v.effect IS NOT NULL",
                (half,),
            )
        derive(world.conn, world.catalogue, said.comparisons)
    assert bool(places(world.conn)) is stands
    assert stands or why(world.conn, 1).endswith("took it back")


def test_a_reverted_commit_is_not_kept_open_by_another_one_in_its_place(world: World) -> None:
    world.night([])
    world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    assert places(world.conn) == {1: {PLACE}}
    world._push(lost={})
    world._push(lost={PLACE: 0.06})
    world.night(["no push"])
    assert places(world.conn) == {2: {PLACE}}


def test_what_is_taken_back_on_one_board_type_stands_on_the_other(world: World) -> None:
    world.night([])
    world._push(lost={PLACE: 0.08, OTHER: 0.08})
    world.night(["no push"])
    world._push(lost={OTHER: 0.08})
    world.night(["no push"])
    assert OTHER in places(world.conn)[1]
    world._push(lost={})
    world.night(["no push"])
    assert places(world.conn) == {}


def test_a_loss_that_is_back_on_one_board_type_does_not_come_back_there(world: World) -> None:
    """On the other one it is not known that well; another commit's loss comes back by a reset."""
    for _ in range(3):
        world._push()
    world.night([])
    world._push(lost={PLACE: 0.08, OTHER: 0.08})
    world.night(["no push"])
    with planted(world.conn):
        world.conn.execute(
            "UPDATE verdict v SET ci_low = -0.2, ci_high = -0.01 FROM comparison c JOIN kernel k"
            " ON k.id = c.new_kernel WHERE c.id = v.comparison AND c.role = 'parent'"
            " AND c.board_type = %s AND k.commit = %s AND v.verdict = 'REGRESSION'",
            (PLACE[0], world.head.id),
        )
    for lost in ({}, {OTHER: 0.07}, {}):
        world._push(lost=lost)
        world.night(["no push"])
        assert places(world.conn) == ({2: {OTHER}} if lost else {})
    world._rewrite(lambda: bool(world.line.commits.pop()))
    world.night(["no push"])
    assert places(world.conn) == {2: {OTHER}}


@pytest.mark.parametrize("how", ["a reset", "a second loss"])
def test_a_loss_that_is_there_again_reopens_its_alert(world: World, how: str) -> None:
    for _ in range(3):
        world._push()
    world.night([])
    world._push(lost={PLACE: 0.08})
    lossy = world.head
    world.night(["no push"])
    world._push(lost={})
    world.night(["no push"])
    assert places(world.conn) == {}
    if how == "a reset":  # the branch has its revert no longer
        world._rewrite(lambda: bool(world.line.commits.pop()))
        assert world.head is lossy
    else:  # it is another commit's now
        world._push(lost={PLACE: 0.08})
    world.night(["no push"])
    assert places(world.conn) == {1 if how == "a reset" else 2: {PLACE}}


def test_a_commit_that_a_reset_dropped_is_not_blamed_for_one_that_stays(world: World) -> None:
    """Both lost as much in the same place."""
    world._push()
    world.night([])
    for lost in (0.06, 0.12):
        world._push(lost={PLACE: lost})
        world.night(["no push"])
    assert places(world.conn) == {1: {PLACE}, 2: {PLACE}}
    world._rewrite(lambda: bool(world.line.commits.pop()))
    world._push(lost={PLACE: 0.06})
    world.night(["no push"])
    assert places(world.conn) == {1: {PLACE}}
    assert why(world.conn, 2) == "linux/master was reset to before it"


def test_of_two_losses_that_ended_the_later_one_comes_back(world: World) -> None:
    """By a reset to before what took it back; what took the first one back is still there."""
    world._push()
    world.night([])
    for _ in range(2):
        for lost in ({PLACE: 0.08}, {}):
            world._push(lost=lost)
            world.night(["no push"])
        undecided(world)
    assert places(world.conn) == {}
    world._rewrite(lambda: bool(world.line.commits.pop()))
    world.night(["no push", "a compiler's update"])
    assert places(world.conn) == {2: {PLACE}}
