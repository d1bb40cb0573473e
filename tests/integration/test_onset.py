# SPDX-License-Identifier: GPL-2.0-only
"""Since when: from the first night of a loss, every road names the last good and first bad head."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from attrs import evolve

from bench.years.world import Night, World
from tests.integration.planted import planted
from tests.integration.webpages import read, unlinked
from tests.integration.websites import application, visitor
from vlag.report import mail, read_model
from vlag.report.data import comparison_context, night_changes
from vlag.report.read_model.onsets import HeadRow
from vlag.store import comparisons, kernels
from vlag.store.database import Connection


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    # Only heads are compared: nothing is booted that would name the commit.
    return World(conn=conn, state=tmp_path / "state", seed=11, pushes=False)


def worse(world: World, night: Night) -> list[int]:
    """Return the verdicts on the head that are worse than the baseline, worst first."""
    ids = world.conn.execute(
        "SELECT v.id FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison"
        " WHERE v.comparison = ANY(%s) AND c.role = 'baseline' AND v.verdict = 'REGRESSION'"
        " AND v.standing IN ('confirmed', 'told') ORDER BY v.worsening DESC, v.id",
        (list(night.comparisons),),
    ).fetchall()
    return [id_ for (id_,) in ids]


def said(world: World, night: Night, dsn: str) -> dict[str, str]:
    """Return what each road says, in one line."""
    conn = world.conn
    [first, *_] = worse(world, night)
    row = conn.execute("SELECT comparison FROM verdict WHERE id = %s", (first,)).fetchone()
    assert row is not None
    assert night.told is not None
    alert = conn.execute(
        "SELECT id, title, body FROM alert WHERE kind = 'regression' AND withdrawn_at IS NULL"
        " ORDER BY id LIMIT 1"
    ).fetchone()
    assert alert is not None
    data = night_changes.collect(conn, world.catalogue, night.told, web="http://vlag.test/")
    comparison = comparisons.by_id(conn, row[0])
    assert comparison is not None
    rows = [v for v in comparisons.verdicts(conn, row[0]) if v.id in worse(world, night)]
    sides = {"base": comparison.base_kernel, "new": comparison.new_kernel}
    compared = {side: kernels.by_id(conn, kernel) for side, kernel in sides.items()}
    site = visitor(application(dsn, world.state))
    roads = {
        "title": alert[1],
        "body": alert[2],
        "mail": mail.render(data).text,
        "report": comparison_context.suspects(conn, comparison, compared, rows, ())["commit"] or "",
        "alert": unlinked(read(site, f"/alert?id={alert[0]}")),
        "comparison": unlinked(read(site, f"/compare?id={row[0]}")),
        "overview": unlinked(read(site, "/")),
    }
    return {name: " ".join(text.split()) for name, text in roads.items()}


def test_the_first_night_names_the_first_bad_head_and_the_last_good_one(
    world: World, dsn: str
) -> None:
    world.night([])
    good = world.night([]).head.id[:12]
    night = world.night(["a loss"])
    bad = night.head.id[:12]
    for road, text in said(world, night, dsn).items():
        # A title may have no room for more.
        full = "" if road in ("title", "overview") else f" (one commit after {good})"
        assert f"since {bad}{full}" in text, road
        assert f"since {good}" not in text, road


def test_heads_that_nobody_booted_lie_between(world: World, dsn: str) -> None:
    world.night([])
    good = world.night([]).head.id[:12]
    world.night(["a missed night"])
    night = world.night(["a loss"])
    bad = night.head.id[:12]
    words = f"between {good} and {bad} (2 commits)"
    for road, text in said(world, night, dsn).items():
        assert words in text or road in ("title", "overview"), road
    # It stays so: later heads are as bad, and do not move it.
    for _ in range(3):
        night = world.night([])
        for road, text in said(world, night, dsn).items():
            assert words in text or road in ("title", "overview"), (road, night.number)
    # Negative control: had the head before it been measured as bad, it would have begun there.
    [first, *_] = worse(world, night)
    onset = read_model.onsets(world.conn, [first])[first]
    assert onset.good is not None
    assert onset.good["new_commit"][:12] == good
    with world.conn.transaction(force_rollback=True), planted(world.conn):
        world.conn.execute(
            "UPDATE verdict SET verdict = 'REGRESSION' WHERE comparison = %s",
            (cast(HeadRow, onset.good)["comparison"],),
        )
        other = read_model.onsets(world.conn, [first])[first]
        assert other.words != onset.words


def test_other_conditions_are_another_question(world: World, dsn: str) -> None:
    world.night([])
    good = world.night([]).head.id[:12]
    night = world.night(["a tool's update", "a loss"])
    found = read_model.onsets(world.conn, worse(world, night))
    assert found
    assert {o.words for o in found.values()} == {None}
    for road, text in said(world, night, dsn).items():
        assert f"after {good}" not in text, road


def test_a_rewritten_branch_has_no_number_of_commits(world: World, dsn: str) -> None:
    for _ in range(4):
        world.night([])
    good = world.night([]).head.id[:12]
    night = world.night(["a reset", "a loss"])
    bad = night.head.id[:12]
    words = f"since {bad} (the branch was rewritten after {good})"
    assert words in said(world, night, dsn)["body"]


def test_a_loss_that_ended_while_the_baseline_was_away_is_not_where_the_next_one_began(
    world: World,
) -> None:
    world.line.places = [("rpi5", "stress-ng-switch")]
    world.night([])
    good = world.night([]).head.id[:12]
    world.night(["a loss"])
    world.night(["another baseline"])
    world.night(["a revert"])
    night = world.night(["a second baseline", "a loss"])
    onsets = read_model.onsets(world.conn, worse(world, night))
    words = {onset.words for onset in onsets.values()} - {None}
    assert words == {f"between {good} and {night.head.id[:12]} (4 commits)"}


def test_a_loss_that_lasts_while_the_baseline_is_away_began_before(world: World) -> None:
    """Negative control: the other baseline shows it as well."""
    world.line.places = [("rpi5", "stress-ng-switch")]
    world.night([])
    good = world.night([]).head.id[:12]
    bad = world.night(["a loss"]).head.id[:12]
    world.night(["another baseline"])
    night = world.night(["a second baseline"])
    onsets = read_model.onsets(world.conn, worse(world, night))
    words = {onset.words for onset in onsets.values()} - {None}
    assert words == {f"since {bad} (one commit after {good})"}


def test_a_step_of_a_history_is_between_the_kernels_that_were_measured(world: World) -> None:
    """Negative control: where each commit was measured, it is at one."""
    world.line.places = [("qemu-sim-2", "hackbench-pipe")]
    whole = world.catalogue.plan("nightly")
    others = tuple(e for e in whole.entries if e.benchmark != "hackbench-pipe")
    for _ in range(6):
        good = world.night([]).head.id[:12]
    world._plan(evolve(whole, entries=others))
    world.night(["a loss"])
    world.night([])
    world._plan(whole)
    bad = world.night([]).head.id[:12]
    for _ in range(3):
        world.night([])
    assert f"Its history steps by +{{}} % between {good} and {bad} (3 commits)" in steps(world)
    world.night(["a revert"])
    for _ in range(5):
        world.night([])
    culprit = world.night(["a loss"]).head.id[:12]
    for _ in range(3):
        world.night([])
    assert f"Its history steps by +{{}} % at commit {culprit}" in steps(world)


def steps(world: World) -> str:
    """Return the text of the last alert, without sizes."""
    row = world.conn.execute(
        "SELECT body FROM alert WHERE kind = 'regression' ORDER BY changed_at DESC, id DESC LIMIT 1"
    ).fetchone()
    assert row is not None
    return re.sub(r"[+][0-9.]+ %", "+{} %", " ".join(row[0].split()))
