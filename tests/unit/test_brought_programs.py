# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks whose program no Debian package has: brought, left out, refused."""

from __future__ import annotations

import datetime
import json
import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from tests.unit.userland_roots import folder
from vlag import ROOT, config
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.lava import initramfs
from vlag.pipeline.forecast import Forecast, _left_out
from vlag.pipeline.night_plan import plan_night, planned_runs

__all__ = ["folder"]  # fixtures

pytestmark = pytest.mark.slow

SHIPPED = config.load(ROOT / "vlag.toml")
HARDWARE = ("rpi5", "altra", "rb5", "x86-480")


def program(path: Path, *options: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-nostdlib", *options, "-o", path, "-x", "c", "-"],
        input="void _start(void) {}\n", text=True, check=True,
    )  # fmt: skip
    return path


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    branch = evolve(SHIPPED.branches[0], board_types=HARDWARE, plan="weekly", commit_plan="check")
    return evolve(SHIPPED, state=tmp_path, branches=(branch,))


@pytest.mark.parametrize("plan", ["nightly", "weekly"])
def test_a_night_leaves_out_what_no_userland_has(settings: config.Settings, plan: str) -> None:
    known = catalogues.of(settings)
    boards = {
        n for e in known.plan(plan).entries if e.benchmark == "schbench" for n in e.board_types
    }
    assert boards == set(HARDWARE)
    runs = planned_runs(known, plan, HARDWARE)
    assert runs
    assert "schbench" not in {r.entry.benchmark for r in runs}
    # Brought for one architecture, it runs there.
    program(settings.programs / "arm64" / "schbench", "-static")
    runs = planned_runs(catalogues.of(settings), plan, HARDWARE)
    found = {r.board_type for r in runs if r.entry.benchmark == "schbench"}
    assert found == {"rpi5", "altra", "rb5"}


def test_the_forecast_names_it(settings: config.Settings) -> None:
    known = catalogues.of(settings)
    night = plan_night(settings, known, {})
    said = _left_out(settings, known, night)
    assert said == [
        f"schbench on {arch} (no {settings.programs / arch / 'schbench'})"
        for arch in ("arm64", "x86_64")
    ]
    forecast = Forecast(
        kernels_to_build=0, kernels_reused=0, runs_to_do=1, runs_reused=0, build_s=1.0,
        measured=True, run_s=60.0, slots=1, left_out=said[:1],
    )  # fmt: skip
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    assert forecast.text(now).endswith(f"; left out: {said[0]}")
    document = json.loads(json.dumps(forecast.document(now)))
    assert Forecast.of_document(document).text(now) == forecast.text(now)
    assert "left out" not in evolve(forecast, left_out=()).text(now)


def build(folder: Path, brought: Path | None) -> initramfs.Userland:
    return initramfs.build(folder, ["busybox"], ["schbench"], brought=brought)


def test_a_static_program_is_in_the_userland(folder: Path, tmp_path: Path) -> None:
    own = program(tmp_path / "programs" / "schbench", "-static")
    made = build(folder, own.parent)
    assert made.packages["programs/schbench"].startswith("sha256 ")
    # zstd complains of the zeros that align what follows.
    unpacked = subprocess.run(["zstd", "-dc", made.path], capture_output=True, check=False)
    assert b"bin/schbench\0" in unpacked.stdout
    # Another program makes another userland.
    program(own, "-static", "-Wl,--build-id=0x1234")
    assert build(folder, own.parent).sha256 != made.sha256


def test_a_program_with_libraries_is_refused(folder: Path, tmp_path: Path) -> None:
    own = program(tmp_path / "programs" / "schbench", "-pie")
    with pytest.raises(UsageError, match="schbench: not a static program; link it with -static"):
        build(folder, own.parent)


def test_a_missing_program_says_where_to_put_it(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        build(folder, tmp_path / "programs")
    assert str(refused.value) == (
        "no package of the userland has the program 'schbench'; put a static one into"
        f" {tmp_path / 'programs'}"
    )
