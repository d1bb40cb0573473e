# SPDX-License-Identifier: GPL-2.0-only
"""Figures of commits on boards of this host: one boot that fails is enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.pipeline import side_by_side
from vlag.search.measure import Measurer, Unmeasurable, figure

BOARDS = 2
SEEDS = range(1, 9)


def measurer(
    catalogue: Catalogue, folder: Path, monkeypatch: pytest.MonkeyPatch, failing: Sequence[str]
) -> tuple[Measurer, list[tuple[str, bool]]]:
    """Return what measures, and the commits of its boots with whether a failure may be reused."""
    booted: list[tuple[str, bool]] = []
    (folder / "output").write_bytes(bundles.stress_ng(1.0))

    def boot(kernel: Path, _board: Board, *, reuse_failed: bool, **_: Any) -> dict[str, Any]:
        booted.append((kernel.name, reuse_failed))
        if kernel.name in failing:
            return {"outcome": "hang", "reason": "no end within 60 s", "output": None}
        return {"outcome": "complete", "reason": None, "output": str(folder / "output")}

    monkeypatch.setattr(side_by_side, "boot", boot)
    monkeypatch.setattr("os.cpu_count", lambda: BOARDS)
    here = tuple(Board(name=f"b{n}", board_type="qemu-sim-2") for n in range(4))
    settings: Any = None  # it builds nothing
    made = Measurer(
        settings=settings, catalogue=evolve(catalogue, boards=here), tree="tree",
        board_type=catalogue.board_type("qemu-sim-2"),
        figure=figure(catalogue.benchmark("stress-ng-switch"), None, {}, {}),
        timeout_s=60, builds={name: folder / name for name in ("well", "hangs")},
    )  # fmt: skip
    return made, booted


def test_a_kernel_that_hangs_costs_each_board_one_boot_at_most(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures, booted = measurer(catalogue, tmp_path, monkeypatch, ["hangs"])
    for _ in range(2):  # asked again, it is not booted again
        with pytest.raises(Unmeasurable, match="hang: no end within 60 s"):
            measures.values("hangs", SEEDS)
    assert 1 <= len(booted) <= BOARDS
    # Whatever an earlier search has found out is used, also that a kernel fails.
    assert {reuse for _, reuse in booted} == {True}


def test_a_kernel_that_runs_gets_all_its_boots(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""
    measures, booted = measurer(catalogue, tmp_path, monkeypatch, ["hangs"])
    assert len(measures.values("well", SEEDS)) == len(SEEDS) == len(booted)


def test_a_boot_is_made_once(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures, booted = measurer(catalogue, tmp_path, monkeypatch, [])
    first = measures.values("well", SEEDS)
    assert measures.values_of({"well": SEEDS}) == [first]
    assert len(booted) == len(SEEDS)
    measures.values("well", [*SEEDS, 9])
    assert len(booted) == len(SEEDS) + 1
