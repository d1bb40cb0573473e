# SPDX-License-Identifier: GPL-2.0-only
"""The strip of what runs now: on every page, in a real browser, and over a real master."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from attrs import evolve
from playwright.sync_api import Browser

from tests.integration.installation import PACKAGES, Installation
from tests.integration.websites import application, served
from tests.waiting import until
from vlag.buildbot import PAGES, UI
from vlag.operate.service.live import Live

NOW = datetime.datetime.now(datetime.UTC)
IDLE = Live(due=NOW + datetime.timedelta(hours=19))
NIGHT = evolve(
    IDLE, what="The night", url=f"{UI}#/builders/4/builds/1", now=("building linux-6.12",) * 5,
    done=12, runs=280, built=3, kernels=8, course="12 of 280 runs, about 30 min left",
    until=NOW + datetime.timedelta(minutes=30), next="linux-6.12 stress-ng <b>seed 1</b>",
    lines=((NOW, "linux-6.12: REGRESSION <b>"), (NOW, "the newest line")),
)  # fmt: skip


def test_every_page_says_what_runs_without_a_script(
    browser: Browser, dsn: str, tmp_path: Path
) -> None:
    app = application(dsn, tmp_path, live=lambda: NIGHT)
    with served(app) as site, browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        for path in ("/", "/branch", "/alerts", "/boards", "/live", "/nowhere"):
            page.goto(f"{site}{path}")
            said = page.get_by_role("region", name="What runs now").inner_text()
            assert "12 of 280 runs, about 30 min left, until" in said, path
            assert "3 of 8 kernels built" in said
            assert "building linux-6.12; and 2 more" in said
            assert "Next: linux-6.12 stress-ng <b>seed 1</b>." in said
        page.goto(f"{site}/live")
        lines = page.locator(".said li").all_inner_texts()
        assert [line[9:] for line in lines] == ["the newest line", "linux-6.12: REGRESSION <b>"]


@pytest.mark.parametrize("live", [None, lambda: None], ids=["no master", "no answer"])
def test_an_unknown_present_leaves_no_trace(dsn: str, tmp_path: Path, live: Any) -> None:
    client = application(dsn, tmp_path, live=live).test_client()
    assert client.get("/strip").text.strip() == ""
    assert "What runs is unknown now" in client.get("/live").text
    assert "Here each branch gets a row" in client.get("/").text


def test_an_empty_installation_says_what_will_appear_and_when(dsn: str, tmp_path: Path) -> None:
    def words(live: Live) -> str:
        text = application(dsn, tmp_path, live=lambda: live).test_client().get("/").text
        return " ".join(text.split())

    # From now: the tests before this one may have taken an hour.
    idle = evolve(IDLE, due=datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=19))
    due = f"{idle.due:%Y-%m-%d %H:%M}"
    begins = f'night begins <span class="moment">{due}</span>, in 19 h'
    assert f"Nothing runs. The next {begins}" in words(idle)
    assert words(idle).count(begins) == 3  # the strip, the branches, and the last night
    # Between the first look and the first night, which does not wait for the clock.
    begins = "first night begins as soon as the kernel sources are imported"
    first = words(evolve(idle, first=True))
    assert first.count(begins) == 3
    assert due not in first
    during = words(NIGHT)
    assert f"a night runs, until about {NIGHT.until:%Y-%m-%d %H:%M}" in during
    assert "Start a night now" not in during


def test_the_script_renews_the_strip(browser: Browser, dsn: str, tmp_path: Path) -> None:
    present: list[Live | None] = [NIGHT]
    app = application(dsn, tmp_path, live=lambda: present[0])
    with served(app) as site, browser.new_context() as context:
        page = context.new_page()
        page.clock.install()
        page.goto(site)
        strip = page.get_by_role("region", name="What runs now")
        strip.get_by_text("12 of 280 runs").wait_for()
        present[0] = evolve(NIGHT, course="13 of 280 runs, about 29 min left")
        page.clock.fast_forward(11_000)
        strip.get_by_text("13 of 280 runs").wait_for()
        # A reader of a link in it keeps the place.
        strip.get_by_role("link", name="What came out so far").focus()
        present[0] = IDLE
        with page.expect_response("**/strip"):
            page.clock.fast_forward(11_000)
        assert "13 of 280 runs" in strip.inner_text()
        page.evaluate("document.activeElement.blur()")
        page.clock.fast_forward(11_000)
        strip.get_by_text("Nothing runs.").wait_for()
        present[0] = None
        page.clock.fast_forward(11_000)
        strip.get_by_text("Nothing runs.").wait_for(state="detached")
        assert strip.inner_text().strip() == ""


def test_a_night_over_a_real_master(installation: Installation) -> None:
    installation.configure(PACKAGES, nights="short")
    # A boot lasts until the pages have said that it goes on.
    installation.behave(runs=4, blocked=["stress-ng-switch"])
    installation.start(once=False)
    site = f"http://127.0.0.1:{installation.ports['web']}/"
    until(lambda: "the service is up" in installation.said(), installation.said)

    def strip() -> str:
        return requests.get(f"{site}{PAGES}strip", timeout=60).text

    until(
        lambda: " of 4 runs, about " in (text := strip()) and "booting and measuring" in text,
        installation.said,
    )
    page = requests.get(site, timeout=60).text  # the door
    assert "Are we regressing?" in page
    assert f'href="{site}{UI}#/builders/' in page  # the night's own build
    installation.behave(runs=4)
    until(lambda: "REPORT of 1, 2" in installation.said(), installation.said)

    # Names and links on Buildbot's own pages.
    web = installation.web()
    builders = web.get("/builders")
    assert all(b["description"] for b in builders)
    names = {b["builderid"]: b["name"] for b in builders}
    until(lambda: "Nothing runs. The next night begins" in strip(), installation.said)
    every = web.get("/builds", order="buildid")
    # Some by their numbers, as the service asks for those that go on.
    some = [every[0]["buildid"], every[-1]["buildid"]]
    assert [b["buildid"] for b in web.get("/builds", buildid=some, order="buildid")] == some
    builds = {names[b["builderid"]]: b for b in every}
    assert builds["nightly"]["state_string"].startswith("The night: 2 kernels built, 4 runs;")
    assert " on qemu-sim-2, qemu-sim-4: short, built in " in builds["kernel"]["state_string"]
    assert builds["board"]["state_string"].count("seed") == 1
    steps = {s["name"]: s for s in web.get(f"/builds/{builds['nightly']['buildid']}/steps")}
    for number, board in ((1, "qemu-sim-2"), (2, "qemu-sim-4")):
        [url] = steps[f"compare linux-6.12 {board}"]["urls"]
        assert url == {"name": f"comparison {number}", "url": f"{site}{PAGES}compare?id={number}"}
