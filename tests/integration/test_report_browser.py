# SPDX-License-Identifier: GPL-2.0-only
"""A night's HTML report in a real browser: short until somebody opens more of it."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.integration.websites import Place
from vlag.config.catalogue import Catalogue
from vlag.report import forms
from vlag.report.data.comparison import night
from vlag.store import database

#: Comparisons of a night with its self-proof.
MANY = 24
MOST_PX = 6000
HEIGHT = "document.documentElement.scrollHeight"


def test_a_night_is_folded_and_its_links_open(
    browser: Browser, place: Place, catalogue: Catalogue, tmp_path: Path
) -> None:
    of = [place.filled.parent, place.filled.baseline]
    with database.connect(place.dsn) as conn:
        found = night(conn, catalogue, of, place.state, (), ())
    [parent, worst] = sorted(found["comparisons"], key=lambda c: len(c["rows"]))
    copies = [{**parent, "id": 100 + i, "severity": 9, "size": 0.0} for i in range(MANY - 1)]
    file = tmp_path / "night.html"
    file.write_text(forms.render({**found, "comparisons": [*copies, worst]}, "html"))
    with browser.new_context(viewport={"width": 1300, "height": 900}) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        assert page.locator("tbody").first.locator("tr").count() == MANY
        assert page.evaluate(HEIGHT) < MOST_PX
        assert page.locator("details[open] > section").count() == 1
        assert page.locator(f"#c{worst['id']}").is_visible(), "the worst is open"
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found_out = [(v["id"], v["nodes"][0]["html"][:200]) for v in
                         Axe().run(page).response["violations"]]  # fmt: skip
            assert not found_out, scheme
        last = page.locator("#c122")
        assert not last.is_visible()
        page.locator('a[href="#c122"]').click()
        assert last.is_visible(), "a link opens what it leads to"
        page.set_viewport_size({"width": 420, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        # Negative control: unfolded it is as long as before.  Paper has all of it.
        page.emulate_media(media="print")
        assert page.evaluate(HEIGHT) > 5 * MOST_PX
