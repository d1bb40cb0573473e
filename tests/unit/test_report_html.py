# SPDX-License-Identifier: GPL-2.0-only
"""HTML and the other forms of reports on a branch, a matrix and a night without a database."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from tests.unit.pages import Page
from tests.unit.report_rows import branch, cell, head, matrix, row
from vlag.report import colours, forms
from vlag.report.layout import WIDTH

ODD = "<script>alert('x')</script> & \"q\" | `code` _x_"
LONG = "topic/" + "a-very-long-branch-name-" * 6


NIGHT: dict[str, Any] = {
    "schema": 1, "kind": "night", "head_notes": ["did not run: rpi5 (offline)"], "comparisons": [],
    "proof": {"failed": True, "text": "PROOF FAILED: 0 of 1 as predicted; <b>05 NOT", "good": 0,
              "total": 1},
    "family": {"q": 0.05, "tests": 0, "told": 0, "not_told": 0},
}  # fmt: skip
DOCUMENTS = {
    "branch": branch(),
    "empty branch": branch(states=[]),
    "long": branch(branch=LONG, states=[head(new=LONG, subject=LONG, board_type=LONG)]),
    "odd": branch(branch=ODD, head_notes=[ODD], states=[head(subject=ODD, rows=[row(
        verdict="INCONCLUSIVE", reason=ODD)])]),
    "matrix": matrix(cell(), {"nothing": "not run"}, {"nothing": "did not build"}),
    "night": NIGHT,
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_html_is_one_whole_file(name: str) -> None:
    text = forms.render(DOCUMENTS[name], "html")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert page.loads() == []
    assert not {"script", "iframe", "object", "img"} & {tag for tag, _ in page.tags}
    assert page.of("html") == [{"lang": "en"}]
    assert len(page.of("h1")) == 1
    assert all("scope" in a for a in page.of("th"))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    inside = [a["href"][1:] for a in page.of("a") if a["href"].startswith("#")]
    assert set(inside) <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize("broken", ["<p><b>x</p></b>", "<div>", "</div>"])
def test_a_file_that_is_not_whole_is_found(broken: str) -> None:
    with pytest.raises(ValueError, match=r"closed|open"):
        Page(broken)


@pytest.mark.parametrize(
    "tag",
    ['<img src="http://x/a.png">', '<link rel="stylesheet" href="//x/a.css">',
     '<script src="a.js"></script>', '<svg><use href="http://x/a.svg#b"/></svg>'],
)  # fmt: skip
def test_what_a_browser_would_fetch_is_found(tag: str) -> None:
    assert len(Page(tag).loads()) == 1


def test_nothing_that_others_wrote_becomes_markup() -> None:
    text = forms.render(DOCUMENTS["odd"], "html")
    assert "<script" not in text
    assert ODD in Page(text).text
    assert "\\`code\\`" in forms.render(DOCUMENTS["odd"], "markdown")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_text_has_75_columns(name: str) -> None:
    text = forms.render(DOCUMENTS[name], "text")
    free = [x for x in text.splitlines() if len(x) > WIDTH and "vlag run" not in x]
    assert free == []
    assert not any(x != x.rstrip() for x in text.splitlines())
    assert text.endswith("\n")


def test_colours_are_inside_and_follow_the_reader() -> None:
    text = forms.render(DOCUMENTS["branch"], "html")
    for rule in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
        assert rule in text
    assert colours.css() in text
    said = f"background:{colours.ground('worse')};border-color:{colours.var('worse')}"
    assert f'class="badge" style="{said}">REGRESSION<' in text
    hint = forms.render(branch(states=[head(rows=[row(hint=True)])]), "html")
    assert f"background:{colours.ground('hint')}" in hint
    doubt = row(suspicion={"stand": "open", "boots": 0})
    doubtful = forms.render(branch(states=[head(rows=[doubt])]), "html")
    assert f"background:{colours.ground('hint')}" in doubtful
    assert "REGRESSION (hint)" not in doubtful
    assert colours.ground("hint") not in text


def test_a_branch_without_comparisons_says_so() -> None:
    for form in ("text", "markdown", "html"):
        assert "nothing was compared" in forms.render(branch(states=[]), form).replace("\\", "")


def test_the_word_over_a_branch_is_the_worst() -> None:
    states = [head(verdict="UNCHANGED"), head(id=8, verdict="SUSPECTED")]
    assert "tip/sched/core: SUSPECTED" in forms.render(branch(states=states), "text")
    assert "tip/sched/core: UNCHANGED" in forms.render(branch(states=states[:1]), "text")
    # REGRESSION and MIXED are equally alarming: the larger loss decides.
    for large, small in (("MIXED", "REGRESSION"), ("REGRESSION", "MIXED")):
        states = [head(verdict=small, size=0.02), head(id=8, verdict=large, size=0.58)]
        assert f"tip/sched/core: {large}" in forms.render(branch(states=states), "text")


def test_alerts_steps_and_suspicions_stand_in_every_form() -> None:
    data = branch(
        alerts=[{"id": 3, "kind": "regression", "title": "pipe 29 % worse", "owner": "ann",
                 "triage": "wont_fix", "board_type": "rpi5", "base": "6.6", "new": "6.12",
                 "opened_at": "2026-03-01", "muted_until": None}],
        changes=[{"board_type": "rpi5", "benchmark": "stress-ng-pipe", "metric": "bogo-ops-rate",
                  "statistic": "median", "effect": -0.1, "ci_low": -0.12, "ci_high": -0.08,
                  "cause": "board", "commit": "c" * 40, "committed_at": "2026-02-01",
                  "kernel": "6.12.80", "worse": True}],
        suspicions=[{"board_type": "rpi5", "base": "6.6", "new": "6.12.81", "new_knobs": "",
                     "worse": True, "hint": True, "stand": "open", "boots": 5,
                     "figures": ["schbench latency p99"]}],
    )  # fmt: skip
    for form in ("text", "markdown", "html"):
        said = forms.render(data, form)
        said = " ".join((Page(said).text if form == "html" else said).replace("\\", "").split())
        assert "#3 pipe 29 % worse (won't fix, ann)" in said
        assert "-10.00 % [-12.00, -8.00] worse (caused by the board" in said
        assert "only a hint, after 5 + 5 runs: schbench latency p99" in said
        nothing = forms.render(branch(), form)
        assert not any(words in nothing for words in ("Open alerts", "Under suspicion", "Steps"))


def test_cells_say_what_became_of_a_kernel() -> None:
    data = DOCUMENTS["matrix"]
    text = forms.render(data, "text")
    assert re.search(r"-29\.30 % W +not run +did not build\n", text)
    [cells] = [r for r in Page(forms.render(data, "html")).rows if "did not build" in r]
    assert cells[1:] == ["-29.30 % W", "not run", "did not build"]
    assert "| -29.30 % W | not run | did not build |" in forms.render(data, "markdown")


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"verdict": "REGRESSION", "hint": True}, "-29.30 % w"),
        ({"verdict": "IMPROVEMENT"}, "-29.30 % B"),
        ({"verdict": "UNCHANGED"}, "-29.30 % ="),
        ({"verdict": "INCONCLUSIVE"}, "-29.30 % ?"),
        ({"verdict": "NOT_COMPARABLE", "effect": None}, "- x"),
    ],
)
def test_marks_of_cells(changes: dict[str, Any], shown: str) -> None:
    for form in ("text", "markdown", "html"):
        assert f"{shown}\n" in forms.render(matrix(cell(**changes)), form).replace("</td>", "\n") \
            .replace(" |", "\n")  # fmt: skip


def test_many_columns_are_folded_not_cut() -> None:
    data = matrix(*(cell(effect=-n / 100) for n in range(1, 9)))
    text = forms.render(data, "text")
    for n in range(1, 9):
        assert f"solo({n})" in text
        assert f"-{n}.00 % W" in text
