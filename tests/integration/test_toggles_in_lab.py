# SPDX-License-Identifier: GPL-2.0-only
"""`vlag knobs` on boards of a lab whose levels differ by more than the loss."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field
from click.testing import CliRunner

from tests.integration import bundles
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.lab_boards import BoardPool
from vlag.search import toggles
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

LEVELS = {"pi1": 1.0, "pi2": 1.08, "pi3": 0.94}
FEATURES = "/sys/kernel/debug/sched/features"
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
LOSS = 0.95
NIGHT = 24  # boots of each kernel
FEATURES_OF = {"6.1": "WA_IDLE", "6.12": "DELAY_DEQUEUE WA_IDLE"}


@define(kw_only=True)
class Lab:
    """Boards of a lab whose boots are drawn."""

    conn: Connection
    catalogue: Catalogue
    folder: Path
    takes_back: str  # a setting with which the new kernel is as fast as the base
    made: list[tuple[str, str, int, str | None]] = field(factory=list)

    def run(
        self, of: Any, board: str, seed: int, knobs: Mapping[str, str], plan: str | None
    ) -> Path:
        setting = knobs.get("sched_features", "")
        is_slow = of is NEW and setting != self.takes_back
        lot = random.Random(f"{of['describe']} {setting} {seed}")
        level = (LOSS if is_slow else 1.0) * LEVELS[board] * math.exp(lot.gauss(0, 0.004))
        kind = self.catalogue.board_type("rpi5")
        version = "6.12" if of is NEW else "6.1"
        return bundles.run(
            self.folder / f"{version}-{setting}-{board}-{seed}", of, self.catalogue,
            raw=bundles.stress_ng(level), seed=seed, knobs=dict(knobs), plan=plan,
            environment={"/proc/version": "Linux version", FEATURES: FEATURES_OF[version]},
            board={**bundles.BOARD, "name": board, "board_type": "rpi5", "cpus": kind.cpus,
                   "deterministic": False, "emulator": None},
        )  # fmt: skip

    def boot(
        self, kernel: Path, board: Board, *, seed: int, knobs: Mapping[str, str],
        request: str | None, **_: Any,
    ) -> dict[str, Any]:  # fmt: skip
        of = NEW if kernel.name == "6.12" else BASE
        self.made.append((kernel.name, board.name, seed, request))
        bundle = self.run(of, board.name, seed, knobs, None)
        return {"outcome": "complete", "bundle": str(bundle)}

    def night(self) -> int:
        """Return the comparison of a night, whose boots the lab gave to any board."""
        names = list(LEVELS)
        for of, version in ((BASE, "6.1"), (NEW, "6.12")):
            bundles.store(
                self.conn, self.catalogue, [bundles.build(self.folder / "builds" / version, of)]
            )
            bundles.store(self.conn, self.catalogue, [
                self.run(of, names[seed % len(names)], seed, {}, "nightly")
                for seed in range(1, NIGHT + 1)
            ])  # fmt: skip
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type="rpi5", role="baseline",
            base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
        ).id  # fmt: skip


def asked(
    conn: Connection, dsn: str, catalogue: Catalogue, folder: Path,
    monkeypatch: pytest.MonkeyPatch, takes_back: str,
) -> tuple[Lab, dict[str, Any]]:  # fmt: skip
    boards = tuple(Board(name=name, board_type="rpi5", lab="east") for name in LEVELS)
    farm = evolve(catalogue, boards=(*catalogue.boards, *boards))
    lab = Lab(conn=conn, catalogue=farm, folder=folder, takes_back=takes_back)
    id_ = lab.night()
    monkeypatch.setattr(catalogues, "of", lambda _settings: farm)
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
