# SPDX-License-Identifier: GPL-2.0-only
"""Boots that a person's command waits for, on boards of this host or of a lab."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.boot import estimate_s
from vlag.search.asked import AskedBoot

log = logging.getLogger(__name__)


def make(
    settings: Settings, catalogue: Catalogue, boots: Sequence[AskedBoot], request: str
) -> list[Path]:
    """Make boots of one benchmark on one board type; return their bundles, whatever came of them.

    On this host they run side by side.  In labs equal seeds share a board, one after the other, so
    that its level is in each of them; the same `request` finds them there after a restart.
    Raises UsageError if there is no board, InfrastructureError once all boards have failed.
    """
    kind = catalogue.board_type(boots[0]["board_type"])
    here = catalogue.has_boards_here(kind.name)
    pool = None if here else lab_boards.pool(settings, catalogue, kind.name)
    boards = side_by_side.boards_at_once(catalogue, kind.name) if pool is None else pool.in_use
    benchmark = catalogue.benchmark(boots[0]["benchmark"])
    values = {**benchmark.parameters, **boots[0]["parameters"]}
    about = -(-len(boots) // len(boards)) * estimate_s(benchmark, kind, values)
    log.info(f"{len(boots)} boots, about {about / 60:.0f} min")
    done = 0

    def one(board: Board, asked: AskedBoot) -> Path:
        nonlocal done
        answer = side_by_side.boot(
            Path(asked["build_bundle"]), board, benchmark=asked["benchmark"], seed=asked["seed"],
            parameters=asked["parameters"], knobs=asked["knobs"], timeout_s=asked["timeout_s"],
            observes=asked["observes"], request=None if pool is None else request,
        )  # fmt: skip
        done += 1
        log.info(f"{done} of {len(boots)}: {asked['label']}: {answer['outcome']}")
        return Path(answer["bundle"])

    if pool is None:
        return side_by_side.side_by_side(boards, boots, one)
    by_seed: dict[int, list[AskedBoot]] = {}
    for asked in boots:
        by_seed.setdefault(asked["seed"], []).append(asked)
    return pool.run(by_seed, one)
