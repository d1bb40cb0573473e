"""The first act of a clean clone, interrupted ten times at random: nothing is lost or done twice.

`VLAG_TEST_SEED` repeats the moments of an earlier session, which printed its seed.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen

from tests.night.clone import SETTINGS, Night, environment
from tests.night.conftest import database
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.operate.service.processes import marked
from vlag.pipeline.night import planned_runs
from vlag.store.database import connect

pytestmark = pytest.mark.long

TIMES = 10
COMMAND = ("make", "run", "FAST=1")
#: What is printed before the clock of an interruption starts; "" is the start itself.
MARKS = (r"", r"setup: ready", r"starting Buildbot", r"the service is up", r".*: done in \d+ s")
#: Most seconds from the mark to the interruption: a boot takes about fifteen.
LATEST_S = 20.0
#: Seconds in which an interrupted service has ended, and in which the act is made.
ENDS_S, LASTS_S = 120, 3600
#: Printed after each report.
REPORTED = "in full, the report is "


@frozen(kw_only=True)
class Moment:
    """When a start is interrupted."""

    mark: str
    after_s: float


def drawn(seed: int) -> list[Moment]:
    """Return ten moments; the same seed gives the same."""
    draws = random.Random(seed)
    return [
        Moment(mark=draws.choice(MARKS), after_s=draws.uniform(0, LATEST_S)) for _ in range(TIMES)
    ]


@define
class Start:
    """One start of the command, as in a terminal: Ctrl-C reaches make and all below it."""

    process: subprocess.Popen[str]
    lines: list[str] = field(factory=list)
    news: threading.Condition = field(factory=threading.Condition)
    ended: bool = False

    @classmethod
    def of(cls, clone: Path) -> Start:
        """Start the command, and collect what it prints."""
        process = subprocess.Popen(
            COMMAND, cwd=clone, env=environment(clone / SETTINGS), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        start = cls(process)
        threading.Thread(target=start._collect, daemon=True).start()
        return start

    def _collect(self) -> None:
        for line in self.process.stdout or ():
            print(f"first act: {line}", end="", flush=True)
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def wait_for(self, mark: str) -> None:
        """Wait for a line; the end of the start before it is a failure."""

        def there() -> bool:
            return self.ended or any(re.search(mark, line) for line in self.lines)

        with self.news:
            if mark:
                assert self.news.wait_for(there, LASTS_S), f"no line {mark!r}"
            assert not self.ended, f"it ended before {mark!r}: {self.lines[-3:]}"

    def interrupt(self, after_s: float) -> None:
        """Press Ctrl-C so many seconds from now; the command must end."""
        with self.news:
            assert not self.news.wait_for(lambda: self.ended, after_s), self.lines[-3:]
        os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.wait(ENDS_S) != 0

    def finish(self) -> int:
        """Return the status of a start that nobody interrupts."""
        status = self.process.wait(LASTS_S)
        with self.news:
            assert self.news.wait_for(lambda: self.ended, ENDS_S)
        return status


@frozen(kw_only=True)
class Act:
    """The act after its interruptions."""

    clone: Path
    lines: Sequence[str]  # of all starts
    status: int  # of the last one

    @property
    def night(self) -> Night:
        return Night(clone=self.clone, output="\n".join(self.lines), seconds=0, commit="")


@pytest.fixture(scope="module")
def act(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Act]:
    seed = int(os.environ.get("VLAG_TEST_SEED") or random.SystemRandom().randrange(10**6))
    clone = tmp_path_factory.mktemp("interrupted") / "vlag"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    shutil.copyfile(clone / "vlag.toml", clone / SETTINGS)
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    lines: list[str] = []
    with capture.global_and_fixture_disabled():
        print(f"\nVLAG_TEST_SEED={seed}", flush=True)
        for number, moment in enumerate(drawn(seed), 1):
            print(f"first act: interruption {number}: {moment}", flush=True)
            start = Start.of(clone)
            try:
                start.wait_for(moment.mark)
                start.interrupt(moment.after_s)
            finally:
                end(start, clone)
            lines += start.lines
        last = Start.of(clone)
        try:
            status = last.finish()
        finally:
            end(last, clone)
        lines += last.lines
    yield Act(clone=clone, lines=lines, status=status)
    shutil.rmtree(clone)


def end(start: Start, clone: Path) -> None:
    """End what a failed test leaves; after an interruption nothing is left."""
    if start.process.poll() is None:
        os.killpg(start.process.pid, signal.SIGTERM)
        start.process.wait(ENDS_S)
    assert marked(clone / "var") == []


def planned(path: Path) -> set[tuple[Any, ...]]:
    """Return branch, benchmark, board type and seed of each run of the settings' first look."""
    settings = config.load(path)
    known = catalogue.of(settings)
    first = settings.first
    assert first is not None
    runs = planned_runs(known, first.plan, known.types_of(first.board_types))
    return {
        (ref, run.entry.benchmark, run.board_type, run.seed)
        for ref in (first.baseline, first.branch)
        for run in runs
    }


