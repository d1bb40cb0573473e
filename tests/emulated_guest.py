# SPDX-License-Identifier: GPL-2.0-only
"""A guest of a few hundred bytes for a deterministic board, and load beside it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vlag import ROOT
from vlag.model import BoardType

SOURCE = Path(__file__).parent / "data" / "lockstep" / "guest.S"


@contextmanager
def own_lockstep(folder: Path, emulator: str) -> Iterator[None]:
    """Install this checkout's lockstep into `folder`, and have it come first."""
    subprocess.run([ROOT / "lava-jobs/lockstep/install", folder, emulator], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}/bin", prepend=os.pathsep)
        yield


def rom(folder: Path, kind: str = "guest") -> Path:
    """Build the guest as a ROM in `folder`; `kind` is `busy` or `still` for one without an end."""
    made = folder / f"{kind}.rom"
    assembled = made.with_suffix(".o")
    symbol = [] if kind == "guest" else ["--defsym", f"{kind}=1"]
    subprocess.run(["as", "--32", *symbol, "-o", assembled, SOURCE], check=True)
    subprocess.run(
        ["ld", "-m", "elf_i386", "-Ttext", "0", "--oformat", "binary", "-e", "start", "-o", made,
         assembled],
        check=True,
    )  # fmt: skip
    return made


def kernel(folder: Path) -> Path:
    """Build a kernel in `folder` that goes on as a program, and prints what its initramfs is."""
    made, assembled = folder / "program.image", folder / "program.o"
    source = SOURCE.with_name("program.S")
    subprocess.run(["as", "--64", "-o", assembled, source], check=True)
    subprocess.run(
        ["ld", "-m", "elf_x86_64", "-Ttext", "0", "--oformat", "binary", "-e", "0", "-o", made,
         assembled],
        check=True,
    )  # fmt: skip
    return made


def argv(program: str, board_type: BoardType, image: Path) -> list[str]:
    """Return the command that boots a ROM on a board of this type."""
    return [program, *(word for option in board_type.options for word in option.split()),
            "-bios", str(image)]  # fmt: skip


def boot(program: str, board_type: BoardType, image: Path, *, slowly: bool = False) -> str:
    """Return what the guest printed; `slowly`: to a pipe of one page that is read at times."""
    reading, writing = os.pipe()
    if slowly:
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    child = subprocess.Popen(
        argv(program, board_type, image),
        stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    said = b""
    while piece := os.read(reading, 1024):
        said += piece
        if slowly:
            time.sleep(0.02)  # as long as a busy dispatcher may take
    os.close(reading)
    assert child.wait() == 0
    return said.decode("ascii")


@contextmanager
def load() -> Iterator[None]:
    """Keep every CPU twice as busy as it can be."""
    count = 2 * len(os.sched_getaffinity(0))
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
