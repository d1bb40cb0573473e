# SPDX-License-Identifier: GPL-2.0-only
"""Kills at random while the service starts, runs and stops, and the time until its pages answer.

Three of five faults fall before the service is up: in a first start with all that it makes, in a
start after a crash or after an orderly stop.  What was asked for before a fault must be made, each
once.  `VLAG_TEST_FAULTS` is how many there are, `VLAG_TEST_SEED` repeats kinds and moments.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg
import pytest
import requests
from attrs import define

from bench.evidence import table, write
from tests.integration.installation import Installation, copy_checkout
from tests.long.disturbed import chosen
from tests.processes import commands
from vlag import config
from vlag.buildbot import CANCELLED, RETRY
from vlag.errors import ExitCode, InfrastructureError
from vlag.operate.service.processes import environment_of

pytestmark = pytest.mark.long

#: Seconds of a start within which a fault falls, and of what follows it.
STARTING_S, RUNNING_S, STOPPING_S = 10.0, 3.0, 2.0
#: Seconds until systemd starts a service that has ended, as its unit says.
RESTART_S = 2.0
#: Seconds within which pages that fail have failed.
STALE_S = 5.0
#: Seconds after which pages that do not answer need a person.
DEADLINE_S = 300.0
#: Faults in a row that one installation lives through; the next is new.
EACH = 5


@define
class Life:
    """An installation, the process of its service, and what was asked of it."""

    made: Installation
    process: subprocess.Popen[str]
    asked: int = 0
    persons: int = 0  # starts that nobody but a person would have made

    @classmethod
    def begin(cls, folder: Path, checkout: Path) -> Life:
        folder.mkdir()
        made = Installation(folder, checkout, new=True)
        reports = made.state / "reports"
        reports.mkdir(parents=True)
        (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
        return cls(made, made.start(once=False))

    def answers(self) -> bool:
        try:
            where = f"http://127.0.0.1:{self.made.ports['web']}/healthz"
            return requests.get(where, timeout=10).status_code == 200
        except requests.RequestException:
            return False

    def up(self) -> float:
        """Wait until the pages answer; what has ended is started again, as systemd does."""
        began = time.monotonic()
        # An answer of a moment ago is given once more: pages that fail do so a bit later.
        while self.answers() and time.monotonic() - began < STALE_S:
            time.sleep(0.1)
        if time.monotonic() - began >= STALE_S:
            return 0.0
        self._wait(self.answers)
        return time.monotonic() - began

    def work(self) -> None:
        """Wait until the master answers too, which starts after the pages."""
        self._wait(self.made.web().answers)

    def _wait(self, ready: Callable[[], bool]) -> None:
        began = time.monotonic()
        while not ready():
            if self.process.poll() is not None:
                if self.process.returncode == ExitCode.USAGE:  # its unit would leave it ended
                    self.persons += 1
                    print(self.made.said(), file=sys.stderr)
                time.sleep(RESTART_S)
                self.process = self.made.start(once=False)
            if time.monotonic() - began > DEADLINE_S:
                pytest.fail(f"no answer after {DEADLINE_S} s:\n{self.made.said()[-3000:]}")
            time.sleep(0.1)

    def ask(self) -> None:
        """Ask for a build; one that the master has not taken does not count."""
        self.work()
        with contextlib.suppress(InfrastructureError, requests.RequestException):
            self.made.web().control("/forceschedulers/nightly-now", "force", reason="asked")
            self.asked += 1

    def processes(self) -> list[int]:
        """Return all processes of the installation, its own included."""
        mark = f"VLAG_SERVICE_STATE={self.made.state}".encode()
        found = [self.process.pid] if self.process.poll() is None else []
        for pid, line in commands():
            with contextlib.suppress(OSError):
                marked = any(one.startswith(mark) for one in environment_of(pid))
                if pid not in found and (marked or str(self.made.state) in line):
                    found.append(pid)
        return found

    def end(self) -> None:
        """Stop in order, and the hard way what is left."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(60)
        _kill(self.processes())


def _kill(pids: Sequence[int]) -> bool:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return bool(pids)


def _with(*words: str) -> Callable[[Life], list[int]]:
    def found(life: Life) -> list[int]:
        home = str(life.made.state)
        return [pid for pid, line in commands() if home in line and all(w in line for w in words)]

    return found


#: What is killed at once.
KINDS: dict[str, Callable[[Life], list[int]]] = {
    "all processes at once": Life.processes,
    "the service's own process": lambda life: [life.process.pid],
    "master": _with("buildbot.tac", "master"),
    "PostgreSQL": _with("postgres", "-D"),
    "worker": _with("buildbot.tac", "worker"),
    "pages": _with("master.front"),
}
#: When, and whether the service is up by then.
MOMENTS = {
    "in a start after a crash": False,
    "while it runs": True,
    "in a start after a stop": False,
    "while it stops": True,
}
FIRST = "in a first start"


