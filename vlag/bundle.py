# SPDX-License-Identifier: GPL-2.0-only
"""Bundles: folders with one JSON document that names every other file with its SHA-256."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from attrs import frozen

from vlag.bundle_records import BranchSight, BundleRecord, FileRecord, NamedSight
from vlag.model import Outcome

log = logging.getLogger(__name__)

#: The file in which a board says whether the scheduler counts its statistics.
SCHEDSTATS = "/proc/sys/kernel/sched_schedstats"
#: Beside the build bundles of a kernel: a line for each name that it was asked for by.
_REFS = "refs.jsonl"
#: Beside them, a file a branch: what was seen of it when the kernel was last asked for by it.
_SIGHT = "branch-"
#: End of the name of a damaged bundle's folder.
UNREADABLE = ".unreadable"
#: End of the name of a bundle's folder that `vlag gc` is deleting.
REMOVED = ".removed"

_Record = TypeVar("_Record", bound=BundleRecord)


def unscored(run: Mapping[str, Any]) -> str | None:
    """Return why the figures of a run.json do not count in any comparison, or None."""
    if run.get("observes") is not None:
        return f"the run observes {run['observes']}, which changes what it measures"
    if run["environment"].get(SCHEDSTATS) == "1":
        return f"{SCHEDSTATS} was 1 in the run, which changes what it measures"
    return None


@frozen(kw_only=True)
class Bundle(Generic[_Record]):
    """Folder and outcome of a build or a run."""

    folder: Path
    document: _Record  # build.json or run.json
    reused: bool  # it existed before

    @property
    def outcome(self) -> Outcome:
        """Return the outcome on record."""
        return Outcome(self.document["outcome"])

    @property
    def reason(self) -> str | None:
        """Return why it did not end well; None if it did."""
        return self.document["reason"]

    @property
    def kernel_digest(self) -> str:
        """Return the digest of its kernel."""
        return self.document["kernel"]["digest"]


def is_final(folder: Path) -> bool:
    """Return whether a folder with a build.json or run.json is not half made or set aside."""
    return folder.suffix not in (".partial", UNREADABLE, REMOVED)


def note_use(folder: Path) -> None:
    """Date a bundle's folder that is used again: what is in use is not removed by its age."""
    with contextlib.suppress(OSError):  # it is another user's, or has just gone
        os.utime(folder)


def read(kind: type[_Record], path: Path) -> _Record | None:
    """Return the document of a bundle, or None; `path` is its build.json or run.json.

    A bundle that a power cut left without its content counts as absent: its folder is
    renamed, so that a new one can be made, and nothing of it is deleted.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise TypeError("no object")
        for entry in document.get("files", ()):
            if (path.parent / entry["path"]).stat().st_size != entry["bytes"]:
                raise ValueError(f"{entry['path']} has another size")
    except (ValueError, TypeError, KeyError, RecursionError) as e:
        set_aside(path.parent, f"{path.name} or a file it names is damaged ({e})")
        return None
    except OSError:  # it has just been set aside, or is being removed
        return None
    return cast("_Record", document)


def set_aside(folder: Path, why: str) -> None:
    """Rename a damaged folder to NAME.unreadable and say so; another process may be faster."""
    aside = folder.with_name(f"{folder.name}{UNREADABLE}")
    number = 1
    while aside.exists():
        number += 1
        aside = folder.with_name(f"{folder.name}.{number}{UNREADABLE}")
    with contextlib.suppress(FileNotFoundError):
        folder.rename(aside)
        log.info(f"{folder}: {why}; renamed to {aside.name}, and made again when it is needed")


def add_ref(attempts: Path, name: str, *, is_branch: bool) -> None:
    """Record that a kernel was asked for by a branch, or by a tag or commit.

    `attempts` is the folder of its build bundles, which do not change when they are reused.
    """
    line = json.dumps({"name": name, "is_branch": is_branch}, sort_keys=True)
    path = attempts / _REFS
    if not path.is_file() or line not in path.read_text(encoding="utf-8").splitlines():
        attempts.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def refs(build: Path) -> dict[str, bool]:
    """Return the names that the kernel of a build bundle was asked for by, in their order.

    The value of a name is whether it is a branch.  A bundle outside its installation has none.
    """
    path = build.parent / _REFS
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {str(ref["name"]): bool(ref["is_branch"]) for ref in map(json.loads, lines)}


def note_sight(attempts: Path, branch: str, sight: BranchSight) -> None:
    """Keep what was seen of a branch when a kernel was asked for by it; JSON values."""
    attempts.mkdir(parents=True, exist_ok=True)
    # A file for each branch: several processes may ask at once.
    name = f"{_SIGHT}{hashlib.sha256(branch.encode()).hexdigest()[:16]}.json"
    draft = attempts / f"{name}.{os.getpid()}"
    draft.write_text(
        json.dumps({"branch": branch, **sight}, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    # What a power cut takes is seen again by the next build.
    draft.replace(attempts / name)


def sights(build: Path) -> list[NamedSight]:
    """Return what was last seen of each branch that the kernel of a build bundle was asked for by.

    A bundle outside its installation, or from before this was kept, has nothing.
    """
    paths = sorted(build.parent.glob(f"{_SIGHT}*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def sha256(path: Path) -> str:
    """Return a file's SHA-256 as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(folder: Path, name: str) -> FileRecord:
    """Return path, size and SHA-256 of a file of a bundle, as the schemas require."""
    path = folder / name
    return {"path": name, "bytes": path.stat().st_size, "sha256": sha256(path)}
