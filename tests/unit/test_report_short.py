# SPDX-License-Identifier: GPL-2.0-only
"""The short report: how long it is, what it says first, and that its numbers multiply out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.reports import wide
from tests.unit.printed import agree
from tests.unit.short_reports import (
    NIGHT,
    REGRESSION,
    WHERE,
    WHOLE,
    Data,
    comparison,
    crowded,
    figure,
    kept,
)
from vlag import ROOT
from vlag.report import changed_figures, short, text

NUMBER, CHANGE = r"(\d[\d.]*)", r"([+-][\d.]+)"
FIGURE = re.compile(rf" {NUMBER} +{NUMBER} +{CHANGE} % +\[{CHANGE}, {CHANGE}\]$")


def night(*comparisons: Data) -> Data:
    return {**kept(NIGHT), "comparisons": list(comparisons)}


def figures(said: str) -> Iterator[tuple[str, ...]]:
    for line in said.splitlines():
        if found := FIGURE.search(line):
            yield found.groups()


@pytest.mark.parametrize(
    ("data", "most"),
    [
        (kept(REGRESSION), short.COMPARISON_LINES),
        (kept(NIGHT), short.NIGHT_LINES),
        (kept(WHOLE), short.NIGHT_LINES),
        (crowded(1), short.COMPARISON_LINES),
        (night(*map(crowded, range(24))), short.NIGHT_LINES),
        (night(), short.NIGHT_LINES),
    ],
    ids=["regression", "night", "whole", "crowded", "crowded night", "empty"],
)
def test_it_is_short_and_fits_a_mail(data: Data, most: int) -> None:
    said = short.render(data, WHERE)
    assert len(said.splitlines()) <= most
    assert wide(said) == []
    assert "\n\n\n" not in said
    assert WHERE["commands"][0] in said
    last = "\n".join(["", *data["trailers"], ""]) if data.get("trailers") else ""
    assert said.endswith(f"{WHERE['url']}\n{last}")
    # The whole follows it, and its head is this report.
    assert short.of_whole(short.whole(data, WHERE)) == said
    assert short.whole(data, WHERE).endswith(text.render(data, origins=False))


def test_the_limits_are_those_of_the_list() -> None:
    assert (short.COMPARISON_LINES, short.NIGHT_LINES) == (80, 60)
    # Negative control: without the limit the crowded ones are longer.
    assert (
        sum(
            len(changed_figures.figures(k, [(crowded(1), "")]).items) for k in changed_figures.KINDS
        )
        > 80
    )


@pytest.mark.parametrize("name", [NIGHT, REGRESSION, WHOLE])
def test_every_printed_change_follows_from_its_printed_columns(name: str) -> None:
    data = kept(name)
    compared = data.get("comparisons", [data])
    rows = [r for c in compared for r in c["rows"] if r["effect"] is not None]
    assert rows
    printed = [found for r in rows for found in figures("\n".join(changed_figures.line(r)))]
    assert len(printed) == len(rows)
    for base, new, change, low, high in printed:
        assert agree((base, new, change), 6), (base, new, change)
        assert float(low) <= float(change) <= float(high)
    assert not re.search(r"\d[eE][+-]?\d", "".join("".join(p) for p in printed))
    # So do those that a reader gets, in the short form and in the whole.
    for said in (short.render(data), text.render(data)):
        found = [f[:3] for f in figures(said)] or re.findall(
            rf"^ *{NUMBER} +{NUMBER} +{CHANGE} %", said, re.MULTILINE
        )
        assert found
        assert all(agree(f, 6) for f in found)


def test_another_number_would_be_found_out() -> None:
    [r, *_] = kept(REGRESSION)["rows"]
    for side in ("base", "new"):
        wrong: Any = {**r, side: r[side] * 1.001}
        [found] = figures("\n".join(changed_figures.line(wrong)))
        assert not agree(found[:3], 6)


@pytest.mark.parametrize("level", [2054144.0, 2129350.4, 0.000012345678, 123456789012.0])
def test_numbers_are_in_one_style(level: float) -> None:
    changed = figure(
        "worse", 1, base=level, new=level * 1.05, effect=0.05, ci_low=0.04, ci_high=0.06
    )
    said = "\n".join(changed_figures.line(changed))
    [found] = figures(said)
    assert float(found[0]) == pytest.approx(level, rel=1e-5)
    assert agree(found[:3], 6)
    assert "e+" not in said


def test_the_order_is_that_of_the_questions() -> None:
    kinds = list(changed_figures.KINDS)
    c = comparison(*(figure(kind, n) for n, kind in enumerate(reversed(kinds))))
    said = short.render(c, WHERE)
    order = [
        "REGRESSION: ", "base: ", "machine: ", "Worse", "May have changed", "Better",
        "Hints: no proof", "Inconclusive", "To see it again", "vlag run", "--full",
    ]  # fmt: skip
    places = [said.index(words) for words in order]
    assert places == sorted(places)
    # What did not change is a number, and no row.
    assert "1 unchanged" in said
    unchanged = next(r for r in c["rows"] if r["verdict"] == "UNCHANGED")
    assert f"{unchanged['metric']} [" not in said
    worse = next(r for r in c["rows"] if r["verdict"] == "REGRESSION" and not r["hint"])
    assert f"{worse['metric']} [" in said


@pytest.mark.parametrize(
    ("kinds", "verdict", "expected"),
    [
        (["unchanged", "hint"], "UNCHANGED", "REGRESSION (hint)"),
        (["inconclusive", "hint"], "INCONCLUSIVE", "REGRESSION (hint)"),
        (["unchanged"], "UNCHANGED", "UNCHANGED"),
        (["worse", "hint"], "SUSPECTED", "SUSPECTED"),
    ],
)
def test_nothing_is_unchanged_above_a_hint(kinds: list[str], verdict: str, expected: str) -> None:
    c = comparison(*(figure(k, n) for n, k in enumerate(kinds)), word=verdict)
    assert short.render(c).startswith(f"{expected}: ")
    assert short.render(night(c)).startswith(f"{expected}: 1 comparison")
    better = comparison(figure("hint", 1, verdict="IMPROVEMENT"), word="UNCHANGED")
    assert short.render(better).startswith("IMPROVEMENT (hint): ")


def test_what_has_no_room_is_counted() -> None:
    c = comparison(*(figure("worse", n) for n in range(200)))
    said = short.render(c, WHERE)
    [more] = re.findall(r"^    and (\d+) more$", said, re.MULTILINE)
    assert len(list(figures(said))) + int(more) == 200
    few = short.render(comparison(*(figure("worse", n) for n in range(3))), WHERE)
    assert len(list(figures(few))) == 3
    assert "more" not in few


@pytest.mark.parametrize(
    ("known", "standing", "said"),
    [
        ({"stand": "open", "boots": 0}, "suspected", "not rerun yet"),
        ({"stand": "open", "boots": 10}, "suspected", "undecided after 10 + 10 runs"),
        ({"stand": "undecided", "boots": 30}, "suspected", "undecided after 30 + 30 runs"),
        ({"stand": "confirmed", "boots": 10}, "confirmed", "confirmed by a rerun of 10 + 10 boots"),
    ],
)
def test_whether_it_is_real_stands_at_the_rows(known: Data, standing: str, said: str) -> None:
    r = figure("worse", 1, suspicion=known, standing=standing, confirmable=True)
    for report in (short.render(comparison(r)), text.render(comparison(r))):
        assert said in report
        assert "fresh boots" not in report


def test_too_few_samples_are_named() -> None:
    nothing = {"effect": None, "ci_low": None, "ci_high": None, "n_new": 4}
    r = figure("inconclusive", 1, statistic="p99.9", **nothing)
    assert "too few samples for p99.9" in short.render(comparison(r))
    assert "too few" not in short.render(comparison({**r, "effect": 0.1}))  # negative control


@pytest.mark.parametrize("name", [NIGHT, REGRESSION])
def test_the_docs_show_what_the_code_prints(name: str) -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    data = kept(name)
    number = data.get("id")
    which = "--night last" if number is None else f"--comparison {number}"
    url = "http://127.0.0.1:8010/plugins/wsgi_dashboards/vlag/"
    url += "" if number is None else f"compare?id={number}"
    commands = [f"vlag report {which} --full", f"vlag report {which} --origins"]
    said = short.render(data, {"commands": commands, "url": url})
    assert f"    $ vlag report {which}\n" in page
    assert f"```\n{said}```\n" in page
    most = short.NIGHT_LINES if number is None else short.COMPARISON_LINES
    [quoted] = [q for q in re.findall(r"```\n(.*?)```\n", page, re.DOTALL) if commands[0] in q]
    assert len(quoted.splitlines()) <= most
    assert list(figures(quoted))
    assert all(agree(f[:3], 6) for f in figures(quoted))
