# SPDX-License-Identifier: GPL-2.0-only
"""The numbers on a line agree: (new / base - 1) as printed is the change as printed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.printed import CHANGE, MARKDOWN, NUMBER, TEXT, agree
from tests.unit.report_rows import branch, cell, head, matrix, row
from vlag import ROOT
from vlag.alerts import body
from vlag.model import Direction
from vlag.report import compared, forms
from vlag.scenario import scenario_text
from vlag.stats.compare import compare, levels
from vlag.stats.shift import shift
from vlag.web import words

FIGURE = '<td class="figure">'
HTML = re.compile(rf"{FIGURE}{NUMBER}</td>\s*{FIGURE}{NUMBER}</td>\s*{FIGURE}{CHANGE}</td>")
MAIL = re.compile(rf"{NUMBER} -> {NUMBER} +{CHANGE}")
SCENARIO = re.compile(rf"\] +{NUMBER} +{NUMBER} +{CHANGE}")

Row = Mapping[str, Any]


def scenario(r: Row) -> str:
    cell = {**r, "measure": "rate", "value": r["new"]}
    return "\n".join(scenario_text._cell(cell, share=False))


def mail(r: Row) -> str:
    row = SimpleNamespace(
        **{
            **r,
            "base_value": r["base"],
            "new_value": r["new"],
            "screened_effect": None,
            "mode": None,
        }
    )
    finding: Any = SimpleNamespace(row=row, pair=SimpleNamespace(board_type="rpi5"))
    lines = body._figures("rate", finding, "")
    return " ".join(" ".join(lines).split())


def files(r: Row) -> str:
    row: Any = {**r, "suspect": False}
    return "\n".join(compared._row(row))


def page(r: Row) -> str:
    """Return a row in the words of the web pages."""
    return f"{compared.number(r['base'])} {compared.number(r['new'])} {words.change(r['effect'])}"


def report(form: str) -> Callable[[Row], str]:
    return lambda r: forms.render(branch(states=[head(rows=[r])]), form)


def grid(form: str) -> Callable[[Row], str]:
    return lambda r: forms.render(matrix(cell(**r)), form)


# Each form with its words, and the significant digits that it prints at least.
FORMS: Mapping[str, tuple[Callable[[Row], str], re.Pattern[str], int]] = {
    "text": (report("text"), TEXT, 6),
    "Markdown": (report("markdown"), MARKDOWN, 6),
    "HTML": (report("html"), HTML, 6),
    "files": (files, TEXT, 6),
    "matrix": (grid("text"), TEXT, 6),
    "matrix in Markdown": (grid("markdown"), MARKDOWN, 6),
    "page": (page, TEXT, 6),
    "mail": (mail, MAIL, 6),
    "scenario": (scenario, SCENARIO, 5),
}

side = st.builds(
    lambda level, spread: [level * math.exp(s) for s in spread],
    st.floats(1e-4, 1e12),
    st.lists(st.floats(-0.7, 0.7), min_size=3, max_size=7),
)
apart = st.floats(-3.0, 6.0)


def judged(base: list[float], new: list[float], middle: Callable[..., Any] = levels) -> Row:
    """Return a row of a report on two sides."""
    found = compare(base, new, direction=Direction.HIGHER, relevance=0.01, resolution=1e-6)
    # By ranks the levels of the comparison are those that have its effect.
    low, high = found.levels or middle(base, new, resolution=1e-6)
    return row(base=low, new=high, effect=found.effect, ci_low=found.ci_low, ci_high=found.ci_high,
               n_base=len(base), n_new=len(new), reason=found.reason)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(base=side, shape=side, by=apart)
def test_the_printed_change_is_that_of_the_printed_numbers(
    form: str, base: list[float], shape: list[float], by: float
) -> None:
    render, pattern, digits = FORMS[form]
    new = [v / shape[0] * base[0] * math.exp(by) for v in shape]
    printed = render(judged(base, new))
    found = pattern.search(printed)
    assert found, printed
    assert agree(found.groups(), digits), found.groups()


@pytest.mark.parametrize("form", FORMS)
def test_medians_would_be_found_out(form: str) -> None:
    render, pattern, digits = FORMS[form]
    base, new = [300.0, 321.0, 340.0], [5000.0, 5372.0, 9900.0]

    def printed(middle: Callable[..., Any]) -> tuple[str, ...]:
        found = pattern.search(render(judged(base, new, middle)))
        assert found
        return found.groups()

    assert agree(printed(levels), digits)
    assert not agree(printed(lambda b, n, resolution: (median(b), median(n))), digits)


@pytest.mark.parametrize(("name", "rows"), [("verdict.md", 2), ("compare.md", 1)])
def test_the_examples_in_the_docs_agree(name: str, rows: int) -> None:
    found = TEXT.findall((ROOT / "docs" / name).read_text())
    assert len(found) == rows
    assert all(agree(row, 6) for row in found)


@given(value=st.floats(1e-9, 9.9e14))
@settings(derandomize=True)
def test_numbers_have_plain_digits_and_six_that_mean_something(value: float) -> None:
    said = compared.number(value)
    assert re.fullmatch(r"\d+(\.\d+)?", said)
    assert float(said) == pytest.approx(value, rel=0.51e-5)


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "-"), (0.0, "0"), (1234567.5, "1234568"), (27242.66, "27242.7"), (0.00001, "0.00001"),
     (123456789012345.0, "123456789012345"), (2e15, "2e+15")],
)  # fmt: skip
def test_a_number_is_printed(value: float | None, said: str) -> None:
    assert compared.number(value) == said


@given(base=side, new=side, zeros=st.integers(0, 2))
@settings(derandomize=True, deadline=None)
def test_levels_give_the_effect(base: list[float], new: list[float], zeros: int) -> None:
    base, new = [*base, *[0.0] * (zeros == 1)], [*new, *[0.0] * (zeros == 2)]
    found = compare(base, new, direction=Direction.LOWER, relevance=0.05, resolution=1e-6)
    low, high = found.levels or levels(base, new, resolution=1e-6)
    assert low is not None
    assert high is not None
    assert high / low - 1 == pytest.approx(found.effect, rel=1e-9, abs=1e-9)


def test_levels_without_boots_or_ratio() -> None:
    none, alone = levels([], [4.0, 9.0], resolution=1.0)
    assert none is None
    assert alone == pytest.approx(6.0)
    assert levels([5.1, 5.1, 5.1], [7.0], resolution=1.0) == (5.1, 7.0)


def test_a_level_counts_a_boot_below_the_step_as_one_step() -> None:
    low, high = levels([0.0, 0.4, 1.0], [1.0, 4.0, 16.0], resolution=1.0)
    assert low == 1.0
    assert high == pytest.approx(4.0)
    assert levels([0.0, 0.0], [0.0], resolution=1.0) == (0.0, 0.0)
    assert levels([], [0.0], resolution=1.0) == (None, 0.0)


@given(base=side, new=side)
@settings(derandomize=True, deadline=None, max_examples=30)
def test_quantiles_give_their_effect(base: list[float], new: list[float]) -> None:
    runs = [[{"p50": v} for v in values] for values in (base, new)]
    found = shift(*runs, direction=Direction.LOWER, relevance=0.05, resolution=1.0)
    [q] = found.quantiles
    assert q.new / q.base - 1 == pytest.approx(q.effect, rel=1e-9, abs=1e-9)
    assert q.base > 1.0 - 1e-9  # a value below the step counts as the step
