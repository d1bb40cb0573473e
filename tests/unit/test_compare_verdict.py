"""One verdict: what fresh boots, missing samples and values of 0 make of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from vlag.compare import history
from vlag.compare.verdict import MISSING, Boots, Confirmation, Subject, row
from vlag.model import Direction, Histogram, Metric, Sample, Verdict
from vlag.stats.stages import Stand
from vlag.store.comparisons import VerdictRow

TIME = Metric(name="time", unit="ns", direction=Direction.LOWER, relevance=0.05, resolution=1.0)
LATENCY = Metric(
    name="latency", unit="us", direction=Direction.LOWER, relevance=0.05, resolution=1.0,
    histogram=True,
)  # fmt: skip
SPREAD = [27000.0 + 20 * (i % 5 - 2) for i in range(10)]


def subject(metric: Metric) -> Subject:
    return Subject(
        benchmark="b", parameters={}, metric=metric, relevance=metric.relevance, hint=False
    )


def numbers(name: str, values: Sequence[float]) -> Boots:
    return Boots(
        name=name, figures=[Sample(metric="time", values=(v,), instances=("",)) for v in values]
    )


def distribution(name: str, level: int, *, missing: float, boots: int = 5) -> Boots:
    """Boots with 10,000 samples that should have been taken, all near a level."""
    taken = round(10_000 * (1 - missing))
    figures = [
        Histogram(
            metric="latency", bounds=(level + i % 2, level + 3), counts=[[taken - 100, 100]],
            overflow=(0,), limit=10_000, maximum=(level + 3.0,), instances=("0",),
            expected=10_000,
        )
        for i in range(boots)
    ]  # fmt: skip
    return Boots(name=name, figures=figures)


def fresh(factor: float, *, rounds: tuple[int, ...] = (10,), worse: bool = True) -> VerdictRow:
    return row(
        subject(TIME), "median", numbers("base", SPREAD),
        numbers("new", [v * factor for v in SPREAD]),
        confirmation=Confirmation(rounds=rounds, suspected={"median": worse}),
    )  # fmt: skip


@pytest.mark.parametrize("rounds", [(10,), (10, 20)])
def test_fresh_boots_that_show_what_may_matter_end_as_marginal(rounds: tuple[int, ...]) -> None:
    made = fresh(1.05, rounds=rounds)
    assert made.verdict == Verdict.MARGINAL.value
    assert made.stand == (Stand.UNDECIDED if len(rounds) == 1 else Stand.OPEN).value
    assert made.reason.endswith("but an increase of 5 % or more is not shown")
    # Negative controls: clearly more than what matters, and clearly less.
    assert (fresh(1.06).verdict, fresh(1.06).stand) == ("REGRESSION", "confirmed")
    assert (fresh(1.03).verdict, fresh(1.03).stand) == ("UNCHANGED", "refuted")


def test_a_certain_change_that_fresh_boots_do_not_confirm_is_not_called_undecided() -> None:
    made = fresh(0.9)
    assert (made.verdict, made.stand) == ("MARGINAL", "refuted")
    assert made.reason.endswith("the opposite of what was suspected")
    assert (fresh(0.9, worse=False).verdict, fresh(0.9, worse=False).stand) == (
        "IMPROVEMENT",
        "confirmed",
    )


@pytest.mark.parametrize("sides", [(0.0, 0.41), (0.41, 0.0), (0.01, 0.01 + MISSING + 0.001)])
def test_a_better_quantile_of_fewer_samples_is_not_known(sides: tuple[float, float]) -> None:
    base = distribution("base", 96, missing=sides[0])
    new = distribution("new", 59, missing=sides[1])
    made = row(subject(LATENCY), "p50", base, new)
    assert made.verdict == Verdict.INCONCLUSIVE.value
    for share in sides:
        assert f"{100 * share:.2f} %" in made.reason or share == 0.0
    assert "expected samples are missing" in made.reason
    # The change on record is that of the boots.
    assert made.effect == pytest.approx(59.4 / 96.4 - 1, abs=0.01)
    # A worsening stays.
    worse = row(subject(LATENCY), "p50", distribution("base", 59, missing=sides[0]),
                distribution("new", 96, missing=sides[1]))  # fmt: skip
    assert worse.verdict == Verdict.REGRESSION.value
    assert "missing" not in worse.reason


@pytest.mark.parametrize("sides", [(0.0, 0.0), (0.4, 0.41), (0.01, 0.01 + MISSING - 0.001)])
def test_sides_that_miss_like_shares_keep_their_verdict(sides: tuple[float, float]) -> None:
    base = distribution("base", 96, missing=sides[0])
    made = row(subject(LATENCY), "p50", base, distribution("new", 59, missing=sides[1]))
    assert made.verdict == Verdict.IMPROVEMENT.value


def test_fresh_boots_that_miss_samples_confirm_no_improvement() -> None:
    wanted = Confirmation(rounds=(10,), suspected={"p50": False})
    base = distribution("base", 96, missing=0.0, boots=10)
    for missing, word, stand in ((0.0, "IMPROVEMENT", "confirmed"),
                                 (0.3, "INCONCLUSIVE", "undecided")):  # fmt: skip
        new = distribution("new", 59, missing=missing, boots=10)
        made = row(subject(LATENCY), "p50", base, new, confirmation=wanted)
        assert (made.verdict, made.stand) == (word, stand)


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
        return SimpleNamespace(seed=seed), SimpleNamespace(figures=figures)

    found = history._values([boot(1, 0.0), boot(2, 0.5), boot(3, 7.0)], "median", TIME)
    assert found == {1: 1.0, 2: 1.0, 3: 7.0}
