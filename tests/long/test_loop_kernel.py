# SPDX-License-Identifier: GPL-2.0-only
"""The kernel that switches in turns of a loop: what it prints is what a board of vlag prints."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.long import loop_installation
from tests.long.loop_history import COST, HANGS, SLOW, History
from tests.long.loop_installation import vlag
from vlag import parsers
from vlag.config import catalogue
from vlag.lava import console, render

pytestmark = pytest.mark.long

SWITCH = catalogue.load().benchmark("stress-ng-switch")
#: Of a boot that must end; and of one that must not, after it has said all that it will.
ENDS_S, HANGS_S = 300, 60


def built(tmp_path: Path, name: str, *changes: tuple[str, str]) -> Path:
    """Return the image of the tree with changes."""
    history = History.of(tmp_path / name, "\n")
    history.edit(f"sched: {name}", *changes)
    out = tmp_path / f"{name}-out"
    out.mkdir()
    subprocess.run(["make", "-s", f"O={out}", "bzImage"], cwd=history.folder, check=True)
    return out / "arch/x86/boot/bzImage"


def booted(image: Path, seed: int, features: str = "", within_s: int = ENDS_S) -> console.Console:
    """Boot an image with the entry of a run; return what it has printed by its end."""
    entry = image.with_name(f"entry-{seed}")
    words = {"main": ["stress-ng"]}
    knobs = {"sched_features": features} if features else {}
    entry.write_bytes(render.entry(SWITCH, words, seed=seed, knobs=knobs, scripts=()))
    # A kernel that hangs is ended by the time alone.
    done = subprocess.run(
        ["timeout", str(within_s), "qemu-system-x86_64", "-accel", "tcg", "-m", "64M",
         "-nodefaults", "-no-user-config", "-nographic", "-serial", "stdio", "-monitor", "none",
         "-no-reboot", "-kernel", image, "-initrd", entry],
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    return console.read(done.stdout.decode(errors="replace").splitlines())


def rate(heard: console.Console) -> float:
    """Return the figure that a boot has printed."""
    assert heard.done
    assert heard.damaged == ()
    parsed = parsers.parse("stress-ng", heard.files["stress-ng.txt"], path="x", told=False)
    [value] = next(s.values for s in parsed.samples if s.metric == "bogo-ops-rate")
    return value


def rates(image: Path, seeds: Sequence[int], features: str = "") -> list[float]:
    return [rate(booted(image, seed, features)) for seed in seeds]


def test_its_figure_follows_from_its_sources_the_seed_and_the_toggle(tmp_path: Path) -> None:
    base, slow = built(tmp_path, "base"), built(tmp_path, "slow", SLOW)
    seeds = range(1, 9)
    there = rates(base, seeds)
    assert rates(base, seeds[:2]) == there[:2], "the same boot again"
    assert 0.001 < statistics.stdev(there) / statistics.mean(there) < 0.015
    lost = statistics.mean(rates(slow, seeds)) / statistics.mean(there) - 1
    assert lost == pytest.approx(-0.074, abs=0.01)
    without = rates(slow, seeds, "NO_DELAY_DEQUEUE")
    assert statistics.mean(without) / statistics.mean(there) - 1 == pytest.approx(0, abs=0.01)


def test_it_says_which_features_are_on(tmp_path: Path) -> None:
    heard = booted(built(tmp_path, "base"), 1, "NO_PLACE_LAG NEXT_BUDDY")
    features = "NO_PLACE_LAG RUN_TO_PARITY DELAY_DEQUEUE NEXT_BUDDY"
    assert heard.knobs == {"sched_features": features, "schedstats": "off"}
    shown = console.environment(heard.files["environment.txt"])
    assert shown["/sys/kernel/debug/sched/features"] == features


def test_a_kernel_that_hangs_says_no_end(tmp_path: Path) -> None:
    """Negative control."""
    heard = booted(built(tmp_path, "hangs", HANGS), 1, within_s=HANGS_S)
    assert (heard.started, heard.done) == (True, False)


def test_what_it_executes_is_counted_by_function(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = loop_installation.installed(tmp_path, dsn, monkeypatch)
    commits = [
        tree.tree.git("rev-parse", "HEAD"),
        tree.edit("sched/fair: say more"),
        tree.edit("sched/fair: keep tasks that are delayed", SLOW),
    ]
    base, comment, slow = [loop_installation.built(commit)["bundle"] for commit in commits]
    switch = ("--board", "sim2-1", "--benchmark", "stress-ng-switch")
    found = vlag("profile", base, slow, *switch)
    [(name, change)] = [(f["name"], f["change"]) for f in found["functions"] if f["change"]]
    assert name == "dequeue_task"
    before, after = found["instructions"]["kernel"]
    assert change == pytest.approx(after - before)
    # Of each turn some instructions, and of the look at the feature.
    assert change >= 4 * COST
    assert before >= 4 * 400
    # Negative control: a comment is no instruction.
    same = vlag("profile", base, comment, *switch)
    assert same["sentence"] == "Both kernels execute every function as often and as long."
