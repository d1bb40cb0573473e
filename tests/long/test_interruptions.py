# SPDX-License-Identifier: GPL-2.0-only
"""A first act and a night, interrupted at ten random moments: nothing is lost or done twice.

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

from tests.long.disturbed import chosen, wrong
from tests.night.clone import BRANCH, SETTINGS, Night, environment, write_settings
from tests.night.database import database
from vlag import ROOT, config
from vlag.config import catalogue
from vlag.operate.service.processes import marked
from vlag.pipeline.night_plan import PlannedRun, planned_runs
from vlag.store.database import connect

pytestmark = pytest.mark.long

#: What is printed before the clock of an interruption starts, and the most seconds from there to
#: the interruption; "" is the start itself.  A boot takes about fifteen seconds.
FIRST = {
    r"": 20.0,
    r"setup: ready": 20.0,
    r"starting Buildbot": 20.0,
    r"the service is up": 20.0,
    r".*: done in \d+ s": 20.0,
}
#: Of the night, in its order: the sources are imported, the kernels built, the runs made.
NIGHT = {r"the service is up": 60.0, r"\[\d+:\d+\] the night: ": 240.0, r".*: done in \d+ s": 20.0}
#: Seconds in which an interrupted service has ended, and in which the act is made.
ENDS_S, LASTS_S = 120, 3600
#: Printed after each report.
REPORTED = {"first": "in full, the report is ", "night": "in full, the night's report is "}


@frozen(kw_only=True)
class Moment:
    """When a start is interrupted."""

    mark: str
    after_s: float


def drawn(seed: int) -> tuple[list[Moment], list[Moment]]:
    """Return six moments of the first act and four of the night; the same seed gives the same."""
    draws = random.Random(seed)
    first = draws.choices(list(FIRST), k=6)
    night = sorted(draws.choices(list(NIGHT), k=4), key=list(NIGHT).index)
    return (
        [Moment(mark=mark, after_s=draws.uniform(0, FIRST[mark])) for mark in first],
        [Moment(mark=mark, after_s=draws.uniform(0, NIGHT[mark])) for mark in night],
    )


@define
class Start:
    """One start of the command, as in a terminal: Ctrl-C reaches make and all below it."""

    process: subprocess.Popen[str]
    lines: list[str] = field(factory=list)
    news: threading.Condition = field(factory=threading.Condition)
    ended: bool = False

    @classmethod
    def of(cls, clone: Path, command: Sequence[str]) -> Start:
        """Start the command, and collect what it prints."""
        process = subprocess.Popen(
            command, cwd=clone, env=environment(clone / SETTINGS), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        start = cls(process)
        threading.Thread(target=start._collect, daemon=True).start()
        return start

    def _collect(self) -> None:
        for line in self.process.stdout or ():
            print(f"interrupted: {line}", end="", flush=True)
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
    """What is done by one command, with its interruptions."""

    lines: Sequence[str]  # of all starts
    status: int  # of the last one


@frozen(kw_only=True)
class Acts:
    """A clone after its first act and its night."""

    clone: Path
    first: Act
    night: Act

    @property
    def service(self) -> Night:
        return Night(clone=self.clone, output="", seconds=0, commit="")


def interrupted(clone: Path, command: Sequence[str], moments: Sequence[Moment]) -> Act:
    """Start a command, interrupt it at each of the moments, and let the last start end."""
    lines: list[str] = []
    for number, moment in enumerate(moments, 1):
        print(f"{' '.join(command)}: interruption {number}: {moment}", flush=True)
        start = Start.of(clone, command)
        try:
            start.wait_for(moment.mark)
            start.interrupt(moment.after_s)
        finally:
            end(start, clone)
        lines += start.lines
    last = Start.of(clone, command)
    try:
        status = last.finish()
    finally:
        end(last, clone)
    return Act(lines=[*lines, *last.lines], status=status)


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Acts]:
    _, seed = chosen(0)
    clone = tmp_path_factory.mktemp("interrupted") / "vlag"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    settings_in(clone)
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    first, night = drawn(seed)
    with capture.global_and_fixture_disabled():
        print(f"\nVLAG_TEST_SEED={seed}", flush=True)
        made = Acts(
            clone=clone,
            first=interrupted(clone, ("make", "run", "FAST=1"), first),
            night=interrupted(clone, ("make", "run", "ONCE=1"), night),
        )
    yield made
    shutil.rmtree(clone)


def end(start: Start, clone: Path) -> None:
    """End what a failed test leaves; after an interruption nothing is left."""
    if start.process.poll() is None:
        os.killpg(start.process.pid, signal.SIGTERM)
        start.process.wait(ENDS_S)
    assert marked(clone / "var") == []


Key = tuple[str, str, str, int]


def settings_in(folder: Path) -> Path:
    """Write the settings: the shipped first look, and one branch."""
    shipped = re.search(r"(?m)^\[first\]\n(?:.+\n)+", (ROOT / "vlag.toml").read_text())
    assert shipped
    return write_settings(folder, SETTINGS, f"{BRANCH}{shipped[0]}\n")


def keys(refs: Sequence[str], runs: Sequence[PlannedRun]) -> set[Key]:
    """Return branch, benchmark, board type and seed of each scored run."""
    return {
        (ref, run.entry.benchmark, run.board_type, run.seed)
        for ref in refs
        for run in runs
        if run.observes is None
    }


def planned(path: Path) -> dict[str, set[Key]]:
    """Return the runs of the settings' first look and of the screen of their night."""
    settings = config.load(path)
    known = catalogue.of(settings)
    first, [branch] = settings.first, settings.branches
    assert first is not None
    return {
        "first": keys(
            (first.baseline, first.branch),
            planned_runs(known, first.plan, known.types_of(first.board_types)),
        ),
        "night": keys(
            (branch.baseline, branch.branch),
            planned_runs(known, branch.plan, known.types_of(branch.board_types)),
        ),
    }


