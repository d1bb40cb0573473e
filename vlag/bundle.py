"""Bundles: folders with one JSON document that names every other file with its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.model import Outcome

#: The file in which a board says whether the scheduler counts its statistics.
SCHEDSTATS = "/proc/sys/kernel/sched_schedstats"


def unscored(run: Mapping[str, Any]) -> str | None:
    """Return why the figures of a run.json do not count in any comparison, or None."""
    if run.get("observes") is not None:
        return f"the run observes {run['observes']}, which changes what it measures"
    if run["environment"].get(SCHEDSTATS) == "1":
        return f"{SCHEDSTATS} was 1 in the run, which changes what it measures"
    return None


@frozen(kw_only=True)
class Bundle:
    """Folder and outcome of a build or a run."""

    folder: Path
    document: dict[str, Any]  # build.json or run.json
    reused: bool  # it existed before

    @property
    def outcome(self) -> Outcome:
        """Return the outcome on record."""
        return Outcome(self.document["outcome"])


def sha256(path: Path) -> str:
    """Return a file's SHA-256 as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(folder: Path, name: str) -> dict[str, Any]:
    """Return path, size and SHA-256 of a file of a bundle, as the schemas require."""
    path = folder / name
    return {"path": name, "bytes": path.stat().st_size, "sha256": sha256(path)}
