# SPDX-License-Identifier: GPL-2.0-only
"""Faults at random in all that a service begins with; what comes next goes on and needs nobody.

A first start makes the cluster and its roles, tables are made, upgraded, filled from bundles and
restored.  Each is broken off again and again, then left alone, and its end is that of one that
nobody disturbed.  `VLAG_TEST_FAULTS` is how many faults there are, `VLAG_TEST_SEED` repeats them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from attrs import define, field

from bench.evidence import table
from tests import full_disk
from tests.integration import saved
from tests.integration.old_database import DATABASES, FIRST_PUBLIC, STATE
from tests.integration.table_file import tables
from tests.long.disturbed import chosen, samples, wrong
from tests.processes import commands
from tests.waiting import until
from vlag import config
from vlag.cli.main import main
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, VlagError
from vlag.operate.backup import state as backup_state
from vlag.operate.service import postgres, restoring
from vlag.store import database

#: How many faults come before a beginning is left alone.
IN_A_ROW = 8
#: Bytes of the disk with the state folder.
DISK = "400m"
#: Seconds after which a beginning that nobody disturbs has ended, on a busy machine.
LASTS_S = 300


def prepare(made: Settings) -> int:
    """Make the cluster, as `vlag serve` does; return the status of the command."""
    try:
        postgres.prepare(made)
    except VlagError as e:
        print(e)
        return e.exit_code
    except OSError as e:
        print(e)
        return ExitCode.INFRASTRUCTURE
    return ExitCode.OK


def command(*words: str) -> Callable[[Settings], int]:
    def run(made: Settings) -> int:
        try:
            main([word.format(state=made.state) for word in words])
        except SystemExit as e:
            return int(e.code or 0)
        return ExitCode.OK

    return run


@define
class Place:
    """An installation on a small disk, its server, and what is known of undisturbed ones."""

    made: Settings
    disk: Path
    catalogue: Catalogue
    wanted: dict[str, list[str]] = field(factory=dict)  # samples
    rows: dict[str, object] = field(factory=dict)  # of the installation that was backed up
    server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server where it does not run, and wait until it has recovered."""
        if self.server is None or self.server.poll() is not None:
            self.server = postgres.start(postgres.prepare(self.made), self.disk / "log")
        until(self.answers, lambda: (self.disk / "log").read_text()[-2000:])

    def answers(self) -> bool:
        try:
            psycopg.connect(self.made.dsn()).close()
        except psycopg.OperationalError:
            assert self.server is not None
            if self.server.poll() is not None:  # no room to recover
                self.server = postgres.start(postgres.prepare(self.made), self.disk / "log")
            return False
        return True

    def stop(self) -> None:
        if self.server is not None:
            postgres.stop(self.server)
            self.server = None

    def lose(self) -> None:
        """Remove what the database is made of."""
        self.stop()
        shutil.rmtree(self.made.state / "postgres", ignore_errors=True)
        self.made.passfile.unlink(missing_ok=True)

    def empty(self, dump: str = "") -> None:
        """Let the database have nothing, or what an older vlag has left."""
        self.start()
        with psycopg.connect(self.made.dsn(), autocommit=True) as conn:
            conn.execute("DROP SCHEMA IF EXISTS read_model CASCADE")
            conn.execute("DROP SCHEMA public CASCADE")
            conn.execute("CREATE SCHEMA public")
            conn.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
            if dump:
                text = (DATABASES / f"{dump}.sql").read_text()
                conn.execute(text.replace(STATE, str(self.made.state)).encode())

    def counts(self, sql: str) -> tuple[object, ...] | None:
        with database.connect(self.made.dsn()) as conn:
            return conn.execute(sql.encode()).fetchone()


@define(kw_only=True)
class Beginning:
    """Something that a service begins with."""

    runs: Callable[[Settings], int]
    before: Callable[[Place], None]  # makes it due
    check: Callable[[Place], None]
    over: Callable[[Place], bool] = lambda place: False  # killed as it ended, it left nothing to do
    served: bool = True  # the server runs meanwhile
    syncs: bool = True  # it writes files of its own

    @property
    def kinds(self) -> list[str]:
        """What may come in its way."""
        no = {"read-only disk"} if self.served else {"crash of PostgreSQL"}
        return [kind for kind in KINDS if kind not in no and (self.syncs or kind != "EIO")]


def _rows(place: Place) -> dict[str, object]:
    place.start()
    return {name: saved.rows_of(place.made.dsn(name)) for name in postgres.DATABASES}


