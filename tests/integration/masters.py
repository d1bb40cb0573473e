"""A real Buildbot master without workers, with vlag's pages in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.integration.installation import free_ports, until
from tests.integration.websites import MAY, MAY_NOT
from vlag import ROOT
from vlag.store import database, views

CONFIGURATION = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from buildbot.plugins import schedulers, util, worker
from master import door, pages
from vlag.buildbot import UI
from vlag import config
url = "http://127.0.0.1:{web}/"
here = config.load(Path({settings!r}))
url = {url!r} or url
www = pages.configure(here, url)
door.hang(pages.gate(here, "http://127.0.0.1:{web}/"))
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


def write_people(folder: Path) -> str:
    """Write the passwords of MAY and MAY_NOT, "secret", beside the settings; return their part."""
    made = subprocess.run(
        ["openssl", "passwd", "-6", "secret"], capture_output=True, text=True, check=True
    ).stdout
    (folder / "people").write_text(f"{MAY}:{made}{MAY_NOT}:{made}")
    return f'\n[people]\npassword_file = "people"\ntriage = ["{MAY}"]\n'


@contextmanager
def master(
    dsn: str, folder: Path, *, people: bool = True, listen: str = "127.0.0.1", url: str = ""
) -> Iterator[str]:
    """Start a master; yield its address on this machine.

    `people` are MAY and MAY_NOT with the password "secret"; `listen` is what the settings
    say (the port is open on this machine only); `url` is where others reach it.
    """
    web, worker = free_ports(2)
    text = (ROOT / "vlag.toml").read_text().replace('state = "var"', 'state = "."')
    text += f'\n[web]\nlisten = "{listen}"\n'
    if people:
        text += write_people(folder)
    settings = folder / "vlag.toml"
    settings.write_text(text)
    basedir = folder / "master"
    basedir.mkdir()
    configuration = CONFIGURATION.format(
        root=str(ROOT), web=web, worker=worker, settings=str(settings), url=url
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
        subprocess.Popen(argv, env=environment, cwd=basedir, stdout=log, stderr=log) as process,
    ):
        address = f"http://127.0.0.1:{web}/"
        try:
            until(lambda: answers(address), lambda: (basedir / "log").read_text()[-2000:])
            yield address
        finally:
            process.terminate()


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
