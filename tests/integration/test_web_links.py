# SPDX-License-Identifier: GPL-2.0-only
"""Every link and every button of every page, in a real browser, a real master and PostgreSQL."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from attrs import frozen
from flask import Flask, Response, request
from playwright.sync_api import Browser, HttpCredentials

from tests.integration.installation import PACKAGES, Installation
from tests.integration.masters import asked, patterns, write_people
from tests.integration.walk import MOST, Walk
from tests.integration.websites import MAY, application, fill, pages_of, served
from tests.waiting import until
from vlag import config
from vlag.buildbot import PAGES, UI
from vlag.config.catalogue import Catalogue
from vlag.store import database


@frozen(kw_only=True)
class Service:
    """A service after its first night, with a branch on record that became worse."""

    url: str
    starts: list[str]  # addresses of vlag's pages


@pytest.fixture(scope="module")
def service(
    checkout: Path, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service with somebody who may change things."""
    made = Installation(tmp_path_factory.mktemp("links"), checkout)
    try:
        yield _started(made, catalogue)
    finally:
        made.end()


def _started(made: Installation, catalogue: Catalogue) -> Service:
    made.configure(PACKAGES, nights="short")
    made.settings.write_text(made.settings.read_text() + write_people(made.folder))
    made.start(once=False)
    url = f"http://127.0.0.1:{made.ports['web']}/"
    until(lambda: _nights(url), made.said)
    with database.connect(config.load(made.settings).dsn()) as conn:
        folder = made.state / "filled"
        folder.mkdir()
        filled = fill(conn, catalogue, folder)
        (made.state / "reports" / "night.txt").write_text("REPORT of the night\n")
        conn.execute(
            "UPDATE night SET url = %s", (f"{url}{UI}#/builders/{_nights(url)[0]}/builds/1",)
        )
        starts = [p for p in pages_of(filled, conn) if p != "/nowhere"]
    return Service(url=url, starts=starts)


def _nights(url: str) -> list[int]:
    """Return the builder's number for each night that has ended."""
    try:
        builders = requests.get(f"{url}api/v2/builders", timeout=60).json()["builders"]
        builds = requests.get(f"{url}api/v2/builds", timeout=60).json()["builds"]
    except requests.RequestException:
        return []
    nightly = {b["builderid"] for b in builders if b["name"] == "nightly"}
    return [b["builderid"] for b in builds if b["complete"] and b["builderid"] in nightly]


def test_every_link_and_every_button(service: Service, browser: Browser) -> None:
    who: HttpCredentials = {"username": MAY, "password": "secret"}
    with browser.new_context(http_credentials=who) as context:
        walk = Walk(context, home=service.url + PAGES, beside=service.url)
        page = walk.page()
        page.goto(walk.home)
        page.get_by_role("link", name="Sign in").click()
        page.get_by_text("Regressions", exact=True).first.wait_for()
        walk.follow(service.starts)
        page.goto(walk.home)
        page.get_by_role("link", name="sign out").click()
        page.get_by_text("Regressions", exact=True).first.wait_for()
    assert walk.faults == set()
    # The walk has been where it should have been.
    assert len(walk.visited) > 50
    assert len(walk.visited) + len(walk.asked) > 70
    assert walk.buttons > 100
    assert sent(walk) == {
        "Set the state", "Mute", "Unmute", "Try them", "Compare", "Show", "Rehearse",
    }  # fmt: skip
    assert walk.elsewhere == set()


def sent(walk: Walk) -> set[str]:
    """Return the words on the buttons of forms."""
    return {name.rsplit(": ", 1)[1] for name in walk.sent}


def test_builds_are_forced_by_hand(service: Service, browser: Browser) -> None:
    pressed = []
    who: HttpCredentials = {"username": MAY, "password": "secret"}
    with browser.new_context(http_credentials=who) as context:
        walk = Walk(context, home=service.url + PAGES, beside=service.url)
        page = walk.page()
        page.goto(walk.home)
        page.get_by_role("link", name="Sign in").click()
        page.get_by_text("Regressions", exact=True).first.wait_for()
        for builder in asked(service.url, "builders"):
            of = f"builders/{builder['builderid']}"
            for form in asked(service.url, f"{of}/forceschedulers"):
                walk.open(page, f"{service.url}{UI}#/{of}")
                page.get_by_role("button", name=form["button_name"]).click()
                page.get_by_test_id("force-field-reason").fill(f"pressed {form['name']}")
                for entry in page.get_by_test_id("force-field-ref").all():
                    entry.fill("linux-6.12")
                page.get_by_role("button", name="Start build").click()
                page.get_by_role("button", name="Start build").wait_for(state="detached")
                pressed.append(form["name"])
    assert walk.faults == set()
    assert sorted(pressed) == ["check-now", "kernel-now", "nightly-now"]
    reasons = {b["reason"] for b in asked(service.url, "buildsets")}
    for name in pressed:
        assert any(f"pressed {name}" in reason for reason in reasons), reasons


