# SPDX-License-Identifier: GPL-2.0-only
"""Boards of a lab whose boots are drawn, and whose new kernel loses by a toggle."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from tests.integration import bundles
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

LEVELS = {"pi1": 1.0, "pi2": 1.08, "pi3": 0.94}
FEATURES = "/sys/kernel/debug/sched/features"
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
#: The next head of the new kernel's branch.
NEXT = bundles.kernel(
    "6.12", commit=bundles.sha("next")[:40], describe="debian/6.12.171-1",
    committed_at="2026-02-21T00:00:00Z",
)  # fmt: skip
LOSS = 0.95
NIGHT = 24  # boots of each kernel


@define(kw_only=True)
class Lab:
    """Boards of a lab whose boots are drawn."""

    conn: Connection
    catalogue: Catalogue
    folder: Path
    takes_back: str  # a setting with which the new kernel is as fast as the base
    more: str = ""  # features of the new kernel
    loss: float = LOSS
    made: list[tuple[str, str, int, str | None]] = field(factory=list)

    def run(
        self, of: Any, board: str, seed: int, knobs: Mapping[str, str], plan: str | None,
        **changes: Any,
    ) -> Path:  # fmt: skip
        setting = knobs.get("sched_features", "")
        is_slow = of is not BASE and setting != self.takes_back
        lot = random.Random(f"{of['describe']} {setting} {seed}")
        level = (self.loss if is_slow else 1.0) * LEVELS[board] * math.exp(lot.gauss(0, 0.004))
        kind = self.catalogue.board_type("rpi5")
        version = of["describe"].removeprefix("debian/")
        shown = "WA_IDLE" if of is BASE else f"DELAY_DEQUEUE WA_IDLE {self.more}".strip()
        return bundles.run(
            self.folder / f"{version}-{setting}-{board}-{seed}", of, self.catalogue,
            raw=bundles.stress_ng(level), seed=seed, knobs=dict(knobs), plan=plan,
            environment={"/proc/version": "Linux version", FEATURES: shown},
            board={**bundles.BOARD, "name": board, "board_type": "rpi5", "cpus": kind.cpus,
                   "deterministic": False, "emulator": None},
            **changes,
        )  # fmt: skip

    def boot(
        self, kernel: Path, board: Board, *, seed: int, knobs: Mapping[str, str],
        request: str | None, **_: Any,
    ) -> dict[str, Any]:  # fmt: skip
        of = NEW if kernel.name == "6.12" else BASE
        self.made.append((kernel.name, board.name, seed, request))
        bundle = self.run(of, board.name, seed, knobs, None)
        return {"outcome": "complete", "bundle": str(bundle)}

    def store(self, path: Path) -> None:
        bundles.store(self.conn, self.catalogue, [path])

    def night(self, new: Any = NEW) -> int:
        """Return the comparison of a night, whose boots the lab gave to any board."""
        names = list(LEVELS)
        for of, version in ((BASE, "6.1"), (new, "6.12" if new is NEW else "next")):
            bundles.store(
                self.conn, self.catalogue, [bundles.build(self.folder / "builds" / version, of)]
            )
            bundles.store(self.conn, self.catalogue, [
                self.run(of, names[seed % len(names)], seed, {}, "nightly")
                for seed in range(1, NIGHT + 1)
            ])  # fmt: skip
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type="rpi5", role="baseline",
            base=KernelRef(text="linux-6.1"), new=KernelRef(text=new["commit"]),
        ).id  # fmt: skip


def farm(catalogue: Catalogue) -> Catalogue:
    """Return a catalogue with the lab's boards."""
    boards = tuple(Board(name=name, board_type="rpi5", lab="east") for name in LEVELS)
    return evolve(catalogue, boards=(*catalogue.boards, *boards))
