# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with a page in a real browser: drawn, read aloud, walked through by keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

from tests.integration.websites import MAY

WIDTHS = {"desktop": 1280, "phone": 390}
#: How a page is looked at from end to end: its width, and what the visitor's system prefers.
Look = tuple[str, Literal["light", "dark"]]
LOOKS: tuple[Look, Look] = (("desktop", "light"), ("phone", "dark"))
#: Far more presses than any page needs: a walk that is longer goes in circles.
MOST_PRESSES = 1500

#: What a person who uses keys must be able to come to; from now on it is noted where the focus
#: comes, whether it can be seen there, and whether it comes to a place for the second time.
STOPS = """() => {
  const stops = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
    .filter(e => e.getAttribute('tabindex') !== '-1' && e.checkVisibility());
  window.met = {}; window.again = false;
  document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0);
  document.addEventListener('focusin', ({target}) => {
    const number = stops.indexOf(target), s = getComputedStyle(target);
    if (number < 0 || target !== document.activeElement) return;
    window.again ||= number in met;
    met[number] = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0; });
  return stops.map(e => e.outerHTML.slice(0, 120)); }"""
MET = "[Object.entries(met), again || document.activeElement === document.body]"

#: Words of plots that are beyond the plot's edge, and so not drawn whole.
CUT = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const edge = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).filter(t => {
    const b = t.getBoundingClientRect(); return b.width && (b.left < edge.left - 1
      || b.right > edge.right + 1 || b.top < edge.top - 1 || b.bottom > edge.bottom + 1);
  }).map(t => t.textContent); })"""


def faults(
    browser: Browser, site: str, urls: Iterable[str], look: Look = LOOKS[0]
) -> dict[str, set[str]]:
    """Return what is wrong with each page where anything is, as KIND: WHAT."""
    found: dict[str, set[str]] = {}
    width, scheme = look
    with browser.new_context(color_scheme=scheme) as context:
        context.add_cookies([{"name": "who", "value": MAY, "url": site}])
        page = context.new_page()
        said: set[str] = set()
        page.on("console", lambda m: said.add(f"console: {m.text}"))
        page.on("pageerror", lambda e: said.add(f"console: {e}"))
        page.on("requestfailed", lambda r: said.update(_failure(r)))
        for url in urls:
            answer = page.goto(site + url)
            assert answer is not None
            assert answer.status == (404 if url == "/nowhere" else 200), url
            found[url] = set()
            for name in sorted(WIDTHS, key=lambda name: name == width):  # the look's is the last
                page.set_viewport_size({"width": WIDTHS[name], "height": 900})
                found[url] |= {f"{kind}: {what} at {name}" for kind, what in _drawn(page)}
            violations = _violations(page)
            found[url] |= {f"axe: {v['id']}: {v['nodes'][0]['html'][:200]}" for v in violations}
            found[url] |= {f"{kind}: {what}" for kind, what in keyboard(page)}
            # A browser says on its console that the page itself is a 404.
            found[url] |= {f for f in said if url != "/nowhere" or "404 (NOT FOUND)" not in f}
            said.clear()
    return {url: what for url, what in found.items() if what}


def _failure(request: Request) -> Iterator[str]:
    # What a page asks for by and by ends where another page is opened.
    if request.failure != "net::ERR_ABORTED":
        yield f"request: {request.url}: {request.failure}"


def _drawn(page: Page) -> Iterator[tuple[str, str]]:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        yield "overflow", f"{wide} px too wide"
    for words in page.evaluate(CUT):
        yield "cut", words


def _violations(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return found


def keyboard(page: Page) -> Iterator[tuple[str, str]]:
    """Walk with the Tab key from the top; yield what it never comes to or does not show."""
    stops: list[str] = page.evaluate(STOPS)
    met, ended, pressed = [], False, 0
    while not ended and pressed < MOST_PRESSES:
        # A field for a date has several stops within itself.
        some = 10 if pressed else len(stops) + 1
        for _ in range(some):
            page.keyboard.press("Tab")
        pressed += some
        met, ended = page.evaluate(MET)
    visible = {int(number): seen for number, seen in met}
    for i, what in enumerate(stops):
        if i not in visible:
            yield "keyboard", f"never reached: {what}"
        elif not visible[i]:
            yield "focus", f"not seen: {what}"
