# SPDX-License-Identifier: GPL-2.0-only
"""The log of a build whose disk is full: on a small file system of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import full_disk
from tests.integration.hostile import small_disk
from vlag.errors import AwayError
from vlag.kernel.build_log import BuildLog

LINES = [f"  CC      kernel/sched/{number}.o" for number in range(2000)]


def test_what_a_full_disk_refuses_is_written_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1):
        with BuildLog(tmp_path / "disk" / "build.log") as log:
            log.write(f"{LINES[0]}\n")
            with full_disk.full(tmp_path / "disk"):
                for line in LINES[1:]:
                    log.write(f"{line}\n")
                assert log.lines() == [f"{line}\n" for line in LINES]
        assert (tmp_path / "disk" / "build.log").read_text().splitlines() == LINES


def test_a_log_that_finds_no_room_at_its_end_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1):
        log = BuildLog(tmp_path / "disk" / "build.log")
        said = r"no room on the disk for the end of \S+/build.log"
        with full_disk.full(tmp_path / "disk"):
            log.write("\n".join(LINES))  # where a plain file would fail
            with pytest.raises(AwayError, match=said), log:
                pass
