# SPDX-License-Identifier: GPL-2.0-only
"""Faults at random in ingest, PostgreSQL and the artifact store, while bundles are ingested."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from attrs import define, field

from tests import full_disk
from tests.integration.installation import free_ports
from tests.integration.line import Line
from tests.long import chaos_work, disturbed
from vlag import ROOT, bundle, config, progress_log
from vlag.bundle_records import RunRecord
from vlag.config import catalogue
from vlag.errors import RefusedError, UsageError
from vlag.lava import artifacts
from vlag.operate.service import postgres
from vlag.pipeline.ingest import ingest
from vlag.store import run_values
from vlag.store.database import connect

#: Seconds within which work must go on after a fault, and between two faults at most.
GOES_ON_S, LATEST_S = 60, 0.6
#: Seconds by which a clock jumps at most; many times the age at which the store removes files.
JUMP_S = 400 * 86400
#: Bundles that are made after the last fault.
AFTER = 10


@define
class Service:
    """Parts of the service in a folder of their own, and the work that goes on in them."""

    folder: Path
    settings: config.Settings
    line: Line  # between the work and the artifact store
    database: subprocess.Popen[bytes]
    store: subprocess.Popen[bytes] | None = None
    work: subprocess.Popen[str] | None = None
    stored: list[int] = field(factory=list)
    news: threading.Condition = field(factory=threading.Condition)
    count: int = sys.maxsize  # bundles after which the work is over
    over: bool = False
    ended: bool = False  # by us: no process is followed by another

    @classmethod
    def at(cls, folder: Path) -> Service:
        """Start PostgreSQL and the artifact store."""
        database, port = free_ports(2)
        text = (ROOT / "vlag.toml").read_text(encoding="utf-8")
        path = folder / "vlag.toml"
        path.write_text(re.sub(r"(?m)^postgresql = \d+", f"postgresql = {database}", text))
        settings = config.load(path)
        server = postgres.start(postgres.prepare(settings), folder / "postgres.log")
        run_values.migrate(settings.dsn())
        made = cls(folder, settings, Line(port).__enter__(), server)
        made.jump(0)
        made.start_store()
        return made

    def start_store(self) -> None:
        words = ["vlag", "artifacts", "--listen", f"127.0.0.1:{self.line.target}"]
        with (self.folder / "store.log").open("ab") as log:
            self.store = subprocess.Popen(
                [*words, "--folder", str(self.settings.artifacts)],
                stdout=log, stderr=log, env=self.clock(),
            )  # fmt: skip

    def start_work(self) -> None:
        """Work until `count` bundles are stored; a process that ends is followed by another."""
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while not self.over and not self.ended:
            self.work = self.worker(self.count)
            for line in self.work.stdout or ():
                with self.news:
                    self.stored.append(int(line))
                    self.news.notify_all()
            if self.work.wait() == 0:
                self.over = True
        with self.news:
            self.news.notify_all()

    def worker(self, count: int) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "tests.long.chaos_work", str(self.settings.path), str(count)]
        with (self.folder / "work.log").open("ab") as log:
            return subprocess.Popen(
                [*words, f"http://127.0.0.1:{self.line.port}"],
                stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env=self.clock(),
            )  # fmt: skip

    def clock(self) -> dict[str, str]:
        """Return the environment of a process whose wall clock `jump` moves while it runs."""
        found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        if not found:
            pytest.fail("libfaketime is missing: install the package faketime")
        return {
            **os.environ, "LD_PRELOAD": str(found[0]), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_TIMESTAMP_FILE": str(self.folder / "clock"),
        }  # fmt: skip

    def jump(self, seconds: int) -> None:
        """Set by how much the clock of the work and of the artifact store is wrong."""
        draft = self.folder / "clock.new"
        draft.write_text(f"{seconds:+d}\n")
        draft.rename(self.folder / "clock")

    def finish(self) -> None:
        """Let the work come to an end."""
        self.count = max(self.stored) + AFTER
        if self.work is not None:
            self.work.kill()
        self.wait()

    def wait(self) -> None:
        """Wait for the end of the work."""
        with self.news:
            if not self.news.wait_for(lambda: self.over, 10 * GOES_ON_S):
                pytest.fail("the work does not end")

    def goes_on(self) -> None:
        """Wait until one bundle more is stored."""
        before = len(self.stored)
        until = time.monotonic() + GOES_ON_S
        while time.monotonic() < until:
            with self.news:
                if self.news.wait_for(lambda: len(self.stored) > before or self.over, 0.5):
                    return
            if self.database.poll() is not None:  # ended by itself, as on a full disk
                self._start_postgresql()
        pytest.fail(f"nothing was stored in {GOES_ON_S} s after a fault")

    def stored_samples(self) -> dict[str, list[str]]:
        """Return the samples of each stored bundle by its digest; a build has none."""
        with connect(self.settings.dsn()) as conn:
            found = disturbed.samples(conn, "bundle_digest")
            for (digest,) in conn.execute("SELECT bundle_digest FROM build").fetchall():
                found.setdefault(digest, []).append("build")
        return found

    def wrong_uploads(self) -> list[int]:
        """Return the bundles whose upload is not in the store as it was sent."""
        wrong = []
        for number in range(self.count):
            sent = next(chaos_work.place(self.settings, number).glob("*.json")).read_bytes()
            home = self.settings.artifacts / "uploads" / f"boot-{number:05d}"
            kept = home / chaos_work.FILE
            if not kept.is_file() or kept.read_bytes() != sent:
                wrong.append(number)
        return wrong

    def stop(self) -> None:
        self.ended = True
        for process in (self.work, self.store):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        self.line.__exit__()
        postgres.stop(self.database)

    # Faults

    def kill_ingest(self, draws: random.Random) -> None:
        if self.work is not None:
            self.work.kill()

    def kill_postgresql(self, draws: random.Random) -> None:
        self.database.kill()
        self.database.wait()
        self._start_postgresql()

    def _start_postgresql(self) -> None:
        until = time.monotonic() + GOES_ON_S
        while True:
            try:
                cluster = postgres.prepare(self.settings)
                break
            except UsageError:  # children that outlive it by a moment hold its port
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        self.database = postgres.start(cluster, self.folder / "postgres.log")

    def kill_backend(self, draws: random.Random) -> None:
        children = _children(self.database.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(draws.choice(children), signal.SIGKILL)

    def suspend_postgresql(self, draws: random.Random) -> None:
        stopped = [self.database.pid, *_children(self.database.pid)]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            if number == signal.SIGSTOP:
                time.sleep(draws.uniform(0.2, 1.5))

    def use_up_connections(self, draws: random.Random) -> None:
        held: list[psycopg.Connection[Any]] = []
        try:
            with contextlib.suppress(psycopg.OperationalError):
                while len(held) < 500:
                    held.append(psycopg.connect(self.settings.dsn()))
            time.sleep(draws.uniform(0.2, 1.0))
        finally:
            for one in held:
                one.close()

    def kill_store(self, draws: random.Random) -> None:
        if self.store is not None:
            self.store.kill()
            self.store.wait()
            time.sleep(draws.uniform(0, 0.5))
            self.start_store()

    def cut_line(self, draws: random.Random) -> None:
        self.line.sever()
        time.sleep(draws.uniform(0.2, 1.0))
        self.line.mend()

    def slow_line(self, draws: random.Random) -> None:
        self.line.delay_s = draws.uniform(0.01, 0.1)
        time.sleep(draws.uniform(0.5, 1.5))
        self.line.delay_s = 0

    def fill_disk(self, draws: random.Random) -> None:
        with full_disk.full(self.folder):
            time.sleep(draws.uniform(0.2, 1.5))

    def jump_clock(self, draws: random.Random) -> None:
        self.jump(draws.randint(-JUMP_S, JUMP_S))

    def upload_again(self, draws: random.Random) -> None:
        """Old uploads come twice at once, and one breaks off; none may change what is there."""
        number = draws.choice(self.stored)
        key = f"boot-{number:05d}"
        data = next(chaos_work.place(self.settings, number).glob("*.json")).read_bytes()
        path = f"/upload/{key}/{artifacts.open_upload(self.settings.artifacts, key)}"
        url = f"http://127.0.0.1:{self.line.target}{path}/{chaos_work.FILE}"

        def put() -> None:
            with contextlib.suppress(requests.RequestException):
                requests.put(url, data=data, timeout=5)

        both = [threading.Thread(target=put) for _ in range(2)]
        for one in both:
            one.start()
        head = f"PUT {path}/{chaos_work.FILE} HTTP/1.1\r\nHost: x\r\n"
        head += f"Content-Length: {len(data)}\r\n\r\n"
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.line.target), timeout=5) as cut,
        ):
            cut.sendall(head.encode() + data[: draws.randrange(len(data))])
        for one in both:
            one.join()

    def ingest_twice(self, draws: random.Random) -> None:
        other = self.worker(max(self.stored, default=0) + 10)
        time.sleep(draws.uniform(0.5, 2.5))
        other.kill()
        other.communicate()

    def damage_a_bundle(self, draws: random.Random) -> None:
        """A byte is another, or the end is cut off: ingest must refuse it."""
        copy = self._copied(draws)
        file = draws.choice(
            [p for p in sorted(copy.rglob("*")) if p.is_file() and p.suffix != ".json"]
        )
        data = bytearray(file.read_bytes())
        at = draws.randrange(len(data))
        if draws.random() < 0.5:
            data[at] ^= 1 << draws.randrange(8)
        else:
            del data[at:]
        file.write_bytes(data)
        with connect(self.settings.dsn()) as conn:
            try:
                ingest(copy, conn=conn, catalogue=catalogue.load())
            except RefusedError:
                return
        pytest.fail(f"a damaged bundle was stored: {file}")

    def empty_a_bundle(self, draws: random.Random) -> None:
        """As a power cut leaves it without fsync: it must be set aside."""
        copy = self._copied(draws)
        document = next(copy.glob("*.json"))
        document.write_bytes(b"")
        said: list[str] = []
        with progress_log.diverted(said.append):
            record = bundle.read(RunRecord, document)
        if record is not None or not said or copy.exists():
            pytest.fail(f"an empty bundle was not set aside: {document}")

    def _copied(self, draws: random.Random) -> Path:
        home = chaos_work.place(self.settings, draws.choice(self.stored))
        copy = self.folder / "damaged" / f"{len(self.stored)}-{draws.randrange(10**9)}"
        shutil.copytree(home, copy)
        return copy


def _children(pid: int) -> list[int]:
    return [int(w) for w in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


FAULTS: dict[str, Callable[[Service, random.Random], None]] = {
    "ingest killed": Service.kill_ingest,
    "PostgreSQL killed": Service.kill_postgresql,
    "a process of PostgreSQL killed": Service.kill_backend,
    "PostgreSQL suspended for 0.2 to 1.5 s": Service.suspend_postgresql,
    "no connection of PostgreSQL left": Service.use_up_connections,
    "artifact store killed": Service.kill_store,
    "line to the artifact store cut for up to 1 s": Service.cut_line,
    "line to the artifact store slow": Service.slow_line,
    "uploads doubled, late and broken off": Service.upload_again,
    "disk full for 0.2 to 1.5 s": Service.fill_disk,
    "clock of ingest and store jumps by up to 400 days": Service.jump_clock,
    "two processes ingest the same": Service.ingest_twice,
    "bundle cut or with a flipped bit": Service.damage_a_bundle,
    "bundle without its content": Service.empty_a_bundle,
}


@contextlib.contextmanager
def service(folder: Path) -> Iterator[Service]:
    """Start a service on a file system of its own."""
    with full_disk.mounted(folder):
        started = Service.at(folder)
        try:
            yield started
        finally:
            started.stop()


def disturb(service: Service, faults: int, seed: int) -> tuple[Counter[str], dict[str, float]]:
    """Inject faults while work goes on; return their counts and the longest time to go on."""
    draws = random.Random(seed)
    counts: Counter[str] = Counter()
    longest: dict[str, float] = {}
    service.goes_on()
    for number in range(faults):
        # Each kind once before any comes again.
        kind = list(FAULTS)[number] if number < len(FAULTS) else draws.choice(list(FAULTS))
        time.sleep(draws.uniform(0, LATEST_S))
        began = time.monotonic()
        FAULTS[kind](service, draws)
        counts[kind] += 1
        service.goes_on()
        longest[kind] = max(longest.get(kind, 0), time.monotonic() - began)
        print(f"chaos: {number + 1}: {kind}; work goes on with {max(service.stored)}", flush=True)
    return counts, longest
