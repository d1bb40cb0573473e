# SPDX-License-Identifier: GPL-2.0-only
"""Rows of one histogram as a family: false flags of equal kernels, and what is left of power."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from attrs import evolve

from tests.made import figure
from vlag.compare.family import discovered, judged
from vlag.model import Direction, Verdict
from vlag.stats.compare import Comparison, Question, judge
from vlag.store.comparisons import VerdictRow
from vlag.store.shifts import ShiftRow
from vlag.verdict_data import QuantileData

pytestmark = pytest.mark.slow

# Rows of a histogram: what each adds to the scatter of the boot's level.
OWN = {"p50": 0.01, "p90": 0.02, "p99": 0.03, "p99.9": 0.04, "p99.99": 0.06, "max": 0.1}
LEVEL = 0.005
FLAGS = {"REGRESSION", "IMPROVEMENT"}
PAIRS = 2000


def row(statistic: str, answer: Comparison) -> VerdictRow:
    return figure(
        "latency", answer.verdict.value, answer.effect, statistic=statistic,
        direction=Direction.LOWER.value, ci_low=answer.ci_low, ci_high=answer.ci_high, p=answer.p,
        reason=answer.reason, suspect=answer.suspect,
    )  # fmt: skip


def histograms(tail: float = 1.0) -> list[list[VerdictRow]]:
    """Return the rows of pairs of five boots against five; `tail` multiplies P99 and beyond."""
    rng = np.random.default_rng(40)

    def side(factors: Sequence[float]) -> np.ndarray:
        level = rng.normal(0.0, LEVEL, (5, 1))
        own = rng.normal(0.0, 1.0, (5, len(OWN))) * list(OWN.values())
        boots: np.ndarray = 1000 * np.exp(level + own) * factors
        return boots

    slower = [tail if name not in ("p50", "p90") else 1.0 for name in OWN]
    asked = []
    for _ in range(PAIRS):
        base, new = side([1.0] * len(OWN)), side(slower)
        asked += [
            Question(
                base=b.tolist(), new=n.tolist(), direction=Direction.LOWER, relevance=0.01,
                resolution=0.01,
            )
            for b, n in zip(base.T, new.T, strict=True)
        ]  # fmt: skip
    answers = iter(judge(asked))
    return [[row(name, next(answers)) for name in OWN] for _ in range(PAIRS)]


def nothing() -> None:
    """Stand for a distribution of which no test is made."""


def quantile(name: str, p: float) -> QuantileData:
    return {"name": name, "p": p, "base": 1.0, "new": 1.0, "effect": 0.0, "low": None,
            "high": None, "moved": False}  # fmt: skip


def whole(**p: float) -> ShiftRow:
    """Return a test of the whole distribution with these p of its quantiles."""
    return ShiftRow(
        benchmark="cyclictest", parameters={}, metric="latency", unit="us", p=min(p.values()),
        suspect=True, worse=True, better=False, headline="", unknown=(), base_achieved=None,
        new_achieved=None, quantiles=[quantile(k, v) for k, v in p.items()],
    )  # fmt: skip


def any_flag(rows: Sequence[VerdictRow]) -> bool:
    return any(r.verdict in FLAGS for r in rows)


def test_any_row_of_equal_kernels_is_hardly_ever_flagged() -> None:
    pairs = histograms()
    alone = 1000 * np.mean([any_flag(rows) for rows in pairs])
    family = 1000 * np.mean([any_flag(judged(rows, nothing)) for rows in pairs])
    assert alone >= 15
    assert family <= 5


def test_a_heavier_tail_keeps_its_flag() -> None:
    assert np.mean([any_flag(judged(rows, nothing)) for rows in histograms(1.3)]) >= 0.9


def rows_of(p: Sequence[float | None]) -> list[VerdictRow]:
    """Return rows that are 10 % worse; without a p nothing was tested."""
    base = histograms_row()
    return [
        evolve(
            base,
            statistic=name,
            p=value,
            verdict="REGRESSION" if value is not None and value < 0.01 else "INCONCLUSIVE",
        )
        for name, value in zip(OWN, p, strict=False)
    ]


def histograms_row() -> VerdictRow:
    answer = Comparison(
        verdict=Verdict.REGRESSION, effect=0.1, ci_low=0.05, ci_high=0.15, n_base=5, n_new=5,
        p=0.001, p_zero=0.001, boots_needed=None, suspect=True, reason="10 % worse",
    )  # fmt: skip
    return row("p99", answer)


@pytest.mark.parametrize(
    ("p", "flags"),
    [
        ([0.004, 0.5, 0.5], [False, False, False]),  # 0.012 for all three
        ([0.003, 0.5, 0.5], [True, False, False]),
        ([0.003, 0.004, 0.5], [True, True, False]),  # the first makes room for the second
        ([0.004, 0.5, None], [True, False, False]),  # what has no test is not in the family
        ([0.009], [True]),
        ([], []),
    ],
)
def test_a_flag_needs_a_p_that_holds_for_all_rows(
    p: Sequence[float | None], flags: Sequence[bool]
) -> None:
    given = rows_of(p)
    found = judged(given, nothing)
    assert [r.verdict in FLAGS for r in found] == flags
    for before, after in zip(given, found, strict=True):
        if before.verdict == after.verdict:
            assert after == before
        else:
            assert (after.verdict, after.suspect, after.p) == ("INCONCLUSIVE", True, before.p)
            assert after.reason == (
                "a suspicion: worse by 10.00 %, but one of 3 statistics of a distribution moves so"
                " much too often (p = 0.012 over all of them); run again"
            )


def test_rows_of_rerun_boots_are_left_alone() -> None:
    rows = [evolve(r, stand="confirmed") for r in rows_of([0.004, 0.5, 0.5])]
    assert judged(rows, nothing) == rows
    assert math.isclose(rows[0].p or 0.0, 0.004)


def test_a_flag_may_take_its_p_from_the_test_of_the_whole_distribution() -> None:
    rows = rows_of([0.004, 0.5, 0.5])
    assert [r.verdict in FLAGS for r in judged(rows, lambda: whole(p50=0.0079))] == [
        True, False, False,
    ]  # fmt: skip
    # Negative controls: a p that is no better, and one of another quantile.
    assert not any_flag(judged(rows, lambda: whole(p50=0.02)))
    assert not any_flag(judged(rows, lambda: whole(p90=0.0079)))


def test_the_whole_distribution_is_tested_only_where_a_flag_needs_it() -> None:
    def never() -> None:
        raise AssertionError("no flag is in doubt")

    for p in ([0.003, 0.5, 0.5], [0.2, 0.5, 0.5], [0.009]):
        rows = rows_of(p)
        assert judged(rows, never) == rows


def files(figures: int, worse: int = 0, seed: int = 49) -> list[VerdictRow]:
    """Return the rows of files of five boots against five; the first `worse` lose 10 %."""
    rng = np.random.default_rng(seed)
    asked = []
    for i in range(figures):
        base, new = 100 * np.exp(rng.normal(0, 0.02, (2, 5)))
        asked.append(
            Question(
                base=base.tolist(), new=(new * (1.1 if i < worse else 1.0)).tolist(),
                direction=Direction.LOWER, relevance=0.01, resolution=0.001,
            )
        )  # fmt: skip
    return [
        evolve(row("median", answer), metric=f"figure-{i}") for i, answer in enumerate(judge(asked))
    ]


def test_of_many_figures_of_equal_kernels_hardly_ever_one_is_flagged() -> None:
    sets = [files(480, seed=seed) for seed in range(40)]
    alone = sum(r.verdict in FLAGS for rows in sets for r in rows)
    together = [discovered(rows) for rows in sets]
    assert alone >= 25
    assert sum(any_flag(rows) for rows in together) <= 6
    kept = [r for rows in together for r in rows if "one of 480 figures" in r.reason]
    assert kept
    assert all((r.verdict, r.suspect) == ("INCONCLUSIVE", True) for r in kept)


def test_changes_among_many_figures_keep_their_flags() -> None:
    rows = discovered(files(480, worse=40))
    assert sum(r.verdict in FLAGS for r in rows[:40]) >= 36
    assert sum(r.verdict in FLAGS for r in rows[40:]) <= 3
    # Negative controls: a figure alone is its own family, and a hint takes no part.
    [alone] = files(1, worse=1)
    assert discovered([alone]) == [alone]
    hints = [evolve(r, hint=True) for r in files(480)]
    assert discovered(hints) == hints
