# SPDX-License-Identifier: GPL-2.0-only
"""A visitor in a real browser who follows every link and presses every button."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, unquote, urldefrag, urlsplit

from attrs import define, field
from playwright.sync_api import BrowserContext, Error, Page, Response

from tests.integration.websites import MAIL

#: A page's places and links, as address and text (null for a mark in a plot); then press all
#: buttons that change the page itself only, such as heads of tables.
READ = """() => {
  const xlink = 'http://www.w3.org/1999/xlink';
  const to = e => e.getAttribute('href') ?? e.getAttributeNS(xlink, 'href');
  const links = [...document.querySelectorAll('a')].filter(e => to(e) !== null).map(
    e => [new URL(to(e), document.baseURI).href, e.ownerSVGElement ? null : e.textContent.trim()]);
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const buttons = [...document.querySelectorAll('button[type=button], summary')];
  buttons.forEach(e => e.click());
  return {links, ids, buttons: buttons.length}; }"""
#: What a link shows that has nothing to show.
NOTHING = {"", "-", "\N{EN DASH}", "\N{EM DASH}"}
#: Pages with an address for any two kernels: there is no end of them.
PAIRS = ("choose", "across")
#: Buttons that move figures from one alert to another, and so take away pages that are visited
#: later; test_web_triage.py sends their forms.
NOT_PRESSED = ("Split", "Join")
#: How many pages of a kind are visited; of the others it is only asked whether they are there.
MOST = 2
#: Buildbot 4.3 asks for style sheets that these two plugins do not have, and writes the address
#: of a build's icon with a slash too many.
NOT_OURS = (
    "plugins/grid_view/styles.css",
    "plugins/wsgi_dashboards/styles.css",
    "//icon.png",
    "//icon.svg",
)


def readable(url: str) -> str:
    """Return an address with its characters as a person reads them; a plus stays one."""
    return unquote(url.replace("%2B", "%252B"))


def _kind(url: str, home: str) -> tuple[str, ...]:
    """Return what pages that one template makes have in common."""
    if not url.startswith(home):
        return ("buildbot", re.sub(r"[0-9]+", "N", urlsplit(url).fragment))
    of = urlsplit(url)
    names = sorted(name for name, _ in parse_qsl(of.query, keep_blank_values=True))
    return (of.path.rpartition("/")[2], *names)


@define(slots=False)  # Playwright keeps something of its own on a listener
class Walk:
    """Visits pages; `faults` are answers of 400 and above, dead links and what a console says."""

    context: BrowserContext
    home: str  # of vlag's pages, with a slash at its end
    beside: str = ""  # of Buildbot's pages: visited, but their links are not followed
    most: int = MOST  # pages of a kind that are visited
    faults: set[str] = field(factory=set)
    visited: dict[str, set[str]] = field(factory=dict)  # address -> places on it
    asked: set[str] = field(factory=set)  # pages that are there, and were not visited
    elsewhere: set[str] = field(factory=set)  # links to other sites
    sent: set[str] = field(factory=set)  # buttons of forms
    buttons: int = 0
    _wanted: set[tuple[str, str, str]] = field(factory=set)  # address, place, where a link is
    _of_kind: Counter[tuple[str, ...]] = field(factory=Counter)
    _at: str = ""

    def page(self) -> Page:
        page = self.context.new_page()
        page.on("response", self._answered)
        page.on("pageerror", self._broken)
        return page

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400 and not answer.url.endswith(NOT_OURS):
            self.faults.add(f"{self._at}: {answer.status} of {answer.url}")

    def _broken(self, error: Error) -> None:
        # Buildbot's build page cancels its own requests when it is left.
        if self._at.startswith(self.home):
            self.faults.add(f"{self._at}: {error}")

    def follow(self, start: Iterable[str]) -> None:
        """Visit pages and all that they lead to; press what is on them."""
        page = self.page()
        waiting = [self.home + unquote(url.removeprefix("/")) for url in start]
        while waiting:
            url = waiting.pop()
            if url in self.visited or url in self.asked:
                continue
            if self._one_more(url):
                waiting += self._visit(page, url)
            else:
                self._ask(url)
        for url, place, at in self._wanted:
            if url in self.visited and place not in self.visited[url]:
                self.faults.add(f"{at}: no place #{place} on {url}")
        page.close()

    def _one_more(self, url: str) -> bool:
        """Return whether to visit an address: of pages of one kind a few will do."""
        kind = _kind(url, self.home)
        self._of_kind[kind] += 1
        return self._of_kind[kind] <= self.most

    def _ask(self, url: str) -> None:
        """Ask whether a page is there; its links are those of others of its kind."""
        self._at = url
        self.asked.add(url)
        # The address of a page of Buildbot is behind the "#"; its API knows what is there.
        at, _, place = url.partition("#/")
        there = f"{self.beside}api/v2/{place}" if place else at
        if _kind(url, self.home)[0] in PAIRS:
            return
        status = self.context.request.get(there).status
        if status >= 400:
            self.faults.add(f"{url}: {status} of {there}")

    def open(self, page: Page, url: str) -> None:
        """Open a page of Buildbot, and wait until it has asked for all that it shows."""
        self._at = url
        page.goto("about:blank")  # else it only goes to another place of the same page
        page.goto(url, wait_until="networkidle")

    def _visit(self, page: Page, url: str) -> list[str]:
        """Visit one address; return where its links lead."""
        self._at = url
        self.visited[url] = set()
        if not url.startswith(self.home):
            self.open(page, url)
            page.goto("about:blank")  # what it says when it is left is not of the next page
            return []
        if any(page in url for page in ("/raw?", "/report?", "/timeline?")):  # files
            self._ask(url)
            return []
        page.goto(url)
        read: dict[str, Any] = page.evaluate(READ)
        self.visited[url] = set(read["ids"])
        self.buttons += read["buttons"]
        found = []
        for link, text in read["links"]:
            bare, place = urldefrag(link)
            if text in NOTHING:
                self.faults.add(f"{url}: a link to {link} shows {text!r}")
            if "/auth/" in bare:
                continue  # a test presses these by itself
            if bare.startswith(self.home):
                found.append(readable(bare))
                if place:
                    self._wanted.add((readable(bare), unquote(place), url))
            elif self.beside and bare.startswith(self.beside):
                found.append(link)
            else:
                self.elsewhere.add(link)
        while self._send(page, url):
            page.goto(url)
        return found

    def _send(self, page: Page, url: str) -> bool:
        """Fill in and send the next form of a page that was not sent before."""
        tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
        for button in page.locator("form button[type=submit]").all():
            name = f"{url}: {button.inner_text()}"
            if name in self.sent or button.inner_text() in NOT_PRESSED:
                continue
            self.sent.add(name)
            form = button.locator("xpath=ancestor::form")
            for entry in form.locator("textarea").all():
                entry.fill(MAIL if entry.get_attribute("name") == "mail" else "a reason")
            # Of a series the form's own choice is taken: not every plan has each board type.
            of_series = form.locator("textarea[name=mail]").count()
            for entry in [] if of_series else form.locator("select").all():
                entry.select_option(index=min(1, entry.locator("option").count() - 1))
            for entry in form.locator("input[type=datetime-local]").all():
                entry.fill(f"{tomorrow:%Y-%m-%dT%H:%M}")
            with page.expect_navigation():
                button.click()
            return True
        return False
