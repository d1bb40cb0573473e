# SPDX-License-Identifier: GPL-2.0-only
"""What a real Buildbot master tells browsers, and how often it lets somebody try a password."""

from __future__ import annotations

import requests
from playwright.sync_api import Browser

from master.login import PER_ADDRESS, PER_NAME
from tests.integration.guarded import attempt
from tests.integration.masters import FORGETFUL, signed_in, visitor_from
from tests.integration.websites import MAY, MAY_NOT
from vlag.buildbot import PAGES, UI
from vlag.web.headers import SECURITY

#: Pages of Buildbot, ours, answers of the API, refusals, what is not there.
PLACES = (
    UI, "", UI.rstrip("/"), PAGES, f"{PAGES}nowhere", "api/v2/workers", "api/v2/nowhere", "config",
    "robots.txt", "icon.svg", "auth/login", "auth/logout", "avatar?email=a@example.org", "nowhere",
    "plugins/grid_view/scripts.js",
)  # fmt: skip
#: Buildbot's own pages, by their names after the "#".
OWN = ("", "builders", "builders/1", "workers", "masters", "schedulers", "grid", "console",
       "pendingbuildrequests", "changes", "about", "settings", "vlag")  # fmt: skip


def test_every_answer_has_the_headers_for_browsers_once(url: str) -> None:
    for place in PLACES:
        answer = requests.get(url + place, allow_redirects=False, timeout=60)
        for name, value in SECURITY.items():
            # Buildbot's first page permits one script more.
            if name != "Content-Security-Policy" or place != UI:
                assert answer.headers.get(name) == value, (place, name)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.count("default-src") == 1, place
        assert ("sha256-" in policy) == (place == UI), place
        assert "unsafe-eval" not in policy
        assert "script-src 'self' 'unsafe-inline'" not in policy
    refused = requests.post(f"{url}api/v2/x", headers={"Origin": "http://a.b"}, timeout=60)
    assert refused.status_code == 403
    assert refused.headers["X-Frame-Options"] == "DENY"


def test_buildbots_pages_work_under_the_policy_and_nothing_else_does(
    url: str, browser: Browser
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        with page.expect_websocket() as opened:
            page.goto(url + UI)
        assert opened.value.url.endswith("/ws")
        for name in OWN:
            page.goto(f"{url}{UI}#/{name}")
            page.get_by_text("Regressions", exact=True).wait_for()
            page.wait_for_load_state("networkidle")
        page.goto(f"{url}{UI}#/builders/1")
        page.get_by_role("button", name="nightly-now").wait_for()
        refused = [text for text in said if "Content Security Policy" in text]
        assert refused == []
        here = url.replace("http", "", 1)
        assert [a for a in asked if not a.startswith(("data:", f"http{here}", f"ws{here}"))] == []
        # Negative control: a script that a name on the page would bring with it does not run.
        page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.foreign = true";
            document.body.append(script);
        }""")
        assert page.evaluate("window.foreign") is None
        assert any("Content Security Policy" in text for text in said)


def test_no_page_of_the_site_can_be_framed(url: str, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        for place in (UI, PAGES):
            page.set_content(f'<iframe src="{url}{place}"></iframe>')
            [frame] = [f for f in page.frames if f != page.main_frame]
            assert frame.url.startswith("chrome-error:")
            assert frame.get_by_text("Regressions").count() == 0
            assert frame.get_by_role("heading", name="Are we regressing?").count() == 0


def test_a_name_is_tried_a_few_times_only(url: str) -> None:
    here = visitor_from("127.0.0.2")  # what is counted there is no other test's
    for _ in range(PER_NAME - 1):
        assert attempt(url, FORGETFUL, "wrong", here).status_code == 401
    signed_in(url, FORGETFUL, session=here)  # who knows the password begins anew
    for _ in range(PER_NAME):
        assert attempt(url, FORGETFUL, "wrong", here).status_code == 401
    for password in ("wrong", "secret"):
        late = attempt(url, FORGETFUL, password, here)
        assert late.status_code == 429
        assert 0 < int(late.headers["Retry-After"]) <= 300
        assert late.text.startswith("Too many attempts to log in; try again in ")
    signed_in(url, MAY_NOT, session=visitor_from("127.0.0.2"))  # other names are open
    assert requests.get(f"{url}auth/login", timeout=60).status_code == 401
    for odd in ("\xff", "Basic \xff", "Basic /w==", "Basic Og=="):
        headers = {"Authorization": odd}
        answer = here.get(f"{url}auth/login", headers=headers, timeout=60)
        assert answer.status_code == 401, odd


def test_an_address_tries_a_few_names_only(url: str) -> None:
    here = visitor_from("127.0.0.3")
    for n in range(PER_ADDRESS):
        assert attempt(url, f"somebody{n}", "wrong", here).status_code == 401
    assert attempt(url, MAY, "secret", here).status_code == 429
    signed_in(url, MAY)  # negative control: another address is open
