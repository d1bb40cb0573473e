"""The pages in a real Buildbot master: its menu, its page, its session, its log-in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from playwright.sync_api import sync_playwright

from tests.integration.installation import free_ports, until
from tests.integration.websites import CHROMIUM, MAY, MAY_NOT, fill
from vlag import ROOT
from vlag.buildbot import PAGES, UI
from vlag.config.catalogue import Catalogue
from vlag.store import database, views
from vlag.store.database import Connection

CONFIGURATION = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from buildbot.plugins import schedulers, util, worker
from master import door, pages
from vlag.buildbot import UI
from vlag import config
url = "http://127.0.0.1:{web}/"
www = pages.configure(config.load(Path({settings!r})), url)
door.hang()
BuildmasterConfig = {{
    "title": "vlag", "titleURL": url, "buildbotURL": url + UI, "buildbotNetUsageData": None,
    "db": {{"db_url": "sqlite:///state.sqlite"}},
    "www": {{**www, "port": "tcp:{web}:interface=127.0.0.1"}},
    "protocols": {{"pb": {{"port": "tcp:{worker}:interface=127.0.0.1"}}}},
    "workers": [worker.Worker("a", "b")],
    "builders": [
        util.BuilderConfig(name="nightly", workernames=["a"], factory=util.BuildFactory())
    ],
    "schedulers": [schedulers.ForceScheduler(name="nightly-now", builderNames=["nightly"])],
}}
"""

TAC = """
from buildbot.master import BuildMaster
from twisted.application import service
configfile = "master.cfg"
application = service.Application('buildmaster')
BuildMaster({basedir!r}, configfile).setServiceParent(application)
"""


@pytest.fixture
def url(dsn: str, conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Iterator[str]:
    """Address of a master without workers, over a database with an alert."""
    assert fill(conn, catalogue, tmp_path).alert == 1
    web, worker = free_ports(2)
    made = subprocess.run(
        ["openssl", "passwd", "-6", "secret"], capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / "people").write_text(f"{MAY}:{made}{MAY_NOT}:{made}")
    settings = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text().replace('state = "var"', 'state = "."')
    settings.write_text(f'{text}\n[people]\npassword_file = "people"\ntriage = ["{MAY}"]\n')
    basedir = tmp_path / "master"
    basedir.mkdir()
    configuration = CONFIGURATION.format(
        root=str(ROOT), web=web, worker=worker, settings=str(settings)
    )
    (basedir / "master.cfg").write_text(configuration)
    (basedir / "buildbot.tac").write_text(TAC.format(basedir=str(basedir)))
    programs = Path(sys.executable).parent
    reader = database.as_user(dsn, views.READER)
    environment = {**os.environ, "VLAG_DATABASE": dsn, "VLAG_READER_DATABASE": reader}
    upgrade = [str(programs / "buildbot"), "upgrade-master", "--quiet", str(basedir)]
    subprocess.run(upgrade, env=environment, cwd=basedir, check=True)
    argv = [
        str(programs / "twistd"),
        "--nodaemon",
        "--no_save",
        "--pidfile=",
        "--python=buildbot.tac",
    ]
    with (
        (basedir / "log").open("w") as log,
        subprocess.Popen(argv, env=environment, cwd=basedir, stdout=log, stderr=log) as master,
    ):
        address = f"http://127.0.0.1:{web}/"
        try:
            until(lambda: answers(address), lambda: (basedir / "log").read_text()[-2000:])
            yield address
        finally:
            master.terminate()


def answers(address: str) -> bool:
    try:
        return requests.get(address, timeout=10).ok
    except requests.ConnectionError:
        return False


def signed_in(url: str, name: str, password: str = "secret") -> requests.Session:  # noqa: S107
    session = requests.Session()
    # Where Buildbot leads to after it is of no interest here.
    answer = session.get(
        f"{url}auth/login", auth=(name, password), allow_redirects=False, timeout=60
    )
    assert answer.status_code == (302 if password == "secret" else 401)  # noqa: S105
    return session


def test_who_signs_in_with_buildbot_is_known_to_the_pages(url: str, conn: Connection) -> None:
    page = f"{url}{PAGES}alert?id=1"
    form = {"id": "1", "state": "fixed", "why": "reverted"}

    def send(session: requests.Session) -> int:
        found = re.search(r'name="token" value="(\w+)"', session.get(page, timeout=60).text)
        answer = session.post(
            f"{url}{PAGES}alert/state", timeout=60, allow_redirects=False,
            data={**form, "token": found[1] if found else "0"}, headers={"Origin": url.rstrip("/")},
        )  # fmt: skip
        return answer.status_code

    assert send(requests.Session()) == 403
    assert send(signed_in(url, MAY_NOT)) == 403
    assert send(signed_in(url, MAY, "wrong")) == 403
    assert conn.execute("SELECT triage::text FROM alert").fetchone() == ("new",)
    mine = signed_in(url, MAY)
    assert send(mine) == 303
    assert conn.execute(
        "SELECT by, triage::text, why FROM alert_event ORDER BY id DESC LIMIT 1"
    ).fetchone() == (MAY, "fixed", "reverted")
    assert f"{MAY}," in mine.get(page, timeout=60).text
    mine.get(f"{url}auth/logout", allow_redirects=False, timeout=60)
    assert send(mine) == 403


def test_buildbots_page_shows_them_and_leads_to_them(url: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(url + UI)
        page.get_by_text("Regressions", exact=True).click()
        page.get_by_text("Are we regressing?").wait_for()
        assert page.url == f"{url}{UI}#/vlag"
        assert "REGRESSION 12.0 %" in " ".join(page.inner_text("table").split())
        page.locator("table").get_by_role("link", name="REGRESSION").first.click()
        page.get_by_role("heading", name="Figures, worst first").wait_for()
        assert page.url.startswith(f"{url}{PAGES}compare?id=")
        page.get_by_role("link", name="Overview").click()
        page.get_by_role("heading", name="Are we regressing?").wait_for()
        assert page.url == f"{url}{PAGES}"
        page.get_by_role("link", name="Buildbot", exact=True).click()
        page.get_by_text("Regressions", exact=True).wait_for()
        assert page.url.startswith(url + UI)
        browser.close()


def test_the_door_leads_to_the_branches_and_buildbot_is_beside_it(url: str) -> None:
    # Relative: a proxy may serve the site below a path.
    first = requests.get(url, allow_redirects=False, timeout=60)
    assert (first.status_code, first.headers["Location"]) == (302, PAGES)
    bare = requests.get(url + UI.rstrip("/"), allow_redirects=False, timeout=60)
    assert (bare.status_code, bare.headers["Location"]) == (302, UI)
    # Below Buildbot's path vlag's pages write their usual addresses.
    below = requests.get(f"{url}{UI}{PAGES}", timeout=60).text
    assert f'href="/{PAGES}alerts"' in below
    assert UI + PAGES not in below
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("heading", name="Are we regressing?").wait_for()
        assert page.url == url + PAGES
        page.get_by_role("link", name="Buildbot", exact=True).click()
        page.get_by_text("Welcome to buildbot").wait_for()
        page.goto(f"{url}{UI}#/builders")
        page.get_by_role("link", name="nightly", exact=True).first.click()
        page.get_by_role("button", name="nightly-now").wait_for()
        assert page.url == f"{url}{UI}#/builders/1"
        # An address of a build in an old mail or bookmark.
        page.goto("about:blank")
        page.goto(f"{url}#/builders/1")
        page.get_by_role("button", name="nightly-now").wait_for()
        assert page.url == f"{url}{UI}#/builders/1"
        browser.close()
