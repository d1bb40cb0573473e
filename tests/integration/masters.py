# SPDX-License-Identifier: GPL-2.0-only
"""A real Buildbot master without workers, with vlag's pages in front of it."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from attrs import frozen
from buildbot.data import base
from buildbot.data.connector import DataConnector
from requests.adapters import HTTPAdapter

from tests.integration.installation import free_ports
from tests.integration.websites import MAY, MAY_NOT
from tests.waiting import until
from vlag import ROOT
from vlag.buildbot import TOKEN
from vlag.lock import hold
from vlag.store import database, views

#: Somebody who may as little as MAY_NOT and is not let in for some time.
FORGETFUL = "cas"

PROGRAMS = Path(sys.executable).parent

CONFIGURATION = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from buildbot.plugins import schedulers, util, worker
from master import door, endpoints, web_pages, www
from vlag.buildbot import UI
from vlag import config
url = {url!r}
here = config.load(Path({settings!r}))
endpoints.mend()
door.hang(web_pages.gate(here, {own!r}))
BuildmasterConfig = {{
    "title": "vlag", "titleURL": url, "buildbotURL": url + UI, "buildbotNetUsageData": None,
    "db": {{"db_url": "sqlite:///state.sqlite"}},
    "www": www.configure(here, url),
    "protocols": {{"pb": {{"port": "tcp:{worker}:interface=127.0.0.1"}}}},
    "workers": [worker.Worker("a", "b")],
    "builders": [
        util.BuilderConfig(name="nightly", workernames=["a"], factory=util.BuildFactory())
    ],
    "schedulers": [schedulers.ForceScheduler(name="nightly-now", builderNames=["nightly"])],
}}
"""

#: The process in front of it, on this machine only.
FRONT = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from master import front, web_pages
from vlag import config
here = config.load(Path({settings!r}))
known = web_pages.gate(here, {own!r})
front.serve(here, {url!r}, known, web_pages.endpoint({web}, "127.0.0.1"))
"""

TAC = """
from buildbot.master import BuildMaster
from twisted.application import service
configfile = "master.cfg"
application = service.Application('buildmaster')
BuildMaster({basedir!r}, configfile).setServiceParent(application)
"""

#: Enough of a configuration to make a database with.
SMALLEST = """
from buildbot.plugins import schedulers, util, worker
BuildmasterConfig = {
    "title": "vlag", "titleURL": "http://127.0.0.1/", "buildbotURL": "http://127.0.0.1/",
    "buildbotNetUsageData": None, "db": {"db_url": "sqlite:///state.sqlite"},
    "protocols": {"pb": {"port": "tcp:0:interface=127.0.0.1"}},
    "workers": [worker.Worker("a", "b")],
    "builders": [
        util.BuilderConfig(name="nightly", workernames=["a"], factory=util.BuildFactory())
    ],
    "schedulers": [schedulers.ForceScheduler(name="nightly-now", builderNames=["nightly"])],
}
"""


@frozen(kw_only=True)
class Master:
    """A master that runs."""

    url: str  # on this machine, with a slash at its end
    dsn: str  # of vlag's database
    folder: Path  # of its settings, which are its state folder too
    front: subprocess.Popen[bytes]  # the process of the pages
    process: subprocess.Popen[bytes]  # Buildbot's


def make_database(shared: Path) -> Path:
    """Return a database of Buildbot, made once for all processes, whose folder `shared` is."""
    basedir = shared / "buildbot"
    made = basedir / "made.sqlite"
    with hold(shared / "buildbot.lock", lambda: None):
        if not made.exists():
            _write_base(basedir, SMALLEST)
            argv = [str(PROGRAMS / "buildbot"), "upgrade-master", "--quiet", str(basedir)]
            subprocess.run(argv, cwd=basedir, check=True)
            (basedir / "state.sqlite").rename(made)
    return made


def write_people(folder: Path) -> str:
    """Write passwords, all "secret", beside the settings; return the settings' part."""
    made = subprocess.run(
        ["openssl", "passwd", "-6", "secret"], capture_output=True, text=True, check=True
    ).stdout
    names = (MAY, MAY_NOT, FORGETFUL)
    (folder / "people").write_text("".join(f"{name}:{made}" for name in names))
    return f'\n[people]\npassword_file = "people"\ntriage = ["{MAY}"]\n'