def made(runs: Sequence[Mapping[str, Any]]) -> Counter[Key]:
    """Count the complete scored runs by what identifies them.

    A baseline is named as the settings name it: by the pattern that its tag matches.
    """
    return Counter(
        (
            re.sub(r"^(debian/\d+\.\d+\.).*", r"\1*", r["kernel"]["branch"]),
            r["benchmark"], r["board"]["board_type"], r["seed"],
        )
        for r in runs
        if r["outcome"] == "complete" and r["observes"] is None
    )  # fmt: skip


def faults(wanted: set[Key], there: Counter[Key]) -> list[str]:
    """Return the runs that are lost, made twice, or not of the plan."""
    return wrong({run: [""] * count for run, count in there.items()}, {run: [""] for run in wanted})


def with_confirmations(screen: set[Key], there: Counter[Key]) -> set[Key]:
    """Return the screen with the seeds up to the last one that each of its results has.

    A suspected result gets further seeds, the same ones for both kernels.
    """
    last: dict[tuple[str, str], int] = {}
    for _, benchmark, board_type, seed in (*screen, *there):
        last[benchmark, board_type] = max(seed, last.get((benchmark, board_type), 0))
    return {
        (ref, benchmark, board_type, seed)
        for ref, benchmark, board_type, _ in screen
        for seed in range(1, last[benchmark, board_type] + 1)
    }


def test_the_last_starts_end_the_first_act_and_the_night(acts: Acts) -> None:
    assert acts.first.status == 0, acts.first.lines[-5:]
    assert acts.night.status == 0, acts.night.lines[-5:]
    assert not [line for line in (*acts.first.lines, *acts.night.lines) if "Traceback" in line]


def test_every_run_of_the_plans_is_there_once(acts: Acts) -> None:
    screens = planned(acts.clone / SETTINGS)
    there = made(acts.service.runs())
    of_night = Counter({k: n for k, n in there.items() if k[0] not in ("6.1", "6.12")})
    assert faults(screens["first"], there - of_night) == []
    wanted = with_confirmations(screens["night"], of_night)
    assert faults(wanted, of_night) == []
    # Two kernels were taken apart once, and two were built once.
    assert len(list((acts.clone / "var" / "builds").glob("*/*/build.json"))) == 4


def test_the_database_has_each_run_once(acts: Acts) -> None:
    with database(acts.service), connect(config.load(acts.clone / SETTINGS).dsn()) as conn:
        stored = conn.execute(
            "SELECT run_key FROM run WHERE outcome = 'complete' AND observes IS NULL"
        ).fetchall()
        first = conn.execute(
            "SELECT count(*) FROM comparison c JOIN kernel k ON k.id = c.base_kernel"
            " WHERE k.tree = 'prebuilt'"
        ).fetchone()
    counts = Counter(key for (key,) in stored)
    assert len(counts) == len(made(acts.service.runs()))
    assert set(counts.values()) == {1}
    assert first == (1,)


def test_each_report_is_written_and_printed_once(acts: Acts) -> None:
    reports = acts.clone / "var" / "reports"
    [first] = (reports / "first").glob("*.txt")
    [night] = acts.service.report_files()
    for name, act, report in (("first", acts.first, first), ("night", acts.night, night)):
        said = [line for line in act.lines if line.startswith(REPORTED[name])]
        assert said == [f"{REPORTED[name]}{report}"]
        head = report.read_text().splitlines()[0]
        assert sum(line == head for line in act.lines) == 1


def test_a_run_that_is_lost_or_made_twice_is_found(tmp_path: Path) -> None:
    """Negative control."""
    shutil.copyfile(ROOT / "vlag.toml", tmp_path / "vlag.toml")
    wanted = planned(settings_in(tmp_path))
    assert {name: len(of) for name, of in wanted.items()} == {"first": 30, "night": 20}
    runs = [
        {"kernel": {"branch": ref.replace("*", "9-1")}, "benchmark": name,
         "board": {"board_type": board}, "seed": seed, "outcome": "complete", "observes": None}
        for ref, name, board, seed in sorted(wanted["night"])
    ]  # fmt: skip
    order = sorted(wanted["night"])
    assert faults(wanted["night"], made(runs)) == []
    broken = {**runs[1], "outcome": "hang"}
    assert faults(wanted["night"], made([broken, *runs[2:], runs[5]])) == [
        *(f"lost: {run}" for run in order[:2]),
        f"2 times: {order[5]}",
    ]
    # A further seed is a confirmation: then the other kernel needs it too.
    further = made([*runs, {**runs[0], "seed": 6}])
    assert faults(wanted["night"], further)[0].startswith("nobody's: ")
    other = ("linux-6.12", *order[0][1:3], 6)
    assert faults(with_confirmations(wanted["night"], further), further) == [f"lost: {other}"]


def test_a_seed_repeats_its_moments() -> None:
    assert drawn(7) == drawn(7) != drawn(8)
    first = [moment for seed in range(40) for moment in drawn(seed)[0]]
    night = [moment for seed in range(40) for moment in drawn(seed)[1]]
    assert {moment.mark for moment in first} == set(FIRST)
    assert {moment.mark for moment in night} == set(NIGHT)
    assert sum(map(len, drawn(7))) == 10
    assert all(0 <= moment.after_s <= FIRST[moment.mark] for moment in first)
    assert all(0 <= moment.after_s <= NIGHT[moment.mark] for moment in night)
