# SPDX-License-Identifier: GPL-2.0-only
"""One verdict: what rerun boots and values of 0 make of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from vlag.compare import history, verdict_keys
from vlag.compare.verdict import Boots, Confirmation, Subject, row
from vlag.model import Direction, Metric, Sample, Verdict
from vlag.stats.rare_modes import RareMode
from vlag.stats.stages import Stand
from vlag.store.comparisons import VerdictRow

TIME = Metric(name="time", unit="ns", direction=Direction.LOWER, relevance=0.05, resolution=1.0)
SPREAD = [27000.0 + 20 * (i % 5 - 2) for i in range(10)]


def subject(metric: Metric) -> Subject:
    return Subject(
        benchmark="b", parameters={}, metric=metric, relevance=metric.relevance, hint=False
    )


def numbers(name: str, values: Sequence[float]) -> Boots:
    return Boots(
        name=name, figures=[Sample(metric="time", values=(v,), instances=("",)) for v in values]
    )


def fresh(factor: float, *, rounds: tuple[int, ...] = (10,), worse: bool = True) -> VerdictRow:
    return row(
        subject(TIME), "median", numbers("base", SPREAD),
        numbers("new", [v * factor for v in SPREAD]),
        confirmation=Confirmation(rounds=rounds, suspected={"median": worse}),
    )  # fmt: skip


@pytest.mark.parametrize("rounds", [(10,), (10, 20)])
def test_rerun_boots_that_show_what_may_matter_end_as_marginal(rounds: tuple[int, ...]) -> None:
    made = fresh(1.05, rounds=rounds)
    assert made.verdict == Verdict.MARGINAL.value
    assert made.stand == (Stand.UNDECIDED if len(rounds) == 1 else Stand.OPEN).value
    assert made.reason.endswith("but an increase of 5 % or more is not shown")
    # Negative controls: clearly more than what matters, and clearly less.
    assert (fresh(1.06).verdict, fresh(1.06).stand) == ("REGRESSION", "confirmed")
    assert (fresh(1.03).verdict, fresh(1.03).stand) == ("UNCHANGED", "refuted")


def test_a_change_that_passed_narrowly_has_its_conditional_figure() -> None:
    made = fresh(1.051)
    assert made.stand == "confirmed"
    data = verdict_keys.row(made.columns(), {})
    conditional = data["conditional"]
    assert conditional is not None
    effect, low, high = (conditional[key] for key in ("effect", "ci_low", "ci_high"))
    assert 0 < low < effect < (made.effect or 0.0) < high
    assert f"given that, worse by {100 * effect:.2f} % [{100 * low:.2f}, " in made.reason
    # Negative controls: a change that passes for sure, and one that does not pass.
    for factor in (1.2, 1.05):
        assert verdict_keys.row(fresh(factor).columns(), {})["conditional"] is None


def test_a_certain_change_that_rerun_boots_do_not_confirm_is_not_called_undecided() -> None:
    made = fresh(0.9)
    assert (made.verdict, made.stand) == ("MARGINAL", "refuted")
    assert made.reason.endswith("the opposite of what was suspected")
    assert (fresh(0.9, worse=False).verdict, fresh(0.9, worse=False).stand) == (
        "IMPROVEMENT",
        "confirmed",
    )


def missed(share: float | None, boots: int = 30) -> VerdictRow:
    """Return what rerun boots that all miss a mode say, where a share of so much matters."""
    mode = RareMode(boots=5, places=(1,), border=32000.0, effect=0.38, worse=True)
    metric = TIME if share is None else evolve(TIME, relevant_share=share)
    values = (SPREAD * 3)[:boots]
    new = evolve(numbers("new", values), seeds=range(6, 6 + boots))
    return row(
        subject(metric), "median", numbers("base", values), new,
        confirmation=Confirmation(
            rounds=(boots,), suspected={"median": True}, modes={"median": mode}
        ),
    )  # fmt: skip


def test_a_metric_declares_which_share_of_boots_in_a_new_mode_matters() -> None:
    # Thirty boots without the mode leave a share of up to 9.5 % open.
    assert missed(0.1).stand == Stand.REFUTED.value
    # Negative controls: the usual share is less than that, and ten boots leave more open.
    made = missed(None)
    assert made.stand == Stand.UNDECIDED.value
    assert "it may still be of up to 9.5 % of the boots" in made.reason
    assert missed(0.05) == made
    assert missed(0.1, boots=10).stand == Stand.UNDECIDED.value


def test_boots_of_0_are_judged_as_one_step_and_printed_so() -> None:
    made = row(
        subject(TIME), "median", numbers("base", [0.0, 0.0, 1.0, 0.0, 1.0]),
        numbers("new", [40.0, 41.0, 40.0, 42.0, 41.0]),
    )  # fmt: skip
    assert (made.verdict, made.base_value) == ("REGRESSION", 1.0)
    assert made.new_value is not None
    assert made.effect == pytest.approx(made.new_value - 1)
    zeros = numbers("base", [0.0] * 5)
    same = row(subject(TIME), "median", zeros, numbers("new", [0.0] * 5))
    assert (same.verdict, same.base_value, same.new_value) == ("UNCHANGED", 0.0, 0.0)


def test_a_history_counts_a_boot_of_0_as_one_step() -> None:
    def boot(seed: int, value: float) -> Any:
        figures = Sample(metric="time", values=(value,), instances=("",))
        return SimpleNamespace(seed=seed, board="a"), SimpleNamespace(figures=figures)

    found = history._boots([boot(1, 0.0), boot(2, 0.5), boot(3, 7.0)], "median", TIME)
    assert found == {1: ("a", 1.0), 2: ("a", 1.0), 3: ("a", 7.0)}
