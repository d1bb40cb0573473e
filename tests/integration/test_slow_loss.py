# SPDX-License-Identifier: GPL-2.0-only
"""What a branch loses little by little is one alert of its own kind, which names its heads."""

from __future__ import annotations

from pathlib import Path

from bench.years.world import World
from vlag.alerts import triage
from vlag.store.database import Connection

PLACE = ("rpi5", "stress-ng-switch")


def alerts(conn: Connection) -> list[tuple[str, bool, str]]:
    return conn.execute(
        "SELECT kind, withdrawn_at IS NULL, triage::text FROM alert ORDER BY id"
    ).fetchall()


def test_five_steps_of_less_than_matters(conn: Connection, tmp_path: Path) -> None:
    world = World(conn=conn, state=tmp_path / "state", seed=3)
    world.pushes = False
    for step in range(6):
        world._push(lost={PLACE: 0.007 * step} if step else {})
        for number in range(3):
            world.night(["no push"] if number == 0 else [])
    assert [(kind, stands) for kind, stands, _ in alerts(conn)] == [("slow loss", True)]
    row = conn.execute("SELECT title, body FROM alert").fetchone()
    assert row is not None
    title, body = row[0], " ".join(row[1].split())
    assert "stress-ng-switch" in title
    assert " % worse slowly since " in title
    assert "It came slowly: " in body
    assert "No single step explains it." in body
    commits, said = world.line.commits, body.partition("It came slowly: ")[2]
    first, last = [i for i, c in enumerate(commits) if f"({c.id[:12]})" in said]
    assert commits[first].id[:12] in title
    assert first <= 7
    assert last >= 12
    triage.set_state(conn, 1, "investigating", by="kim", why="mine")
    # It goes on as it is, with its state of triage, and ends when all is back.
    world.night([])
    assert alerts(conn) == [("slow loss", True, "investigating")]
    world._push(lost={})
    for _ in range(4):
        world.night([])
    assert alerts(conn) == [("slow loss", False, "investigating")]
