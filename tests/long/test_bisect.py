"""The first bad commit among real kernels, some of which do not build or boot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from math import ceil, log2
from pathlib import Path

import pytest

from tests.long.history import History, history
from tests.night.clone import SETTINGS, Night, environment, shared_night

pytestmark = pytest.mark.long

WORDS = ("--benchmark", "stress-ng-switch", "--board-type", "qemu-sim-2", "--format", "json")


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared:
        yield shared


def made(night: Night, folder: Path, **what: int) -> History:
    mirror = night.state / "mirrors" / "debian.git"
    return history(mirror, "linux-6.12", folder / "index", **what)


def interrupted(night: Night, commits: tuple[str, ...], after: int) -> int:
    """Kill a search after so many steps; return how many kernels it has built."""
    program = str(night.clone / ".venv/bin/vlag")
    words = [program, "bisect", commits[0], commits[-1], *WORDS]
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
    return len(list((night.state / "builds").glob("*/*/build.json")))


def test_a_search_survives_a_kill_and_finds_the_culprit(night: Night, tmp_path: Path) -> None:
    """The first two commits that are asked about do not build and panic."""
    of = made(night, tmp_path, n=16, culprit=11, broken=8, panics=12)
    built = interrupted(night, of.commits, after=2)
    found = json.loads(night.vlag("bisect", of.commits[0], of.commits[-1], *WORDS).stdout)
    assert [c["commit"] for c in found["commits"]] == [of.culprit]
    skips = [s for s in found["steps"] if s["word"] == "skip"]
    assert {s["commit"] for s in skips} <= {of.commits[8], of.commits[12]}
    assert len(found["steps"]) <= ceil(log2(16)) + len(skips)
    assert found["check"]["share"] == pytest.approx(1, abs=0.1)
    assert found["check"]["recovered"] == pytest.approx(1, abs=0.1)
    # A failed build is tried again; all others are those of the killed search.
    kernels = {s["commit"] for s in found["steps"]} | {of.commits[0], of.commits[-1]}
    now = len(list((night.state / "builds").glob("*/*/build.json")))
    assert now - built < len(kernels)


def test_sixty_four_commits(night: Night, tmp_path: Path) -> None:
    of = made(night, tmp_path, n=64, culprit=41, broken=48, panics=36)
    found = json.loads(night.vlag("bisect", of.commits[0], of.commits[-1], *WORDS).stdout)
    assert [c["commit"] for c in found["commits"]] == [of.culprit]
    skips = [s for s in found["steps"] if s["word"] == "skip"]
    assert len(found["steps"]) <= ceil(log2(64)) + len(skips)


def test_without_a_regression_nobody_is_blamed(night: Night, tmp_path: Path) -> None:
    """Negative control: comments only."""
    of = made(night, tmp_path, n=4, culprit=99, broken=99, panics=99)
    done = night.vlag("bisect", of.commits[0], of.commits[-1], *WORDS, status=2)
    assert "do not surely differ" in done.stderr
