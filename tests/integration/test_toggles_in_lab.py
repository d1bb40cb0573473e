# SPDX-License-Identifier: GPL-2.0-only
"""`vlag knobs` on boards of a lab whose levels differ by more than the loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.integration.toggled_lab import LEVELS, Lab, farm
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.lab_boards import BoardPool
from vlag.search import toggles
from vlag.store.database import Connection


def asked(
    conn: Connection, dsn: str, catalogue: Catalogue, folder: Path,
    monkeypatch: pytest.MonkeyPatch, takes_back: str,
) -> tuple[Lab, dict[str, Any]]:  # fmt: skip
    there = farm(catalogue)
    boards = [board for board in there.boards if board.name in LEVELS]
    lab = Lab(conn=conn, catalogue=there, folder=folder, takes_back=takes_back)
    id_ = lab.night()
    monkeypatch.setattr(catalogues, "of", lambda _settings: there)
    monkeypatch.setattr(lab_boards, "pool", lambda *_: BoardPool(boards))
    monkeypatch.setattr(side_by_side, "boot", lab.boot)
    words = ["knobs", "--comparison", str(id_), "--preempt", "no", "--format", "json"]
    done = CliRunner().invoke(main, words, env={"VLAG_DATABASE": dsn})
    assert done.exit_code == 0, done.output
    return lab, json.loads(done.stdout.splitlines()[-1])


def test_the_feature_that_takes_the_loss_back_is_named_though_boards_differ(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    lab, answer = asked(conn, dsn, catalogue, tmp_path, monkeypatch, "NO_DELAY_DEQUEUE")
    assert answer["answer"] == "accounted for"
    shares = {t["name"]: t["share"] for t in answer["toggles"]}
    assert shares["DELAY_DEQUEUE"] == pytest.approx(1, abs=0.25)
    assert shares["WA_IDLE"] == pytest.approx(0, abs=0.25)
    # Boards differ by 14 %: with their levels in it, the interval would be as wide as the loss.
    for toggle in answer["toggles"]:
        low, high = toggle["interval"]
        assert high - low < 0.6
    # Whatever has one seed shares a board, both kernels without a toggle among it.
    by_seed: dict[int, set[str]] = {}
    for _, board, seed, _ in lab.made:
        by_seed.setdefault(seed, set()).add(board)
    assert {len(boards) for boards in by_seed.values()} == {1}
    assert min(by_seed) == toggles.FRESH + 1
    assert len(by_seed) == toggles.SEEDS_NOISY
    assert {kernel for kernel, *_ in lab.made} == {"6.1", "6.12"}
    assert len({request for *_, request in lab.made}) == 1


def test_where_nothing_takes_it_back_no_toggle_is_blamed(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Negative control."""
    _, answer = asked(conn, dsn, catalogue, tmp_path, monkeypatch, "nothing")
    assert answer["answer"] != "accounted for"
    assert {t["role"] for t in answer["toggles"]}.isdisjoint({"accounts for it", "a part"})
