# SPDX-License-Identifier: GPL-2.0-only
"""The pages in a real browser: nothing fails, all is reached by keys, nobody is shut out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, ViewportSize

from tests.integration.page_faults import LOOKS, WIDTHS, Look, faults, keyboard
from tests.integration.websites import (
    MAY,
    Place,
    Template,
    application,
    pages_of,
    place_of,
    served,
)
from vlag.report import colours
from vlag.store import database

#: What a page looks like: its ground and text, a verdict's cell, a plot's words.
LOOK = """() => { const of = (place, what) => getComputedStyle(document.querySelector(place))[what];
  return [of('html', 'backgroundColor'), of('html', 'color'),
    of('td[style*="--worse-tint"]', 'backgroundColor'), of('svg.plot text', 'fill')]; }"""
FAULTY = """<!doctype html><html lang="en"><head><title>A page with faults</title></head><body>
<h1>Faults</h1><p style="color: #ccc; background: #fff">hard to read</p><img src="/none.png">
<div style="width: 3000px">wide</div><script>alert(1)</script>
<a href="/" style="outline: none">not seen</a>
<a href="/a">first</a><a href="/b" onfocus="this.blur()">never</a>
<svg viewBox="0 0 90 20" width="90" role="img" aria-label="plot">
<text x="80" y="15">p99.99</text></svg>
<form><input></form></body></html>"""


def all_faults(browser: Browser, cluster: str, of: Template, look: Look) -> dict[str, set[str]]:
    """Return what is wrong with pages, of every kind there is, on data of a template."""
    place = place_of(cluster, of)
    with database.connect(place.dsn) as conn:
        # The part for Buildbot's page is none of its own.
        urls = [url for url in pages_of(place.filled, conn) if url != "/index.html"]
    with served(application(place.dsn, place.state)) as site:
        return faults(browser, site, urls, look)


def test_every_page_with_data(browser: Browser, cluster: str, branch_template: Template) -> None:
    assert all_faults(browser, cluster, branch_template, LOOKS[0]) == {}


def test_every_page_with_a_long_name_on_a_phone_in_the_dark(
    browser: Browser, cluster: str, long_template: Template
) -> None:
    assert all_faults(browser, cluster, long_template, LOOKS[1]) == {}


def test_every_page_without_data(browser: Browser, dsn: str, tmp_path: Path) -> None:
    urls = (
        "/", "/branch", "/choose", "/across", "/live", "/matrix", "/proof", "/queue", "/boards",
        "/alerts", "/alerts?all=1",
    )  # fmt: skip
    with served(application(dsn, tmp_path)) as site:
        assert faults(browser, site, urls) == {}


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark"])
def test_a_page_with_faults_is_found_out(
    browser: Browser, dsn: str, tmp_path: Path, look: Look
) -> None:
    """Negative control."""
    app = application(dsn, tmp_path)
    app.add_url_rule("/faulty", view_func=lambda: FAULTY)
    with served(app) as site:
        [found] = faults(browser, site, ["/", "/faulty", "/alerts"], look).values()
    assert {f.split(":")[0] for f in found} == {"console", "overflow", "cut", "axe", "focus"}
    for width in WIDTHS:
        assert {f.split(":")[0] for f in found if f.endswith(f" at {width}")} == {"overflow", "cut"}
    assert {f.split(": ")[1] for f in found if f.startswith("axe")} >= {
        "color-contrast", "image-alt", "label",
    }  # fmt: skip


def test_lines_of_a_cell_stay_apart_on_a_phone(browser: Browser, place: Place) -> None:
    """A cell has a line for the rerun and one for the first boots."""
    glued = re.compile(r"(?:worse|better)screen|\d \+ \d\d? ?\d \+ \d")
    size: ViewportSize = {"width": WIDTHS["phone"], "height": 900}
    with (
        served(application(place.dsn, place.state)) as site,
        browser.new_context(viewport=size) as context,
    ):
        page = context.new_page()
        page.goto(f"{site}/compare?id={place.filled.baseline}")
        said = page.get_by_role("region", name="figures").inner_text()
        assert "screen of the first boots" in said
        assert not glued.findall(said)
        # Negative control.
        page.evaluate("document.querySelectorAll('.figures td br').forEach(e => e.remove())")
        assert glued.findall(page.get_by_role("region", name="figures").inner_text())


def test_an_alert_is_a_card_on_a_phone(browser: Browser, place: Place) -> None:
    """All that a row has is in sight, each with the head of its column."""
    size: ViewportSize = {"width": WIDTHS["phone"], "height": 900}
    hidden = """box => [...box.querySelectorAll("tbody td")].filter(cell =>
      cell.getBoundingClientRect().right > innerWidth).length"""
    label = "cell => getComputedStyle(cell, '::before').content"
    with (
        served(application(place.dsn, place.state)) as site,
        browser.new_context(viewport=size) as context,
    ):
        page = context.new_page()
        page.goto(f"{site}/alerts")
        region = page.get_by_role("region", name="alerts")
        assert region.evaluate(hidden) == 0
        assert region.locator("td.number").first.evaluate(label) == '"Loss: "'
        # Negative control: as a table, its last columns are outside.
        page.evaluate("document.querySelector('.cards').classList.remove('cards')")
        assert region.evaluate(hidden) > 0


def test_what_no_key_reaches_is_found_out(browser: Browser, dsn: str, tmp_path: Path) -> None:
    """Negative control: a link that gives the focus away, on a page that may run its script."""
    app = application(dsn, tmp_path)
    app.add_url_rule("/faulty", view_func=lambda: FAULTY)
    with served(app) as site, browser.new_context(bypass_csp=True) as context:
        page = context.new_page()
        page.on("dialog", lambda d: d.dismiss())
        page.goto(f"{site}/faulty")
        found = list(keyboard(page))
    assert any(kind == "keyboard" and 'href="/b"' in what for kind, what in found), found


def test_pages_follow_the_dark_and_paper_is_light(browser: Browser, place: Place) -> None:
    with served(application(place.dsn, place.state)) as site, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/compare?id={place.filled.baseline}")
        looks = {}
        for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
            page.emulate_media(media=media, color_scheme=scheme)  # type: ignore[arg-type]
            looks[media, scheme] = page.evaluate(LOOK)
        assert not page.is_visible("header"), "paper has no links to press"
    for look, dark in (("screen", "light"), False), (("screen", "dark"), True):
        shown = (colours.PAGE["ground"][dark], colours.PAGE["ink"][dark],
                 colours.tint("worse", dark=dark), colours.PAGE["ink"][dark])  # fmt: skip
        assert looks[look] == [
            f"rgb({', '.join(str(int(c[i : i + 2], 16)) for i in (1, 3, 5))})" for c in shown
        ]
    assert looks["print", "dark"] == looks["screen", "light"] != looks["screen", "dark"]


def test_a_long_table_scrolls_under_its_heads(browser: Browser, place: Place) -> None:
    def longer(route: Route) -> None:
        answer = route.fetch()
        text = re.sub(
            r"(?s)(<tbody>)(.*?)(</tbody>)", lambda m: m[1] + 9 * m[2] + m[3], answer.text()
        )
        kept = {k: v for k, v in answer.headers.items() if "content-" not in k}
        route.fulfill(headers=kept, content_type="text/html", body=text)

    heads = """box => { box.scrollTo(9999, 9999); const top = e => e.getBoundingClientRect().top;
      return [box.scrollTop, box.scrollLeft, top(box.querySelector('thead th')) - top(box),
        box.querySelector('tbody th').getBoundingClientRect().left
          - box.getBoundingClientRect().left]; }"""
    with served(application(place.dsn, place.state)) as site, browser.new_context() as context:
        page = context.new_page()
        page.route("**/compare?*", longer)
        found = {}
        for height in (300, 20000):
            page.set_viewport_size({"width": 700, "height": height})
            page.goto(f"{site}/compare?id={place.filled.baseline}")
            found[height] = page.get_by_role("region", name="figures").evaluate(heads)
    down, aside, head, first = found[300]
    assert down > 0
    assert aside > 0
    assert abs(head) <= 2
    assert abs(first) <= 2
    assert found[20000][0] == 0, "a table that the window holds does not scroll by itself"


def test_tables_are_sorted_and_filtered(browser: Browser, place: Place) -> None:
    with served(application(place.dsn, place.state)) as site, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/compare?id={place.filled.baseline}")
        region = page.get_by_role("region", name="figures")
        changes = [float(c.split()[0]) for c in _column(region, 2)]
        region.get_by_role("button", name="Change").press("Enter")
        assert [float(c.split()[0]) for c in _column(region, 2)] == sorted(changes)
        region.get_by_role("button", name="Change").press("Enter")
        assert [float(c.split()[0]) for c in _column(region, 2)] == sorted(changes)[::-1]
        assert region.get_by_role("columnheader", name="Change").get_attribute("aria-sort") == (
            "descending"
        )
        # Verdicts have the order of their rank, not that of the alphabet.
        assert all((c.get_attribute("data-rank") or "").isdigit() for c in _cells(region, 1))
        names = _column(region, 0)
        region.locator("tbody").evaluate(
            "body => [...body.rows].forEach((row, i, rows) => {"
            " row.cells[1].dataset.rank = rows.length - i; })"
        )
        region.get_by_role("button", name="Verdict").press("Enter")
        assert _column(region, 0) == names[::-1]


def test_without_scripts_all_is_still_there(browser: Browser, place: Place) -> None:
    with (
        served(application(place.dsn, place.state)) as site,
        browser.new_context(java_script_enabled=False) as context,
    ):
        context.add_cookies([{"name": "who", "value": MAY, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/alert?id={place.filled.alert}")
        page.get_by_label("State").select_option("investigating")
        page.get_by_label("Why").first.fill("looking into it")
        with page.expect_navigation():
            page.get_by_role("button", name="Set the state").click()
        assert page.url == f"{site}/alert?id={place.filled.alert}"
        assert "looking into it" in page.inner_text("main")
    with database.connect(place.dsn) as conn:
        assert conn.execute("SELECT triage::text, owner FROM alert").fetchall() == [
            ("investigating", MAY)
        ]


def test_only_an_open_alert_can_be_muted(browser: Browser, place: Place) -> None:
    with served(application(place.dsn, place.state)) as site, browser.new_context() as context:
        context.add_cookies([{"name": "who", "value": MAY, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/alert?id={place.filled.alert}")
        mute = page.get_by_role("button", name="Mute", exact=True)
        for state, buttons in (("acknowledged", 1), ("fixed", 0), ("new", 1)):
            page.get_by_label("State").select_option(state)
            page.get_by_label("Why").first.fill("a reason")
            # The page that comes, not the one that is left.
            with page.expect_navigation():
                page.get_by_role("button", name="Set the state").click()
            assert mute.count() == buttons, state


def _column(region: Any, number: int) -> list[str]:
    return [cell.inner_text() for cell in _cells(region, number)]


def _cells(region: Any, number: int) -> list[Any]:
    return [row.locator("th, td").nth(number) for row in region.locator("tbody tr").all()]


def test_head_and_branch_stay_while_the_heat_map_scrolls(browser: Browser, place: Place) -> None:
    small: Any = {"width": 200, "height": 240}
    with (
        served(application(place.dsn, place.state)) as site,
        browser.new_context(viewport=small, java_script_enabled=False) as context,
    ):
        page = context.new_page()
        page.goto(site)
        region = page.get_by_role("region", name="branches by board type")
        places = [
            region.locator(f"{part} >> nth=0") for part in ("thead th", "tbody th", "tbody td")
        ]

        def seen() -> list[tuple[float, float]]:
            boxes = [place.bounding_box() for place in places]
            return [(box["x"], box["y"]) for box in boxes if box is not None]

        region.evaluate("e => e.scrollIntoView()")
        before = seen()
        assert region.evaluate("e => { e.scrollTop = 50; return e.scrollTop; }") == 50
        across = region.evaluate("e => { e.scrollLeft = 20; return e.scrollLeft; }")
        corner, branch, cell = seen()
        # The table's own edge, a pixel wide, is not pinned.
        assert corner == pytest.approx(before[0], abs=1.5)
        assert branch == pytest.approx((before[1][0], before[1][1] - 50), abs=1.5)
        # Negative control: a cell moves both ways.
        assert cell == pytest.approx((before[2][0] - across, before[2][1] - 50), abs=1.5)
        assert across > 1.5


def test_boots_unfold_by_key_and_figures_are_chosen_by_link(browser: Browser, place: Place) -> None:
    app = application(place.dsn, place.state)
    # The first plot of a process imports the plotting library.
    assert app.test_client().get(f"/branch?branch={place.filled.branch}").status_code == 200
    with served(app) as site, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/branch?branch={place.filled.branch}")
        boots = page.get_by_role("region", name="boots by commit")
        runs = boots.locator('a[href^="/run"]')
        assert not runs.first.is_visible()
        boots.locator("summary").first.press("Enter")
        assert runs.first.is_visible()
        first = page.locator("h2#history").inner_text()
        with page.expect_navigation():
            page.locator(".tiles a:not([aria-current])").first.click()
        assert page.locator("h2#history").inner_text() != first
        # The picture comes before every table.
        tops = page.evaluate(
            "() => ['figure svg', 'table'].map(s => document.querySelector(s)"
            ".getBoundingClientRect().top)"
        )
        assert tops[0] < tops[1]
