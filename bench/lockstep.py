"""How often a deterministic board repeats itself, with lockstep and without."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.evidence import table, write
from tests.emulated_guest import boot, load, rom
from vlag.config import catalogue
from vlag.pipeline.boot import emulator_of

BOOTS = 60


def main() -> None:
    """Boot a guest that sleeps and wakes, alone and beside load, and count what it says."""
    board_type = catalogue.load().board_types["qemu-sim-2"]
    commands = [str(board_type.emulator), str(board_type.command)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        image = rom(Path(folder))
        for command in commands:
            for name, beside in (("no load added", contextlib.nullcontext()), ("load", load())):
                with beside, ThreadPoolExecutor(2) as pool:
                    said = Counter(
                        pool.map(lambda _, c=command: boot(c, board_type, image), range(BOOTS))
                    )
                most = max(said.values())
                rows.append([command, name, str(BOOTS), str(len(said)), str(BOOTS - most)])
                print(*rows[-1])
            slow = boot(command, board_type, image, slowly=True)
            rows.append([command, "a slow reader", "1", "", str(int(slow not in said))])
    emulator = emulator_of(board_type) or {}
    write(
        "lockstep",
        "The deterministic board on a busy machine",
        "python -m bench lockstep",
        [f"QEMU {emulator['version']}, lockstep {emulator['lockstep']}"],
        [
            "A guest of a few hundred bytes sleeps until its timer wakes it, 20,000 times, and",
            "prints a digest of its wake-up times. Two boots run at a time. *Load* is twice as",
            "many busy processes as CPUs. A *slow reader* reads the console slowly.",
            "",
            *table(
                ["started by", "beside", "boots", "distinct digests", "boots with a rarer digest"],
                rows,
            ),
        ],
    )


if __name__ == "__main__":
    main()
