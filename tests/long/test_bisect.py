# SPDX-License-Identifier: GPL-2.0-only
"""The first bad commit among real kernels, some of which do not build or boot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from bench.evidence import table, write
from tests.long.history import History, history
from tests.night.clone import SETTINGS, Night, environment, shared_night

pytestmark = pytest.mark.long


@frozen(kw_only=True)
class Asked:
    """The figure that a search is about, and its board."""

    benchmark: str = "stress-ng-switch"
    metric: str = "bogo-ops-rate"
    unit: str = "1/s"
    board_type: str = "qemu-sim-2"

    @property
    def words(self) -> tuple[str, ...]:
        return ("--benchmark", self.benchmark, "--metric", self.metric,
                "--board-type", self.board_type, "--format", "json")  # fmt: skip


RATE = Asked()
TAIL = Asked(benchmark="cyclictest-idle", metric="latency:p99", unit="us", board_type="qemu-sim-4")


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared:
        yield shared


@frozen(kw_only=True)
class Searched:
    """A search over a history, and what it took; a search that was killed before counts, too."""

    history: History
    of: Asked
    found: dict[str, Any]  # as `--format json` prints it
    built: int  # kernels of the search that was killed
    builds: int  # kernels of both, those that do not build included
    boots: int
    minutes: float

    @property
    def skips(self) -> list[dict[str, Any]]:
        return [s for s in self.found["steps"] if s["word"] == "skip"]

    @property
    def kernels(self) -> set[str]:
        """Commits that were asked about, and the ends."""
        commits = self.history.commits
        return {s["commit"] for s in self.found["steps"]} | {commits[0], commits[-1]}


def made(night: Night, folder: Path, **what: Any) -> History:
    mirror = night.state / "mirrors" / "debian.git"
    return history(mirror, "linux-6.12", folder / "index", **what)


def bundles(night: Night, what: str) -> int:
    """Return how many builds or runs are on record."""
    return len(list((night.state / what).glob(f"*/*/{what.removesuffix('s')}.json")))


def searched(
    night: Night, of: History, killed_after: int | None = None, asked: Asked = RATE
) -> Searched:
    """Search a history; before that, kill a search of it after so many steps."""
    builds, boots, started = bundles(night, "builds"), bundles(night, "runs"), time.monotonic()
    if killed_after is not None:
        interrupted(night, of.commits, killed_after)
    built = bundles(night, "builds") - builds
    ends = (of.commits[0], of.commits[-1])
    found = json.loads(night.vlag("bisect", *ends, *asked.words).stdout)
    return Searched(
        history=of, of=asked, found=found, built=built, builds=bundles(night, "builds") - builds,
        boots=bundles(night, "runs") - boots, minutes=(time.monotonic() - started) / 60,
    )  # fmt: skip


def interrupted(night: Night, commits: tuple[str, ...], after: int) -> None:
    """Kill a search after so many steps."""
    program = str(night.clone / ".venv/bin/vlag")
    words = [program, "bisect", commits[0], commits[-1], *RATE.words]
    with subprocess.Popen(
        words, cwd=night.clone, env=environment(night.clone / SETTINGS), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:  # fmt: skip
        steps = 0
        for line in child.stderr or ():
            steps += " good: " in line or " bad: " in line or " skip: " in line
            if steps == after:
                break
        os.killpg(child.pid, signal.SIGKILL)
    assert steps == after


@pytest.fixture(scope="module")
def sixteen(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """The kernel of the first commit that is asked about panics."""
    folder = tmp_path_factory.mktemp("sixteen")
    of = made(night, folder, n=16, culprit=11, broken=12, panics=8)
    return searched(night, of, killed_after=2)


@pytest.fixture(scope="module")
def sixty_four(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    folder = tmp_path_factory.mktemp("sixty-four")
    return searched(night, made(night, folder, n=64, culprit=41, broken=32, panics=48))


def test_a_search_survives_a_kill_and_finds_the_culprit(sixteen: Searched) -> None:
    of, found = sixteen.history, sixteen.found
    assert [c["commit"] for c in found["commits"]] == [of.culprit]
    skipped = {s["commit"] for s in sixteen.skips}
    assert of.commits[8] in skipped
    assert skipped <= {of.commits[8], of.commits[12]}
    assert len(found["steps"]) <= ceil(log2(16)) + len(sixteen.skips)
    assert found["check"]["share"] == pytest.approx(1, abs=0.1)
    assert found["check"]["recovered"] == pytest.approx(1, abs=0.1)
    # A failed build is tried again; all others are those of the killed search.
    assert sixteen.built > 0
    assert sixteen.builds - sixteen.built < len(sixteen.kernels)


def test_sixty_four_commits(sixty_four: Searched) -> None:
    found = sixty_four.found
    assert [c["commit"] for c in found["commits"]] == [sixty_four.history.culprit]
    assert len(found["steps"]) <= ceil(log2(64)) + len(sixty_four.skips)
    # The middle is asked about first, whatever the hashes are: it does not build.
    assert sixty_four.history.commits[32] in {s["commit"] for s in sixty_four.skips}


@pytest.fixture(scope="module")
def tail(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """One pick in 32 is longer, on four CPUs."""
    folder = tmp_path_factory.mktemp("tail")
    return searched(night, made(night, folder, n=8, culprit=5, tail=True), asked=TAIL)


def test_a_tail_on_four_cpus(tail: Searched) -> None:
    found = tail.found
    assert [c["commit"] for c in found["commits"]] == [tail.history.culprit]
    assert len(found["steps"]) <= ceil(log2(8)) + len(tail.skips)
    assert found["change"] > 0.1
    # P99 moves with the image's layout too, which no two commits share.
    assert found["check"]["share"] == pytest.approx(1, abs=0.5)
    assert found["check"]["recovered"] == pytest.approx(1, abs=0.5)


def test_without_a_regression_nobody_is_blamed(night: Night, tmp_path: Path) -> None:
    """Negative control: comments only."""
    of = made(night, tmp_path, n=4, culprit=99)
    done = night.vlag("bisect", of.commits[0], of.commits[-1], *RATE.words, status=2)
    assert "do not surely differ" in done.stderr


def test_the_evidence(sixteen: Searched, sixty_four: Searched, tail: Searched) -> None:
    """Write what the searches took and found."""
    rows, steps = [], []
    for s, killed in ((sixteen, "after 2 questions"), (sixty_four, "no"), (tail, "no")):
        check = s.found["check"]
        rows.append((
            s.found["between"], f"{s.of.benchmark} {s.of.metric}", s.of.board_type, killed,
            len(s.found["steps"]), len(s.skips), s.builds, s.boots,
            f"{s.minutes:.0f}", f"{s.found['change']:+.2%}".replace("%", " %"),
            f"{check['share']:.0%}".replace("%", " %"),
            f"{check['recovered']:.0%}".replace("%", " %"),
        ))  # fmt: skip
        steps += [
            (s.found["between"], step["subject"], step["word"], step["boots"],
             f"{step['level']:.6g} {s.of.unit}" if step["level"]
             else step["why"].replace("|", " "))
            for step in s.found["steps"]
        ]  # fmt: skip
    write(
        "bisect",
        "The first bad commit among real kernels",
        "pytest -m long tests/long/test_bisect.py",
        [
            f"kernel: {sixteen.found['good']['describe']}",
            "five boots of each commit",
        ],
        [
            "Made commits on 6.12: notes in comments, a commit that makes each pick of a task",
            "longer, or with the tail one pick in 32, one that does not build and one whose kernel",
            "panics. Each search found the slow commit. Minutes include the builds, with a",
            "compiler cache that other kernels of 6.12 may have filled, on a machine that may have",
            "had other work. Builds and boots on record from before the search are not counted.",
            "",
            *table(
                ("commits", "figure", "board", "killed", "questions",
                 "of them skipped", "new builds", "new boots",
                 "minutes", "change", "share of the culprit", "taken back by a revert"),
                rows,
            ),
            "",
            "Each question: a commit that was built and booted, and its level, or why it was"
            " skipped.",
            "",
            *table(("commits", "asked about", "answer", "boots", "level or reason"), steps),
        ],
    )  # fmt: skip
