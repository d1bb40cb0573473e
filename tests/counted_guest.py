# SPDX-License-Identifier: GPL-2.0-only
"""Whether observing changes what a board does: boots with the emulator's plugin and without."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from tests.night.digests import samples_digest
from vlag.lava.console import CACHES, DECISIONS, PROFILE

#: Lines of the emulator, not of the guest.
_COUNTS = tuple(
    f"@vlag:{word} " for word in ("profile", "counts", "decisions", "decided", "caches", "cached")
)
_DONE = "@vlag:done"


@frozen(kw_only=True)
class Seen:
    """What came of one boot."""

    console: tuple[str, ...]  # what the guest printed
    files: Mapping[str, bytes]  # raw files by name, without the counts
    counted: bytes | None  # what was counted or written down; None: nothing was observed
    samples: str  # digest of all samples

    def same(self, other: Seen) -> bool:
        """Return whether the guest did the same, to the last byte."""
        mine = (self.console, self.files, self.samples)
        return mine == (other.console, other.files, other.samples)


def uncounted(folder: Path) -> dict[str, str]:
    """Write the emulator's command without its plugin to `folder`; return a PATH that has it."""
    plain = folder / "lockstep-qemu-system-x86_64"
    library = Path(str(shutil.which(plain.name))).parents[1] / "lib/vlag/lockstep.so"
    plain.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec qemu-system-x86_64 "$@"\n')
    plain.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def seen(run: Path) -> Seen:
    """Read a run's folder."""
    lines = (run / "console.log").read_text(encoding="utf-8").splitlines()
    lines = lines[: lines.index(_DONE)]  # LAVA may still hear what comes behind it
    files = {path.name: path.read_bytes() for path in (run / "raw").iterdir()}
    counted = next((files.pop(n) for n in (PROFILE, DECISIONS, CACHES) if n in files), None)
    return Seen(
        console=tuple(line for line in lines if not line.startswith(_COUNTS)),
        files=files,
        counted=counted,
        samples=samples_digest(run, json.loads((run / "run.json").read_text(encoding="utf-8"))),
    )
