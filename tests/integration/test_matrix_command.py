# SPDX-License-Identifier: GPL-2.0-only
"""`vlag matrix`: kernels and boots are stand-ins; what is asked, stored and compared is real."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.integration import bundles, cover_letters
from tests.integration.reports import cells, environment
from vlag.bundle import Bundle
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel import series as patch_series
from vlag.kernel.mirror import Commit
from vlag.model import Board
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.build_stage import Request
from vlag.pipeline.lab_boards import BoardPool
from vlag.report.layout import WIDTH
from vlag.search import series_matrix
from vlag.search.series_matrix import applications

DIFF = "Subject: [PATCH rd] sched: {1}\n\n--- a/{0}\n+++ b/{0}\n@@ -1 +1,2 @@\n one\n+two\n"
NAMES = ("01-slow.patch", "02-plain.patch", "03-late.patch")
SUBJECTS = ("take the slow path", "rename a field", "wake up late")
BROKEN = "/var/lib/vlag/work/1/Makefile:2170: *** missing separator.  Stop."
RATE = "stress-ng-switch bogo-ops-rate"


class Machine:
    """Stands in for compiler and emulator: a kernel with patch 1 is slower by a tenth."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self.folder, self.catalogue = folder, catalogue
        self.slow = 0.9
        self.faster = 1.0  # of patch 2
        self.refused: set[int] = set()  # patches that do not apply
        self.broken: set[int] = set()  # patches that do not build
        self.panics: set[int] = set()
        self.needs: dict[int, int] = {}  # patch -> an earlier one without which it does not apply
        self.base_builds = True
        self.head = Commit(
            sha=bundles.sha("6.12")[:40], describe="debian/6.12.170-1", subject="6.12",
            committed_at="2026-02-20T00:00:00Z", is_branch=True,
        )  # fmt: skip
        self.levels: dict[str, float] = {}  # of boards of a lab
        self.on_board: list[tuple[str, str, int, str | None]] = []
        self.refs: set[tuple[str, str | None]] = set()
        self.built: list[str] = []
        self.booted: list[tuple[str, int]] = []
        self.kernels: dict[Path, dict[str, Any]] = {}

    def build(self, *, request: Request, **_: Any) -> Bundle[Any]:
        series, application = request.series, request.application
        self.refs.add((request.ref, request.branch))
        patches = [] if series is None else list(patch_series.select(
            patch_series.read(patch_series.PATCHES, series),
            patch_series.Application.parse(str(application)),
        ))  # fmt: skip
        named = [{"name": p.name, "sha256": p.sha256} for p in patches]
        of = bundles.kernel("6.12", series=series, application=application or "none", patches=named)
        self.built.append(of["application"])
        folder = self.folder / "builds" / of["digest"][:12]
        numbers = {NAMES.index(p.name) + 1 for p in patches}
        failed: dict[str, Any] = {}
        lacking = any(n in numbers and of_ not in numbers for n, of_ in self.needs.items())
        if numbers & self.refused or lacking:
            failed = {"outcome": "patch_failed", "reason": "03-late.patch does not apply: late:1"}
        if numbers & self.broken:
            failed = {"outcome": "build_failed", "reason": BROKEN}
        if not self.base_builds and not patches:
            failed = {"outcome": "build_failed", "reason": "fair.c:1: error"}
        bundles.build(folder, of, **failed)
        self.kernels[folder] = {"of": of, "numbers": numbers}
        document = json.loads((folder / "build.json").read_text())
        return Bundle(folder=folder, document=document, reused=False)

    def boot(self, kernel: Path, board: Any, *, benchmark: str, seed: int, **_: Any) -> Any:
        of, numbers = (self.kernels[kernel][key] for key in ("of", "numbers"))
        self.booted.append((of["application"], seed))
        if self.levels:
            return self.in_lab(of, numbers, board.name, seed, **_)
        factor = (self.slow if 1 in numbers else 1.0) * (1 + seed / 2000)
        factor *= self.faster if 2 in numbers else 1.0
        given: dict[str, Any] = {"raw": bundles.stress_ng(factor)}
        if numbers & self.panics:
            given = {"outcome": "panic", "reason": "Kernel panic"}
        folder = self.folder / "runs" / f"{of['digest'][:12]}-{seed}"
        bundles.run(folder, of, self.catalogue, benchmark=benchmark, seed=seed, **given)
        return {"bundle": str(folder), "outcome": given.get("outcome", "complete")}

    def in_lab(
        self, of: Any, numbers: set[int], board: str, seed: int, *, request: str | None, **_: Any
    ) -> Any:
        self.on_board.append((of["application"], board, seed, request))
        lot = random.Random(f"{of['application']} {seed}").gauss(0, 0.003)
        factor = (self.slow if 1 in numbers else 1.0) * self.levels[board] * math.exp(lot)
        given: dict[str, Any] = {"raw": bundles.stress_ng(factor)}
        if numbers & self.panics:
            given = {"outcome": "panic", "reason": "Kernel panic"}
        kind = self.catalogue.board_type("rpi5")
        given["board"] = {**bundles.BOARD, "name": board, "board_type": "rpi5", "cpus": kind.cpus,
                          "deterministic": False, "emulator": None}  # fmt: skip
        folder = self.folder / "runs" / f"{of['digest'][:12]}-{seed}"
        bundles.run(folder, of, self.catalogue, seed=seed, plan=None, **given)
        return {"bundle": str(folder), "outcome": given.get("outcome", "complete")}


