# SPDX-License-Identifier: GPL-2.0-only
"""What a sandboxed command has written is seen, whoever else uses the file system."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from vlag.sandbox import space
from vlag.sandbox.space import Space

MIB = 1 << 20


def write(path: Path, mib: int) -> None:
    path.write_bytes(b"x" * (mib * MIB))


@pytest.mark.parametrize(("mib", "said"), [(3, True), (1, False)])
def test_what_others_free_hides_no_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mib: int, said: bool
) -> None:
    folder = tmp_path / "output"
    folder.mkdir()
    watched = Space.of((folder,), 2 * MIB)
    write(folder / "made", mib)
    # Somebody else has freed more than that.
    monkeypatch.setattr(space, "_free", lambda _folders: 1 << 60)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 10)
    assert bool(watched.suspicion()) == said


def test_a_command_that_writes_nowhere_fills_no_disk(tmp_path: Path) -> None:
    nothing = Space.of((), 2 * MIB, 1 << 60)
    assert (nothing.lacks(), nothing.room(), nothing.suspicion()) == (None, None, None)
    # Negative control: with a folder, so much is not free.
    some = Space.of((tmp_path,), 2 * MIB, 1 << 60)
    assert some.room() == 0
    assert "are to stay so" in str(some.lacks())
