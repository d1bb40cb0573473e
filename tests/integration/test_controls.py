# SPDX-License-Identifier: GPL-2.0-only
"""The base's boots of earlier nights on a noisy board: which count in a comparison, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BOARD = "qemu"
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)
#: Five boots of one night that scatter by 2 %.
BOOTS = (1.0, 1.024, 0.978, 1.012, 0.986)
SLOWER = tuple(0.978 * f for f in BOOTS)


def plan(rounds: tuple[int, ...] = (5,)) -> Plan:
    entry = PlanEntry(
        benchmark="stress-ng-switch", parameters={}, board_types=(BOARD, "qemu-sim-2"), seeds=5,
        rounds=rounds, timeout_s=60,
    )  # fmt: skip
    return Plan(name="nightly", entries=(entry,))


Boot = Callable[..., None]
Answer = Callable[..., StoredComparison]


@pytest.fixture
def boot(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Boot:
    def work(
        of: dict[str, Any],
        factors: Sequence[float],
        night: int,
        *,
        board: str = "qemu-1",
        board_type: str = BOARD,
        hours: int = 0,
    ) -> None:
        kind = catalogue.board_types[board_type]
        where = {
            **bundles.BOARD, "name": board, "board_type": board_type,
            "deterministic": kind.deterministic,
        }  # fmt: skip
        ended = FIRST + timedelta(days=night, hours=hours)
        paths = bundles.side(
            tmp_path, of, catalogue, factors=factors, board=where, finished_at=ended.isoformat(),
            run_key=bundles.sha(f"{of['digest']} {night} {hours} {board}"),
        )  # fmt: skip
        bundles.store(conn, catalogue, paths)

    return work


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Answer:
    def work(
        rounds: tuple[int, ...] = (5,), board_type: str = BOARD, stage: Any = "screen"
    ) -> StoredComparison:
        return compare(
            conn=conn, catalogue=catalogue, base=KernelRef(text="linux-6.1"),
            new=KernelRef(text="linux-6.12"), board_type=board_type, plan=plan(rounds), stage=stage,
        )  # fmt: skip

    return work


def rate(of: StoredComparison) -> VerdictRow:
    return next(v for v in of.verdicts if v.metric == "bogo-ops-rate")


def nights(boot: Boot, levels: Sequence[float], **more: Any) -> None:
    for night, level in enumerate(levels):
        boot(BASE, [level * f for f in (*BOOTS[night % 5 :], *BOOTS[: night % 5])], night, **more)


def test_earlier_nights_of_a_steady_board_count(boot: Boot, answer: Answer) -> None:
    nights(boot, [1.0] * 7)
    boot(NEW, SLOWER, 6, hours=1)
    row = rate(answer())
    assert "30 earlier boots of the base count as" in row.reason
    assert (row.n_base, row.n_new, len(row.base_runs)) == (5, 5, 5)
    assert row.base_value is not None
    assert row.new_value is not None
    assert row.new_value / row.base_value - 1 == pytest.approx(row.effect)
    assert row.suspect


def test_five_boots_alone_do_not_suspect_it(boot: Boot, answer: Answer) -> None:
    """Negative control of the controls: the same night without those before it."""
    boot(BASE, BOOTS, 6)
    boot(NEW, SLOWER, 6, hours=1)
    row = rate(answer())
    assert "earlier" not in row.reason
    assert not row.suspect


def test_a_board_that_drifts_is_its_own_night(boot: Boot, answer: Answer) -> None:
    nights(boot, [1.0, 1.06, 0.95, 1.04, 0.97, 1.05, 1.0])
    boot(NEW, BOOTS, 6, hours=1)
    row = rate(answer())
    assert row.effect == pytest.approx(0, abs=1e-3)
    assert row.n_base == 5
    assert "count as 0." in row.reason
    assert not row.suspect


def test_what_does_not_count(boot: Boot, answer: Answer) -> None:
    """Another board's boots, later nights, and a plan without rerun boots."""
    nights(boot, [1.1] * 6, board="qemu-2")
    boot(BASE, BOOTS, 6)
    boot(NEW, SLOWER, 6, hours=1)
    first = rate(answer())
    assert "earlier" not in first.reason
    nights(boot, [1.0] * 6)
    assert "30 earlier" in rate(answer()).reason  # negative control: the same board's
    assert "earlier" not in rate(answer(rounds=())).reason
    boot(BASE, [1.2 * f for f in BOOTS], 9)
    later = rate(answer())
    assert (later.n_base, later.effect) == (5, rate(answer()).effect)
    assert "30 earlier" in later.reason


def test_rerun_boots_of_earlier_nights_are_controls_and_never_confirm(
    boot: Boot, answer: Answer
) -> None:
    nights(boot, [1.0] * 6)
    for night in (1, 2, 3):  # with the seeds 1 to 10
        boot(BASE, BOOTS * 2, night, hours=3)
    boot(BASE, BOOTS, 6)
    boot(NEW, SLOWER, 6, hours=1)
    # The night's own runs, and both seeds' of three nights.
    assert "60 earlier" in rate(answer()).reason
    boot(BASE, BOOTS * 2, 6, hours=3)
    boot(NEW, SLOWER * 2, 6, hours=3)
    fresh = rate(answer(stage="confirm"))
    assert (fresh.n_base, fresh.n_new) == (5, 5)
    assert "earlier" not in fresh.reason


def test_a_deterministic_board_has_no_nights(boot: Boot, answer: Answer) -> None:
    kind = "qemu-sim-2"
    nights(boot, [1.0] * 3, board="sim2-1", board_type=kind)
    boot(NEW, SLOWER, 6, board="sim2-1", board_type=kind)
    assert "earlier" not in rate(answer(board_type=kind)).reason
