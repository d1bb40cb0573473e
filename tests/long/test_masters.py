# SPDX-License-Identifier: GPL-2.0-only
"""Two Buildbot masters on one database, each with a worker host; any of them may die."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg
import pytest

from bench.evidence import table, write
from tests import settings_files
from tests.integration.conftest import checkout, new_installation, server
from tests.integration.installation import Installation, free_ports
from tests.integration.parts import Parts
from tests.integration.server import Server
from tests.waiting import DEADLINE_S, until
from vlag import config
from vlag.config import catalogue, workers
from vlag.config.settings import TAKEOVER_S
from vlag.operate.service.processes import marked

pytestmark = pytest.mark.long

__all__ = ["checkout", "new_installation", "server"]  # fixtures

#: Both hosts have a board of each type: either can do the night alone.
BOARDS = """
all:
  children:
    boards:
      hosts:
        sim2-1: {board_type: qemu-sim-2}
        sim4-1: {board_type: qemu-sim-4, worker: one}
        sim2-2: {board_type: qemu-sim-2, worker: two}
        sim4-2: {board_type: qemu-sim-4, worker: two}
"""

#: What each test has found, for the page.
FOUND: list[tuple[object, ...]] = []
#: How many of them there are.
NIGHTS = 7

#: Seconds after which a master that is silent is taken for gone; ten minutes is long for a test.
LIMIT_S = 30

M1, M2 = ("master", "--name", "m1"), ("master", "--name", "m2")
ONE, TWO = ("worker", "--host", "one"), ("worker", "--host", "two")


@pytest.fixture(scope="module", autouse=True)
def page() -> Iterator[None]:
    yield
    if len(FOUND) < NIGHTS:
        return  # not all of them were run, or one failed
    write(
        "masters",
        "Two Buildbot masters",
        "pytest -m long tests/long/test_masters.py",
        ["stages: stand-ins that take seconds; PostgreSQL, masters, workers and bus are real"],
        [
            "A night of two kernels with six runs each, on two masters with a worker host each,",
            "which share one database. Each line is a night that ended with its report. In the",
            f"lines where a master stays away, `takeover_s` is {LIMIT_S} (default {TAKEOVER_S}).",
            "",
            *table(
                ("what happened", "kernels by m1", "by m2", "runs by m1", "by m2",
                 "cut off and made again", "seconds"),
                FOUND,
            ),
        ],
    )  # fmt: skip


class Masters(Parts):
    """An installation of two masters."""

    def __init__(self, made: Installation, server: Server):
        ports = "web = {}\nworker = {}\n".format(*free_ports(2))
        inventory = '[inventory]\nboards = "boards.yml"\n'
        super().__init__(made, server, BOARDS, inventory + settings_files.two_masters(ports))
        self.began = time.monotonic()

    def limit(self) -> None:
        """Let a master that is silent be taken for gone soon."""
        path = self.made.settings
        path.write_text(f"takeover_s = {LIMIT_S}\n{path.read_text()}")

    def begin(self) -> None:
        """Start all parts; return when the second master has kernels and runs at work."""
        for words in (M1, M2, TWO):
            self.start(*words)
        for name in ("m1", "m2"):
            until(lambda name=name: "the master is up" in self.said(name), self.everything)  # type: ignore[misc]
        here = config.load(self.made.settings).of_master("m2")
        names = set(workers.all_names(here, catalogue.of(here), here.host("two")))
        until(lambda: names <= self.connected(), self.everything)
        # Only now the night can begin: the first master would not leave a kernel to nobody.
        self.start(*ONE)
        until(lambda: self.at_work("m2"), self.everything)

    def connected(self) -> set[str]:
        """Return the names of the workers that a master has, its own for old logs among them."""
        found = self.rows(
            "SELECT w.name FROM connected_workers c JOIN workers w ON w.id = c.workerid"
        )
        return {name for (name,) in found}

    def kill(self, name: str) -> None:
        """End a master as a power cut does: the part, and Buildbot with it."""
        self.running[name].kill()
        self.running[name].wait(60)
        for pid in self.processes(name):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not self.processes(name), lambda: f"left: {self.processes(name)}")

    def processes(self, name: str) -> list[int]:
        """Return the processes of a master, without the part that has started them."""
        return marked(self.made.state, f"master-{name}")

    def rows(self, statement: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(config.load(self.made.settings).dsn("buildbot")) as conn:
            return conn.execute(statement, values).fetchall()

    def builds(self, builder: str) -> list[tuple[str, int | None]]:
        """Master and result of each build of a builder, oldest first."""
        found = self.rows(
            "SELECT m.name, b.results FROM builds b JOIN masters m ON m.id = b.masterid"
            " JOIN builders u ON u.id = b.builderid WHERE u.name = %s ORDER BY b.id",
            builder,
        )
        return [(short(name), done) for name, done in found]

    def signs(self) -> dict[str, tuple[bool, int]]:
        """Whether each master counts as there, and when it last said so."""
        found = self.rows("SELECT name, active, last_active FROM masters")
        return {short(name): (bool(active), at) for name, active, at in found}

    def at_work(self, name: str) -> bool:
        """Tell whether a master has kernels and runs at work."""
        try:
            return all((name, None) in self.builds(b) for b in ("kernel", "board"))
        except psycopg.Error:
            return False

    def report(self) -> str:
        found = sorted((self.made.state / "reports").glob("*.txt"))
        return found[-1].read_text() if found else ""

    def finish(self, what: str) -> None:
        """Wait for the report, after which nothing may be left."""
        until(lambda: "REPORT of 1, 2" in self.report(), self.everything)
        until(
            lambda: not self.rows("SELECT 1 FROM buildrequests WHERE complete = 0"),
            self.everything,
        )
        assert self.rows("SELECT count(*) FROM builds WHERE results IS NULL") == [(0,)]
        kernels, runs = self.builds("kernel"), self.builds("board")
        good = [
            sum(by == master and done == 0 for by, done in those)
            for those in (kernels, runs)
            for master in ("m1", "m2")
        ]
        # 5: to be made again; 6: cancelled, with what it was for.
        cut = sum(done in (5, 6) for _, done in (*kernels, *runs))
        assert {done for _, done in (*kernels, *runs)} <= {0, 5, 6}, (kernels, runs)
        FOUND.append((what, *good, cut, f"{time.monotonic() - self.began:.0f}"))
        print(FOUND[-1])

    def everything(self) -> str:
        logs = [f"{name}:\n{self.said(name)[-1500:]}" for name in self.running]
        requests = self.rows(
            "SELECT r.id, u.name, r.complete, r.results, c.masterid FROM buildrequests r"
            " JOIN builders u ON u.id = r.builderid"
            " LEFT JOIN buildrequest_claims c ON c.brid = r.id ORDER BY 1"
        )
        return "\n".join([*logs, *map(str, requests)])


def short(name: str) -> str:
    """Return a master's name in the settings."""
    return "m2" if name.endswith("/master-m2") else "m1"


