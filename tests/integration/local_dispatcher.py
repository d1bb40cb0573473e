# SPDX-License-Identifier: GPL-2.0-only
"""LAVA's dispatcher on this machine, with kernels of some bytes."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from attrs import define

from tests.processes import commands
from tests.waiting import until
from vlag import ROOT
from vlag.config import catalogue
from vlag.lava import local, render
from vlag.lava.job import JobResult
from vlag.model import Board, BoardType

#: A deterministic board's.
BOARD_TYPE = catalogue.load().board_types["qemu-sim-2"]


@define
class Dispatcher:
    """LAVA's dispatcher on this machine."""

    scratch: Path

    @property
    def job_id(self) -> str:
        return f"limit-{self.scratch.name}"

    def run(
        self, kernel: bytes, kind: BoardType, on_line: Callable[[str], None] = lambda _: None
    ) -> JobResult:
        """Boot a kernel; `timeout_s` is a second."""
        folder = self.scratch / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "kernel").write_bytes(kernel)
        (folder / "ramdisk").write_bytes(b"ramdisk")
        (folder / "device.yaml").write_text(
            render.device(
                ROOT / "lava-jobs/devices" / str(kind.template),
                Board(name="board", board_type=kind.name),
                kind,
            )
        )
        (folder / "job.yaml").write_text(
            render.job(
                ROOT / "lava-jobs/boot" / str(kind.job), board_type=kind, name="n", run_key="k",
                cmdline=kind.cmdline, timeout_s=1,
                files=render.files(kernel=folder / "kernel", ramdisk=folder / "ramdisk"),
            )
        )  # fmt: skip
        return local.run(folder, self.job_id, on_line)

    def stop(self) -> None:
        """Stop the emulator, as a host does that has no time for it."""
        for pid, line in until(self._emulators):
            assert "lava-run" not in line
            os.kill(pid, signal.SIGSTOP)

    def _emulators(self) -> list[tuple[int, str]]:
        return [
            (p, line)
            for p, line in commands()
            if str(BOARD_TYPE.emulator) in line and self.job_id in line
        ]
