"""The next start upgrades an installation of the first commit that was published."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from urllib.parse import quote, urljoin

import psycopg
import requests

from tests.integration.installation import Installation
from tests.integration.old_database import (
    DATABASES,
    FIRST_PUBLIC,
    RENAMED,
    STATE,
    columns_of,
    renamed,
)
from tests.waiting import until
from vlag import config
from vlag.buildbot import PAGES
from vlag.operate.service import postgres
from vlag.store import database

#: Superuser's statements that make a cluster one of the first public commit: its reader has
#: other settings and nothing that bounds it.
_AS_OF_OLD = """
ALTER ROLE vlag_reader RESET ALL;
ALTER ROLE vlag_reader CONNECTION LIMIT -1;
ALTER ROLE vlag_reader SET default_transaction_read_only = 'on';
ALTER ROLE vlag_reader SET statement_timeout = '30s';
ALTER ROLE vlag_reader SET jit = 'off';
ALTER ROLE vlag_reader SET from_collapse_limit = '12';
ALTER ROLE vlag_reader SET join_collapse_limit = '12';
DROP SCHEMA IF EXISTS reader_guard CASCADE;
DROP SCHEMA IF EXISTS read_model CASCADE;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION vlag;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""

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


def make_old(settings: config.Settings) -> None:
    """Make an installation as the first public commit has left it."""
    ready = postgres.prepare(settings)
    lines = "".join(f"{line}\n" for line in _AS_OF_OLD.strip().splitlines())
    single = [str(ready.programs / "postgres"), "--single", "-D", str(ready.data), "vlag"]
    done = subprocess.run(
        [*ready.prefix, *single], input=lines, cwd="/", env=dict(ready.environment),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "ERROR" not in done.stderr, done.stderr
    dump = (DATABASES / f"{FIRST_PUBLIC}.sql").read_text().replace(STATE, str(settings.state))
    server = postgres.start(ready, settings.state / "log-of-test")
    try:
        with psycopg.connect(settings.dsn(), autocommit=True) as conn:
            conn.execute(dump.encode())
    finally:
        postgres.stop(server)
    (settings.state / "postgres" / "reader-bounds").unlink()  # of a newer vlag
    (settings.state / "reports").mkdir(exist_ok=True)
    (settings.state / "reports" / "night.txt").write_text("REPORT of the night\n")


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
        if url in visited or not url.startswith(home) or "/auth/" in url or "/raw?" in url:
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