@pytest.fixture
def masters(new_installation: Installation, server: Server) -> Masters:
    new_installation.behave(run_s=1.0, build_s=2)
    return Masters(new_installation, server)


def test_a_night_on_both(masters: Masters) -> None:
    masters.limit()
    masters.begin()
    assert masters.health(*M1) == (0, "the master m1 answers")
    assert masters.health(*M2) == (0, "the master m2 answers")
    assert masters.health(*ONE)[0] == masters.health(*TWO)[0] == 0
    masters.finish("nothing")
    assert sorted(masters.builds("kernel")) == [("m1", 0), ("m2", 0)]
    runs = masters.builds("board")
    assert len(runs) == 12
    assert {by for by, _ in runs} == {"m1", "m2"}
    # Each host ran what its own master gave it, each run once.
    made = masters.made
    assert {e["host"] for e in made.log(verb="build")} == {"one", "two"}
    log = made.log(verb="run")
    assert {(e["--board"], e["host"]) for e in log} == {
        ("sim2-1", "one"), ("sim4-1", "one"), ("sim2-2", "two"), ("sim4-2", "two")
    }  # fmt: skip
    asked = {(e["places"][0], e["--benchmark"], e["--board"][:4], e["--seed"]) for e in log}
    assert len(asked) == len(log) == 12
    # Only one of them leads.
    assert {by for by, _ in masters.builds("nightly")} == {"m1"}
    code, said = masters.health("master", "--name", "m3")
    assert code == 2
    assert "no master 'm3' under [[masters]]" in said
    # A database that throws them out does not make them silent.
    masters.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    thrown_out = time.time()
    for name in ("m1", "m2"):
        until(
            lambda name=name: masters.signs()[name][1] > thrown_out + LIMIT_S / 3,  # type: ignore[misc]
            masters.everything,
        )
    assert [there for there, _ in masters.signs().values()] == [True, True]


