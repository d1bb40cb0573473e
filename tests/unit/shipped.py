# SPDX-License-Identifier: GPL-2.0-only
"""Copies of the shipped lists, which a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path

from vlag import ROOT


def copied(folder: Path) -> Path:
    """Copy what the catalogue is read from; return the folder."""
    shutil.copytree(ROOT / "lava-jobs", folder / "lava-jobs")
    shutil.copytree(ROOT / "ansible" / "inventory", folder / "ansible" / "inventory")
    return folder


def change(path: Path, old: str, new: str) -> None:
    """Replace a text that a file must have."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