@contextmanager
def master(
    dsn: str,
    folder: Path,
    made: Path,
    *,
    people: bool = True,
    listen: str = "127.0.0.1",
    url: str = "",
) -> Iterator[Master]:
    """Start a master with a copy of the database that `make_database` has `made`.

    `people` are MAY, MAY_NOT and FORGETFUL with the password "secret"; `listen` is what the
    settings say (the port is open on this machine only); `url` is where others reach it.
    """
    web, worker = free_ports(2)
    text = (ROOT / "vlag.toml").read_text().replace('state = "var"', 'state = "."')
    text = re.sub(r"(?m)^web = \d+", f"web = {web}", text)
    text += f'\n[web]\nlisten = "{listen}"\n'
    if people:
        text += write_people(folder)
    settings = folder / "vlag.toml"
    settings.write_text(text)
    basedir = folder / "master"
    own = f"http://127.0.0.1:{web}/"
    places = {
        "root": str(ROOT), "web": web, "worker": worker, "settings": str(settings),
        "own": own, "url": url or own,
    }  # fmt: skip
    _write_base(basedir, CONFIGURATION.format(**places))
    (basedir / "front.py").write_text(FRONT.format(**places))
    shutil.copyfile(made, basedir / "state.sqlite")
    reader = database.as_user(dsn, views.READER)
    environment = {**os.environ, "VLAG_DATABASE": dsn, "VLAG_READER_DATABASE": reader}
    argv = [
        str(PROGRAMS / "twistd"), "--nodaemon", "--no_save", "--pidfile=", "--python=buildbot.tac"
    ]  # fmt: skip
    with (
        (basedir / "log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "front.py"], env=environment, cwd=basedir, stdout=log, stderr=log
        ) as front,
        subprocess.Popen(argv, env=environment, cwd=basedir, stdout=log, stderr=log) as process,
    ):

        def up() -> bool:
            assert process.poll() is front.poll() is None, said()
            return answers(own)

        def said() -> str:
            return (basedir / "log").read_text()[-2000:]

        try:
            until(up, said)
            yield Master(url=own, dsn=dsn, folder=folder, front=front, process=process)
        finally:
            for each in (process, front):
                each.kill()  # it has nothing to leave behind


def _write_base(basedir: Path, configuration: str) -> None:
    basedir.mkdir()
    (basedir / "master.cfg").write_text(configuration)
    (basedir / "buildbot.tac").write_text(TAC.format(basedir=str(basedir)))


def answers(address: str) -> bool:
    """Tell whether a master is up."""
    try:
        return requests.get(f"{address}api/v2/masters", timeout=60).ok
    except requests.ConnectionError:
        return False


class _From(HTTPAdapter):
    """Connects from an address of this machine."""

    def __init__(self, address: str):
        self._source = address
        super().__init__()

    def init_poolmanager(self, *words: Any, **options: Any) -> None:
        super().init_poolmanager(*words, **options, source_address=(self._source, 0))


def visitor_from(address: str) -> requests.Session:
    """Return a visitor with an address of its own (127.0.0.2, ...)."""
    session = requests.Session()
    session.mount("http://", _From(address))
    return session


def signed_in(
    url: str,
    name: str,
    password: str = "secret",  # noqa: S107
    session: requests.Session | None = None,
) -> requests.Session:
    """Sign in; return the session."""
    session = session or requests.Session()
    # Where Buildbot leads to after it is of no interest here.
    answer = session.get(
        f"{url}auth/login", auth=(name, password), allow_redirects=False, timeout=60
    )
    assert answer.status_code == (302 if password == "secret" else 401)  # noqa: S105
    return session


def control(
    url: str, to: tuple[str, str], by: requests.Session | None = None, token: str | None = None
) -> requests.Response:
    """Call a method of an endpoint of Buildbot's API."""
    path, method = to
    parameters: dict[str, Any] = {"reason": "because", "enabled": False, "priority": 1}
    body = {"id": 1, "jsonrpc": "2.0", "method": method, "params": parameters}
    headers = {} if token is None else {TOKEN: token}
    sender = by or requests.Session()
    return sender.post(f"{url}api/v2/{path}", json=body, headers=headers, timeout=60)


def asked(url: str, path: str) -> list[dict[str, Any]]:
    """Return a list of Buildbot's API."""
    answer = requests.get(f"{url}api/v2/{path}", timeout=60)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()[path.rpartition("/")[2]]
    return found


def patterns() -> list[str]:
    """Return the path of every endpoint of Buildbot's REST interface."""
    found = set()
    for module in map(importlib.import_module, DataConnector.submodules):
        for item in vars(module).values():
            if inspect.isclass(item) and issubclass(item, base.Endpoint):
                endpoint: Any = item
                found |= set(endpoint.pathPatterns)
    return sorted(found)


def waiting(url: str) -> list[dict[str, Any]]:
    """Return the build requests that nobody has cancelled; no worker takes one."""
    return [r for r in asked(url, "buildrequests") if not r["complete"]]


def cancel_all(url: str, name: str | None = None) -> None:
    """Cancel the build requests that wait, as somebody who signs in or as nobody."""
    if not (left := waiting(url)):
        return
    by = signed_in(url, name) if name is not None else None
    for request in left:
        to = (f"buildrequests/{request['buildrequestid']}", "cancel")
        assert control(url, to, by).status_code == 200
    until(lambda: waiting(url) == [], lambda: f"still there: {waiting(url)}")
