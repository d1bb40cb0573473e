# SPDX-License-Identifier: GPL-2.0-only
"""Profiles that the service makes by itself: for which changes, with how many boots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from tests.integration import profiled
from tests.integration.planted import planted
from vlag import config
from vlag.cli.main import main
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.search import explain
from vlag.store import comparisons
from vlag.store.database import Connection


@pytest.fixture
def settings() -> Settings:
    return config.load()


def test_a_confirmed_change_asks_for_three_boots_of_each_kernel(
    conn: Connection, dsn: str, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    # Named twice, as by a night and its rerun: asked once.
    found = explain.plan(conn, settings, catalogue, [of.id, of.id, 9999])
    assert found.comparisons == [of.id]
    assert found.skipped == []
    assert [(b["kernel"], b["seed"]) for b in found.boots] == [
        (kernel["digest"], seed) for seed in (1, 2, 3) for kernel in (profiled.BASE, profiled.NEW)
    ]
    first = found.boots[0]
    assert (first["observes"], first["board_type"]) == ("profile", "qemu-sim-2")
    assert Path(first["build_bundle"], "build.json").is_file()
    # As the master calls it, with the runs that were made.
    env = {"VLAG_DATABASE": dsn}
    asked = CliRunner().invoke(main, ["profile-boots", str(of.id), "--format", "json"], env=env)
    assert json.loads(asked.stdout)["boots"] == found.boots
    words = ["profile-runs", str(of.id), *map(str, (*of.new, *of.base)), "--format", "json"]
    done = CliRunner().invoke(main, words, env=env)
    assert done.exit_code == 0, done.output
    [said] = json.loads(done.stdout)["sentences"].values()
    assert "pick_task_fair" in said
    [(body,)] = conn.execute("SELECT body FROM alert").fetchall()
    assert "Function: pick_task_fair" in " ".join(body.split())
    # What is explained asks for nothing.
    assert explain.plan(conn, settings, catalogue, [of.id]).boots == []


@pytest.mark.parametrize(
    ("lost", "seeds"), [((2, 3), (3, 4, 8)), ((0, 1, 2, 3, 4), (1, 2, 3))], ids=["some", "all"]
)
def test_where_some_boots_are_in_a_mode_these_are_profiled(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    tmp_path: Path,
    lost: tuple[int, ...],
    seeds: tuple[int, ...],
) -> None:
    """Negative control: where all are slower, the first boots are."""
    factors = tuple(f * (0.62 if i in lost else 1.0) for i, f in enumerate(profiled.SAME)) * 8
    of = profiled.compared(
        conn, catalogue, tmp_path, factors=factors, base_factors=profiled.SAME * 8
    )
    asked = explain.plan(conn, settings, catalogue, [of.id]).boots
    assert sorted({b["seed"] for b in asked}) == list(seeds)
    assert len(asked) == 2 * len(seeds)
    # Boots of other seeds say nothing of the mode.
    _, skipped = explain.collect(conn, catalogue, of.id, [*of.base, *of.new])
    made = "1 and 1" if lost == (2, 3) else "3 and 3"
    assert bool([s for s in skipped if f"{made} of 3 boots" in s]) == (lost == (2, 3))


def test_a_boot_that_did_not_end_well_is_said(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    answers, skipped = explain.collect(conn, catalogue, of.id, [*of.base, *of.new[:2]])
    assert answers == []
    assert skipped == ["stress-ng-switch: 3 and 2 of 3 boots of base and new ended well"]


def test_the_self_proof_is_left_out_unless_the_settings_want_it(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    comparisons.put_prediction(conn, of.id, name="p", good=True, text="as predicted")
    assert explain.plan(conn, settings, catalogue, [of.id]).boots == []
    wanted = evolve(settings, profile=evolve(settings.profile, known_regressions=True))
    assert len(explain.plan(conn, wanted, catalogue, [of.id]).boots) == 6


def test_the_settings_bound_the_boots(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    of = profiled.compared(conn, catalogue, tmp_path)
    few = evolve(settings, profile=evolve(settings.profile, boots=5))
    found = explain.plan(conn, few, catalogue, [of.id])
    assert (found.boots, found.comparisons) == ([], [])
    [said] = found.skipped
    assert said == f"comparison {of.id}: stress-ng-switch: the settings allow 5 boots"


def test_boards_that_scatter_ask_for_no_profile_and_changes_that_are_none_for_nothing(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    """Negative control."""
    of = profiled.compared(conn, catalogue, tmp_path)
    kind = evolve(catalogue.board_type("qemu-sim-2"), deterministic=False)
    hardware = evolve(catalogue, board_types={**catalogue.board_types, kind.name: kind})
    counting = explain.plan(conn, settings, hardware, [of.id])
    assert {b["observes"] for b in counting.boots} == {"schedstats"}
    with planted(conn):
        conn.execute("UPDATE verdict SET verdict = 'UNCHANGED'")
    assert explain.plan(conn, settings, catalogue, [of.id]).boots == []
    assert explain.plan(conn, settings, hardware, [of.id]).boots == []
