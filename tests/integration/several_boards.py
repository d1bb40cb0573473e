# SPDX-License-Identifier: GPL-2.0-only
"""Several real boards of one type that boot two kernels."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from tests.integration import bundles
from vlag import ROOT, config
from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.trends import Trends, follow
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BOARD = "rpi5"

FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)

#: Levels of the boards.
LEVELS = {"rpi5-1": 1.0, "rpi5-2": 1.03, "rpi5-3": 0.97}

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")


def plan() -> Plan:
    entry = PlanEntry(
        benchmark="stress-ng-switch", parameters={}, board_types=(BOARD,), seeds=5, rounds=(5,),
        timeout_s=60,
    )  # fmt: skip
    return Plan(name="nightly", entries=(entry,))


class Lab:
    """Boards that boot kernels, seeds 1, 2, ... on the boards that are named."""

    def __init__(self, conn: Connection, catalogue: Catalogue, folder: Path):
        self.conn, self.folder = conn, folder
        self.catalogue = evolve(catalogue, plans={"nightly": plan()})
        self.random = np.random.default_rng(7)
        self.levels = dict(LEVELS)
        self.firmware: dict[str, str] = {}

    def boot(
        self, of: dict[str, Any], boards: Sequence[str], night: int, *, level: float = 1.0
    ) -> None:
        paths = [bundles.build(self.folder / "builds" / of["digest"][:12], of)]
        kind = self.catalogue.board_types[BOARD]
        for seed, board in enumerate((f"rpi5-{name}" for name in boards), 1):
            where = {**bundles.BOARD, "name": board, "board_type": BOARD, "emulator": None,
                     "deterministic": False, "cpus": kind.cpus}  # fmt: skip
            value = level * self.levels[board] * float(np.exp(self.random.normal(0, 0.004)))
            more: dict[str, Any] = {}
            if board in self.firmware:
                more["environment"] = {"firmware_version": self.firmware[board]}
            paths.append(
                bundles.run(
                    self.folder / f"{of['digest'][:12]}-{night}-{seed}", of, self.catalogue,
                    raw=bundles.stress_ng(value), seed=seed, board=where,
                    run_key=bundles.sha(f"{of['digest']} {night} {seed} {board}"),
                    finished_at=(FIRST + timedelta(days=night)).isoformat(), **more,
                )
            )  # fmt: skip
        bundles.store(self.conn, self.catalogue, paths)

    def compared(self) -> StoredComparison:
        return compare(
            conn=self.conn, catalogue=self.catalogue, base=KernelRef(text="linux-6.1"),
            new=KernelRef(text="linux-6.12"), board_type=BOARD, plan=plan(), stage="screen",
        )  # fmt: skip

    def rate(self) -> VerdictRow:
        return next(v for v in self.compared().verdicts if v.metric == "bogo-ops-rate")

    def follow(self) -> Trends:
        loaded = config.load(ROOT / "vlag.toml")
        watched = evolve(
            loaded.branches[0], branch="top*", board_types=(BOARD,), plan="nightly", series=None
        )
        return follow(self.conn, evolve(loaded, branches=(watched,)), self.catalogue)

    def nights(
        self, levels: Sequence[float], on: Sequence[str], *, baseline: bool = True, first: int = 0
    ) -> None:
        """Boot a new head each night, on the boards of that night, and the baseline on them."""
        for night, level in enumerate(levels, first):
            of = bundles.kernel(f"topic.{night}", branch="topic")
            boards = on[night % len(on)]
            self.boot(of, boards, night, level=level)
            if baseline:
                self.boot(BASE, boards, night)
                compare(
                    conn=self.conn, catalogue=self.catalogue, role="baseline",
                    base=KernelRef(text="linux-6.1"), new=KernelRef(text=of["digest"]),
                    board_type=BOARD, plan=plan(), stage="screen",
                )  # fmt: skip