def test_every_endpoint_answers(service: Service) -> None:
    # Buildbot 4.3 has no such method in its database; none of its pages asks for it.
    broken = {"/changes/n:changeid/properties_list"}
    failed = {
        pattern
        for pattern in patterns()
        if requests.get(
            service.url + "api/v2" + re.sub(r"[nis]?:[a-z_.]+", "1", pattern),
            timeout=60,
        ).status_code
        >= 500
    }
    assert failed == broken


def test_a_request_has_the_properties_of_its_buildset(service: Service) -> None:
    """Buildbot's page of pending requests shows them."""
    found = asked(service.url, "buildrequests")
    assert found
    for one in found:
        has = f"buildrequests/{one['buildrequestid']}/properties"
        assert asked(service.url, has) == asked(
            service.url, f"buildsets/{one['buildsetid']}/properties"
        )
    for number in ("999999", "9" * 12, "one"):
        unknown = f"{service.url}api/v2/buildrequests/{number}/properties"
        assert requests.get(unknown, timeout=60).status_code == 404, number


# Negative control.

FAULTY = """<!doctype html><title>Faults</title><h1 id="here">Faults</h1>
<a href="gone">dead</a> <a href="faulty#here">good</a> <a href="faulty#there">no place</a>
<a href="faulty">-</a> MANY <a href="https://example.org/">elsewhere</a>
<form method="post" action="broken"><button type="submit">Break</button></form>"""


#: More pages of a kind than are visited; the first of them, which is asked for last, is gone.
FAULTY = FAULTY.replace("MANY", "".join(f'<a href="many?n={n}">{n}</a>' for n in range(MOST + 2)))


def test_faults_are_found_out(browser: Browser, dsn: str, tmp_path: Path) -> None:
    app: Flask = application(dsn, tmp_path)
    app.add_url_rule("/faulty", "faulty", view_func=lambda: FAULTY)
    app.add_url_rule("/broken", "broken", methods=["POST"], view_func=lambda: ("broken", 500))
    app.add_url_rule(
        "/many", "many", view_func=lambda: ("some", 404 if request.args["n"] == "0" else 200)
    )
    with served(app) as site, browser.new_context() as context:
        walk = Walk(context, home=f"{site}/")
        walk.follow(["/faulty"])
    assert walk.asked == {f"{site}/many?n={n}" for n in (0, 1)}
    at = f"{site}/faulty"
    assert walk.faults == {
        f"{site}/gone: 404 of {site}/gone",
        f"{at}: a link to {at} shows '-'",
        f"{at}: no place #there on {at}",
        f"{at}: 500 of {site}/broken",
        f"{site}/many?n=0: 404 of {site}/many?n=0",
    }
    assert "https://example.org/" in walk.elsewhere


#: A page that fails again and again, as one of Buildbot's does that is left in its requests.
FAILING = '<!doctype html><title>Failing</title><script src="/failing.js"></script>'
SCRIPT = 'setInterval(() => { throw new Error("Request aborted"); }, 10);'


def test_what_a_page_of_buildbot_says_when_it_is_left_is_not_of_the_next(
    browser: Browser, dsn: str, tmp_path: Path
) -> None:
    failed = threading.Event()

    def slow() -> str:
        """Answer once the page that is left has failed, or cannot any more."""
        failed.clear()
        failed.wait(2)
        return "<!doctype html><title>Slow</title><p>Slow</p>"

    app: Flask = application(dsn, tmp_path)
    app.add_url_rule(
        "/failing.js", "script", view_func=lambda: Response(SCRIPT, mimetype="text/javascript")
    )
    app.add_url_rule("/beside", "beside", view_func=lambda: FAILING)
    app.add_url_rule("/ours/first", "first", view_func=lambda: '<a href="/beside">beside</a>')
    app.add_url_rule("/ours/slow", "slow", view_func=slow)
    app.add_url_rule("/ours/failing", "failing", view_func=lambda: FAILING)
    with served(app) as site, browser.new_context() as context:
        context.on("weberror", lambda error: failed.set())
        walk = Walk(context, home=f"{site}/ours/", beside=f"{site}/")
        walk.follow(["/slow", "/first"])
        assert list(walk.visited) == [
            f"{site}/{at}" for at in ("ours/first", "beside", "ours/slow")
        ]
        assert walk.faults == set()
        # Negative control: a page of ours says the same.
        walk.follow(["/slow?again=1", "/failing"])
        assert any("Request aborted" in fault for fault in walk.faults)
