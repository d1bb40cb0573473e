# SPDX-License-Identifier: GPL-2.0-only
"""Kernels built for emulated boards and booted on them, by the commands that people use.

`VLAG_TEST_EMULATED` names a folder to keep kernels and runs in; a second session finds
them there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tests.night.clone import environment
from vlag import ROOT
from vlag.bundle import sha256
from vlag.config.catalogue import load


@frozen(kw_only=True)
class Ran:
    """One run's bundle, and the seconds of its command from start to end."""

    folder: Path
    document: dict[str, Any]
    seconds: float

    @property
    def environment(self) -> dict[str, str]:
        """Return what the board told about itself."""
        told: dict[str, str] = self.document["environment"]
        return told

    @property
    def output(self) -> Path:
        """Return the raw output that the parser reads."""
        return self.folder / str(self.document["output"])


@frozen(kw_only=True)
class Emulated:
    """A state folder of its own under this checkout's settings."""

    folder: Path
    database: str = field(default="")

    def vlag(self, *arguments: object) -> dict[str, Any]:
        """Run a `vlag` verb; return its answer.  What it says of its progress is passed on."""
        own = {"VLAG_DATABASE": self.database} if self.database else {}
        done = subprocess.run(
            [Path(sys.executable).with_name("vlag"), *map(str, arguments), "--format", "json"],
            stdout=subprocess.PIPE, text=True, check=False,
            env={**environment(self.folder / "vlag.toml"), **own},
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}"
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    def build(self, board_type: str) -> Path:
        """Build 6.12 for a board type, or return the bundle that is there."""
        answer = self.vlag(
            "build", "--tree", "debian", "--ref", "linux-6.12", "--board-type", board_type
        )
        return Path(answer["bundle"])

    def run(
        self,
        kernel: Path,
        board: str,
        benchmark: str,
        timeout_s: int,
        given: Mapping[str, object],
        *,
        knobs: Mapping[str, str] | None = None,
    ) -> Ran:
        """Boot and measure; an outcome other than complete fails the test."""
        began = time.monotonic()
        answer = self.vlag(
            "run", kernel, "--board", board, "--benchmark", benchmark, "--timeout", timeout_s,
            *(f"--param={key}={value}" for key, value in given.items()),
            *(f"--knob={key}={value}" for key, value in (knobs or {}).items()),
        )  # fmt: skip
        folder = Path(answer["bundle"])
        return Ran(
            folder=folder,
            document=json.loads((folder / "run.json").read_text()),
            seconds=time.monotonic() - began,
        )


def board_of(board_type: str) -> str:
    """Return a board of that type in the inventory."""
    for board in load().boards:
        if board.board_type == board_type:
            return board.name
    raise AssertionError(f"ansible/inventory/boards.yml has no board of type {board_type}")


@contextmanager
def emulated() -> Iterator[Emulated]:
    """Give a state folder with the shipped settings."""
    kept = os.environ.get("VLAG_TEST_EMULATED")
    folder = Path(kept or tempfile.mkdtemp(prefix="vlag-emulated-"))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "vlag.toml").exists():
        shutil.copyfile(ROOT / "vlag.toml", folder / "vlag.toml")
    yield Emulated(folder=folder)
    if kept is None:
        shutil.rmtree(folder)


def image_of(kernel: Path) -> str:
    """Return the first digits of a kernel's image, for the record."""
    document = json.loads((kernel / "build.json").read_text())
    return sha256(kernel / document["image"]["path"])[:16]
