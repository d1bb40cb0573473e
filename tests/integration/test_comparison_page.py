# SPDX-License-Identifier: GPL-2.0-only
"""The page of a comparison: pictures first, then a table of what a row has for itself."""

from __future__ import annotations

import re

import pytest

from tests.integration.webpages import read, table, text
from tests.integration.websites import Place, application, visitor
from vlag.config.catalogue import Catalogue
from vlag.stats.severity import RANKS
from vlag.store.database import Connection
from vlag.web import words


@pytest.fixture
def dsn(place: Place) -> str:
    return place.dsn


def test_pictures_come_before_the_table(
    conn: Connection, place: Place, catalogue: Catalogue
) -> None:
    filled = place.filled
    site = visitor(application(place.dsn, place.state))
    page = read(site, f"/compare?id={filled.baseline}")
    # What happened, how much and where: before any picture.
    first = text(page.split("<h2")[0])
    assert "REGRESSION" in first
    assert "Worst: " in first
    assert "on qemu-sim-2" in first
    order = [page.index(f'aria-label="{label}"') for label in (
        "effects with their intervals", "distributions of cyclictest-hackbench latency",
        "shift function of cyclictest-hackbench latency", "figures",
    )]  # fmt: skip
    assert order == sorted(order)
    drawn = page[order[0] : order[1]]
    assert "too small to matter" in drawn
    assert ">p99</text>" in page[order[1] : order[2]]

    # Parameters that differ from the default are named once, and in no row.
    settings = re.findall(r"Parameters that are not the default: ([^<]*)", page)
    rows = table(page, "figures")[1:]
    usual = catalogue.benchmark("cyclictest-hackbench").parameters
    given = conn.execute(
        "SELECT parameters FROM verdict WHERE comparison = %s AND benchmark = %s LIMIT 1",
        (filled.baseline, "cyclictest-hackbench"),
    ).fetchone() or ({},)
    other = {k: v for k, v in given[0].items() if usual.get(k) != v}
    for name, value in given[0].items():
        assert any(f"{name}={value}" in said for said in settings) == (name in other)
        assert not any(f"{name}={value}" in row[0] for row in rows)

    # Each row has its history; the rate has its inverse beneath it.
    assert page.count('class="spark"') == len(rows)
    [rate] = [r for r in rows if r[0].startswith("stress-ng-switch bogo-ops-rate")]
    assert re.search(r"time-per-switch [0-9.]+ to [0-9.]+ ns: judged by this figure", rate[-1])
    assert not any("time-per-switch" in r[0] for r in rows)
    # The whole reason is on the page; the row repeats no numbers before it is opened.
    [reason] = conn.execute(
        "SELECT reason FROM read_model.verdict WHERE comparison = %s AND metric = 'bogo-ops-rate'",
        (filled.baseline,),
    ).fetchone() or ("",)
    assert reason in rate[-1]
    assert not rate[-1].startswith(("worse by", "better by"))
    assert page.count("<summary>Boots behind the figures</summary>") == 1


def test_an_unknown_verdict_is_sorted_last() -> None:
    assert words.rank({"verdict": "REGRESSION", "standing": "confirmed"}) == 0
    assert words.rank({"verdict": "no such word", "standing": ""}) == len(RANKS)
    assert words.rank({"verdict": "UNCHANGED", "standing": None}) == len(RANKS) - 1


def test_a_reason_in_brief_leaves_out_what_the_row_has() -> None:
    whole = "worse by 1.28 % [-1.14, 3.64], which chance can explain (p = 0.21)"
    assert words.brief(whole) == "chance can explain (p = 0.21)"
    assert words.brief("too few boots") == "too few boots"
