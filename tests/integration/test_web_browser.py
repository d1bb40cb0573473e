"""The pages in a real browser: nothing fails, all is reached by keys, nobody is shut out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.integration.websites import (
    CHROMIUM,
    LONG,
    MAY,
    application,
    fill,
    pages_of,
    served,
)
from vlag.config.catalogue import Catalogue
from vlag.store import database

WIDTHS = {"desktop": 1280, "phone": 390}
#: More stops than any page has: a walk that is longer goes in circles.
MOST_STOPS = 1500

#: What a person who uses keys must be able to come to.
STOPS = """() => [...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
  .filter(e => e.getAttribute('tabindex') !== '-1' && e.checkVisibility())
  .map((e, i) => { e.stop = i; return e.outerHTML.slice(0, 120); })"""
#: Where the focus is now, and whether it can be seen there.
HERE = """() => { const e = document.activeElement, s = getComputedStyle(e);
  return [e.stop ?? null, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0]; }"""

FAULTY = """<!doctype html><html lang="en"><head><title>A page with faults</title></head><body>
<h1>Faults</h1><p style="color: #ccc; background: #fff">hard to read</p><img src="/none.png">
<div style="width: 3000px">wide</div><script>alert(1)</script>
<a href="/" style="outline: none">not seen</a>
<a href="/a">first</a><a href="/b" onfocus="this.blur()">never</a>
<form><input></form></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing; `apt install chromium` brings what tests need")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def faults(browser: Browser, site: str, url: str, status: int = 200) -> set[str]:
    """Return what is wrong with a page, each as KIND at WIDTH: WHAT."""
    found: set[str] = set()
    with browser.new_context(viewport={"width": WIDTHS["desktop"], "height": 900}) as context:
        context.add_cookies([{"name": "who", "value": MAY, "url": site}])
        page = context.new_page()
        page.on("console", lambda m: found.add(f"console: {m.text}"))
        page.on("pageerror", lambda e: found.add(f"console: {e}"))
        page.on("requestfailed", lambda r: found.add(f"request: {r.url}"))
        answer = page.goto(site + url)
        assert answer is not None
        assert answer.status == status, url
        # A browser says on its console that the page itself is a 404.
        found = {f for f in found if not (status == 404 and "404 (NOT FOUND)" in f)}
        for name, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            found |= {f"{kind} at {name}: {what}" for kind, what in _faults(page)}
    return found


def _faults(page: Page) -> Iterator[tuple[str, str]]:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        yield "overflow", f"{wide} px too wide"
    for v in Axe().run(page).response["violations"]:
        if v["impact"] in {"serious", "critical"}:
            yield "axe", f"{v['id']}: {v['nodes'][0]['html'][:200]}"
    yield from _keyboard(page)


def _keyboard(page: Page) -> Iterator[tuple[str, str]]:
    """Walk with the Tab key from the top; yield what it never comes to or does not show."""
    stops: list[str] = page.evaluate(STOPS)
    page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)")
    met: dict[int, bool] = {}
    last = None
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop, visible = page.evaluate(HERE)
        # A field for a date has several stops within itself.
        if stop is None or (stop in met and stop != last):
            break
        met[stop], last = visible, stop
    for i, what in enumerate(stops):
        if i not in met:
            yield "keyboard", f"never reached: {what}"
        elif not met[i]:
            yield "focus", f"not seen: {what}"


@pytest.mark.parametrize("branch", ["linux-6.12", LONG], ids=["real", "long"])
def test_every_page_with_data(
    browser: Browser, dsn: str, catalogue: Catalogue, tmp_path: Path, branch: str
) -> None:
    with database.connect(dsn) as conn:
        filled = fill(conn, catalogue, tmp_path, branch)
        urls = pages_of(filled, conn)
    with served(application(dsn, tmp_path)) as site:
        # The part for Buildbot's page is none of its own.
        found = {
            url: faults(browser, site, url, 404 if url == "/nowhere" else 200)
            for url in urls
            if url != "/index.html"
        }
    assert not {url: what for url, what in found.items() if what}


def test_every_page_without_data(browser: Browser, dsn: str, tmp_path: Path) -> None:
    with served(application(dsn, tmp_path)) as site:
        for url in ("/", "/branch", "/matrix", "/boards", "/alerts", "/alerts?all=1"):
            assert not faults(browser, site, url), url


def test_a_page_with_faults_is_found_out(browser: Browser, dsn: str, tmp_path: Path) -> None:
    """Negative control."""
    app = application(dsn, tmp_path)
    app.add_url_rule("/faulty", view_func=lambda: FAULTY)
    with served(app) as site:
        found = faults(browser, site, "/faulty")
    kinds = {f.split(":")[0].split(" at ")[0] for f in found}
    assert kinds == {"console", "overflow", "axe", "focus"}
    assert {f.split(": ")[1] for f in found if f.startswith("axe")} >= {
        "color-contrast", "image-alt", "label",
    }  # fmt: skip


def test_what_no_key_reaches_is_found_out(browser: Browser, dsn: str, tmp_path: Path) -> None:
    """Negative control: a link that gives the focus away, on a page that may run its script."""
    app = application(dsn, tmp_path)
    app.add_url_rule("/faulty", view_func=lambda: FAULTY)
    with served(app) as site, browser.new_context(bypass_csp=True) as context:
        page = context.new_page()
        page.on("dialog", lambda d: d.dismiss())
        page.goto(f"{site}/faulty")
        found = list(_keyboard(page))
    assert any(kind == "keyboard" and 'href="/b"' in what for kind, what in found), found


def test_tables_are_sorted_and_filtered(
    browser: Browser, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    with database.connect(dsn) as conn:
        filled = fill(conn, catalogue, tmp_path)
    with served(application(dsn, tmp_path)) as site, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/compare?id={filled.baseline}")
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


def test_without_scripts_all_is_still_there(
    browser: Browser, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    with database.connect(dsn) as conn:
        filled = fill(conn, catalogue, tmp_path)
    with (
        served(application(dsn, tmp_path)) as site,
        browser.new_context(java_script_enabled=False) as context,
    ):
        context.add_cookies([{"name": "who", "value": MAY, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/alert?id={filled.alert}")
        page.get_by_label("State").select_option("investigating")
        page.get_by_label("Why").first.fill("looking into it")
        page.get_by_role("button", name="Set the state").click()
        assert page.url == f"{site}/alert?id={filled.alert}"
        assert "looking into it" in page.inner_text("main")
    with database.connect(dsn) as conn:
        assert conn.execute("SELECT triage::text, owner FROM alert").fetchall() == [
            ("investigating", MAY)
        ]


def _column(region: Any, number: int) -> list[str]:
    return [cell.inner_text() for cell in _cells(region, number)]


def _cells(region: Any, number: int) -> list[Any]:
    return [row.locator("th, td").nth(number) for row in region.locator("tbody tr").all()]
