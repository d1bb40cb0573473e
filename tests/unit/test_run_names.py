# SPDX-License-Identifier: GPL-2.0-only
"""Boots side by side on this machine are jobs of different names."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from vlag import progress_log
from vlag.bundle_records import CompleteBuild
from vlag.config import catalogue
from vlag.errors import InfrastructureError
from vlag.lava.initramfs import Userland
from vlag.pipeline import run
from vlag.pipeline.boot import Boot, boot_entry

#: Ends at once, as a dispatcher without a board does, and leaves its arguments.
LAVA_RUN = """#!/bin/sh
echo "$2" >> "$VLAG_TEST_JOBS"
exit 1
"""


@pytest.fixture
def boot(tmp_path: Path) -> Boot:
    known = catalogue.load()
    benchmark = known.benchmark("stress-ng-switch")
    (tmp_path / "image").write_bytes(b"a kernel")
    (tmp_path / "userland").write_bytes(b"an archive")
    return Boot(
        build=tmp_path,
        document=cast(
            "CompleteBuild",
            {
                "image": {"path": "image", "sha256": "1" * 64},
                "config": {"path": "config", "sha256": "2" * 64},
                "kernel": {},
                "release": "6.12.0",
            },
        ),
        board_type=known.board_type("qemu-sim-2"),
        benchmark=benchmark,
        entry=boot_entry(benchmark, {}, 1, {}),
        userland=Userland(path=tmp_path / "userland", sha256="3" * 64, packages={}),
        emulator=None,
        seed=1,
        knobs={},
        plan=None,
        timeout_s=60,
        key="4" * 64,
    )


def test_bundles_of_one_name_are_two_jobs(
    tmp_path: Path, boot: Boot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LAVA keeps a job's files by its name, and removes them when it ends."""
    program = tmp_path / "bin" / "lava-run"
    program.parent.mkdir()
    program.write_text(LAVA_RUN)
    program.chmod(0o755)
    jobs = tmp_path / "jobs"
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("VLAG_TEST_JOBS", str(jobs))
    [board, *_] = [b for b in catalogue.load().boards if b.board_type == "qemu-sim-2"]
    for folder in ("one", "two"):
        said: list[str] = []
        output = tmp_path / folder / "run"
        with pytest.raises(InfrastructureError), progress_log.diverted(said.append):
            run.run(boot, board, tmp_path, reuse=False, output=output)
        assert sum("booting 6.12.0" in line for line in said) == 1
    names = jobs.read_text().split()
    assert len(set(names)) == len(names) == 2