def faults(life: Life, count: int, draws: random.Random) -> Iterator[tuple[str, str, float]]:
    """Inject faults, each after the other is over; yield moment, kind and seconds to an answer."""
    for number in range(count):
        moment = FIRST if number == 0 else list(MOMENTS)[(number - 1) % len(MOMENTS)]
        kind = draws.choice(list(KINDS))
        wait_s = draws.uniform(0, STARTING_S)
        if moment == "while it runs":
            life.ask()
            wait_s = draws.uniform(0, RUNNING_S)
        elif moment == "while it stops":
            life.ask()
            life.process.send_signal(signal.SIGTERM)
            wait_s = draws.uniform(0, STOPPING_S)
        elif moment != FIRST:
            if moment == "in a start after a stop":
                life.end()
            else:
                _kill(life.processes())
            life.process.wait()
            life.process = life.made.start(once=False)
        time.sleep(wait_s)
        if not _kill(KINDS[kind](life)):
            # It was not there yet, or no more.
            kind = "all processes at once"
            _kill(life.processes())
        if moment == "while it stops":
            with contextlib.suppress(subprocess.TimeoutExpired):
                life.process.wait(60)
        yield moment, kind, life.up()


def judged(life: Life) -> dict[str, int]:
    """Wait until all work is done; return what was lost and what was made twice."""
    life.work()
    done = "SELECT count(*) FROM buildrequests WHERE complete = 0"
    # A start cancels the kernels of a night that it repeats, which then asks for others.
    once = (
        "SELECT count(*) FILTER (WHERE n > 1),"
        " count(*) FILTER (WHERE n = 0 AND (asked OR results IS DISTINCT FROM %s)) FROM ("
        " SELECT r.results, s.reason LIKE '%%asked' AS asked,"
        " count(b.id) FILTER (WHERE b.results <> %s) AS n FROM buildrequests r"
        " JOIN buildsets s ON s.id = r.buildsetid"
        " LEFT JOIN builds b ON b.buildrequestid = r.id GROUP BY r.id, s.id) x"
    )
    asked = (
        "SELECT count(*) FROM buildrequests r JOIN buildsets s ON s.id = r.buildsetid"
        " WHERE s.reason LIKE '%asked'"
    )
    until = time.monotonic() + 2 * DEADLINE_S
    with psycopg.connect(config.load(life.made.settings).dsn("buildbot"), autocommit=True) as conn:

        def number(sql: str, *values: int) -> tuple[int, ...]:
            row = conn.execute(sql.encode(), values or None).fetchone()
            assert row is not None
            return tuple(row)

        while number(done) != (0,) and time.monotonic() < until:
            time.sleep(1)
        twice, never = number(once, CANCELLED, RETRY)
        return {
            "asked for": life.asked,
            "lost": max(0, life.asked - number(asked)[0]) + number(done)[0] + never,
            "made twice": twice,
            "starts that needed a person": life.persons,
        }  # fmt: skip


def test_nothing_is_lost_or_doubled_and_nobody_is_needed(tmp_path: Path) -> None:
    count, seed = chosen(EACH)
    draws, checkout = random.Random(seed), copy_checkout(tmp_path / "checkout")
    seen: list[tuple[str, str, float]] = []
    asked = 0
    print(f"VLAG_TEST_SEED={seed}", flush=True)
    for first in range(0, count, EACH):
        life = Life.begin(tmp_path / f"life-{first}", checkout)
        try:
            for one in faults(life, min(EACH, count - first), draws):
                seen.append(one)
                print(f"{len(seen)}: {one}", flush=True)
            found = judged(life)
            asked += found.pop("asked for")
            assert not any(found.values()), found
            # Negative control: a request that nobody has taken is a loss.
            life.asked += 1
            assert judged(life)["lost"] == 1
        finally:
            life.end()
    assert asked
    assert {moment for moment, _, _ in seen} == {FIRST, *MOMENTS}
    page(seen, seed)


def page(seen: Sequence[tuple[str, str, float]], seed: int) -> None:
    """Write down what was killed when, and how long it took until the pages answered."""
    counts = Counter((moment, kind) for moment, kind, _ in seen)
    times: dict[str, list[float]] = {moment: [] for moment in (FIRST, *MOMENTS, "all")}
    for moment, _, seconds in seen:
        times[moment].append(seconds)
        times["all"].append(seconds)
    moments = list(times)[:-1]
    write(
        "beginnings",
        "Kills while the service starts, runs and stops",
        f"VLAG_TEST_FAULTS={len(seen)} VLAG_TEST_SEED={seed}"
        " pytest -m long tests/long/test_beginnings.py",
        [f"faults: {len(seen)}; no build was lost or made twice, and no start needed a person"],
        [
            "The service is real, with its PostgreSQL, master and worker; what measures kernels is",
            "replaced. What ends is started again after 2 s, as by systemd. The time is that from",
            "the fault to an answer of the pages.",
            "",
            *table(
                ["killed", *moments],
                [(kind, *(counts[moment, kind] for moment in moments)) for kind in KINDS],
            ),
            "",
            *table(
                ["moment", "faults", "median, s", "9 of 10 within, s", "longest, s"],
                [
                    (moment, len(of), f"{statistics.median(of):.1f}",
                     f"{sorted(of)[-(-9 * len(of) // 10) - 1]:.1f}", f"{max(of):.1f}")
                    for moment, of in times.items()
                ],
            ),
        ],
    )  # fmt: skip