def made(runs: Sequence[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Count the complete runs by what identifies them."""
    return Counter(
        (r["kernel"]["branch"], r["benchmark"], r["board"]["board_type"], r["seed"])
        for r in runs
        if r["outcome"] == "complete"
    )


def faults(wanted: set[tuple[Any, ...]], there: Counter[tuple[Any, ...]]) -> list[str]:
    """Return the runs that are lost, made twice, or not of the plan."""
    return [
        *(f"lost: {run}" for run in sorted(wanted - set(there))),
        *(f"not planned: {run}" for run in sorted(set(there) - wanted)),
        *(f"made {count} times: {run}" for run, count in sorted(there.items()) if count > 1),
    ]


def test_the_last_start_ends_the_act(act: Act) -> None:
    assert act.status == 0, act.lines[-5:]
    assert "Traceback" not in act.night.output


def test_every_run_of_the_plan_is_there_once(act: Act) -> None:
    assert faults(planned(act.clone / SETTINGS), made(act.night.runs())) == []
    # Both kernels were taken apart once.
    assert len(list((act.clone / "var" / "builds").glob("*/*/build.json"))) == 2


def test_the_database_has_each_run_and_one_comparison(act: Act) -> None:
    with database(act.night), connect(config.load(act.clone / SETTINGS).dsn()) as conn:
        rows = conn.execute("SELECT run_key, outcome::text FROM run").fetchall()
        compared = conn.execute("SELECT count(*) FROM comparison").fetchone()
    keys = Counter(key for key, outcome in rows if outcome == "complete")
    assert len(keys) == len(planned(act.clone / SETTINGS))
    assert set(keys.values()) == {1}
    assert compared is not None
    assert compared[0] == 1


def test_the_report_is_written_and_printed_once(act: Act) -> None:
    [report] = (act.clone / "var" / "reports" / "first").glob("*.txt")
    assert [line for line in act.lines if line.startswith(REPORTED)] == [f"{REPORTED}{report}"]
    head = report.read_text().splitlines()[0]
    assert sum(line == head for line in act.lines) == 1


def test_a_run_that_is_lost_or_made_twice_is_found() -> None:
    """Negative control."""
    wanted = planned(ROOT / "vlag.toml")
    runs = [
        {"kernel": {"branch": ref}, "benchmark": name, "board": {"board_type": board},
         "seed": seed, "outcome": "complete"}
        for ref, name, board, seed in sorted(wanted)
    ]  # fmt: skip
    assert len(runs) == 30
    assert faults(wanted, made(runs)) == []
    broken = {**runs[1], "outcome": "hang"}
    assert faults(wanted, made([broken, *runs[2:], runs[5]])) == [
        *(f"lost: {run}" for run in sorted(wanted)[:2]),
        f"made 2 times: {sorted(wanted)[5]}",
    ]
    assert faults(wanted, made([*runs, {**runs[0], "seed": 9}]))[0].startswith("not planned: ")


def test_a_seed_repeats_its_moments() -> None:
    assert drawn(7) == drawn(7) != drawn(8)
    assert {moment.mark for seed in range(20) for moment in drawn(seed)} == set(MARKS)
    assert all(0 <= moment.after_s <= LATEST_S for moment in drawn(7))