def _logs_in(place: Place) -> None:
    place.start()
    for dsn in (place.made.dsn(), place.made.dsn("buildbot"), place.made.reader_dsn()):
        psycopg.connect(dsn).close()


def _has_tables(place: Place) -> None:
    assert "verdict" in tables(place.made.dsn())
    assert place.counts("SELECT count(*) FROM read_model.verdict") == (0,)


def _is_upgraded(place: Place) -> None:
    kept = "SELECT count(*), (SELECT count(*) FROM night), (SELECT count(*) FROM alert) FROM run"
    assert place.counts(kept) == (89, 1, 1)
    assert place.counts("SELECT count(*) FROM run WHERE location LIKE '/%'") == (0,)


def _is_filled(place: Place) -> None:
    with database.connect(place.made.dsn()) as conn:
        found = samples(conn, "location")
    assert wrong(found, place.wanted) == []
    # Negative control.
    assert wrong(found, {**place.wanted, "gone": []}) == ["lost: gone"]


def _due_import(place: Place) -> None:
    place.empty()
    assert command("db", "migrate")(place.made) == 0


def _due_restore(place: Place) -> None:
    place.stop()
    shutil.rmtree(place.made.state)


def _has_been_restored(place: Place) -> bool:
    """Tell whether a restore has come to its end; another one would be refused."""
    state = place.made.state
    return restoring.mark_of(state) is None and backup_state.data(state) is not None


def _is_restored(place: Place) -> None:
    assert _rows(place) == place.rows


def beginnings(backups: Path) -> dict[str, Beginning]:
    return {
        "a first start": Beginning(
            runs=prepare, before=Place.lose, check=_logs_in, served=False
        ),
        "new tables": Beginning(
            runs=command("db", "migrate"), before=Place.empty, check=_has_tables, syncs=False,
        ),
        "an upgrade": Beginning(
            runs=command("db", "migrate"), before=lambda p: p.empty(FIRST_PUBLIC),
            check=_is_upgraded, syncs=False,
        ),
        "an import": Beginning(
            runs=command("ingest", "{state}/builds", "{state}/runs"), before=_due_import,
            check=_is_filled,
        ),
        "a restore": Beginning(
            runs=command("restore", str(backups)), before=_due_restore, check=_is_restored,
            over=_has_been_restored, served=False,
        ),
    }  # fmt: skip


