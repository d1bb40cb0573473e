# SPDX-License-Identifier: GPL-2.0-only
"""What nothing measures any more is said to be so: neither worse for ever, nor better."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from bench.years.service import BOARD_TYPES
from bench.years.world import World
from vlag.alerts import triage
from vlag.model import Plan, PlanEntry
from vlag.store import messages
from vlag.store.database import Connection


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    """A branch with a loss that has an alert, which somebody has looked at."""
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    for events in ([], ["a loss"], []):
        made.night(events)
    triage.set_state(conn, 1, "investigating", by="kim", why="mine")
    return made


def alert(world: World) -> tuple[bool, str, str]:
    """Return whether the alert stands, its state of triage, and what was last done to it."""
    row = world.conn.execute(
        "SELECT a.withdrawn_at IS NULL, a.triage::text, (SELECT e.why FROM alert_event e"
        " WHERE e.alert = a.id ORDER BY e.id DESC LIMIT 1) FROM alert a WHERE a.id = 1"
    ).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def replan(world: World, change: Callable[[Plan], Plan]) -> None:
    plan = change(world.catalogue.plans["nightly"])
    world.catalogue = evolve(world.catalogue, plans={"nightly": plan})


def lost(world: World) -> str:
    [benchmark] = {benchmark for _board_type, benchmark in world.head.lost}
    return benchmark


def test_a_benchmark_that_no_plan_runs(world: World) -> None:
    gone = lost(world)
    whole = world.catalogue.plans["nightly"]
    replan(world, lambda p: evolve(
        p, entries=tuple(e for e in p.entries if e.benchmark != gone)))  # fmt: skip
    world.night([])
    stands, state, why = alert(world)
    assert (stands, state) == (False, "investigating")
    assert why.startswith(f"no longer measured: no plan runs {gone} on ")
    assert " any more; last " in why
    assert " %, comparison " in why
    # It is told once, and neither opened nor withdrawn again.
    events = world.conn.execute("SELECT count(*) FROM alert_event").fetchone()
    world.night([])
    assert world.conn.execute("SELECT count(*) FROM alert_event").fetchone() == events
    # As it is measured again, it is there again, as it was.
    replan(world, lambda _p: whole)
    world.night([])
    assert alert(world)[:2] == (True, "investigating")


def test_other_parameters_are_another_figure(world: World) -> None:
    gone = lost(world)
    replan(world, lambda p: evolve(p, entries=tuple(
        evolve(e, parameters={"instances": 3}) if e.benchmark == gone else e for e in p.entries
    )))  # fmt: skip
    world.night(["no push"])
    stands, _state, why = alert(world)
    assert not stands
    assert f"no plan runs {gone} with " in why


def told(world: World) -> str:
    """Return the subject of the last night's mail, and the door's sentence."""
    last = max(messages.latest(world.conn, 99), key=lambda m: m.id)
    mail = message_from_bytes(last.body, policy=default)
    assert isinstance(mail, EmailMessage)
    text = next(p for p in mail.iter_parts() if p.get_content_type() == "text/plain")
    sentence = text.get_content().replace("\r\n", "\n").split("\n\n")[0]
    return f"{mail['Subject']}\n{' '.join(sentence.split())}"


def test_other_parameters_show_the_same_loss(conn: Connection, tmp_path: Path) -> None:
    """The alert of its commit goes on, and nothing is new."""
    world = World(conn=conn, state=tmp_path / "state", seed=11)
    world.night([])
    world._push(lost={(board_type, "hackbench-pipe"): 0.12 for board_type in BOARD_TYPES})
    world.night(["no push"])
    assert "2 regressions (" in told(world)
    world.night(["another parameter"])
    assert alert(world)[0]
    assert conn.execute("SELECT count(*) FROM alert").fetchone() == (1,)
    assert "2 regressions, none new (" in told(world)
    assert "nothing new since" in told(world)
    # Negative control: what comes after it is new.
    world._push(lost={**world.head.lost, ("rpi5", "stress-ng-switch"): 0.12})
    world.night(["no push"])
    assert "3 regressions (1 new)" in told(world)
    assert "new since" in told(world).replace("nothing new since", "")


def test_a_board_type_on_which_a_branch_does_not_run(world: World) -> None:
    path = world.state / "vlag.toml"
    types = {board_type for board_type, _benchmark in world.head.lost}
    kept = sorted({"qemu-sim-2", "rpi5"} - types) or ["qemu-sim-4"]
    path.write_text(path.read_text().replace('["qemu-sim-2", "rpi5"]', f'["{kept[0]}"]'))
    world.reload()
    world.night([])
    stands, _state, why = alert(world)
    assert not stands
    assert why.startswith("no longer measured: linux/master does not run on ")


def test_a_benchmark_without_figures_is_said_to_be_old(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is planned, and its boots give nothing: nobody takes that for good news."""

    def notes() -> list[str]:
        night = world.night([])
        row = world.conn.execute("SELECT notes FROM night WHERE id = %s", (night.told,)).fetchone()
        assert row is not None
        return [n for n in row[0] if "has had no figures for" in n]

    assert notes() == []
    real = world.farm.boot

    def boot(of: Any, board_type: str, entry: PlanEntry, *words: Any, **more: Any) -> Any:
        silent = (board_type, entry.benchmark) == ("rpi5", "hackbench-pipe")
        return words[1] if silent else real(of, board_type, entry, *words, **more)

    monkeypatch.setattr(type(world.farm), "boot", lambda _self, *w, **m: boot(*w, **m))
    assert notes() == []
    assert notes() == []
    [said] = notes()
    assert said.startswith(
        "hackbench-pipe of linux/master on rpi5 has had no figures for 3 nights: what is shown"
    )
    assert "for 4 nights" in notes()[0]
    monkeypatch.undo()
    assert notes() == []


def test_what_is_measured_stays(world: World) -> None:
    """Negative control: nothing has moved."""
    for events in ([], ["no push"], []):
        world.night(events)
    assert alert(world)[:2] == (True, "investigating")
