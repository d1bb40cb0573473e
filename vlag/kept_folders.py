# SPDX-License-Identifier: GPL-2.0-only
"""Folders that are kept under a key until others need their room.

What was not used for longest goes first; `vlag.bundle.note_use` says that a folder was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from vlag.bundle import REMOVED


@frozen(kw_only=True)
class Store:
    """Where they are kept, and how large they may be together."""

    folder: Path
    most_bytes: int


def discard(home: Path, remove: Callable[[Path], None]) -> None:
    """Let a folder go under its key at once, then `remove` it, and what was left of one before."""
    gone = home.with_name(f"{home.name}{REMOVED}")
    remove(gone)
    with contextlib.suppress(FileNotFoundError):  # somebody else was faster
        home.replace(gone)
    remove(gone)


def make_room(
    store: Store,
    sizes: Mapping[Path, int],
    more: int,
    drop: Callable[[Path], None],
    most: int | None = None,
) -> None:
    """`drop` folders of these bytes until `more` bytes fit, and one folder more into `most`."""
    left = dict(sizes)
    for home in sorted(sizes, key=lambda home: home.stat().st_mtime):
        fits = sum(left.values()) + more <= store.most_bytes
        if fits and (most is None or len(left) < most):
            return
        drop(home)
        del left[home]
