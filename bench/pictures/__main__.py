# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench.pictures`: screenshots of every page, in Chromium.

Each page is pictured in each state (empty, first-night, planted, year, and the scenarios S1 to S5),
wide, narrow and dark, into var/pictures/; the databases are kept there and filled on the first
call.  `--docs` writes the chosen few to docs/pictures/, `--example` the one
of docs/example-first-minute.md.  `serve STATE` fills a state's database and prints the address of
its pages, until Ctrl-C.
"""

from __future__ import annotations

import argparse
import datetime
import io
import logging
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psycopg
from attrs import frozen
from PIL import Image  # matplotlib brings it
from playwright.sync_api import Browser, Page, sync_playwright

from bench.pictures import page_addresses
from bench.pictures.page_addresses import Picture
from bench.pictures.states import STATES, Stand, stand
from tests.integration import planted_night
from tests.integration.websites import CHROMIUM, served
from vlag import ROOT
from vlag.store import database
from vlag.store.views import READER

FOLDER = ROOT / "var" / "pictures"
DOCS = ROOT / "docs" / "pictures"
PAGE = ROOT / "bench" / "pictures" / "README.md"
#: All below it in `PAGE` is written by `--docs`.
MARK = "<!-- The rest is written by python -m bench.pictures --docs. -->"
#: Longest picture, in pixels: a page below it is cut off.
LONGEST = 6000
#: Together, in bytes: a clone carries every version of them.
MOST = 1_500_000
#: Pictures in docs/pictures/: their state; page, form and the height that is kept.
CHOSEN_STATE = "year"
CHOSEN = (
    ("overview", "wide", 800), ("branch", "wide", 1000),
    ("compare", "wide", 830), ("latency", "wide", 900),
    ("matrix", "wide", 700), ("proof", "wide", 600),
    ("alert", "wide", 900), ("alerts", "wide", 600),
    ("boards", "wide", 700), ("run", "wide", 700), ("queue", "wide", 600),
    ("branches", "wide", 500), ("matrices", "wide", 500),
    ("error", "wide", 300), ("choose-two", "wide", 800),
    ("across", "wide", 500), ("live", "wide", 500),
    ("overview", "narrow", 900), ("overview", "dark", 800),
)  # fmt: skip

#: The picture of a page of the documentation: state, page, form, height, name of the file.
EXAMPLE = ("planted", "overview", "wide", 430, "first-minute")

#: Of a page on a machine that does other things as well.
_PATIENCE_MS = 300_000


@frozen
class Form:
    """How a page is looked at."""

    width: int
    dark: bool = False

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.width} pixels wide{', dark' if self.dark else ''}"


FORMS = {"wide": Form(1300), "narrow": Form(420), "dark": Form(1300, True)}


def take(page: Page, url: str, picture: Picture, height: int | None = None) -> bytes:
    """Return a screenshot as PNG, from the top to a height; exit if the page does not load."""
    answer = page.goto(url, timeout=_PATIENCE_MS)
    if answer is None or answer.status != picture.status:
        answered = "nothing" if answer is None else f"{answer.status}, not {picture.status}"
        sys.exit(f"{picture.name}: {url} answered {answered}")
    whole = page.evaluate("document.documentElement.scrollHeight")
    width = (page.viewport_size or {"width": 0})["width"]
    clip = {"x": 0, "y": 0, "width": width, "height": min(whole, height or LONGEST)}
    return page.screenshot(full_page=True, clip=clip)  # type: ignore[arg-type]


def taken(
    browser: Browser, state: Stand, wanted: Iterable[tuple[str, str, int | None]]
) -> Iterator[tuple[Picture, str, bytes]]:
    """Yield picture, form and PNG of a state's pages, each by name, form and height."""
    known = {p.name: p for p in page_addresses.here(state.app)}
    reader = database.as_user(state.dsn, READER)
    with served(state.app) as site, psycopg.connect(reader) as conn:
        for name, form, height in wanted:
            address = page_addresses.address(conn, known[name]) if name in known else None
            if address is None:
                sys.stdout.write(f"nothing on record for {name}\n")
                continue
            look = FORMS[form]
            page = browser.new_page(
                viewport={"width": look.width, "height": 900},
                color_scheme="dark" if look.dark else "light",
            )
            yield known[name], form, take(page, site + address, known[name], height)
            page.close()


