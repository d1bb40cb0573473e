# SPDX-License-Identifier: GPL-2.0-only
"""A boot repeats to the last digit in a bare Debian root that has the emulator and nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.root import SUITE, package_sources
from tests.night.clone import Night, shared_night

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared:
        yield shared


def test_a_bare_root_gives_the_same_digits(night: Night, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run(
        [
            "mmdebstrap", "--quiet", "--variant=minbase",
            '--aptopt=APT::Install-Recommends "false"',
            f'--aptopt=APT::Default-Release "{SUITE}-backports"',
            "--include=qemu-system-x86", SUITE, bare, *package_sources(),
        ],
        check=True,
    )  # fmt: skip
    for absent in ("python3", "cc"):
        assert not (bare / "usr/bin" / absent).exists()
    runs = [r for r in night.runs() if r["board"]["deterministic"] and not r["observes"]]
    by_benchmark = {r["benchmark"]: r["bundle"] for r in runs}
    assert len(by_benchmark) > 1
    night.vlag("reproduce", *by_benchmark.values(), "--output", bare / "repeat")
    done = subprocess.run(
        ["chroot", bare, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "/repeat/reproduce"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    n = len(by_benchmark)
    assert done.stdout.endswith(f"reproduced: {n} of {n} boots\n")
