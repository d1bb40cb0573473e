# SPDX-License-Identifier: GPL-2.0-only
"""A real Buildbot master with a worker that never ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import until
from vlag.buildbot import Web

# Builders, schedulers and properties as those of master/; the only worker runs one build,
# which never ends.
MASTER = """
from buildbot.plugins import schedulers, steps, util, worker
from buildbot.process.buildstep import BuildStep
from buildbot.process.results import CANCELLED
from twisted.internet import defer

class Wait(BuildStep):
    def run(self):
        self.end = defer.Deferred()
        return self.end

    def interrupt(self, reason):
        super().interrupt(reason)
        self.end.callback(CANCELLED)

lab = steps.SetProperties(properties={"lab": "home", "lab_jobs": ["7"]})
names = ["purpose", "label", "plan", "board_type", "benchmark"]
BuildmasterConfig = {
    "db": {"db_url": "sqlite://"},
    "protocols": {"pb": {"port": "tcp:0:interface=127.0.0.1"}},
    "www": {"port": "tcp:@PORT@:interface=127.0.0.1"},
    "buildbotNetUsageData": None,
    "workers": [worker.LocalWorker("one", max_builds=1)],
    "builders": [
        util.BuilderConfig(name=name, workernames=["one"], collapseRequests=False,
                           factory=util.BuildFactory([lab, Wait()]))
        for name in @BUILDERS@
    ],
    "schedulers": [
        schedulers.ForceScheduler(
            name=name + "-now", builderNames=[name], codebases=[""],
            properties=[util.StringParameter(name=n) for n in names])
        for name in @BUILDERS@
    ],
}
"""

TAC = """
from buildbot.master import BuildMaster
from twisted.application import service

application = service.Application("buildmaster")
BuildMaster(".", "master.cfg", None).setServiceParent(application)
"""

Start = Callable[..., Web]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a master with these builders; return its interface."""
    begun: list[subprocess.Popen[bytes]] = []

    def work(builders: tuple[str, ...] = ("board", "kernel")) -> Web:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        config = MASTER.replace("@PORT@", str(port)).replace("@BUILDERS@", repr(builders))
        (tmp_path / "master.cfg").write_text(config)
        (tmp_path / "buildbot.tac").write_text(TAC)
        log = tmp_path / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("twistd")), "--nodaemon", "--no_save",
                      "--pidfile=", "--python=buildbot.tac"],
                cwd=tmp_path, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        begun.append(process)
        web = Web(port)
        until(
            lambda: web.answers() and web.get("/builders"),
            lambda: log.read_text()[-2000:],
            alive=lambda: process.poll() is None,
        )
        return web

    yield work
    for process in begun:
        process.send_signal(signal.SIGKILL)
        process.wait()


def ask(web: Web, builder: str, **properties: str) -> None:
    number = web.get("/builders", name=builder)[0]["builderid"]
    web.control(f"/forceschedulers/{builder}-now", "force", builderid=number, **properties)


def ask_for_run(web: Web, label: str, purpose: str, board_type: str = "qemu-sim-2") -> None:
    ask(
        web,
        "board",
        label=label,
        purpose=purpose,
        board_type=board_type,
        benchmark="cyclictest-idle",
    )
