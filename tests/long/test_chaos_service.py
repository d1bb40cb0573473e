# SPDX-License-Identifier: GPL-2.0-only
"""Each process of a small service is killed in turn; the end is that of a service left alone.

The service compares two prebuilt kernels as `make run FAST=1` does, with fewer boots.  Somebody
starts it again when it ends, as systemd would.  `VLAG_TEST_SEED` repeats the moments of an earlier
session, which printed its seed; `VLAG_TEST_FAULTS` is how many there are.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from attrs import define, field, frozen

from bench.evidence import table, write
from tests.integration.installation import FIRST, PACKAGES, Installation, copy_checkout
from tests.long.attacked import folder_of_ours
from tests.long.disturbed import chosen, samples, wrong
from tests.night.clone import runs_below
from tests.night.digests import samples_digest
from tests.processes import parent
from vlag import config
from vlag.operate.service import postgres
from vlag.operate.service.processes import marked
from vlag.store.database import connect

pytestmark = pytest.mark.long

#: Runs of each kernel.
SEEDS = 5
PLAN = f"""
plan: first
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: {SEEDS}
    timeout_s: 240
"""
#: Seconds after which somebody starts the service again; a unit of ours says 10.
RESTART_S = 1.0
#: Seconds from a kill to another process of the kind at work; the whole act, undisturbed or not.
BACK_S, LASTS_S = 180, 3600
#: Most seconds from the begin of a boot to a kill.
LATEST_S = 5.0


@define
class Service:
    """A service of its own that is started again until its first look has ended."""

    made: Installation
    #: How its starts ended.
    ends: list[int] = field(factory=list)
    over: threading.Event = field(factory=threading.Event)
    process: subprocess.Popen[str] | None = None
    #: What it is told in the end: no further start.
    stopped: bool = False
    #: Runs that were hit: the service tries each again once.
    hit: set[str] = field(factory=set)

    def begin(self) -> None:
        threading.Thread(target=self._supervise, daemon=True).start()

    def _supervise(self) -> None:
        while not self.stopped:
            self.process = self.made.spawn("-m", "vlag.cli.main", "serve", "--once=first")
            self.ends.append(self.process.wait())
            if self.ends[-1] in (0, 2):  # made, or a mistake that no start mends
                break
            time.sleep(RESTART_S)
        self.over.set()

    def finish(self) -> None:
        """Wait for the end of the act."""
        assert self.over.wait(LASTS_S), self.made.said()
        assert self.ends[-1] == 0, self.made.said()
        assert marked(self.made.state) == []

    def stop(self) -> None:
        self.stopped = True
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
        assert self.over.wait(120), self.made.said()

    def pids(self, kind: str) -> set[int]:
        """Return the processes of a kind that are at work."""
        if kind == "service":
            alive = self.process is not None and self.process.poll() is None
            return {self.process.pid} if alive and self.process and self.answers() else set()
        if kind == "PostgreSQL":
            return self._postgresql() if self.answers() else set()
        mine = {pid: line for pid in marked(self.made.state) if (line := _line(pid))}
        found = {pid for pid, line in mine.items() if re.search(KINDS[kind], line)}
        return found if kind != "master" or self.answers() else set()

    def victims(self, kind: str) -> dict[int, str]:
        """Return the processes of a kind that may be killed, with the run that each is part of."""
        if kind not in OF_A_RUN:
            return dict.fromkeys(self.pids(kind), "")
        found = {pid: _run_of(pid) for pid in self.pids(kind)}
        return {pid: run for pid, run in found.items() if run and run not in self.hit}

    def _postgresql(self) -> set[int]:
        files = (self.made.state / "postgres").glob("**/postmaster.pid")
        return {int(path.read_text().split()[0]) for path in files}

    def answers(self) -> bool:
        return self.made.web().answers()

    def report(self) -> str:
        [path] = (self.made.state / "reports" / "first").glob("*.txt")
        return same_words(path.read_text(), self.made.folder)


#: What is killed -> a pattern of its command line.
KINDS = {
    "QEMU": r"^(\S*/)?qemu-system-x86_64 ",
    "vlag run": r"/vlag run ",
    "worker": r"twistd .*workers/buildbot\.tac",
    "master": r"twistd .*master/buildbot\.tac",
    "PostgreSQL": "",
    "service": "",
}
WORDS = {
    "QEMU": "the emulator of a board, while it boots or measures",
    "vlag run": "the stage of a run",
    "worker": "Buildbot's worker",
    "master": "Buildbot's master",
    "PostgreSQL": "PostgreSQL",
    "service": "`vlag serve` itself",
}


#: Those that make one run: all else of it goes on without them for a moment.
OF_A_RUN = ("QEMU", "vlag run")


def _run_of(pid: int) -> str:
    """Return kernel and seed of the run that a process is part of, "" if it is of none."""
    while pid > 1:
        if found := re.search(r"/vlag run (\S+) .*--seed[ =](\d+)", _line(pid)):
            return f"{found[1]} {found[2]}"
        pid = parent(pid)
    return ""


def _line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


@frozen(kw_only=True)
class Kill:
    """What was killed, and the seconds to another of its kind; None: no more of it was needed."""

    kind: str
    back_s: float | None


def kill(service: Service, kind: str, draws: random.Random) -> Kill:
    """Wait for a boot, kill one process of a kind, and wait for another one."""
    until(service, lambda: bool(service.pids("QEMU") and service.victims(kind)))
    # The moment is what chance decides: nothing waits for this.
    service.over.wait(draws.uniform(0, LATEST_S))
    until(service, lambda: bool(service.victims(kind)))
    victims, before = service.victims(kind), service.pids(kind)
    assert victims, f"the act was over before {kind} was killed"
    began, chosen = time.monotonic(), draws.choice(sorted(victims))
    service.hit.add(victims[chosen])
    with contextlib.suppress(ProcessLookupError):
        os.kill(chosen, signal.SIGKILL)
    until(service, lambda: bool(service.pids(kind) - before), BACK_S)
    back = None if service.over.is_set() else time.monotonic() - began
    said = "it was over" if back is None else f"another after {back:.1f} s"
    print(f"chaos: killed {kind}; {said}", flush=True)
    return Kill(kind=kind, back_s=back)


def until(service: Service, condition: Callable[[], bool], seconds: float = LASTS_S) -> None:
    """Wait for a condition, or for the end of the act."""
    deadline = time.monotonic() + seconds
    while not service.over.is_set() and not condition():
        assert time.monotonic() < deadline, service.made.said()
        time.sleep(0.2)


# Judging


def same_words(report: str, folder: Path) -> str:
    """Return a report without what two acts that did the same differ in."""
    text = report.replace(str(folder), "FOLDER")
    text = re.sub(r"\d{8}T\d{6}Z-[0-9a-f]{6}", "ATTEMPT", text)
    text = re.sub(r"\bsim2-\d\b", "BOARD", text)
    return re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", text)


def found(state: Path) -> dict[tuple[object, ...], list[str]]:
    """Return the checksum of each run's samples, or what it has instead; once for each bundle."""
    made: dict[tuple[object, ...], list[str]] = {}
    for run in runs_below(state):
        key = (run["kernel"]["branch"], run["benchmark"], run["seed"])
        whole = run["outcome"] == "complete"
        of = samples_digest(run["bundle"], run) if whole else f"{run['outcome']}: {run['reason']}"
        made.setdefault(key, []).append(of)
    return made


