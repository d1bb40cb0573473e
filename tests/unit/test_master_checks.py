# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Checks by schedule: each board once, whatever was run before."""

from __future__ import annotations

import sys
from pathlib import Path

from attrs import evolve

from tests.settings_files import MASTER
from tests.unit.asked import properties
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.model import Board

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import check_steps, kernel, schedulers

BOARDS = (
    Board(name="sim2-1", board_type="qemu-sim-2"),
    Board(name="sim2-2", board_type="qemu-sim-2"),
    Board(name="sim4-1", board_type="qemu-sim-4"),
    Board(name="pi-1", board_type="rpi5", lab="home"),
    Board(name="plain", board_type="qemu"),  # its numbers are the host's weather: no check
)
KNOWN = evolve(catalogue.load(), boards=BOARDS)


def loaded(folder: Path, more: str = "") -> config.Settings:
    (folder / "vlag.toml").write_text(MASTER + more)
    return config.load(folder / "vlag.toml")


def test_the_baseline_is_asked_for_once_an_image(tmp_path: Path) -> None:
    sim, pi = sorted(
        check_steps.check_requests(loaded(tmp_path), KNOWN), key=lambda r: -len(r["board_types"])
    )
    assert sim["board_types"] == ["qemu-sim-2", "qemu-sim-4"]
    assert pi["board_types"] == ["rpi5"]
    assert {r["ref"] for r in (sim, pi)} == {"debian/6.1.*"}
    assert {r["plan"] for r in (sim, pi)} == {"check"}


def test_a_baseline_that_moves_is_not_what_boards_are_checked_with(tmp_path: Path) -> None:
    settings = loaded(tmp_path)
    moving = evolve(settings.branches[0], baseline="merge-base:linux-6.1")
    for branches, ref in (
        ((moving, *settings.branches), "debian/6.1.*"),
        ((moving,), f"linux-6.1...{moving.branch}"),  # without checks by the clock: there is none
    ):
        requests = check_steps.check_requests(evolve(settings, branches=branches), KNOWN)
        assert {r["ref"] for r in requests} == {ref}


def test_every_deterministic_board_of_the_shipped_inventory_is_checked(tmp_path: Path) -> None:
    shipped = catalogue.load()
    requests = check_steps.check_requests(loaded(tmp_path), shipped)
    checked = {name for request in requests for name in request["board_types"]}
    types = {b.board_type for b in shipped.boards}
    assert {t for t in types if shipped.board_type(t).deterministic} <= checked


def asked(plan: str, **more: object) -> list[dict[str, object]]:
    given = properties(
        plan=plan, board_types=["qemu-sim-2", "qemu-sim-4"], kernel_name="base", knobs={}, **more
    )
    return kernel.run_requests(KNOWN, given)


def test_each_board_is_booted_itself() -> None:
    assert [(r["pinned"], r["seed"]) for r in asked("check")] == [
        ("sim2-1", 1), ("sim2-2", 1), ("sim4-1", 1),
    ]  # fmt: skip
    # What is on record does not count: a board is checked by what it does now.
    there = [
        {
            "benchmark": "cyclictest-idle",
            "parameters": {},
            "board_type": "qemu-sim-2",
            "seed": 1,
            "observes": None,
        }
    ]
    assert len(asked("check", recorded=there)) == 3
    # Negative control: another plan's boots go to any board.
    assert {r["pinned"] for r in asked("nightly")} == {None}


def test_a_check_is_no_run_of_record() -> None:
    def words(plan: str) -> list[str]:
        given = properties(plan=plan, build_bundle="b", benchmark="x", seed=1, timeout_s=9)
        return kernel.run_arguments.getRenderingFor(given).result

    assert "--reuse" not in words("check")
    assert "--reuse" in words("nightly")


def test_the_hours_of_the_settings(tmp_path: Path) -> None:
    def named(more: str) -> dict[str, object]:
        made = schedulers.schedule_all(loaded(tmp_path, more), KNOWN)
        return {s.name: s for s in made}

    assert "checks" not in named("")
    assert named("[checks]\nhours = [5, 17]\n")["checks"]._config_kwargs["hour"] == [5, 17]