def shoot(
    browser: Browser, name: str, state: Stand, wanted: Iterable[str], forms: Sequence[str], to: Path
) -> None:
    """Write the pictures of a state's pages into a folder."""
    lacking = page_addresses.missing(state.app)
    if lacking:
        sys.exit(f"no picture of: {', '.join(lacking)}; add it to bench/pictures/page_addresses.py")
    to.mkdir(parents=True, exist_ok=True)
    every = [(page, form, None) for form in forms for page in wanted]
    for picture, form, data in taken(browser, state, every):
        path = to / f"{name}-{picture.name}-{form}.png"
        path.write_bytes(data)
        sys.stdout.write(f"wrote {path}\n")


def small(data: bytes) -> bytes:
    """Return a PNG file with at most 256 colours."""
    out = io.BytesIO()
    Image.open(io.BytesIO(data)).convert("RGB").quantize(256).save(out, "PNG", optimize=True)
    return out.getvalue()


def document(browser: Browser, folder: Path) -> None:
    """Write the chosen pictures to docs/pictures/, and their list to the README beside."""
    DOCS.mkdir(exist_ok=True)
    total, lines = 0, list[str]()
    with stand(CHOSEN_STATE, folder) as state:
        for picture, form, whole in taken(browser, state, CHOSEN):
            data = small(whole)
            name = picture.name if form == "wide" else f"{picture.name}-{form}"
            path = DOCS / f"{name}.png"
            path.write_bytes(data)
            total += len(data)
            words = f"`{picture.address.partition('?')[0]}`, {FORMS[form]}"
            lines += [words, "", f"![{picture.name}, {form}](../../docs/pictures/{path.name})", ""]
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}: {len(data)} bytes\n")
    if total > MOST:
        sys.exit(f"docs/pictures: {total} bytes are more than {MOST}; lower heights in CHOSEN")
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text("\n".join([f"{head}{MARK}", "", *lines[:-1], ""]), encoding="utf-8")


def example(browser: Browser, folder: Path) -> None:
    """Write picture and mail of one planted regression, before any click, to the page of docs/."""
    name, page, form, height, file = EXAMPLE
    with stand(name, folder, fresh=True) as state:
        [(_, _, whole)] = taken(browser, state, [(page, form, height)])
        with database.connect(state.dsn) as conn:
            first = datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=1)
            planted_night.show(planted_night.newest_mail(conn, first))
    (DOCS / f"{file}.png").write_bytes(small(whole))


def serve(name: str, folder: Path, *, fresh: bool) -> None:
    """Serve a state's pages until the process is interrupted."""
    with stand(name, folder, fresh=fresh) as state, served(state.app) as site:
        sys.stdout.write(f"{site}/  database: {state.dsn}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("stopped\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and do it."""
    names = [p.name for p in page_addresses.PICTURES]
    parser = argparse.ArgumentParser(prog="python -m bench.pictures", description=__doc__)
    parser.add_argument("serve", nargs="*", metavar="serve STATE", help="keep one state's pages up")
    parser.add_argument("--state", action="append", choices=STATES, help="default: all")
    parser.add_argument("--page", action="append", choices=names, help="default: all")
    parser.add_argument("--form", action="append", choices=FORMS, help="default: all")
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of the pictures")
    parser.add_argument("--fresh", action="store_true", help="fill the databases anew")
    parser.add_argument("--docs", action="store_true", help="write docs/pictures/ only")
    parser.add_argument("--example", action="store_true", help="write docs/example-first-minute.md")
    given = parser.parse_args(arguments)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # not a line for each request
    kept = FOLDER / "states"
    if given.serve:
        if len(given.serve) != 2 or given.serve[0] != "serve" or given.serve[1] not in STATES:
            parser.error(f"write: serve STATE, where STATE is one of {', '.join(STATES)}")
        serve(given.serve[1], kept, fresh=given.fresh)
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if given.docs:
            document(browser, kept)
        elif given.example:
            example(browser, kept)
        else:
            for name in given.state or STATES:
                with stand(name, kept, fresh=given.fresh) as state:
                    shoot(browser, name, state, given.page or names, given.form or tuple(FORMS),
                          given.to)  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
