# SPDX-License-Identifier: GPL-2.0-only
"""The folder that repeats a boot needs nothing of vlag, and notices what differs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.night.clone import Night, reproduce
from tests.night.database import database
from vlag.bundle import sha256

pytestmark = pytest.mark.long


def run_of(night: Night, commit: str) -> dict[str, Any]:
    """Return the first scored run of stress-ng's switches of a kernel."""
    return next(
        r for r in night.runs()
        if r["benchmark"] == "stress-ng-switch" and r["seed"] == 1 and not r["observes"]
        and r["kernel"]["commit"] == commit and r["kernel"]["series"] is None
        and r["board"]["board_type"] == "qemu-sim-2"
    )  # fmt: skip


def commits(night: Night) -> list[str]:
    runs = [r for r in night.runs() if r["kernel"]["series"] is None]
    return sorted({r["kernel"]["commit"] for r in runs})


@pytest.fixture(scope="module")
def folder(night: Night, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one run, unpacked from its archive."""
    run = run_of(night, commits(night)[0])
    target = tmp_path_factory.mktemp("written") / "repeat"
    night.vlag("reproduce", run["bundle"], "--output", target, "--tar")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    subprocess.run(["tar", "-xzf", f"{target}.tar.gz", "-C", elsewhere], check=True)
    shutil.rmtree(target)
    return elsewhere / "repeat"


def test_another_place_gives_the_same_digits(night: Night, folder: Path) -> None:
    said = reproduce(folder, 0)
    figure = next(x for x in said.splitlines() if "bogo-ops-rate" in x).split()[1]
    raw = Path(folder / "boots/stress-ng-switch-seed1/stress-ng.txt").read_text()
    assert figure in raw
    assert figure in (folder / "README").read_text()
    assert said.endswith("reproduced: 1 of 1 boots\n")


def test_one_changed_byte_of_an_image_is_said(folder: Path, tmp_path: Path) -> None:
    """Negative control: it is not booted."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (image,) = (copy / "images").iterdir()
    data = bytearray(image.read_bytes())
    data[len(data) // 2] ^= 1
    image.write_bytes(data)
    said = reproduce(copy, 2)
    assert f"images/{image.name}: FAILED" in said
    assert "not those that were measured" in said
    assert "booting" not in said


def test_figures_of_another_kernel_differ(night: Night, folder: Path, tmp_path: Path) -> None:
    """Negative control: the digits decide, whatever the checksums are."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (image,) = (copy / "images").iterdir()
    other = run_of(night, commits(night)[1])
    build = Path(other["reproduce"].split()[2])
    assert sha256(build / "image") == other["image_sha256"]
    shutil.copy(build / "image", image)
    names = [p for p in copy.rglob("*") if p.is_file() and p.name != "SHA256SUMS"]
    sums = "".join(f"{sha256(p)}  {p.relative_to(copy)}\n" for p in names)
    (copy / "SHA256SUMS").write_text(sums)
    said = reproduce(copy, 1)
    assert "boots/stress-ng-switch-seed1: DIFFERS" in said
    assert "not reproduced: boots/stress-ng-switch-seed1" in said
    console = Path(said.split("what the board printed is in ")[1].splitlines()[0])
    assert "@vlag:done" in console.read_text()
    shutil.rmtree(console.parent)


def test_a_comparison_gives_a_boot_of_each_side(night: Night, tmp_path: Path) -> None:
    with database(night):
        night.vlag("reproduce", "--comparison", 1, "--output", tmp_path / "both")
        done = night.vlag("reproduce", "--comparison", 4711, status=2)
        assert "comparison 4711" in done.stderr
        done = night.vlag("reproduce", "4711", status=2)
        assert "there is no run 4711 on record" in done.stderr
    boots = sorted(os.listdir(tmp_path / "both" / "boots"))
    assert [name.partition("-")[0] for name in boots] == ["base", "new"]
    assert len(list((tmp_path / "both" / "images").iterdir())) == 2
    assert len(list((tmp_path / "both" / "userlands").iterdir())) == 1
