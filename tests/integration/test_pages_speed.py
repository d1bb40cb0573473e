# SPDX-License-Identifier: GPL-2.0-only
"""The speed of every page is measured, a slow one is named, and queries read what they need."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench import figures, pages_speed
from bench.pictures import page_addresses
from tests.conftest import fresh_database
from tests.integration.websites import application
from vlag.store import database


@pytest.fixture(scope="module")
def farm(cluster: str, template: str) -> str:
    """Connection string of a database with some months of a farm, which tests only read."""
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        figures.fill(conn)
    return dsn


def test_every_page_is_measured_and_opens(farm: str, tmp_path: Path) -> None:
    app = application(farm, tmp_path)
    with database.connect(farm) as conn:
        found = pages_speed.urls(conn)
    paths = {urlsplit(url).path for url in found}
    assert {
        urlsplit(p.address).path for p in page_addresses.here(app) if p.endpoint
    } - paths == set()
    client = app.test_client()
    for url in found:
        assert client.get(url, follow_redirects=True).status_code == 200, url


def test_a_slow_page_is_named(dsn: str, tmp_path: Path) -> None:
    app = application(dsn, tmp_path)

    @app.get("/slow")
    def slow() -> str:
        time.sleep(1.1 * pages_speed.LIMIT_S)  # what is measured
        return "late"

    # It has a browser of its own, and Playwright takes one a thread.  Twice: the first time counts
    # no more than the second, and a busy machine takes long for it.
    with ThreadPoolExecutor(1) as thread:
        taken = thread.submit(pages_speed.measure, app, ["/queue", "/slow"], 2).result()
    assert "/slow" in pages_speed.late(taken)
    fast, late = taken
    assert late.server_s > pages_speed.LIMIT_S > fast.server_s
    assert late.paint_s > fast.paint_s
    assert (fast.size > 1000, late.size) == (True, 4)


def test_queries_read_the_rows_of_the_record(farm: str) -> None:
    with database.connect(farm) as conn:
        lines = figures.moved("queries", figures.queries(conn))
    assert not lines, "\n".join(lines)


def test_a_query_without_its_index_leaves_the_tolerance(farm: str) -> None:
    """Negative control."""
    with database.connect(farm) as conn:
        with conn.transaction(force_rollback=True):
            conn.execute("DROP INDEX run_value_history")
            lines = figures.moved("queries", figures.queries(conn))
        assert any("branch: history, all time: rows of run_value" in x for x in lines), lines
        assert figures.moved("queries", figures.queries(conn)) == []