@contextlib.contextmanager
def database(service: Service) -> Iterator[config.Settings]:
    """Run the service's own PostgreSQL."""
    settings = config.load(service.made.settings)
    server = postgres.start(postgres.prepare(settings), service.made.folder / "postgresql.log")
    try:
        yield settings
    finally:
        postgres.stop(server)


def stored(service: Service) -> dict[str, list[str]]:
    """Return what the database has of each run, by its key, and of comparisons."""
    with database(service) as settings, connect(settings.dsn()) as conn:
        made = samples(conn, "run_key")
        comparisons = conn.execute("SELECT '' FROM comparison").fetchall()
    return {**made, "comparison": [of for (of,) in comparisons]}


@frozen(kw_only=True)
class Acts:
    """The act in a service left alone, and in one whose processes are killed."""

    alone: Service
    disturbed: Service
    kills: Sequence[Kill]


def make(folder: Path) -> Service:
    folder.mkdir()
    (folder / "checkout").mkdir()
    checkout = copy_checkout(folder / "checkout")
    (checkout / "lava-jobs" / "plans" / "first.yaml").write_text(PLAN)
    made = Installation(folder, checkout)
    (made.fake / "vlag").unlink()  # the stages are real
    made.configure(PACKAGES + FIRST)  # the sources are for the night, which is never begun
    return Service(made)