@pytest.fixture
def machine(tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Machine:
    folder = tmp_path / "kernel-patches" / "rd"
    folder.mkdir(parents=True)
    for name, subject in zip(NAMES, SUBJECTS, strict=True):
        (folder / name).write_text(DIFF.format(name, subject))
    (folder / "series").write_text("".join(f"{name}\n" for name in NAMES))
    made = Machine(tmp_path, catalogue)
    monkeypatch.setattr(patch_series, "PATCHES", tmp_path / "kernel-patches")
    monkeypatch.setattr(series_matrix, "build", made.build)
    monkeypatch.setattr(series_matrix, "commit_of", lambda *_: made.head)
    monkeypatch.setattr(side_by_side, "boot", made.boot)
    return made


@pytest.fixture
def lab(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Three boards of a lab, which differ by far more than a patch takes."""
    machine.levels = {"pi1": 1.0, "pi2": 1.08, "pi3": 0.94}
    machine.slow = 0.95
    boards = [Board(name=name, board_type="rpi5", lab="east") for name in machine.levels]
    monkeypatch.setattr(lab_boards, "pool", lambda *_: BoardPool(boards))
    return machine


IN_LAB = ("--board-type", "rpi5", "--mode", "solo", "--boots", "9")


def test_kernels_take_turns_on_boards_of_a_lab(lab: Machine, asked: Callable[..., Result]) -> None:
    shown = asked(*IN_LAB, "--format", "json")
    assert shown.exit_code == 0, shown.output
    rates = cells(json.loads(shown.stdout), "rpi5", "")[RATE]
    assert {label for label, cell in rates.items() if cell.endswith("% W")} == {"solo(1)", "full"}
    assert "not run" not in rates.values()
    by_seed: dict[int, set[str]] = {}
    for _, board, seed, _request in lab.on_board:
        by_seed.setdefault(seed, set()).add(board)
    assert {len(boards) for boards in by_seed.values()} == {1}
    assert len(set().union(*by_seed.values())) == 3
    # After a restart they are the same jobs.
    assert {request for *_, request in lab.on_board} == {f"matrix {lab.head.sha}"}
    assert len(lab.on_board) == 5 * 9


def test_a_kernel_that_panics_gets_one_boot_of_each_board_at_most(
    lab: Machine, asked: Callable[..., Result]
) -> None:
    lab.panics = {3}
    assert asked(*IN_LAB).exit_code == 0
    boots = [(board, seed) for application, board, seed, _ in lab.on_board
             if application == "solo(3)"]  # fmt: skip
    assert 1 <= len(boots) <= 3
    assert len({board for board, _ in boots}) == len(boots)


@pytest.fixture
def asked(machine: Machine, dsn: str, tmp_path: Path) -> Callable[..., Result]:
    env = environment(dsn, tmp_path)

    def call(*words: str) -> Result:
        given = ["matrix", "rd", "--base", "linux-6.12", "--benchmark", "stress-ng-switch"]
        return CliRunner().invoke(main, [*given, *words], env=env)

    return call


def test_the_slow_patch_is_found(machine: Machine, asked: Callable[..., Result]) -> None:
    result = asked("--format", "json")
    assert result.exit_code == 0, result.stderr
    # Each set of patches once, the plain kernel first, the whole series last.
    assert machine.built == [
        "none", "solo(1)", "solo(2)", "solo(3)", "prefix(2)", "without(1)", "without(2)", "full",
    ]  # fmt: skip
    # All of one commit, wherever the branch goes meanwhile.
    assert machine.refs == {(machine.head.sha, "linux-6.12")}
    assert machine.booted.count(("solo(2)", 5)) == 1
    assert len(machine.booted) == 8 * 5
    document = json.loads(result.stdout)
    rates = cells(document, "qemu-sim-2", "")[RATE]
    slow = ("solo(1)", "prefix(2)", "without(2)", "full")
    assert {label for label, cell in rates.items() if cell == "-10.00 % W"} == set(slow)
    assert "not run" not in rates.values()
    [account] = {a["sentence"] for a in document["matrices"][0]["accounts"]}
    assert account.startswith("patch 1 (01-slow) accounts for 100 %")


def test_without_a_loss_no_patch_is_named(machine: Machine, asked: Callable[..., Result]) -> None:
    """Negative control."""
    machine.slow = 1.0
    result = asked()
    assert result.exit_code == 0, result.stderr
    assert "accounts for" not in result.stdout
    assert not re.search(r"% W\b", result.stdout)


def test_a_patch_that_does_not_apply_is_a_cell(
    machine: Machine, asked: Callable[..., Result]
) -> None:
    machine.refused = {3}
    result = asked("--mode", "solo", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert machine.built == ["none", "solo(1)", "solo(2)", "solo(3)", "full"]
    assert {a for a, _ in machine.booted} == {"none", "solo(1)", "solo(2)"}
    rates = cells(json.loads(result.stdout), "qemu-sim-2", "")[RATE]
    assert (rates["solo(3)"], rates["full"]) == ("does not apply", "does not apply")
    assert "patch_failed: 03-late.patch does not apply: late:1" in result.stderr


def test_a_patch_that_needs_another_is_said_to(
    machine: Machine, asked: Callable[..., Result]
) -> None:
    machine.needs = {3: 1}
    result = asked()
    assert result.exit_code == 0, result.stderr
    said = "patch 3 needs patch 1: alone it does not apply"
    assert said in " ".join(result.stdout.split())
    # Negative control: alone, it fails with those before it as well.
    machine.needs, machine.refused = {}, {3}
    shutil.rmtree(machine.folder / "builds")
    assert "needs" not in asked("--format", "json").stdout


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_the_result_is_fit_for_a_cover_letter(
    machine: Machine, asked: Callable[..., Result], form: str
) -> None:
    machine.needs, machine.broken = {3: 1}, {2}
    (machine.folder / "kernel-patches" / "rd" / "cover-letter.txt").write_text(
        "Subject: [PATCH rd 0/3] sched: three changes of the wake-up\n\nText.\n"
    )
    result = asked("--format", form)
    assert result.exit_code == 0, result.stderr
    assert cover_letters.private(result.stdout) == []
    assert result.stdout == cover_letters.golden(f"matrix, {form}")
    if form == "text":
        assert max(map(len, result.stdout.splitlines())) <= WIDTH


def test_a_share_beyond_the_whole_has_no_figure(
    machine: Machine, asked: Callable[..., Result]
) -> None:
    machine.faster = 1.08  # patch 2 takes most of it back
    result = asked()
    words = " ".join(result.stdout.split())
    assert "patch 1 accounts for more than all of the series' regression of -2.8 %" in words
    assert not re.search(r"accounts for \d{3,} %", words)
    # Negative control: a kernel that has not failed has no reason.
    assert "without figures" not in words


def test_a_kernel_that_panics_is_booted_once(
    machine: Machine, asked: Callable[..., Result]
) -> None:
    machine.panics = {2}
    result = asked("--mode", "solo", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert [seed for a, seed in machine.booted if a == "solo(2)"] == [1]
    assert cells(json.loads(result.stdout), "qemu-sim-2", "")[RATE]["solo(2)"] == "panicked"


def test_a_base_that_does_not_build_ends_it(machine: Machine, asked: Callable[..., Result]) -> None:
    machine.base_builds = False
    result = asked()
    assert result.exit_code == ExitCode.USAGE
    last = result.stderr.splitlines()[-1]
    assert last == "vlag: linux-6.12 without patches: fair.c:1: error"
    assert machine.built == ["none"]


def test_progress_has_the_number_of_kernels_and_boots(asked: Callable[..., Result]) -> None:
    said = asked("--mode", "solo", "--boots", "2").stderr
    builds = r"the builds take up to 25 min, a guess: no build is on record"
    assert re.search(rf" 5 kernels, 10 boots: {builds}; the boots about \d+ min\n", said)
    assert "kernel 2 of 5: solo(1) (01-slow.patch)" in said
    # Those on record, of five minutes each, are no guess.
    again = asked("--mode", "solo", "--boots", "2").stderr
    assert "10 boots: the builds take up to 25 min; the boots" in again


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--board-type", "none"), "none"),
        (("--tree", "none"), "no tree 'none' in"),
        (("--benchmark", "hackbench-pipe", "--param", "x=1"), "--param is of one benchmark"),
    ],
)
def test_a_mistake_is_said_before_anything_is_built(
    machine: Machine, asked: Callable[..., Result], words: tuple[str, ...], sentence: str
) -> None:
    result = asked(*words)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert machine.built == []


@pytest.mark.parametrize(
    ("count", "modes", "expected"),
    [
        (1, ("solo", "prefix", "without"), "none full"),
        (2, ("solo", "prefix", "without"), "none solo(1) solo(2) full"),
        (2, ("without",), "none without(1) without(2) full"),
        (3, ("prefix",), "none prefix(1) prefix(2) full"),
        (3, (), "none full"),
    ],
)
def test_each_set_of_patches_is_built_once(
    count: int, modes: tuple[str, ...], expected: str
) -> None:
    assert " ".join(map(str, applications(count, modes))) == expected
