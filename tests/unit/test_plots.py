# SPDX-License-Identifier: GPL-2.0-only
"""Plots: equal bytes for equal data, figures where they belong, nothing from elsewhere."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.unit.pages import Page
from vlag.model import Verdict
from vlag.report import colours, plots
from vlag.report.plots.history_plot import tail
from vlag.stats.severity import WORDS

pytestmark = pytest.mark.slow

BAND = {"low": 99.0, "high": 104.0, "middle": 101.0, "name": "6.1", "boots": 10}


def points(n: int, *, url: bool = True, marked: int = 0) -> list[dict[str, Any]]:
    rng = random.Random(1)
    return [
        {
            "value": 100 + rng.random(),
            "kernel": i // 5,
            "name": f"6.12.{i // 5}",
            "marked": i < marked,
            **({"url": f"run?id={i}&x=<"} if url else {}),
        }
        for i in range(n)
    ]


def quantile(name: str, effect: float, *, moved: bool = True) -> dict[str, Any]:
    return {
        "name": name, "effect": effect, "ci_low": effect - 0.01, "ci_high": effect + 0.01,
        "moved": moved,
    }  # fmt: skip


def effect(name: str, size: float, verdict: str, *, worse: bool | None) -> dict[str, Any]:
    return {
        "name": name, "effect": size, "ci_low": size - 0.02, "ci_high": size + 0.02,
        "verdict": verdict, "worse": worse,
    }  # fmt: skip


EFFECTS = [
    effect("latency <p99>", 0.4, "REGRESSION", worse=True),
    effect("rate", -0.2, "REGRESSION", worse=True),
    effect("other", 0.0, "UNCHANGED", worse=None),
]
BASE, NEW = [(float(x), 10) for x in range(1, 50)], [(float(x), 9) for x in range(3, 80)]
EVERY = {
    "history": lambda: plots.history(points(30), BAND, title="a <b>", unit="us"),
    "distributions": lambda: plots.distributions(BASE, NEW, unit="us"),
    "shift": lambda: plots.shift([quantile("p50", 0.1), quantile("p99", -0.2, moved=False)]),
    "effects": lambda: plots.effects(EFFECTS),
}


@pytest.mark.parametrize("kind", EVERY)
def test_a_plot_stands_by_itself(kind: str) -> None:
    text = EVERY[kind]()
    page = Page(text)
    assert page.loads() == []
    assert "style=" not in text, "a page may forbid styles inside its elements"
    [svg] = page.of("svg")
    assert {"viewbox", "aria-labelledby"} <= set(svg)
    assert "width" not in svg
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert set(svg["aria-labelledby"].split()) <= set(ids)
    used = re.findall(r"url\(#([^)]*)\)", text) + [a["href"][1:] for a in page.of("use")]
    assert set(used) <= set(ids)
    assert page.of("text"), "words are words, not outlines"
    assert EVERY[kind]() == text


@pytest.mark.parametrize("kind", EVERY)
def test_a_plot_has_the_ground_and_the_colours_of_its_page(kind: str) -> None:
    text = EVERY[kind]()
    assert "currentColor" in text
    named = re.findall(r"var\(--([a-z]+), (#[0-9a-f]{6})\)", text)
    forms = (*colours.PALETTE.items(), *colours.PAGE.items())
    known = {name: light.lower() for name, (light, _) in forms}
    assert named
    assert all(known[name] == colour for name, colour in named)
    # A colour by itself would not change on a dark page, and so would a white ground.
    assert len(re.findall("#[0-9a-f]{6}", text)) == len(named)
    assert "--ground" not in text


def test_other_data_gives_another_plot() -> None:
    moved = points(30)
    moved[-1]["value"] += 3
    assert plots.history(moved, BAND, unit="us") != plots.history(points(30), BAND, unit="us")


def test_equal_bytes_in_another_process() -> None:
    code = (
        "from tests.unit.test_plots import EVERY; import hashlib;"
        "print([hashlib.sha256(f().encode()).hexdigest() for f in EVERY.values()])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(said) == 1


def test_every_point_is_a_link_that_says_what_it_is() -> None:
    page = Page(plots.history(points(30, marked=2), BAND, unit="us"))
    links = page.of("a")
    assert sorted(a["href"] for a in links) == sorted(f"run?id={i}&x=<" for i in range(30))
    assert all(a["aria-label"].startswith("6.12.") for a in links)
    assert not any("tabindex" in a for a in links)
    # What has links inside must not be one image to a screen reader.
    assert page.of("svg")[0]["role"] == "group"
    assert "with a kernel alarm" in page.text
    plain = Page(plots.history(points(30, url=False)))
    assert (plain.of("a"), plain.of("svg")[0]["role"]) == ([], "img")
    assert "with a kernel alarm" not in plain.text


def test_two_thousand_points_stay_small() -> None:
    text = plots.history(points(2000), BAND, unit="us")
    page = Page(text)
    assert len(page.of("a")) == 2000
    assert all(a["tabindex"] == "-1" for a in page.of("a")), "nobody walks through 2,000 links"
    assert len(text) < 500_000
    assert len(plots.history(points(2000, url=False))) < 160_000


def test_history_says_band_and_steps() -> None:
    worse = {"kernel": 3, "effect": 0.05, "worsening": 0.05}
    better = {"kernel": 4, "effect": -0.04, "worsening": -0.04}
    said = Page(plots.history(points(30), BAND, [worse, better], unit="us", direction="lower"))
    assert "range of 10 boots of 6.1" in said.text
    assert "step worse: +5.00 %" in said.text
    assert "step better: -4.00 %" in said.text
    assert "us (lower is better)" in said.text
    assert colours.WORSE.lower() in plots.history(points(30), BAND, [worse])
    assert colours.WORSE.lower() not in plots.history(points(30), BAND, [better])
    # A step at a kernel that has no point is not drawn anywhere else.
    assert "step" not in Page(plots.history(points(30), BAND, [{**worse, "kernel": 99}])).text


def test_worse_lies_to_the_right_whatever_the_direction() -> None:
    page = Page(plots.effects(EFFECTS))
    desc = page.text
    assert "latency <p99> +40.00 %: REGRESSION" in desc
    assert "rate -20.00 %: REGRESSION" in desc
    # One line for no change; both regressions, one of them a loss, lie beyond it.
    same = plots.effects([effect("rate", -0.2, "REGRESSION", worse=True)])
    turned = plots.effects([effect("rate", 0.2, "REGRESSION", worse=True)])
    other = plots.effects([effect("rate", -0.2, "REGRESSION", worse=False)])

    def places(plot: str) -> list[float]:
        return [float(x) for x in re.findall(r'<use [^>]*x="([\d.]+)"', plot)]

    # The sign beside a row moves the axes by a point or two.
    assert places(same) == pytest.approx(places(turned), rel=0.03)
    assert places(other) != pytest.approx(places(turned), rel=0.03)


def test_verdicts_have_their_colour_and_word() -> None:
    for verdict, colour in colours.VERDICT_COLOURS.items():
        text = plots.effects([effect("x", 0.1, verdict, worse=True)])
        assert colour.lower() in text
        assert verdict in Page(text).text


def test_a_shift_shows_its_sure_moves_alone() -> None:
    up = plots.shift([quantile("p50", 0.1)], direction="lower")
    assert colours.WORSE.lower() in up
    assert colours.BETTER.lower() in plots.shift([quantile("p50", 0.1)], direction="higher")
    unsure = plots.shift([quantile("p50", 0.1, moved=False)])
    assert colours.WORSE.lower() not in unsure
    assert "no move shown" in Page(unsure).text


def test_distributions_of_many_buckets_keep_their_samples() -> None:
    wide = [(float(x), 1) for x in range(1, 30_001)]
    text = plots.distributions(wide, [(5.0, 7)], unit="us", names=("6.1", "6.12"))
    assert "6.1 (30,000 samples)" in Page(text).text
    assert "6.12 (7 samples)" in Page(text).text
    assert len(text) < 100_000


@pytest.mark.parametrize(
    "text",
    [plots.history([]), plots.distributions([], NEW), plots.shift([]),
     plots.effects([{**EFFECTS[0], "effect": None}])],
)  # fmt: skip
def test_nothing_to_plot_is_no_plot(text: str) -> None:
    assert text == ""


def test_words_can_be_read_on_every_colour() -> None:
    for colour in colours.VERDICT_COLOURS.values():
        assert colours.contrast(colours.ink_on(colour), colour) >= 4.5
    # The measure itself: the two ends of the scale, and a pair that cannot be read.
    assert colours.contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert colours.contrast(colours.MARGINAL, colours.PAPER) < 1.5


def test_every_verdict_has_a_colour() -> None:
    assert list(colours.VERDICT_COLOURS) == list(WORDS)
    assert {v.value for v in Verdict} < set(WORDS)


def test_a_kernels_name_keeps_the_end_that_distinguishes() -> None:
    assert tail("6.12.117 1b522e2eb1f1", 22) == "6.12.117 1b522e2eb1f1"
    assert tail("6.12.117 1b522e2eb1f1", 14) == "\N{HORIZONTAL ELLIPSIS}1b522e2eb1f1"
    assert tail("6.12.117 1b522e2eb1f1", 8) == "\N{HORIZONTAL ELLIPSIS}e2eb1f1"
    patched = "the host's kernel + vhost-unbound-wq full"
    assert tail(patched, 22) == "\N{HORIZONTAL ELLIPSIS}vhost-unbound-wq full"
    assert tail("7.1 + eevdf-lag full", 11) == "\N{HORIZONTAL ELLIPSIS}f-lag full", "more than full"
    names = [f"6.12.117 {i:012x}" for i in range(6)]
    drawn = [{**p, "name": names[p["kernel"]]} for p in points(30)]
    said = Page(plots.history(drawn)).text
    assert all(f"\N{HORIZONTAL ELLIPSIS}{n.split()[1]}" in said for n in names)


def test_segments_have_levels_between_steps() -> None:
    step = {"kernel": 3, "effect": 0.05, "worsening": 0.05}
    assert "level between steps" in Page(plots.history(points(30), BAND, [step])).text
    for none in ([], [{**step, "kernel": 99}], [{**step, "kernel": 0}]):
        assert "level between steps" not in Page(plots.history(points(30), BAND, none)).text


def test_a_baseline_far_away_is_named_at_the_edge_and_a_near_one_at_its_end() -> None:
    near = Page(plots.history(points(30), BAND)).text
    assert "off the scale" not in near
    assert near.count("6.1") >= 2, "in the legend and at its end"
    below = {**BAND, "low": 50.0, "high": 52.0, "middle": 51.0}
    above = {**BAND, "low": 150.0, "high": 152.0, "middle": 151.0}
    assert "baseline 6.1: 51, off the scale below" in Page(plots.history(points(30), below)).text
    assert "baseline 6.1: 151, off the scale above" in Page(plots.history(points(30), above)).text
    # From a factor of ten on, a logarithmic axis holds both.
    low = Page(plots.history(points(30), {**BAND, "low": 1.0, "high": 3.0, "middle": 2.0})).text
    assert "log scale" in low
    assert "off the scale" not in low
    assert "log scale" not in near


def test_releases_and_alerts_are_marked() -> None:
    drawn = [{**p, "name": f"6.12.{117 + p['kernel'] // 3} {p['kernel']:012x}"} for p in points(30)]
    alert = {"kernel": 4, "name": "alert 7", "value": 0.1, "url": "alert?id=7"}
    page = Page(plots.history(drawn, alerts=[alert]))
    assert "an alert" in page.text
    assert "Alerts: alert 7." in page.text
    assert "alert?id=7" in {a["href"] for a in page.of("a")}
    assert ">6.12.118<" in plots.history(drawn)
    described = [
        {**p, "name": f"v6.12.{117 + p['kernel'] // 3}-{p['kernel']}-gabcdef"} for p in points(30)
    ]
    assert plots.history(described).count(">v6.12.118<") == 1
    one = [{**p, "name": f"6.12.117 {p['kernel']:012x}"} for p in points(30)]
    assert ">6.12.118<" not in plots.history(one)
    elsewhere = Page(plots.history(drawn, alerts=[{**alert, "kernel": 99}]))
    assert "alert" not in elsewhere.text


def test_the_levels_of_one_comparison_end_with_its_kernels() -> None:
    step = {"kernel": 3, "effect": 0.05, "worsening": 0.05, "levels": {2: 100.0, 3: 105.0}}
    said = Page(plots.history(points(30), BAND, [step])).text
    assert "level in the comparison" in said
    assert "level between steps" not in said
    assert "step worse: +5.00 %" in said
    # Of a kernel without boots here there is no place.
    gone = {**step, "levels": {98: 100.0, 99: 105.0}}
    assert "level in the comparison" not in Page(plots.history(points(30), BAND, [gone])).text


def test_few_kernels_are_always_drawn_with_their_baseline() -> None:
    far = {**BAND, "low": 50.0, "high": 52.0, "middle": 51.0}
    assert "off the scale" not in Page(plots.history(points(20), far)).text
    assert "off the scale" in Page(plots.history(points(25), far)).text
