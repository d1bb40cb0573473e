"""The speed of every page is measured, and a slow one is named."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

from bench import pages_speed, scale
from bench.pictures import pages
from tests.integration.websites import application
from vlag.store import database


def test_every_page_is_measured_and_opens(dsn: str, tmp_path: Path) -> None:
    app = application(dsn, tmp_path)
    with database.connect(dsn) as conn:
        scale.generate(conn, 3)
        found = pages_speed.urls(conn)
    paths = {urlsplit(url).path for url in found}
    assert {urlsplit(p.address).path for p in pages.here(app) if p.endpoint} - paths == set()
    client = app.test_client()
    for url in found:
        assert client.get(url, follow_redirects=True).status_code == 200, url


def test_a_slow_page_is_named(dsn: str, tmp_path: Path) -> None:
    app = application(dsn, tmp_path)

    @app.get("/slow")
    def slow() -> str:
        time.sleep(1.1 * pages_speed.LIMIT_S)  # what is measured
        return "late"

    taken = pages_speed.measure(app, ["/queue", "/slow"], tries=1)
    assert "/slow" in pages_speed.late(taken)
    fast, late = taken
    assert late.server_s > pages_speed.LIMIT_S > fast.server_s
    assert late.paint_s > fast.paint_s
    assert (fast.size > 1000, late.size) == (True, 4)
