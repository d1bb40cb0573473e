# SPDX-License-Identifier: GPL-2.0-only
"""The version of settings, plans and boards with which a service runs, whatever people edit.

Each step of a service is a process of its own and reads the settings anew.  A file that is half
written for a moment, or edited but not taken up yet, must not reach one step and not the other.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from vlag.ownership import hand_over, make_folder

#: In the environment of a service's processes: the folder with their version.
FOLDER = "VLAG_SNAPSHOT"
#: Versions that stay below the state folder.
_KEPT = 10

#: What this process has read, by absolute path.
_read: dict[Path, bytes] = {}


def read(path: Path) -> bytes:
    """Return a file's content, in a process of a service that of the service's version.

    Raises OSError.
    """
    folder = os.environ.get(FOLDER)
    kept = None if folder is None else _place(Path(folder), path)
    data = (path if kept is None or not kept.is_file() else kept).read_bytes()
    _read[path.absolute()] = data
    return data


def take(state: Path) -> Path:
    """Keep all that this process has read below a state folder; return the version's folder."""
    digest = hashlib.sha256()
    for path, data in sorted(_read.items()):
        digest.update(f"{path}\0{len(data)}\0".encode() + data)
    folder = state / "settings" / digest.hexdigest()[:16]
    if not folder.is_dir():
        draft = folder.with_name(f".{folder.name}.{os.getpid()}")
        for path, data in _read.items():
            place = _place(draft, path)
            make_folder(place.parent)
            place.write_bytes(data)
            hand_over(place)
        try:
            draft.rename(folder)
        except OSError:  # another part was faster
            shutil.rmtree(draft)
    os.utime(folder)
    versions = sorted(folder.parent.glob("[0-9a-f]*"), key=lambda p: p.stat().st_mtime)
    for old in versions[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def changed(folder: Path) -> list[Path]:
    """Return the files that are no longer as the version in `folder` has them."""
    paths = []
    for kept in sorted(folder.rglob("*")):
        if kept.is_file():
            path = Path("/") / kept.relative_to(folder)
            if not path.is_file() or path.read_bytes() != kept.read_bytes():
                paths.append(path)
    return paths


def _place(folder: Path, path: Path) -> Path:
    return folder / path.absolute().relative_to("/")
