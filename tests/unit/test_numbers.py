# SPDX-License-Identifier: GPL-2.0-only
"""Numbers in one style: no report has one with an exponent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.short_reports import KEPT, figure, kept
from tests.unit.short_reports import comparison as compared_rows
from vlag.report import compared, forms, jsonform, markdown, short
from vlag.stats import headline, sentences
from vlag.stats.numbers import grouped, plain
from vlag.stats.permutation import QuantileShift
from vlag.web.words import chance

pytestmark = pytest.mark.slow

#: "2.1e+06", "1e-05": no hash of a commit, no name of a file.
EXPONENT = re.compile(r"(?<![\w./-])\d+(\.\d+)?[eE][+-]\d+")
EXTREMES = (2129350.0, 2054144.0, 1.25e14, 123456789.123, 1e-6, 1.2345e-8, 0.000099, 5e5, 1e6)


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda p: p.stem)
def test_no_kept_report_has_an_exponent(path: Path) -> None:
    data = kept(path.stem)
    said = [short.render(data), *(forms.render(data, form) for form in forms.FORMS[:3])]
    assert [EXPONENT.search(x) for x in said] == [None] * 4
    # Negative control: the numbers as Python writes them, in the same report.
    assert EXPONENT.search(said[0].replace(" 95 %", " 2.12935e+06 95 %"))


@pytest.mark.parametrize("level", EXTREMES)
def test_no_extreme_has_an_exponent(level: float) -> None:
    kinds = ("worse", "maybe", "better", "hint", "unchanged")
    numbers = {"base": level, "new": 1.5 * level, "effect": 0.5, "ci_low": 0.4, "ci_high": 1e5}
    rows = [figure(kind, n, **numbers) for n, kind in enumerate(kinds)]
    shift = {"benchmark": "b", "parameters": {}, "metric": "m", "headline": "moved", "p": 1e-12,
             "quantiles": [], "screen": None}  # fmt: skip
    data = compared_rows(*rows, distributions=[shift])
    for said in (short.render(data), *(forms.render(data, form) for form in forms.FORMS[:3])):
        assert EXPONENT.search(said) is None, EXPONENT.search(said)
    assert "p &lt; 0.0001" in forms.render(data, "html")
    assert "p < 0.0001" in forms.render(data, "text")
    assert compared.number(level) in short.render(data)
    assert EXPONENT.search(jsonform.render({"n": 1e-12}))  # negative control: JSON is for programs
    assert EXPONENT.search(f"{1e6:g} {level:.1e}")


@pytest.mark.parametrize("level", EXTREMES)
def test_no_comparison_of_files_has_an_exponent(level: float) -> None:
    row = figure("worse", 1, base=level, new=1.5 * level, suspect=False,
                 reason=f"level {plain(level, 4)}", instance=None)  # fmt: skip
    side = {"files": ["a.txt"], "failed": [], "n": 5, "version": "1", "kernel": None}
    data: Any = {
        "kind": "files", "summary": {"verdict": "REGRESSION", "sentence": "1 worse"},
        "benchmark": "b", "tool": "b", "base": side, "new": side, "catalogue": ["b"],
        "board_type": None, "limits": None, "synthetic": False, "rows": [row], "notes": [],
        "distributions": [], "not_compared": [{"metric": "m", "unit": "s", "base": level,
                                               "new": level}],
    }  # fmt: skip
    for said in (compared.render(data), markdown.render(data)):
        assert EXPONENT.search(said) is None
        assert compared.number(level) in said


@pytest.mark.parametrize(
    ("value", "significant", "said"),
    [
        (2129350.0, 4, "2129350"), (1.23456, 4, "1.235"), (123.4, 2, "123"), (17.26, 2, "17"),
        (0.00002, 1, "0.00002"), (0.5, 6, "0.5"), (10.0, 2, "10"), (0.0, 4, "0"),
        (-0.25, 2, "-0.25"),
    ],
)  # fmt: skip
def test_a_number_is_plain(value: float, significant: int, said: str) -> None:
    assert plain(value, significant) == said
    assert float(said) == pytest.approx(value, rel=10.0 ** (1 - significant))


def test_only_what_is_beyond_all_measures_has_an_exponent() -> None:
    assert (plain(1e-300, 1), plain(1e20, 4)) == ("1e-300", "1e+20")
    assert (grouped(1e20, 6), grouped(-1e-300, 6)) == ("1e+20", "-1e-300")
    assert (plain(9.9e14, 2), plain(1e-9, 1)) == ("990000000000000", "0.000000001")


@pytest.mark.parametrize(
    ("value", "said"),
    [(2e6, "2,000,000"), (1234.5, "1,234.5"), (-0.5, "-0.5"), (-12345.0, "-12,345"), (0.0, "0")],
)
def test_thousands_are_grouped_on_an_axis(value: float, said: str) -> None:
    assert grouped(value, 6) == said


def test_no_sentence_has_an_exponent() -> None:
    moved = [
        QuantileShift(name=name, base=1.0, new=1.0, effect=effect, low=0.0, high=0.0, p=0.0,
                      moved=True)
        for name, effect in (("p90", 122.0), ("p99", 130.0))
    ]  # fmt: skip
    said = headline.headline(moved, [], [], (None, None), 0.05)
    assert "times as high" in said
    assert EXPONENT.search(said) is None
    assert EXPONENT.search(sentences.clipped(0.000001)) is None
    assert EXPONENT.search(f"{126.0:.2g} times as high")  # negative control
    assert [chance(p) for p in (None, 0.0321, 1e-12)] == ["-", "0.032", "< 0.0001"]
