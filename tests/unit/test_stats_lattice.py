# SPDX-License-Identifier: GPL-2.0-only
"""One verdict over many: the lattice's laws, and that no silence passes for "nothing"."""

from __future__ import annotations

import itertools

import pytest

from vlag.model import Verdict
from vlag.stats.lattice import Change, Row, Summary, join, summary

R, B, U = Verdict.REGRESSION, Verdict.IMPROVEMENT, Verdict.UNCHANGED
OPEN, OTHER = Verdict.INCONCLUSIVE, Verdict.NOT_COMPARABLE
M = Verdict.MARGINAL


def row(
    verdict: Verdict, *, effect: float | None = None, hint: bool = False, name: str = "m"
) -> Row:
    return Row(name=name, verdict=verdict, effect=effect, hint=hint)


def of(*verdicts: Verdict) -> Summary:
    return summary(row(v, name=f"m{n}") for n, v in enumerate(verdicts))


def test_join_is_a_lattice_s() -> None:
    for a, b, c in itertools.product(Change, repeat=3):
        assert join([a, b]) is join([b, a])
        assert join([join([a, b]), c]) is join([a, join([b, c])])
        assert join([a, a]) is join([a, Change.NONE]) is a
        assert join([a, Change.MIXED]) is Change.MIXED
    assert join([Change.REGRESSION, Change.IMPROVEMENT]) is Change.MIXED
    assert join([]) is Change.NONE


@pytest.mark.parametrize(
    ("verdicts", "change", "word"),
    [
        ((R, U, OPEN), Change.REGRESSION, "REGRESSION"),
        ((B, U, OTHER), Change.IMPROVEMENT, "IMPROVEMENT"),
        ((R, B, U), Change.MIXED, "MIXED"),
        ((U, U), Change.NONE, "UNCHANGED"),
        ((U, M, OPEN), Change.NONE, "MARGINAL"),
        ((R, M), Change.REGRESSION, "REGRESSION"),
        ((U, OPEN), Change.NONE, "INCONCLUSIVE"),
        ((U, OPEN, OTHER), Change.NONE, "NOT_COMPARABLE"),
        ((), Change.NONE, "INCONCLUSIVE"),
    ],
)
def test_verdict_over_metrics(verdicts: tuple[Verdict, ...], change: Change, word: str) -> None:
    found = of(*verdicts)
    assert (found.change, found.word) == (change, word)
    assert found.total == len(verdicts)
    # Nothing hangs on the order.
    assert of(*reversed(verdicts)).word == word


def test_what_is_undecided_is_said() -> None:
    assert of(*[U] * 9, *[OPEN] * 3).sentence == "none of 12 metrics changed, 3 undecided"
    assert of(*[U] * 12).sentence == "none of 12 metrics changed"
    assert of(OPEN, OTHER).sentence == (
        "none of 2 metrics could be decided (1 undecided, 1 not comparable)"
    )
    assert of(U, U, M, OPEN).sentence == (
        "none of 4 metrics changed by more than what matters, 1 marginal, 1 undecided"
    )
    assert of(M, OPEN).undecided == 1
    assert of().sentence == "nothing was compared"
    assert of(R, OPEN).undecided == 1


def test_the_worst_is_named_and_halved_is_worse_than_half_as_much_again() -> None:
    rows = [
        row(R, name="latency", effect=0.5),
        row(R, name="pipe", effect=-0.5),
        row(B, name="switch", effect=0.9),
        row(U, name="yield", effect=-0.9),
    ]
    found = summary(rows)
    assert [r.name for r in found.worst] == ["pipe"]
    assert found.sentence == "2 of 4 metrics worse (most: pipe by 50.0 %), 1 better"
    # Without that regression the other is the worst; an improvement never is.
    assert [r.name for r in summary([rows[0], *rows[2:]]).worst] == ["latency"]
    assert summary(rows[2:]).worst == ()
    same = summary([row(R, name="a", effect=-0.2), row(R, name="b", effect=-0.2)])
    assert [r.name for r in same.worst] == ["a", "b"]
    assert "a and b by 20.0 %" in same.sentence


def test_a_metric_that_fell_to_nothing_is_the_worst() -> None:
    found = summary([row(R, name="a", effect=-1.0), row(R, name="b", effect=-0.99)])
    assert [r.name for r in found.worst] == ["a"]


def test_a_hint_makes_no_verdict() -> None:
    rows = [row(U, name="a"), row(R, name="b", effect=-0.4, hint=True)]
    found = summary(rows)
    assert (found.change, found.hinted) == (Change.NONE, Change.REGRESSION)
    assert found.word == "REGRESSION (hint)"
    assert found.worst == ()
    assert found.counts[R] == 0
    assert found.hints[R] == 1
    assert found.sentence == "none of 1 metric changed, hints that prove nothing: 1 worse"
    # The same row as a proof is a verdict.
    proof = summary([rows[0], row(R, name="b", effect=-0.4)])
    assert (proof.change, proof.word) == (Change.REGRESSION, "REGRESSION")


def test_a_hint_does_not_mix_a_proven_verdict() -> None:
    found = summary([row(R), row(B, hint=True)])
    assert (found.change, found.word) == (Change.REGRESSION, "REGRESSION")
    assert "1 better" in found.sentence
