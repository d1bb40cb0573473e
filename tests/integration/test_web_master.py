# SPDX-License-Identifier: GPL-2.0-only
"""The pages in a real Buildbot master: its menu, its page, its session, its log-in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from playwright.sync_api import Browser

from tests.integration import webpages
from tests.integration.masters import Master, signed_in
from tests.integration.websites import MAY, MAY_NOT
from vlag.buildbot import PAGES, UI
from vlag.store import database
from vlag.store.database import Connection


@pytest.fixture
def conn(served_master: Master) -> Iterator[Connection]:
    """The master's database, whose one alert is new again afterwards."""
    with database.connect(served_master.dsn) as found:
        [(last,)] = found.execute("SELECT coalesce(max(id), 0) FROM alert_event").fetchall()
        yield found
        found.execute("DELETE FROM alert_event WHERE id > %s", (last,))
        found.execute("UPDATE alert SET triage = 'new', owner = NULL")


def test_who_signs_in_with_buildbot_is_known_to_the_pages(url: str, conn: Connection) -> None:
    page = f"{url}{PAGES}alert?id=1"
    form = {"id": "1", "state": "fixed", "why": "reverted"}

    def send(session: requests.Session) -> int:
        token = webpages.token(session.get(page, timeout=60).text)
        answer = session.post(
            f"{url}{PAGES}alert/state", timeout=60, allow_redirects=False,
            data={**form, "token": token}, headers={"Origin": url.rstrip("/")},
        )  # fmt: skip
        return answer.status_code

    assert send(requests.Session()) == 403
    assert send(signed_in(url, MAY_NOT)) == 403
    assert send(signed_in(url, MAY, "wrong")) == 403
    assert conn.execute("SELECT triage::text FROM alert").fetchone() == ("new",)
    mine = signed_in(url, MAY)
    assert send(mine) == 303
    assert conn.execute(
        "SELECT by, triage::text, why FROM alert_event ORDER BY id DESC LIMIT 1"
    ).fetchone() == (MAY, "fixed", "reverted")
    assert f"{MAY}," in mine.get(page, timeout=60).text
    mine.get(f"{url}auth/logout", allow_redirects=False, timeout=60)
    assert send(mine) == 403


def test_buildbots_page_shows_them_and_leads_to_them(url: str, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(url + UI)
        page.get_by_text("Regressions", exact=True).click()
        page.get_by_text("Are we regressing?").wait_for()
        assert page.url == f"{url}{UI}#/vlag"
        assert "REGRESSION 12.0 %" in " ".join(page.inner_text("table").split())
        page.locator("table").get_by_role("link", name="REGRESSION").first.click()
        page.get_by_role("heading", name="Figures, worst first").wait_for()
        assert page.url.startswith(f"{url}{PAGES}compare?id=")
        page.get_by_role("link", name="Overview").click()
        page.get_by_role("heading", name="Are we regressing?").wait_for()
        assert page.url == f"{url}{PAGES}"
        page.get_by_role("link", name="Buildbot", exact=True).click()
        page.get_by_text("Regressions", exact=True).wait_for()
        assert page.url.startswith(url + UI)


def test_the_door_leads_to_the_branches_and_buildbot_is_beside_it(
    url: str, browser: Browser
) -> None:
    # Relative: a proxy may serve the site below a path.
    first = requests.get(url, allow_redirects=False, timeout=60)
    assert (first.status_code, first.headers["Location"]) == (302, PAGES)
    bare = requests.get(url + UI.rstrip("/"), allow_redirects=False, timeout=60)
    assert (bare.status_code, bare.headers["Location"]) == (302, UI)
    # Below Buildbot's path vlag's pages write their usual addresses.
    below = requests.get(f"{url}{UI}{PAGES}", timeout=60).text
    assert f'href="/{PAGES}alerts"' in below
    assert UI + PAGES not in below
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(url)
        page.get_by_role("heading", name="Are we regressing?").wait_for()
        assert page.url == url + PAGES
        page.get_by_role("link", name="Buildbot", exact=True).click()
        page.get_by_text("Welcome to buildbot").wait_for()
        page.goto(f"{url}{UI}#/builders")
        page.get_by_role("link", name="nightly", exact=True).first.click()
        page.get_by_role("button", name="nightly-now").wait_for()
        assert page.url == f"{url}{UI}#/builders/1"
        # An address of a build in an old mail or bookmark.
        page.goto("about:blank")
        page.goto(f"{url}#/builders/1")
        page.get_by_role("button", name="nightly-now").wait_for()
        assert page.url == f"{url}{UI}#/builders/1"
