# SPDX-License-Identifier: GPL-2.0-only
"""The next start upgrades an installation of the first commit that was published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from urllib.parse import quote, urljoin

import requests

from tests.integration.installation import Installation
from tests.integration.old_database import (
    RENAMED,
    columns_of,
    renamed,
)
from tests.integration.old_installation import make_old
from tests.waiting import until
from vlag import config
from vlag.buildbot import PAGES
from vlag.operate.service import postgres
from vlag.store import database

_BRANCHES = "SELECT DISTINCT tree || '/' || branch FROM read_model.kernel_branch"

#: Pages, with the rows that each is about.
_PAGES = {
    "run?id={}": "SELECT id FROM run",
    "compare?id={}": "SELECT id FROM comparison WHERE stage IS DISTINCT FROM 'confirm'",
    "latency?id={}": "SELECT DISTINCT comparison FROM shift",
    "alert?id={}": "SELECT id FROM alert",
    "branch?branch={}": _BRANCHES,
    "matrix?branch={}": _BRANCHES,
    "choose?base=linux-6.1&new={}": _BRANCHES,
    "across?kernels=linux-6.1,{}": _BRANCHES,
}


@contextmanager
def served(settings: config.Settings) -> Iterator[str]:
    """Run the database alone; yield its connection string."""
    server = postgres.start(postgres.prepare(settings), settings.state / "log-of-test")
    try:
        yield settings.dsn()
    finally:
        postgres.stop(server)


def rows(dsn: str, columns: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Return each row as its table's name and text."""
    found = set()
    with database.connect(dsn) as conn:
        for table, names in columns.items():
            chosen = ", ".join(f'"{name}"' for name in names)
            for row in conn.execute(f"SELECT {chosen} FROM {table}".encode()):  # noqa: S608
                found.add((table, repr(row)))
    return found


class Links(HTMLParser):
    """What a page links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def walk(home: str, starts: list[str]) -> tuple[set[str], set[str]]:
    """Visit pages and all that they link to; return the addresses, and the faults.

    Of any two kernels there is a page, so the links of such pages are not followed.  Bundles are
    no part of the dump, so their files are not asked for.
    """
    session, visited, faults = requests.Session(), set(), set()
    waiting = [urljoin(home, start) for start in starts]
    while waiting:
        url = waiting.pop().partition("#")[0]
        if (
            url in visited
            or not url.startswith(home)
            or "/auth/" in url
            or "/raw?" in url
            or "/timeline?" in url
        ):
            continue
        visited.add(url)
        answer = session.get(url, timeout=60)
        if answer.status_code >= 400:
            faults.add(f"{answer.status_code} of {url}")
        elif (
            "choose?" not in url
            and "across?" not in url
            and "html" in answer.headers["Content-Type"]
        ):
            page = Links()
            page.feed(answer.text)
            waiting += [urljoin(url, link) for link in page.found]
    return visited, faults


def test_an_installation_of_the_first_public_commit(installation: Installation) -> None:
    settings = config.load(installation.settings)
    make_old(settings)
    with served(settings) as dsn:
        columns = columns_of(dsn)
        before = rows(dsn, columns)
    assert len(before) > 500
    installation.start(once=False)
    until(installation.is_up, installation.said)
    assert "96 bundles are named relative to" in installation.said()
    with database.connect(settings.dsn()) as conn:
        starts = ["", "proof", "boards", "queue", "tries", "live", "alerts?all=1"]
        for page, sql in _PAGES.items():
            found = [page.format(quote(str(r[0]), safe="")) for r in conn.execute(sql.encode())]
            assert found, page
            starts += found
    home = f"http://127.0.0.1:{installation.ports['web']}/{PAGES}"
    visited, faults = walk(home, starts)
    assert faults == set()
    assert len(visited) > 150
    # Paths are relative to the state folder now.
    moved = f"{settings.state}/"
    old = {(RENAMED.get(table, table), row.replace(moved, "")) for table, row in before}
    now = {(table, row.replace(moved, "")) for table, row in rows(settings.dsn(), renamed(columns))}
    assert old - now == set()
    # Negative control: what is not there is a fault.
    assert walk(home, ["run?id=999"])[1] == {f"404 of {home}run?id=999"}
