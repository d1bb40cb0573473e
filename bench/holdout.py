# SPDX-License-Identifier: GPL-2.0-only
"""Real noise for the benches, split into a development and a held-out part.

The folder that `VLAG_NOISE_DATA` names has these files.  nightly-noise.npz: `y`, an array of
windows x points around 1; `series`, the number of each window's series; `cv`, its spread.
sap-windows.npz: the same of another source, all of it for development; it may lack.
same-build-runs.npz: `p50`, benchmarks x runs of one build, and `samples`, the same x samples.

A hash decides what is held out, so the split depends on neither order nor amount.  All tuning,
all tests and all other pages read the development part.  `python -m bench heldout` alone reads
the held-out part, and docs/evidence/heldout.md lists each reading.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DATA = "VLAG_NOISE_DATA"
# One in so many series and benchmarks is held out.
SHARE = 3

Arrays = dict[str, npt.NDArray[Any]]


def folder() -> Path | None:
    """Return the folder with real noise, or None where the environment names none."""
    return Path(os.environ[DATA]) if os.environ.get(DATA) else None


def is_held_out(key: bytes) -> bool:
    """Return whether the series or benchmark with this key is held out."""
    return int.from_bytes(hashlib.sha256(key).digest()) % SHARE == 0


def nightly(where: Path, *, held_out: bool = False) -> Arrays:
    """Return one part of nightly-noise.npz; the windows of a series are all in the same part."""
    with np.load(where / "nightly-noise.npz") as file:
        arrays = {name: file[name] for name in ("y", "cv", "series")}
    return _part(arrays, [f"series {int(s)}".encode() for s in arrays["series"]], held_out)


def other_source(where: Path) -> Arrays | None:
    """Return the windows of sap-windows.npz, or None where the folder has no such file."""
    path = where / "sap-windows.npz"
    if not path.is_file():
        return None
    with np.load(path) as file:
        return {name: file[name] for name in ("y", "cv", "series")}


def same_build(where: Path, *, held_out: bool = False) -> Arrays:
    """Return one part of same-build-runs.npz; the key of a benchmark is its medians."""
    with np.load(where / "same-build-runs.npz") as file:
        arrays = {name: file[name].astype(np.float64) for name in ("p50", "samples")}
    return _part(arrays, [row.tobytes() for row in arrays["p50"]], held_out)


def _part(arrays: Arrays, keys: list[bytes], held_out: bool) -> Arrays:
    chosen = np.array([is_held_out(key) == held_out for key in keys], dtype=bool)
    return {name: array[chosen] for name, array in arrays.items()}
