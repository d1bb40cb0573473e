# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Builders of several masters: who takes what, and who goes first."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve
from buildbot.monkeypatches import servicechecks
from buildbot.process.botmaster import BotMaster
from buildbot.process.results import CANCELLED, RETRY
from buildbot.process.workerforbuilder import States
from twisted.application.internet import TimerService
from twisted.application.service import Service
from twisted.internet import defer
from twisted.internet.task import Clock, deferLater

from tests import settings_files
from tests.unit.asked import asks, may_start, of, properties, small_catalogue
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.model import Board

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders, schedulers
from master.multimaster import bus, heartbeat

BOARDS = (
    Board(name="s1", board_type="a2"),
    Board(name="s2", board_type="a2", worker="two"),
    Board(name="s4", board_type="a4", worker="two"),
    Board(name="far", board_type="other", lab="home"),
)


@pytest.fixture
def here(tmp_path: Path) -> config.Settings:
    database = '[database]\nhost = "127.0.0.1"\n'
    return settings_files.shipped(tmp_path, database + settings_files.two_masters())


@pytest.fixture
def known() -> catalogue.Catalogue:
    return evolve(small_catalogue(), boards=BOARDS)


def test_only_the_first_coordinates(here: config.Settings, known: catalogue.Catalogue) -> None:
    ones, twos = (
        {b.name: b.workernames for b in builders.build_all(here.of_master(name), known)}
        for name in ("m1", "m2")
    )
    assert set(ones) == {"kernel", "board", "nightly", "check", "first", "push", "profile", "try"}
    assert set(twos) == {"kernel", "board"}
    assert {n.partition("-")[0] for names in ones.values() for n in names} == {"one"}
    assert {n.partition("-")[0] for names in twos.values() for n in names} == {"two"}
    # Labs are the first one's.
    assert [n for n in ones["board"] if "lab" in n] == ["one-lab-1", "one-lab-2"]
    assert not [n for n in twos["board"] if "lab" in n]


def test_only_the_first_begins_anything_by_itself(
    here: config.Settings, known: catalogue.Catalogue
) -> None:
    ones, twos = (
        {s.name for s in schedulers.schedule_all(here.of_master(name), known)}
        for name in ("m1", "m2")
    )
    assert {"night", "checks", "nightly-now"} <= ones
    # Kernels fan out to boards wherever they are built.
    assert twos == {n for n in ones if " for " in n}
    assert len(twos) == 12


def test_no_board_is_given_twice(here: config.Settings, known: catalogue.Catalogue) -> None:
    boards = {
        name: next(
            b.canStartBuild for b in builders.build_all(here.of_master(name), known)
            if b.name == "board"
        )
        for name in ("m1", "m2")
    }  # fmt: skip

    def may(master: str, worker: str, **wanted: object) -> bool:
        [asked] = of(worker)
        return may_start(boards[master], asked, asks(**wanted))

    assert may("m1", "one-1", board_type="a2")
    assert may("m2", "two-1", board_type="a2")
    assert not may("m1", "one-1", board_type="a2", pinned="s2")
    assert may("m2", "two-1", board_type="a2", pinned="s2")
    # A type that only the other has: neither a host nor a lab of this one takes it.
    assert not may("m1", "one-1", board_type="a4")
    assert not may("m1", "one-lab-1", board_type="a4")
    assert may("m2", "two-1", board_type="a4")
    assert may("m1", "one-lab-1", board_type="other")
    assert not may("m2", "two-1", board_type="other")


def test_who_has_kernels_lets_others_go_first() -> None:
    clock, woken = Clock(), []
    botmaster = SimpleNamespace(maybeStartBuildsForBuilder=woken.append)
    builder = SimpleNamespace(
        name="kernel", master=SimpleNamespace(reactor=clock, botmaster=botmaster), building=[]
    )
    choose = builders.worker_chooser("", {"one-1": "one", "one-2": "one"}, 2.0)
    request = SimpleNamespace(id=7, properties=properties(purpose="commit"))
    free = of("one-2")
    assert choose(builder, free, request) is free[0], "who has none takes it at once"

    builder.building = [SimpleNamespace(workername="one-1")]
    assert choose(builder, free, request) is None
    clock.advance(1.9)
    assert not woken
    assert choose(builder, free, request) is None, "looking again makes it no older"
    clock.advance(0.2)
    assert set(woken) == {"kernel"}
    assert choose(builder, free, request) is free[0], "nobody else has taken it"

    # One master alone does not wait.
    alone = builders.worker_chooser("", {"one-1": "one", "one-2": "one"})
    assert alone(builder, free, request) is free[0]