@pytest.fixture(scope="module")
def acts(pytestconfig: pytest.Config) -> Iterator[Acts]:
    count, seed = chosen(len(KINDS))
    draws = random.Random(seed)
    order = [*KINDS, *(draws.choice(list(KINDS)) for _ in range(count - len(KINDS)))][:count]
    draws.shuffle(order)
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with folder_of_ours("vlag-acts-") as above:
        # Names of the same length: a report breaks its lines by them.
        alone, disturbed = make(above / "left-alone"), make(above / "with-kills")
        with capture.global_and_fixture_disabled():
            kills = made(alone, disturbed, order, draws, seed)
        yield Acts(alone=alone, disturbed=disturbed, kills=kills)


def made(
    alone: Service, disturbed: Service, order: Sequence[str], draws: random.Random, seed: int
) -> list[Kill]:
    """Make the act in both services, with kills in the second."""
    with contextlib.ExitStack() as last:
        print(f"\nVLAG_TEST_SEED={seed}", flush=True)
        last.callback(alone.stop)
        alone.begin()
        alone.finish()
        disturbed.made.state.mkdir()
        for name in ("images", "userland"):  # what both fetch
            source = str(alone.made.state / name)
            subprocess.run(["cp", "-a", source, str(disturbed.made.state)], check=True)
        last.callback(disturbed.stop)
        disturbed.begin()
        kills = [kill(disturbed, kind, draws) for kind in order]
        disturbed.finish()
    return kills


def test_every_run_is_there_once_with_the_same_samples(acts: Acts) -> None:
    wanted = found(acts.alone.made.state)
    assert len(wanted) == 2 * SEEDS
    assert wrong(wanted, wanted) == []
    assert wrong(found(acts.disturbed.made.state), wanted) == []


def test_the_database_has_the_same(acts: Acts) -> None:
    wanted = stored(acts.alone)
    assert len(wanted) == 2 * SEEDS + 1
    assert wrong(stored(acts.disturbed), wanted) == []


def test_the_report_is_the_same(acts: Acts) -> None:
    report = acts.alone.report()
    assert "stress-ng-switch" in report
    assert acts.disturbed.report() == report


def test_each_process_comes_back_by_itself(acts: Acts) -> None:
    assert {k.kind for k in acts.kills} == set(KINDS)
    assert all(k.back_s is None or k.back_s < BACK_S for k in acts.kills)
    said = acts.disturbed.made.said()
    assert "Traceback" not in said
    # What needs no other start of the service: all but these three.
    restarts = sum(k.kind in ("master", "PostgreSQL", "service") for k in acts.kills)
    assert len(acts.disturbed.ends) == restarts + 1
    page(acts)


def test_what_is_lost_doubled_or_changed_is_seen() -> None:
    """Negative control."""
    wanted: dict[tuple[object, ...], list[str]] = {("6.1", "b", n): ["same"] for n in range(5)}
    mine: dict[tuple[object, ...], list[str]] = {
        ("6.1", "b", 0): ["same", "same"], ("6.1", "b", 1): ["other"], ("6.1", "b", 2): ["same"],
        ("6.1", "b", 3): ["panic: without a word"], ("6.12", "b", 4): ["same"],
    }  # fmt: skip
    assert [line.partition(": ")[0] for line in wrong(mine, wanted)] == [
        "lost", "nobody's", "2 times", "other samples", "other samples"
    ]  # fmt: skip
    one, other = Path("/tmp/left-alone"), Path("/tmp/with-kills")  # noqa: S108 - no file
    line = "vlag run {}/var/builds/d/20260101T000000Z-0123ab --seed {} --board sim2-{}"
    assert same_words(line.format(one, 1, 1), one) == same_words(line.format(other, 1, 2), other)
    assert same_words(line.format(one, 1, 1), one) != same_words(line.format(other, 2, 1), other)


def page(acts: Acts) -> None:
    """Write down what was killed, and how long it took to be back."""
    times = Counter(k.kind for k in acts.kills)
    longest = {
        kind: max((k.back_s for k in acts.kills if k.kind == kind and k.back_s), default=None)
        for kind in KINDS
    }
    write(
        "chaos-service",
        "Each process of a small service killed",
        "pytest -m long tests/long/test_chaos_service.py",
        [f"kills: {len(acts.kills)}"],
        [
            f"A service compares two prebuilt kernels with {SEEDS} boots each, and is started",
            f"again {RESTART_S:.0f} s after it ends. At the end its runs, their samples, its",
            "database and its report are those of a service left alone: nothing is lost, doubled",
            "or changed.",
            "",
            *table(
                ("killed", "what it is", "times", "longest until another is at work, s"),
                [(kind, WORDS[kind], times[kind], "" if s is None else f"{s:.1f}")
                 for kind, s in longest.items()],
            ),
        ],
    )  # fmt: skip
