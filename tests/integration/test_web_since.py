# SPDX-License-Identifier: GPL-2.0-only
"""The door tells what came since the reader's last visit, and begins without a table."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from tests.integration import nights as nights_of
from tests.integration.nights import Nights
from tests.integration.webpages import read, text
from tests.integration.websites import application, served, visitor
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection
from vlag.web.visit import COOKIE

#: Bottom edge of the first screen, and where the first table begins.
TABLE = "document.querySelector('table').getBoundingClientRect().top"


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    here = nights_of.settings(tmp_path)
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=here)


def of_door(site: FlaskClient) -> dict[str, str]:
    """Return what the door says under each word."""
    page = read(site, "/")
    part = page.split('id="since"')[1].split("</dl>")[0]
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", part, re.DOTALL)
    return {name: text(words).strip() for name, words in pairs}


def at_visit(site: FlaskClient, ago: timedelta) -> None:
    """Let a visit have ended so long ago."""
    end = int((datetime.now(UTC) - ago).timestamp())
    site.set_cookie(COOKIE, f"{end}.{end}")


def test_new_worse_fixed_and_waiting(dsn: str, nights: Nights, tmp_path: Path) -> None:
    site = visitor(application(dsn, tmp_path))
    nights.tell([nights.compare("1")])
    assert set(of_door(site).values()) == {"nothing"}
    page = read(site, "/")
    assert "Compared 1 pair of kernels, 1 test together" in text(page)
    assert "<dt>Pages</dt>" not in page  # it has neither a build nor a report
    nights.tell([nights.compare("2", 0.9)], finished=None)
    door = of_door(site)
    assert "bogo-ops-rate" in door["New"]
    assert door["Worse"] == "debian/linux-6.12 on qemu-sim-2 , against the baseline, 1 figure"
    assert door["Fixed"] == "nothing"
    nights.tell([nights.compare("3")], finished=None)
    door = of_door(site)
    assert (door["New"], door["Worse"]) == ("nothing", "nothing")
    assert "bogo-ops-rate" in door["Fixed"]
    nights.tell([nights.compare("4", 0.85, stage="screen", boots=2)], finished=None)
    assert of_door(site)["Waiting"] == "debian/linux-6.12 on qemu-sim-2 , against the baseline"
    # Negative control: who is here just now has heard all that is not waiting.
    at_visit(site, timedelta(0))
    door = of_door(site)
    assert (door["New"], door["Fixed"]) == ("nothing", "nothing")
    assert door["Waiting"] != "nothing"


def test_the_words_are_those_of_the_visit(dsn: str, nights: Nights, tmp_path: Path) -> None:
    nights.tell([nights.compare("1")])
    site = visitor(application(dsn, tmp_path))
    assert "Since yesterday" in text(read(site, "/"))
    at_visit(site, timedelta(hours=5))
    page = text(read(site, "/"))
    assert "Since your last visit" in page
    # A filter is no door: it neither asks nor keeps.
    narrowed = site.get("/?filter=linux")
    assert "Set-Cookie" not in narrowed.headers
    assert 'id="since"' not in narrowed.text


def test_the_first_screen_has_no_table(
    browser: Browser, dsn: str, nights: Nights, tmp_path: Path
) -> None:
    nights.tell([nights.compare("1")])
    nights.tell([nights.compare("2", 0.9)])
    with (
        served(application(dsn, tmp_path)) as site,
        browser.new_context(viewport={"width": 1280, "height": 800}) as context,
    ):
        page = context.new_page()
        page.goto(f"{site}/")
        assert page.evaluate(TABLE) >= 800
        assert page.locator("#since").is_visible()
        # Negative control: without its style the table is on the first screen.
        page.evaluate("document.querySelector('.door').classList.remove('door')")
        assert page.evaluate(TABLE) < 800