class Alone:
    """Input and output of a master's heartbeat; its database fails when `fails` is set."""

    def __init__(self, limit_s: float) -> None:
        self.reactor = Clock()
        self.reactor.stop = lambda: self.said.append("stop")
        self.reactor.addSystemEventTrigger = lambda *words: self.said.append(words[-1])
        self.said, self.fails, self.active = [], False, True
        self.name, self.masterid = "m2", 2
        updates = SimpleNamespace(masterActive=self.there, expireMasters=self.look)
        self.data = SimpleNamespace(updates=updates)
        pool = SimpleNamespace(do_with_transaction=lambda *_: defer.succeed([]))
        self.db = SimpleNamespace(masters=SimpleNamespace(getMaster=self.row), pool=pool)
        self.heartbeat = heartbeat.Heartbeat(limit_s)
        self.heartbeat.parent = SimpleNamespace(master=self)
        self.masterHeartbeatService = TimerService(60, lambda: defer.fail(RuntimeError()))
        self.masterHeartbeatService.clock = self.reactor
        assert self.heartbeat.startService().called
        self.masterHeartbeatService.startService()

    def there(self, **_: object) -> defer.Deferred:
        self.said.append("here")
        return defer.succeed(None)

    def look(self) -> defer.Deferred:
        self.said.append("look")
        return defer.succeed(None)

    def row(self, _: int) -> defer.Deferred:
        if self.fails:
            return defer.fail(RuntimeError("the database is away"))
        return defer.succeed(SimpleNamespace(active=self.active))

    def wait(self, beats: int) -> list[str]:
        """Let so many signs of life be due, and return what was said."""
        self.said.clear()
        for _ in range(beats):
            self.reactor.advance(60)
        return list(self.said)


def test_an_error_of_the_database_does_not_make_a_master_silent() -> None:
    alone = Alone(600)
    assert alone.said == ["here"], "Buildbot has just looked for who is gone"
    assert alone.wait(2) == ["here", "look"] * 2
    alone.fails = True
    assert alone.wait(2) == []
    alone.fails = False
    assert alone.wait(2) == ["here", "look"] * 2


def test_nobody_is_declared_gone_as_soon_as_the_database_is_back() -> None:
    alone = Alone(600)
    alone.fails = True
    alone.wait(12)
    alone.fails = False
    assert alone.wait(2) == ["here", "here", "look"]


def test_who_was_declared_gone_ends() -> None:
    alone = Alone(600)
    alone.active = False
    assert alone.wait(3) == [heartbeat.GIVEN_UP, "stop"]


def test_buildbot_is_told_the_limit_before_it_looks(here: config.Settings) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heartbeat.masters, "EXPIRE_MINUTES", 10)
        [made] = heartbeat.configure(evolve(here, takeover_s=90))
        assert (heartbeat.masters.EXPIRE_MINUTES, made.limit_s) == (1.5, 90)


class Built:
    """A build of a kernel on another master."""

    buildid = None
    finished = False
    lost = False
    workerforbuilder = SimpleNamespace(state=States.BUILDING, abortPingIfAny=lambda: None)

    def __init__(self, building: list[Any]):
        self.requests = [SimpleNamespace(bsid=1, waitedFor=True)]
        self.stopped: list[int] = []
        self.building = building

    def lostRemote(self):  # noqa: N802 - Buildbot's name
        self.lost = True

    def stopBuild(self, reason, results):  # noqa: N802 - Buildbot's name
        self.stopped.append(results)
        self.building.remove(self)
        return defer.succeed(None)

    def waitUntilFinished(self):  # noqa: N802 - Buildbot's name
        return defer.succeed(None)


class Stopping:
    """Buildbot's own parts at the moment of a stop: what it has begun to start, it starts."""

    def __init__(self) -> None:
        self.building: list[Any] = []
        self.clock = Clock()
        self.botmaster = BotMaster()
        self.botmaster.builders = {"board": SimpleNamespace(building=self.building)}
        data = SimpleNamespace(get=lambda _: defer.succeed({"parent_buildid": 7}))
        self.master = SimpleNamespace(botmaster=self.botmaster, data=data, reactor=self.clock)
        self.botmaster.parent = SimpleNamespace(master=self.master)
        self.botmaster.brd.startService()
        self.botmaster.running = True

    def stop(self, built: list[Built]) -> defer.Deferred[None]:
        """Stop with a build at work, and others that begin meanwhile."""
        self.building.append(built[0])
        begun = deferLater(self.clock, 1, self.building.extend, built[1:])
        self.botmaster.brd._deferwaiter.add(begun)
        over = self.botmaster.cleanShutdown(quickMode=True, stopReactor=False)
        self.clock.advance(1)
        return over


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> Stopping:
    for name in ("startService", "stopService"):
        monkeypatch.setattr(Service, name, getattr(Service, name))
    servicechecks.patch()  # as each master does
    return Stopping()


def test_what_begins_while_a_master_stops_is_handed_over_too(stopping: Stopping) -> None:
    """What Buildbot's stop finds as waited for, it cancels."""
    hand_over = bus.HandOver()
    hand_over.parent = SimpleNamespace(master=stopping.master)
    hand_over.startService()
    built = [Built(stopping.building) for _ in range(2)]
    over = stopping.stop(built)
    assert over.called
    assert over.result is None, "the master would close its database before its builds"
    assert [build.stopped for build in built] == [[RETRY], [RETRY]]
    assert all(build.lost for build in built)


def test_buildbot_alone_cancels_what_another_master_waits_for(stopping: Stopping) -> None:
    built = [Built(stopping.building) for _ in range(2)]
    assert stopping.stop(built).result is None
    assert [build.stopped for build in built] == [[CANCELLED], [CANCELLED]]
