# SPDX-License-Identifier: GPL-2.0-only
"""A small guest with a store of snapshots, and what it prints from power on and from one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from attrs import define

from vlag.config import catalogue
from vlag.kept_folders import Store
from vlag.lava import snapshots
from vlag.lava.snapshots import Start

BOARD_TYPE = catalogue.load().board_types["qemu-sim-2"]
EMULATOR, COMMAND = str(BOARD_TYPE.emulator), str(BOARD_TYPE.command)
WAIT_S = 300
GB = 10**9
#: One CPU takes no turns; with eight, seven wait to be started.
CPUS = {n: f"-smp {n},sockets=1,cores={n}" for n in (1, 2, 8)}


@define
class Bench:
    """A folder with a guest and a store of snapshots."""

    folder: Path
    image: Path
    most_bytes: int = GB
    cpus: int = 2

    @property
    def store(self) -> Store:
        return Store(folder=self.folder / "kept", most_bytes=self.most_bytes)

    @property
    def homes(self) -> list[Path]:
        """Return the folders of what is kept, of whole and of half made snapshots."""
        return sorted(path for path in self.store.folder.glob("*") if path.is_dir())

    def start(self, seed: int, cmdline: str = "console=ttyS0", more: str = "") -> Start:
        ramdisk = self.folder / f"ramdisk-{seed}{more}"
        ramdisk.write_text(f"SEED={seed}\nOBSERVES=\n{more}\n")
        board = " ".join(BOARD_TYPE.options).replace("-smp 2,sockets=1,cores=2", CPUS[self.cpus])
        options = board.split()
        return Start(
            command=[COMMAND, *options], kernel=self.image, cmdline=cmdline, ramdisk=ramdisk,
            seed=seed, identity={"image": "of the test"},
        )  # fmt: skip

    def restore(self, start: Start, name: str = "snapshot") -> str | None:
        return snapshots.restore(self.store, start, self.folder / name, WAIT_S)

    def goes_on(self, seed: int, name: str = "snapshot") -> str:
        """Return what the guest of a seed prints that goes on from a snapshot."""
        words = self.restore(self.start(seed), name)
        assert words is not None
        said = console(self.start(seed), *words.split())
        snapshots.remove(self.folder / name)
        return said


def console(start: Start, *more: str) -> str:
    done = subprocess.run(
        start.argv("-name", "vlag-limit-300", *more),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