def in_a_process(place: Place, what: Beginning, fault: Callable[[], None]) -> int:
    """Begin in a process with a group of its own; `fault` comes there first."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()
        with (place.disk.parent / "said").open("w") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        fault()
        status = what.runs(place.made)
    finally:
        os._exit(status)


def ended(pid: int, within_s: float) -> int | None:
    """Return the status of a process that has ended by then: -9 where it was killed."""
    deadline = time.monotonic() + within_s
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= deadline:
            return None
        time.sleep(0.005)


def few_descriptors(draws: random.Random) -> Callable[[], None]:
    more = draws.randrange(4)

    def fault() -> None:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        first = os.dup(0)  # the lowest that is free
        os.close(first)
        resource.setrlimit(resource.RLIMIT_NOFILE, (first + more, most))

    return fault


def failing_disk(draws: random.Random) -> Callable[[], None]:
    left = draws.randrange(4)
    own = os.fsync

    def fsync(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        own(descriptor)

    return lambda: setattr(os, "fsync", fsync)


@contextlib.contextmanager
def read_only(place: Place) -> Iterator[None]:
    """Remount the disk, as the kernel does after an error."""
    # What a killed beginning has left has files open, so that the kernel would not by request.
    left = [pid for pid, line in commands() if str(place.made.state) in line]
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until(lambda: not {pid for pid, _ in commands()} & {*left}, lambda: "a process is left")
    argv = ["mount", "-o", "remount,{}", str(place.disk)]
    subprocess.run([word.format("ro") for word in argv], check=True)
    try:
        yield
    finally:
        subprocess.run([word.format("rw") for word in argv], check=True)


KINDS = ("kill", "kill with its children", "crash of PostgreSQL", "few descriptors", "EIO",
         "full disk", "read-only disk")  # fmt: skip


def disturb(place: Place, what: Beginning, kind: str, lasts_s: float, draws: random.Random) -> int:
    """Begin with a fault of a kind; return the status, -9 where it was killed."""
    if what.served:
        place.start()
    own = {"few descriptors": few_descriptors, "EIO": failing_disk}.get(kind)
    disk = {
        "full disk": lambda: full_disk.full(place.disk),
        "read-only disk": lambda: read_only(place),
    }
    with disk[kind]() if kind in disk else contextlib.nullcontext():
        pid = in_a_process(place, what, own(draws) if own else lambda: None)
        kills = kind not in disk and own is None
        status = ended(pid, draws.uniform(0, lasts_s) if kills else LASTS_S)
        if status is not None:
            return status
        assert kills, f"{kind}: it does not end"
        if kind == "crash of PostgreSQL":
            assert place.server is not None
            children = Path(f"/proc/{place.server.pid}/task/{place.server.pid}/children")
            for child in children.read_text().split()[-1:]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
            status = ended(pid, LASTS_S)
            assert status is not None
            return status
        (os.killpg if "children" in kind else os.kill)(pid, signal.SIGKILL)
        status = ended(pid, LASTS_S)
        assert status is not None
        return status


@pytest.fixture
def place(tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    home = Path(tempfile.mkdtemp(prefix="vlag-beginnings-"))
    home.chmod(0o755)
    disk = home / "disk"
    disk.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=0755", "tmpfs", disk], check=True
    )
    made = saved.settings(disk / "installation")
    monkeypatch.setenv("VLAG_SETTINGS", str(made.path))
    found = Place(config.load(made.path), disk, catalogue)
    try:
        yield found
    finally:
        found.stop()
        subprocess.run(["umount", "--lazy", disk], check=True)
        shutil.rmtree(home)


def filled(place: Place, backups: Path) -> None:
    """Let the installation have bundles, rows and a backup."""
    place.made.state.mkdir()
    place.start()
    with saved.held(place.made):
        saved.fill(place.made, place.catalogue)
        place.rows = _rows(place)
        with database.connect(place.made.dsn()) as conn:
            place.wanted = {key: list(of) for key, of in samples(conn, "location").items()}
        done = saved.vlag(place.made, "backup", str(backups))
        assert done.returncode == 0, done.stderr


def said_of(seen: Counter[tuple[str, str]], back_s: dict[str, list[float]]) -> list[str]:
    """Return lines for a person: what was broken how often, and how long what came next took."""
    return [
        f"{seen.total()} faults; nothing was lost or doubled, and no beginning needed a person",
        *table(
            ["kind", *back_s],
            [(kind, *(seen[name, kind] for name in back_s)) for kind in KINDS],
        ),
        "",
        *table(
            ["the next beginning, left alone", "times", "median, s", "longest, s"],
            [(name, len(of), f"{statistics.median(of):.1f}", f"{max(of):.1f}")
             for name, of in back_s.items()],
        ),
    ]  # fmt: skip


def test_whatever_breaks_a_beginning_the_next_one_goes_on(place: Place, tmp_path: Path) -> None:
    count, seed = chosen(40, 1)
    print(f"VLAG_TEST_SEED={seed}")
    draws, backups = random.Random(seed), tmp_path / "backups"
    filled(place, backups)
    seen: Counter[tuple[str, str]] = Counter()
    every = beginnings(backups)
    lasts_s = dict.fromkeys(every, 1.0)
    back_s: dict[str, list[float]] = {}
    longest: dict[str, float] = {}
    for name, what in (*every.items(),) * (1 + count // (len(every) * IN_A_ROW)):
        if seen.total() >= count:
            break
        what.before(place)
        for _ in range(IN_A_ROW):
            kind = draws.choice(what.kinds)
            began = time.monotonic()
            status = disturb(place, what, kind, lasts_s[name], draws)
            longest[kind] = max(longest.get(kind, 0.0), time.monotonic() - began)
            said = (place.disk.parent / "said").read_text()
            assert status in (0, -signal.SIGKILL, ExitCode.INFRASTRUCTURE), (
                f"{name}: {kind}: {said}"
            )
            assert "Traceback" not in said, f"{name}: {kind}: {said}"
            if status != 0 and what.over(place):
                what.check(place)
                what.before(place)
            if status == 0:
                what.before(place)
            seen[name, kind] += status != 0
            if status:
                print(f"{seen.total()}: {name}: {kind}: {status}", flush=True)
        if what.served:
            place.start()
        began = time.monotonic()
        alone = ended(in_a_process(place, what, lambda: None), LASTS_S)
        assert alone == 0, (place.disk.parent / "said").read_text()
        lasts_s[name] = time.monotonic() - began
        back_s.setdefault(name, []).append(lasts_s[name])
        what.check(place)
    # Nothing waits for what cannot come.
    assert max(longest.values()) < postgres.START_S
    print("\n".join(said_of(seen, back_s)))
    place.stop()
    home = str(place.made.state)
    until(lambda: not [li for _, li in commands() if home in li], lambda: "a process is left")
