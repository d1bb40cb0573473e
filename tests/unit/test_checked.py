# SPDX-License-Identifier: GPL-2.0-only
"""The first line of `vlag check`: of how many figures its word is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from tests.unit.report_rows import row
from vlag.report import checked
from vlag.report.document import ComparisonData


def comparison(verdicts: Sequence[str]) -> ComparisonData:
    known: dict[str, Any] = {"suspicion": None, "hint": False}
    rows = [row(id=n, verdict=verdict, **known) for n, verdict in enumerate(verdicts)]
    return cast(ComparisonData, {"rows": rows, "failures": []})


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        (["UNCHANGED"] * 2, "not slower: 2 figures decided"),
        (
            ["UNCHANGED", *["INCONCLUSIVE"] * 5],
            "not slower in 1 of 6 figures: 5 undecided",
        ),
        (
            ["IMPROVEMENT", "INCONCLUSIVE"],
            "not slower in 1 of 2 figures: 1 undecided; better in 1,"
            " stress-ng-pipe bogo-ops-rate -29.30 %",
        ),
        (["INCONCLUSIVE"] * 3, "not known: none of 3 figures could be decided"),
        (
            ["REGRESSION", "INCONCLUSIVE"],
            "slower: 1 of 2 figures worse, stress-ng-pipe bogo-ops-rate -29.30 %",
        ),
    ],
)
def test_the_sentence_says_of_how_many_figures_it_is(
    verdicts: Sequence[str], sentence: str
) -> None:
    assert str(checked.answer(comparison(verdicts))) == sentence
