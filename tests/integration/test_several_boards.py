"""Several real boards of one type: each is a block, in comparisons and in histories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.answers import stored
from vlag import ROOT, config
from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.trends import Trends, follow
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.pipeline.ingest import ingest_all
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
        for result in ingest_all(paths, conn=self.conn, catalogue=self.catalogue):
            if isinstance(result, Exception):
                raise result

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
        return follow(
            self.conn, evolve(loaded, branches=(watched,)), self.catalogue, lambda _said: None
        )

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


@pytest.fixture
def lab(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Lab:
    return Lab(conn, catalogue, tmp_path)


def rates(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [c for c in found if c["metric"] == "bogo-ops-rate"]


def width(row: VerdictRow) -> float:
    assert row.ci_low is not None
    assert row.ci_high is not None
    return row.ci_high - row.ci_low


def test_boards_apart_are_no_change_and_widen_nothing(lab: Lab) -> None:
    """The sides have the boards in unequal shares, which alone would look like -2 %."""
    lab.boot(BASE, "12222", 0)
    lab.boot(NEW, "11112", 0)
    row = lab.rate()
    assert abs(row.effect or 0) < 0.01
    assert width(row) < 0.025
    assert not row.suspect
    assert "; within 2 boards: rpi5-1, rpi5-2 (" in row.reason
    assert row.base_value is not None
    assert row.new_value is not None
    assert row.new_value / row.base_value - 1 == pytest.approx(row.effect)


def test_a_loss_is_seen_within_boards(lab: Lab) -> None:
    """Negative control: the same boards, a kernel that lost 5 %."""
    lab.boot(BASE, "12323", 0)
    lab.boot(NEW, "11223", 0, level=0.95)
    row = lab.rate()
    assert row.effect == pytest.approx(-0.05, abs=0.01)
    assert row.suspect
    assert row.verdict == "REGRESSION"


def test_boots_of_a_board_that_one_side_lacks_are_left_out(lab: Lab) -> None:
    lab.boot(BASE, "11122", 0)
    lab.boot(NEW, "11113", 0)
    comparison = lab.compared()
    row = next(v for v in comparison.verdicts if v.metric == "bogo-ops-rate")
    assert (row.n_base, row.n_new) == (3, 4)
    assert abs(row.effect or 0) < 0.01
    assert "within" not in row.reason  # one board is left
    assert [n for n in stored(lab.conn, comparison).notes if "none there" in n] == [
        "2 run(s) of stress-ng-switch of the base on board rpi5-2 are left out:"
        " the new has none there",
        "1 run(s) of stress-ng-switch of the new on board rpi5-3 are left out:"
        " the base has none there",
    ]


def test_sides_on_different_boards_are_not_comparable(lab: Lab) -> None:
    lab.boot(BASE, "11111", 0)
    lab.boot(NEW, "22222", 0)
    row = lab.rate()
    assert row.verdict == "NOT_COMPARABLE"
    assert row.reason == (
        "the base ran on rpi5-1 and the new ran on rpi5-2, and what these boards ran in common does"
        " not say how far apart they are: boot both kernels on one board"
    )


def test_known_levels_make_them_comparable(lab: Lab) -> None:
    for night in range(8):
        lab.boot(bundles.kernel(f"old.{night}"), "112212", night)
    lab.boot(BASE, "11111", 20)
    lab.boot(NEW, "22222", 20)
    same = lab.rate()
    assert same.verdict not in ("NOT_COMPARABLE", "REGRESSION", "IMPROVEMENT")
    assert abs(same.effect or 0) < 0.01
    assert "base and new ran on different boards, rpi5-1, rpi5-2: their levels, known to" in (
        same.reason
    )
    # Less is known than of boots on one board.
    lab.boot(NEW, "11111", 20)
    assert width(lab.rate()) < width(same)


def test_a_history_goes_on_over_its_boards(lab: Lab) -> None:
    """A board a night in turns; the baseline says how far they are apart."""
    lab.nights([1.0] * 16 + [0.95] * 16, ["11", "22"])
    found = lab.follow()
    [change] = rates(found.found)
    assert change["effect"] == pytest.approx(-0.05, abs=0.01)
    assert "/topic.16." in change["kernel"]
    assert change["cause"] == "kernel"


def test_boards_apart_are_no_step_of_a_history(lab: Lab) -> None:
    """Negative control: one board for weeks, then the other."""
    lab.nights([1.0] * 30, ["12", "11", "12"] * 5 + ["22", "12", "22"] * 5)
    assert rates(lab.follow().found) == []


def test_boards_with_nothing_in_common_have_histories_of_their_own(lab: Lab) -> None:
    levels = [1.0] * 32 + [0.95] * 32
    lab.nights(levels, ["11", "22"], baseline=False)
    found = lab.follow()
    assert {round(c["effect"], 2) for c in rates(found.found)} == {-0.05}
    assert len(rates(found.found)) == 2  # each board's own first night of it
    again = lab.follow()
    assert (again.found, again.withdrawn) == ((), 0)


def test_an_update_of_one_boards_firmware_does_not_end_a_history(lab: Lab) -> None:
    lab.firmware = {"rpi5-1": "1", "rpi5-2": "1"}
    lab.nights([1.0] * 12, ["12"])
    lab.firmware["rpi5-1"] = "2"
    lab.levels["rpi5-1"] *= 0.94  # the update made it slower
    lab.nights([1.0] * 4 + [0.95] * 12, ["12"], first=12)
    [change] = rates(lab.follow().found)
    assert "/topic.16." in change["kernel"]
    assert change["effect"] == pytest.approx(-0.05, abs=0.01)
