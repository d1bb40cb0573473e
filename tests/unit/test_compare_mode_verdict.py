# SPDX-License-Identifier: GPL-2.0-only
"""What a rerun makes of a new mode that a screen has shown: rounds of its own, pairs, history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from vlag.compare.history import Known
from vlag.compare.verdict import Boots, Confirmation, Subject, row
from vlag.model import Direction, Metric, Sample
from vlag.stats.rare_modes import RareMode
from vlag.store.comparisons import VerdictRow

RATE = Metric(name="rate", unit="1/s", direction=Direction.HIGHER, relevance=0.01, resolution=0.01)
SPREAD = [1000.0 + 2 * (i % 5 - 2) for i in range(120)]
MODE = RareMode(boots=5, places=(1,), border=900.0, effect=-0.38, worse=True)
ROUNDS, FURTHER = (10, 20, 30), (60, 120)
SEEDS = 5


def side(name: str, lost: Sequence[int], boots: int) -> Boots:
    """Return rerun boots, of which those at some places are in the mode."""
    values = [v * (0.62 if i in lost else 1.0) for i, v in enumerate(SPREAD[:boots])]
    return Boots(
        name=name,
        figures=[Sample(metric="rate", values=(v,), instances=("",)) for v in values],
        seeds=range(SEEDS + 1, SEEDS + 1 + boots),
    )


def rerun(
    lost: Sequence[int],
    boots: int,
    *,
    base: Sequence[int] = (),
    mode: RareMode | None = MODE,
    further: tuple[int, ...] = FURTHER,
    history: Known | None = None,
    asked: int | None = None,
) -> VerdictRow:
    return row(
        Subject(benchmark="b", parameters={}, metric=RATE, relevance=0.01, hint=False),
        "median",
        side("base", base, boots),
        side("new", lost, boots),
        history=history,
        confirmation=Confirmation(
            rounds=ROUNDS,
            suspected={"median": True},
            modes={} if mode is None else {"median": mode},
            mode_rounds=further,
            asked=asked or boots,
            last=SEEDS + ROUNDS[-1],
        ),
    )


def test_a_mode_stays_open_while_a_round_of_its_own_is_left() -> None:
    none = rerun((), 30)
    assert (none.stand, none.verdict) == ("open", "INCONCLUSIVE")
    assert none.mode is None
    assert none.reason == (
        "none of 30 boots lose 38 %, as 1 of 5 did: it may still be of up to 9.5 % of the boots;"
        " 60 boots a side will say more"
    )
    # Negative control: with no such round the same boots leave it undecided.
    last = rerun((), 30, further=())
    assert last.stand == "undecided"
    assert "will say more" not in last.reason
    # Sixty without it exclude what matters.
    assert rerun((), 60).stand == "refuted"


def test_a_share_of_an_eighth_is_confirmed_by_the_boots_of_the_last_round() -> None:
    lost = range(3, 120, 8)
    early = rerun(lost, 30)
    assert early.stand == "open"
    assert early.mode == "4 of 30 boots lose 38 %; of the base's 30, none"
    assert early.reason.startswith(f"{early.mode}: it may still")
    made = rerun(lost, 120)
    assert (made.stand, made.verdict) == ("confirmed", "REGRESSION")
    assert made.mode is not None
    assert made.mode.startswith("15 of 120 boots lose 38 %; of the base's 120, none (seeds 9, 17")
    assert made.mode.endswith(" and 7 more)")
    assert made.reason.startswith(made.mode)
    assert made.p_zero is not None
    assert made.p_zero < 5e-4
    assert made.effect == pytest.approx(-0.058, abs=0.002)
    # Negative control: the base has as many.
    other = rerun(lost, 120, base=range(0, 120, 8))
    assert other.stand == "undecided"


def test_a_mode_gets_no_more_boots_where_the_base_shows_it_as_often() -> None:
    assert rerun((), 30, base=(3,)).stand == "undecided"
    assert rerun((4,), 30, base=(3,)).stand == "undecided"
    # Negative control: less often; and before the rounds of all suspicions end, it goes on.
    assert rerun((4, 14), 30, base=(3,)).stand == "open"
    assert rerun((), 20, base=(3,)).stand == "open"


def test_what_is_no_mode_has_only_the_rounds_of_all_suspicions() -> None:
    lost = range(3, 120, 8)
    made = rerun(lost, 60, mode=None)
    assert (made.n_base, made.n_new) == (30, 30)
    assert made == rerun(lost, 30, mode=None)
    # A boot that failed in the last of them does not make it wait for another one.
    assert rerun(lost, 29, mode=None, asked=30).stand != "open"
    # Negative control.
    assert rerun(lost, 60).n_new == 60


def paired(deviations: tuple[float, ...] = ()) -> Known:
    return Known(paired=True, deviations=deviations)


def test_a_pair_is_proof_unless_the_history_has_such_boots() -> None:
    made = rerun((3,), 10, history=paired())
    assert (made.stand, made.mode) == (
        "confirmed", "1 of 10 boots loses 38 %; of the base's 10, none (seed 9)",
    )  # fmt: skip
    steady = (0.0, 0.001, -0.001) * 10
    assert rerun((3,), 10, history=paired(steady)).stand == "confirmed"
    # Negative control: earlier kernels had them too, with other seeds.
    seldom = (*steady, -0.478, -0.479)
    assert rerun((3,), 10, history=paired(seldom)).stand == "open"


def test_pairs_get_no_rounds_of_a_mode() -> None:
    assert rerun((), 30, history=paired()).stand == "undecided"
    assert rerun((), 20, history=paired()).stand == "open"
    # Negative control: seeds that are no pairs.
    assert rerun((), 30).stand == "open"
