# SPDX-License-Identifier: GPL-2.0-only
"""Worst first: what decides, and that nothing is left to chance."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from vlag.model import Verdict
from vlag.report.compared import unmeasured
from vlag.stats.severity import RANKS, VERDICTS, WORDS, lacking, order, over, severity, size


def row(verdict: str, effect: float | None = None, standing: str = "") -> dict[str, Any]:
    names = {"benchmark": "b", "parameters": {}, "metric": "m", "statistic": "median"}
    boots = {"n_base": 5, "n_new": 5, "base_runs": [1], "new_runs": [2]}
    return {**names, **boots, "verdict": verdict, "effect": effect, "standing": standing}


#: In this order, and no two of them equal.
WORST_FIRST = [
    row("REGRESSION", -0.44, "confirmed"),
    row("REGRESSION", 0.60, "told"),  # less than a loss of 44 %, as a ratio
    row("REGRESSION", -0.02, "told"),
    row("INCONCLUSIVE", -0.9, "suspected"),
    row("MARGINAL", 0.06, "suspected"),
    row("REGRESSION", 0.05, "suspected"),
    row("REGRESSION", 0.9, "hint"),
    row("MARGINAL", -0.05),
    row("MARGINAL", 0.01),
    row("NOT_COMPARABLE"),
    row("MARGINAL", 0.4, "hint"),
    row("INCONCLUSIVE", 0.3),
    row("INCONCLUSIVE", None),
    row("IMPROVEMENT", 0.01, "told"),
    row("IMPROVEMENT", 5.0, "hint"),
    row("UNCHANGED", 0.004),
    row("UNCHANGED", 0.0),
]


def test_rank_and_then_size_decide() -> None:
    for seed in range(20):
        found = WORST_FIRST.copy()
        random.Random(seed).shuffle(found)
        assert sorted(found, key=order) == WORST_FIRST
    # Negative control: without its size the largest loss would not be in front.
    other = [row("REGRESSION", -0.02), row("REGRESSION", -0.44)]
    assert sorted(other, key=order) != sorted(other, key=lambda r: severity(r["verdict"]))


def test_equal_rows_are_sorted_by_their_names() -> None:
    names = [
        {"benchmark": b, "parameters": {"n": n, "a": 1}, "metric": m, "statistic": s}
        for b, n, m, s in itertools.product("ab", (1, 2), "xy", ("max", "p99"))
    ]
    found = [row("UNCHANGED", 0.0) | n for n in names]
    backwards = found[::-1]
    assert sorted(backwards, key=order) == found
    # Parameters are the same as a mapping and as the views' text.
    of = row("UNCHANGED")
    assert order(of | {"parameters": {"n": 1, "a": 2}}) == order(of | {"parameters": "a=2 n=1"})


def test_every_verdict_has_one_rank() -> None:
    words = [word for words in RANKS for word in words]
    assert len(words) == len(set(words))
    assert set(VERDICTS) == set(Verdict)
    assert severity("MIXED") == severity("REGRESSION") == 0
    for word in WORDS:
        for standing in ("confirmed", "told", ""):
            assert word in RANKS[severity(word, standing)]
    for standing in ("hint", "refuted"):
        assert severity("REGRESSION", standing) > severity("REGRESSION")
        assert severity("IMPROVEMENT", standing) > severity("IMPROVEMENT")
        assert severity("MARGINAL", standing) > severity("MARGINAL")
        assert severity("UNCHANGED", standing) == severity("UNCHANGED")
    with pytest.raises(KeyError):
        severity("WORSE")


def test_halved_weighs_as_much_as_doubled() -> None:
    assert size(-0.5) == size(1.0) > size(0.9)
    assert size(None) == size(0.0) == 0.0
    assert size(-1.0) > size(-0.999999) > 0
    # A rate and its time are one change, as far as their digits go.
    assert size(-0.163) == size(1 / (1 - 0.163000003) - 1)
    assert size(-0.163) < size(-0.1632)


@pytest.mark.parametrize(
    ("rows", "failed", "word", "like", "of"),
    [
        ([row("REGRESSION", -0.44, "told"), row("IMPROVEMENT", 0.1, "told")], True,
         "MIXED", "REGRESSION", -0.44),
        ([row("REGRESSION", 0.02, "confirmed")], False, "REGRESSION", "MIXED", 0.02),
        ([row("REGRESSION", 0.02, "suspected")], True, "FAILED", "FAILED", 0.02),
        ([row("INCONCLUSIVE", 0.02, "suspected")], False, "SUSPECTED", "SUSPECTED", None),
        ([row("IMPROVEMENT", 0.3, "told"), row("NOT_COMPARABLE")], False,
         "IMPROVEMENT", "IMPROVEMENT", 0.3),
        ([row("MARGINAL", 0.05), row("UNCHANGED"), row("NOT_COMPARABLE")], False,
         "MARGINAL", "MARGINAL", None),
        ([row("MARGINAL", 0.05, "hint"), row("UNCHANGED")], False, "UNCHANGED", "UNCHANGED", None),
        ([row("MARGINAL", 0.05), row("IMPROVEMENT", 0.2, "told")], False,
         "IMPROVEMENT", "IMPROVEMENT", 0.2),
        ([row("NOT_COMPARABLE"), row("INCONCLUSIVE")], False,
         "NOT_COMPARABLE", "NOT_COMPARABLE", None),
        ([row("NOT_COMPARABLE"), row("UNCHANGED")], False, "UNCHANGED", "UNCHANGED", None),
        ([], False, "INCONCLUSIVE", "INCONCLUSIVE", None),
    ],
)  # fmt: skip
def test_a_comparison_has_one_word_and_a_place(
    rows: list[Any], failed: bool, word: str, like: str, of: float | None
) -> None:
    assert over(rows, failed=failed) == (word, severity(like), size(of))


def test_hints_bring_a_comparison_forward_and_prove_nothing() -> None:
    quiet = [row("UNCHANGED", 0.0)]
    hinted = [*quiet, row("REGRESSION", 0.2, "hint")]
    assert over(quiet, failed=False) == ("UNCHANGED", severity("UNCHANGED"), 0.0)
    assert over(hinted, failed=False) == (
        "REGRESSION (hint)", severity("REGRESSION", "hint"), size(0.2),
    )  # fmt: skip
    # Negative control: a hint that something is better makes no such word.
    better = [*quiet, row("IMPROVEMENT", 0.2, "hint")]
    assert over(better, failed=False)[0] == "UNCHANGED"
    proven = [*hinted, row("REGRESSION", 0.01, "told")]
    assert over(proven, failed=False) == ("REGRESSION", severity("REGRESSION"), size(0.01))


def test_half_of_the_figures_without_a_side_are_no_good_news() -> None:
    same, undecided = row("UNCHANGED", 0.0), row("INCONCLUSIVE", 0.01)
    no_base = row("INCONCLUSIVE") | {"n_base": 0, "base_runs": []}
    no_new = row("INCONCLUSIVE") | {"n_new": 0, "new_runs": []}
    no_number = row("INCONCLUSIVE") | {"n_base": 0, "n_new": 0}  # of boots that ran
    for rows, word, said in (
        ([same] * 6 + [no_base] * 6, "INCONCLUSIVE", "6 of 12 figures without a base"),
        ([same] * 6 + [no_new] * 6, "INCONCLUSIVE", "6 of 12 figures without the new kernel"),
        ([same] * 2 + [no_base, no_new], "INCONCLUSIVE", "2 of 4 figures not measured"),
        ([same] * 6 + [no_base] * 5, "UNCHANGED", "5 of 11 figures without a base"),
        # What was measured and not decided is no silence.
        ([same] + [undecided] * 9, "UNCHANGED", ""),
        ([same] + [no_number] * 9, "UNCHANGED", ""),
    ):
        assert over(rows, failed=False)[0] == word
        assert unmeasured(lacking(rows)) == said
