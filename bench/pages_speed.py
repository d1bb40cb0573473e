# SPDX-License-Identifier: GPL-2.0-only
"""A year of a farm in the pages: the server's time for each, and the first paint in Chromium.

`VLAG_BENCH_SCALE` names a folder that is kept, as for `bench.scale`; a database that is there
already is measured as it is.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence

from attrs import frozen
from flask import Flask
from playwright.sync_api import Browser, sync_playwright

from bench import scale
from bench.evidence import table, write
from tests.integration.websites import CHROMIUM, application, served
from vlag.store import database
from vlag.store.database import Connection

#: Commits of each of 24 branches: a third of those of three years.
COMMITS = scale.COMMITS // 3
#: From the request to the first words on the screen.
LIMIT_S = 1.0

_TRIES = 5
_BRANCH = "/branch?branch=stable/linux-6.4.y"
# Of the page's own navigation, whenever the browser comes to tell.
_PAINT = """() => new Promise(done => new PerformanceObserver(list => {
  for (const found of list.getEntriesByName('first-contentful-paint')) done(found.startTime);
}).observe({type: 'paint', buffered: true}))"""


@frozen(kw_only=True)
class Taken:
    """What one page took; seconds are those of the fastest try but `first_s`."""

    url: str
    first_s: float  # the server's, with cold caches
    server_s: float
    paint_s: float  # in the browser, from the start of the navigation
    size: int  # bytes of HTML, not compressed


def urls(conn: Connection) -> list[str]:
    """Return the address of every page, with a place in the middle of a branch's history."""

    def ask(sql: str) -> int:
        row = conn.execute(sql.encode()).fetchone()
        assert row is not None
        return int(row[0])

    comparison, run, alert, series = (
        ask(scale.PLACES[name]) for name in ("comparison", "run", "alert", "throughput")
    )
    base, new, tree, commit = conn.execute(
        "SELECT c.base_kernel, c.new_kernel, k.tree, k.commit FROM comparison c"
        " JOIN kernel k ON k.id = c.new_kernel WHERE c.id = %s",
        (comparison,),
    ).fetchall()[0]
    return [
        "/", "/index.html", "/branch", _BRANCH, f"{_BRANCH}&board=rpi5",
        f"{_BRANCH}&board=rpi5&series={series}&statistic=median", f"/compare?id={comparison}",
        f"/compare?base={base}&new={new}", f"/latency?id={comparison}", f"/run?id={run}",
        f"/commit?tree={tree}&commit={commit}",
        _BRANCH.replace("branch", "path", 1),
        "/choose", f"/choose?base={base}&new={new}", f"/across?kernels={base},{new}", "/live",
        "/matrix", _BRANCH.replace("branch", "matrix", 1), "/proof", "/boards", "/queue",
        "/tries", "/rehearsal",
        "/alerts", "/alerts?all=1", f"/alert?id={alert}",
    ]  # fmt: skip


def measure(app: Flask, addresses: Sequence[str], tries: int = _TRIES) -> list[Taken]:
    """Return what each page takes; a page that fails ends the measurement."""
    client = app.test_client()
    server: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    for url in addresses:
        for _ in range(tries):
            began = time.monotonic()
            answer = client.get(url, follow_redirects=True)
            server.setdefault(url, []).append(time.monotonic() - began)
            assert answer.status_code == 200, f"{url}: {answer.status}"
            sizes[url] = len(answer.data)
    with (
        served(app) as site,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
    ):
        paints = {url: min(_paint(browser, site + url) for _ in range(tries)) for url in addresses}
    return [
        Taken(url=url, first_s=took[0], server_s=min(took), paint_s=paints[url], size=sizes[url])
        for url, took in server.items()
    ]


def _paint(browser: Browser, url: str) -> float:
    """Return seconds from the navigation to the first words, without what the browser has kept."""
    with browser.new_context(viewport={"width": 1300, "height": 900}) as context:
        page = context.new_page()
        page.goto(url)
        return float(page.evaluate(_PAINT)) / 1000


def late(taken: Sequence[Taken]) -> list[str]:
    """Return the pages whose first words come too late."""
    return [t.url for t in taken if t.paint_s > LIMIT_S]


def main() -> None:
    """Fill the database if it is not there, open every page, write the figures."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with scale.opened(COMMITS) as (dsn, folder):
        with database.connect(dsn) as conn:
            addresses, facts = urls(conn), scale.facts(conn)
        taken = measure(application(dsn, folder), addresses)
    write(
        "pages-speed",
        "The pages over a year of a farm",
        "python -m bench pages_speed",
        [*facts, f"1, 5 and 15 minutes' load: {', '.join(f'{x:.1f}' for x in os.getloadavg())}",
         f"first paint later than {LIMIT_S:g} s: {', '.join(late(taken)) or 'none'}"],
        [
            "Generated by `bench/scale.sql`: 24 branches on four types of board. The server's"
            f" time is that of the first and of the fastest of {_TRIES} requests; the first"
            f" paint is the fastest of {_TRIES} in headless Chromium, each with an empty cache."
            " Plots that another request has drawn are kept.",
            "",
            *table(
                ["page", "kB", "server first, ms", "server, ms", "first paint, ms"],
                [(f"`{t.url}`", t.size // 1000,
                  *(f"{x * 1000:.0f}" for x in (t.first_s, t.server_s, t.paint_s)))
                 for t in taken],
            ),
        ],
    )  # fmt: skip
