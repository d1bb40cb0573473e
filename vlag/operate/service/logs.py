# SPDX-License-Identifier: GPL-2.0-only
"""The logs of the service's programs: each start has a new one, and none grows without bound."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

#: Older ones of a log that are kept beside it, `.1` the newest.
KEPT = 5
#: Bytes of a log that begins anew while its program runs.
LARGEST = 20_000_000
#: Days after which an older one goes.
DAYS = 60


def begin(path: Path) -> Path:
    """Begin a new log; those of the starts before stay beside it."""
    if path.exists():
        path.replace(_older(path))
    path.touch()
    return path


def bound(path: Path) -> None:
    """Begin a log anew if it is too large; its program appends, and notices nothing.

    What the program writes between copy and cut, a matter of milliseconds, is lost.
    """
    try:
        if path.stat().st_size <= LARGEST:
            return
    except FileNotFoundError:
        return
    shutil.copyfile(path, _older(path))
    with path.open("r+b") as log:
        log.truncate(0)


def _older(path: Path) -> Path:
    """Return the free place of the newest older log; drop the oldest one and those of long ago."""
    places = [path.with_name(f"{path.name}.{n}") for n in range(1, KEPT + 1)]
    long_ago = time.time() - DAYS * 86_400
    for place in places:
        if place.exists() and place.stat().st_mtime < long_ago:
            place.unlink()
    for older, newer in zip(places[::-1], places[-2::-1], strict=False):
        if newer.exists():
            newer.replace(older)
    return places[0]
