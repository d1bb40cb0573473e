# SPDX-License-Identifier: GPL-2.0-only
"""Histories along a branch: nights on record, and what is made of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from tests.integration import bundles
from vlag import ROOT, config
from vlag.compare.trends import Trends, follow
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.pipeline.ingest import ingest_all
from vlag.store.database import Connection

SIM, PLAIN = "qemu-sim-2", "qemu"

BOOTS = 3


@pytest.fixture
def known(catalogue: Catalogue) -> Catalogue:
    entry = PlanEntry(
        benchmark="stress-ng-switch", parameters={}, board_types=(SIM, PLAIN), seeds=BOOTS,
        rounds=(5,), timeout_s=60,
    )  # fmt: skip
    return evolve(catalogue, plans={"nightly": Plan(name="nightly", entries=(entry,))})


@pytest.fixture
def history(conn: Connection, known: Catalogue, tmp_path: Path) -> Callable[..., None]:
    """Put nights on record: one kernel a night, or one kernel on many nights."""

    def night(
        levels: Sequence[float],
        *,
        branch: str = "topic",
        first: int = 0,
        board: str = SIM,
        same: bool = False,
        **more: Any,
    ) -> None:
        for i, level in enumerate(levels, first):
            name = branch if same else f"{branch}.{i}"
            of = bundles.kernel(name, branch=branch)
            ended = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=i)
            times: dict[str, Any] = {"finished_at": ended.isoformat()}
            kind = known.board_types[board]
            where = {**bundles.BOARD, "name": f"{board}-1", "board_type": board,
                     "deterministic": kind.deterministic}  # fmt: skip
            random = np.random.default_rng([i, len(branch)])
            factors = level * np.exp(random.normal(0, 0.003, BOOTS))
            paths = bundles.side(
                tmp_path / f"{branch}-{board}-{i}", of, known, factors=list(factors),
                board=where, **times, **more,
            )  # fmt: skip
            for result in ingest_all(paths, conn=conn, catalogue=known):
                if isinstance(result, Exception):
                    raise result

    return night


@pytest.fixture
def look(conn: Connection, known: Catalogue) -> Callable[..., Trends]:
    def work(board: str = SIM) -> Trends:
        loaded = config.load(ROOT / "vlag.toml")
        watched = evolve(
            loaded.branches[0], branch="top*", board_types=(board,), plan="nightly", series=None
        )
        return follow(conn, evolve(loaded, branches=(watched,)), known)

    return work


def rates(found: Sequence[Any]) -> list[Any]:
    return [c for c in found if c["metric"] == "bogo-ops-rate"]