def test_the_second_master_is_killed_and_comes_back(masters: Masters) -> None:
    masters.begin()
    masters.kill("m2")
    assert masters.health(*M2)[0] == 75
    masters.start(*M2)
    masters.finish("m2 killed, started again")
    assert any(by == "m2" and done == 5 for by, done in masters.builds("kernel"))


def test_the_second_master_is_stopped_for_good(masters: Masters) -> None:
    masters.begin()
    masters.running["m2"].send_signal(signal.SIGTERM)
    assert masters.running["m2"].wait(60) == 0, masters.said("m2")
    before = len(masters.builds("kernel"))
    masters.finish("m2 stopped, the rest by m1")
    assert ("m2", 5) in masters.builds("kernel")[:before], "handed over, not cancelled"
    assert all(by == "m1" for by, _ in masters.builds("kernel")[before:])


def test_the_second_master_is_killed_for_good(masters: Masters) -> None:
    masters.limit()
    masters.begin()
    masters.kill("m2")
    _, at = masters.signs()["m2"]
    before = len(masters.builds("kernel"))
    masters.finish("m2 killed, the rest by m1")
    assert masters.signs()["m2"] == (False, at)
    assert all(by == "m1" for by, _ in masters.builds("kernel")[before:])
    taken_over = masters.rows(
        "SELECT b.complete_at FROM builds b JOIN masters m ON m.id = b.masterid"
        " WHERE m.name LIKE '%%/master-m2' AND b.results = 5"
    )
    assert taken_over
    assert all(ended - at >= LIMIT_S for (ended,) in taken_over), "not before the limit"


def test_a_master_that_was_taken_for_gone_ends(masters: Masters) -> None:
    masters.limit()
    masters.begin()
    stalled = masters.processes("m2")
    for pid in stalled:
        os.kill(pid, signal.SIGSTOP)
    try:
        until(lambda: not masters.signs()["m2"][0], masters.everything)
    finally:
        for pid in stalled:
            os.kill(pid, signal.SIGCONT)
    # It ends, and its part starts it again.
    given_up = "silent for too long and others have its work"
    until(lambda: given_up in masters.said("m2"), masters.everything)
    until(lambda: masters.said("m2").count("the master is up") == 2, masters.everything)
    masters.finish("m2 stalled, started again")


def test_the_first_master_is_killed_and_comes_back(masters: Masters) -> None:
    masters.begin()
    masters.kill("m1")
    masters.start(*M1)
    masters.finish("m1 killed, started again")
    assert [done for _, done in masters.builds("nightly")] == [5, 0]


def test_the_bus_is_cut_all_the_time(masters: Masters) -> None:
    masters.begin()
    cut, began = 0, time.monotonic()
    while "REPORT" not in masters.report():
        [(count,)] = masters.rows(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE application_name = 'vlag master bus'"
        )
        cut += count
        assert time.monotonic() < began + DEADLINE_S, masters.everything()
        time.sleep(0.3)
    assert cut > 10
    masters.finish(f"connections of the bus cut {cut} times")
    assert all(done == 0 for _, done in masters.builds("board"))
