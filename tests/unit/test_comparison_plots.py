# SPDX-License-Identifier: GPL-2.0-only
"""Plots of a comparison: what is proven and what matters can be seen, and nothing is hidden."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.pages import Page
from vlag.report import colours, plots
from vlag.report.plots.distributions import quantile
from vlag.report.plots.forest import label

SMALL = "too small to matter"
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


def row(name: str, effect: float, verdict: str = "REGRESSION", **words: Any) -> dict[str, Any]:
    return {
        "name": name, "effect": effect, "ci_low": effect - 0.01, "ci_high": effect + 0.01,
        "verdict": verdict, "worse": effect > 0, **words,
    }  # fmt: skip


def dashed(svg: str) -> bool:
    return "stroke-dasharray" in svg


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"hint": True}, "REGRESSION (hint)"),
        ({"hint": True, "standing": "hint"}, "REGRESSION (hint)"),
        ({"standing": "suspected"}, "REGRESSION (suspected)"),
        # Negative controls: what rerun boots confirmed, and what nothing is said of.
        ({"hint": False, "standing": "confirmed"}, "REGRESSION"),
        ({}, "REGRESSION"),
    ],
)
def test_what_is_not_proven_is_drawn_apart(words: dict[str, Any], told: str) -> None:
    svg = plots.effects([row("latency", 0.4, **words)])
    assert told in TEXT.findall(svg)
    open_ = told != "REGRESSION"
    assert dashed(svg) == open_
    assert (colours.HINT.lower() in svg) == open_
    assert (colours.WORSE.lower() in svg) != open_


def test_a_hint_and_a_proof_have_two_entries_in_the_legend() -> None:
    both = [row("a", 0.4, hint=True), row("b", 0.3)]
    assert {"REGRESSION", "REGRESSION (hint)"} <= set(TEXT.findall(plots.effects(both)))


def test_a_hint_of_no_change_is_not_called_a_hint() -> None:
    svg = plots.effects([row("a", 0.001, "INCONCLUSIVE", hint=True)])
    assert "INCONCLUSIVE" in TEXT.findall(svg)
    assert not dashed(svg)


def test_the_band_shows_what_matters() -> None:
    narrow, wide = (plots.effects([row("a", 0.4, relevance=r)]) for r in (0.01, 0.05))
    assert SMALL in TEXT.findall(narrow)
    assert narrow != wide
    assert SMALL not in TEXT.findall(plots.effects([row("a", 0.4)]))
    quantiles = [{**row("p99", 0.2), "moved": True}]
    assert SMALL in TEXT.findall(plots.shift(quantiles, relevance=0.03))
    assert SMALL not in TEXT.findall(plots.shift(quantiles))


def middles(svg: str) -> list[tuple[float, float]]:
    """Return the middles of the intervals that are worse, as shares of width and height."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box is not None
    width, height = map(float, box.groups())
    lines = re.findall(
        r'd="M ([\d.]+) ([\d.]+)\s+L ([\d.]+) ([\d.]+)\s*" clip-path[^>]*var\(--worse', svg
    )
    return [
        ((x + other_x) / 2 / width, (y + other_y) / 2 / height)
        for x, y, other_x, other_y in (map(float, line) for line in lines)
    ]


@pytest.mark.parametrize(("far", "least"), [(0.1, 0.15), (0.5, 0.03), (100.0, 0.03)])
def test_one_huge_effect_does_not_hide_the_others(far: float, least: float) -> None:
    """Between 2 and 6 per cent there is something to see, whatever lies far away."""
    found = middles(plots.effects([row("a", 0.02), row("b", 0.06), row("c", far)]))
    assert len(found) == 3
    assert found[1][0] - found[0][0] > least


@pytest.mark.parametrize(("far", "least"), [(0.25, 0.1), (126.0, 0.05)])
def test_no_interval_flattens_the_other_quantiles(far: float, least: float) -> None:
    sizes = {"p50": 0.05, "p90": 0.2, "max": far}
    found = middles(plots.shift([{**row(n, e), "moved": True} for n, e in sizes.items()]))
    assert len(found) == 3
    assert found[0][1] - found[1][1] > least


def test_ticks_are_plain_numbers() -> None:
    for svg in (
        plots.effects([row("a", 0.05), row("b", 100.0)]),
        plots.shift([{**row("p50", 0.05), "moved": True}, {**row("p99", 90.0), "moved": True}]),
    ):
        told = {t.lstrip("+") for t in TEXT.findall(svg)}
        assert {"0", "10", "100", "1,000"} <= told
        assert not any("^" in t or "mathdefault" in t for t in told)
    small = set(TEXT.findall(plots.effects([row("a", 0.05)])))
    assert "1,000" not in small
    # Each side has a number, also one that ends before the first decade.
    sides = set(TEXT.findall(plots.effects([row("a", 0.07), row("b", -0.6)])))
    assert {"0", "5", "10", "30"} <= sides


@pytest.mark.parametrize(
    "name",
    [
        "cyclictest-hackbench duration_s=4 fds=4 form=Sp90 groups=1 histogram_us=30000 latency p99",
        "cyclictest-hackbench form=t1 latency p99.9",
        "short",
    ],
)
def test_a_label_keeps_the_end_that_sets_it_apart(name: str) -> None:
    told = label(name)
    assert len(told.splitlines()) <= 2
    assert all(len(line) <= 44 for line in told.splitlines())
    assert told.replace("\n", " ").split()[-2:] == name.split()[-2:]
    if len(name) < 80:
        assert told.replace("\n", " ") == name
    svg = plots.effects([row(name, 0.4)])
    assert all(line in Page(svg).text for line in told.splitlines())


TAIL = [(float(x), 1000 if x < 50 else 1) for x in range(1, 100)]
SHIFTED = [(float(x), count) for (_, count), x in zip(TAIL, range(101, 200), strict=True)]


def test_quantiles_are_marked_with_their_names() -> None:
    told = TEXT.findall(plots.distributions(TAIL, SHIFTED, unit="us"))
    assert {"p50", "p90", "p99", "p99.9", "p99.99"} <= set(told)
    assert {"100 %", "1 %", "0.01 %"} <= set(told)
    # Negative control: of ten samples nobody knows the last in a hundred.
    few = TEXT.findall(plots.distributions([(1.0, 5), (2.0, 5)], [(2.0, 5), (3.0, 5)]))
    assert "p90" in few
    assert "p99" not in few


def test_a_quantile_of_buckets() -> None:
    assert quantile(TAIL, 0.5) == 25
    assert quantile([(1.0, 90), (7.0, 10)], 0.9) == 1
    assert quantile([(1.0, 89), (7.0, 11)], 0.9) == 7
    assert quantile([(1.0, 5), (7.0, 4)], 0.9) is None
