# SPDX-License-Identifier: GPL-2.0-only
"""Boots of a screen and its reruns in a lab whose boards differ: kernels meet on each board."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen

from tests.integration.search_lab import Lab
from tests.unit.labs import LAB, Fake, board, listed, served
from vlag import ROOT, config
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.model import Board, Plan
from vlag.pipeline.lab_boards import board_of
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.confirm import rerun_boots
from master.triggers import Child

TYPE, BENCHMARK = "rpi5", "stress-ng-switch"
#: By how much each board is faster: the first two are 11 % apart.
LEVELS = {"p1": 1.0, "p2": 1.11, "p3": 1.04, "p4": 1.07}
BASE, NEW = 0, 1  # numbers of commits


@frozen(kw_only=True)
class Farm:
    """A lab with four boards, what it boots, and the settings that name it."""

    lab: Lab
    settings: config.Settings
    catalogue: Catalogue
    plan: Plan
    said: Fake
    placed: bool
    of: list[tuple[int, str]] = field(factory=list)  # commit and board of each boot, in order

    def boot(self, number: int, seed: int) -> None:
        place = board_of(self.settings, self.catalogue, TYPE, seed, of=BENCHMARK)
        assert place is not None
        name = place if self.placed else list(LEVELS)[self.lab.booted % len(LEVELS)]
        self.lab.boot(self.lab.commits[number], seed, self.plan.name, place=name)
        self.of.append((number, name))

    def screen(self) -> StoredComparison:
        for number in (BASE, NEW):
            self.lab.build(self.lab.commits[number])
            for seed in range(1, self.plan.entries[0].seeds + 1):
                self.boot(number, seed)
        return self.compared("screen")

    def rerun(self, round_: int) -> StoredComparison:
        """Make the boots of a round in the order in which the master asks for them."""
        sides = [
            Child(
                request={
                    "purpose": "push", "kernel_name": str(n), "plan": self.plan.name, "knobs": {}
                },
                results=0, properties={"build_bundle": str(n), "kernel": str(n)},
            )
            for n in (BASE, NEW)
        ]  # fmt: skip
        asked = rerun_boots(
            self.catalogue, [({"board_type": TYPE}, [BENCHMARK], sides[0], sides[1])], round_
        )
        for request in asked:
            self.boot(int(request["build_bundle"]), request["seed"])
        return self.compared("confirm", round_)

    def compared(self, stage: Any, round_: int | None = None) -> StoredComparison:
        base, new = (KernelRef(text=self.lab.commits[n]) for n in (BASE, NEW))
        return compare(
            conn=self.lab.conn, catalogue=self.catalogue, base=base, new=new, board_type=TYPE,
            plan=self.plan, stage=stage, round_=round_, benchmarks={BENCHMARK}, role="parent",
        )  # fmt: skip

    def decided(self) -> tuple[StoredComparison, int]:
        """Make the rounds until one decides; return its comparison, and the boots a side."""
        for number, boots in enumerate(self.plan.entries[0].all_rounds, 1):
            answer = self.rerun(number)
            if not answer.open:
                return answer, boots
        raise AssertionError("the last round leaves nothing open")


@pytest.fixture
def farm(
    conn: Connection,
    dsn: str,
    catalogue: Catalogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Farm]]:
    shipped = catalogue.plan("farm-nightly").entries_on(TYPE, {})[0]
    entry = evolve(shipped, parameters={}, board_types=(TYPE,), observe={})
    # What ships: five boots a side, then ten, twenty and forty.
    assert (entry.benchmark, entry.seeds, entry.rounds) == (BENCHMARK, 5, (10, 20, 40))
    plan = Plan(name="nightly", entries=(evolve(entry, mode_rounds=()),))
    boards = tuple(Board(name=name, board_type=TYPE, lab="home") for name in LEVELS)
    known = evolve(catalogue, boards=boards, plans={**catalogue.plans, plan.name: plan})
    (tmp_path / "token").write_text("a-token\n")
    with served(monkeypatch) as said:
        in_service(said)

        def make(loss: float, *, placed: bool, lot: int = 0) -> Farm:
            levels: dict[int, float | str] = {BASE: 1.0, NEW: 1.0 - loss}
            lab = Lab(
                conn=conn, dsn=dsn, catalogue=known, folder=tmp_path, levels=levels,
                boards=LEVELS, board_type=TYPE, lot=lot, more=LAB.format(url=said.url),
            )  # fmt: skip
            lab.prepare()
            settings = config.load(tmp_path / "vlag.toml")
            return Farm(
                lab=lab, settings=settings, catalogue=known, plan=plan, said=said, placed=placed
            )

        yield make


def in_service(said: Fake, **health: str) -> None:
    said.says["GET devices/"] = listed(
        *(board(name, health=health.get(name, "Good"), tags=()) for name in LEVELS)
    )


@pytest.mark.parametrize("lot", [0, 1])
def test_a_loss_of_seven_per_cent_is_confirmed(farm: Callable[..., Farm], lot: int) -> None:
    made = farm(0.07, placed=True, lot=lot)
    assert made.screen().suspects == [BENCHMARK]
    answer, boots = made.decided()
    assert (answer.regressed, boots) == ([BENCHMARK], 10)
    row = next(v for v in answer.verdicts if v.metric == "bogo-ops-rate")
    assert row.effect == pytest.approx(-0.07, abs=0.02)
    assert "; within 4 boards: p1, p2, p3, p4 (" in row.reason


def test_as_the_queue_deals_them_out_base_and_new_never_meet(farm: Callable[..., Farm]) -> None:
    """Negative control: each boot on the board that is free."""
    made = farm(0.07, placed=False)
    made.screen()
    screened = len(made.of)
    answer = made.rerun(1)
    boards = [{name for n, name in made.of[screened:] if n == side} for side in (BASE, NEW)]
    assert not boards[0] & boards[1]
    assert answer.regressed == []


@pytest.mark.parametrize("lot", range(3))
def test_equal_kernels_stay_unconfirmed(farm: Callable[..., Farm], lot: int) -> None:
    made = farm(0.0, placed=True, lot=lot)
    made.screen()
    assert made.decided()[0].regressed == []


def test_a_board_that_goes_away_between_both_kernels_costs_its_pairs_alone(
    farm: Callable[..., Farm],
) -> None:
    made = farm(0.07, placed=True)
    made.lab.build(made.lab.commits[BASE])
    made.lab.build(made.lab.commits[NEW])
    for seed in range(1, 6):
        made.boot(BASE, seed)
    in_service(made.said, p3="Maintenance")
    for seed in range(1, 6):
        made.boot(NEW, seed)
    answer = made.compared("screen")
    assert answer.suspects == [BENCHMARK]
    assert "p3" not in {name for n, name in made.of if n == NEW}
    row = next(v for v in answer.verdicts if v.metric == "bogo-ops-rate")
    assert "; within 3 boards: p1, p2, p4 (" in row.reason
    assert row.n_new == 5
