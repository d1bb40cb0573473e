# SPDX-License-Identifier: GPL-2.0-only
"""Nights of heads on board types, and searches that found commits, for tests of grouping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.integration.alerting import BASE, SAME, SMALL, Record, head
from vlag.store import bisections
from vlag.store.bisections import BisectionRow

SWITCH, PIPE = "stress-ng-switch", "stress-ng-pipe"


def night(
    record: Record,
    number: int,
    lost: Mapping[str, Sequence[float]],
    *,
    of: dict[str, Any] | None = None,
    base: dict[str, Any] = BASE,
    role: str | None = "baseline",
) -> dict[str, int]:
    """Compare a head on each board type, with the boots that it has there."""
    of = of or head(number)
    ids = {}
    for board_type, factors in lost.items():
        record.fill(base, SAME, board_type=board_type)
        record.fill(of, factors, board_type=board_type)
        ids[board_type] = record.compare(base, of, role, board_type=board_type)
    return ids


def found(record: Record, comparison: int, commit: str, board_type: str = SMALL) -> None:
    """Put a search on record that found a commit for a comparison."""
    row = BisectionRow(
        tree="debian", good=BASE["commit"], bad=commit, board_type=board_type,
        benchmark=SWITCH, parameters={}, knobs={}, metric="bogo-ops-rate",
        statistic="median", commits=[commit], subject="a change", steps=4,
        between=12, effect=-0.12, share=0.99, recovered=0.97, no_revert=None,
        document={"reproduce": "vlag bisect a b"},
    )  # fmt: skip
    bisections.link(record.conn, bisections.put(record.conn, row), comparison)
