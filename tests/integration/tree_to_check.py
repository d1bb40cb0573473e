# SPDX-License-Identifier: GPL-2.0-only
"""A tree on disk for `vlag check`: it is built in the real sandbox, and its boots are stand-ins."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from tests.integration import tiny_boots, tiny_tree
from tests.repositories import WorkTree
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.lava.initramfs import Userland
from vlag.pipeline import boot as pipeline_boot
from vlag.pipeline import side_by_side

USERLAND = Userland(path=Path("none"), sha256="0" * 64, packages={})


@frozen
class Tree:
    """A work tree, and what is booted of it."""

    folder: Path
    booted: tiny_boots.Booted

    def commit(self, **files: str) -> None:
        WorkTree(self.folder).commit(f"sched: change {' '.join(files)}", **files)

    def check(self, *words: str) -> Result:
        return CliRunner().invoke(main, ["check", str(self.folder), *words])


def made(
    folder: Path, settings: Path, catalogue: Catalogue, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> Tree:
    """Make a work tree of one commit, which the command checks with these settings."""
    booted: tiny_boots.Booted = []
    tiny_tree.work_tree(folder, tiny_boots.options(catalogue))
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    boot = tiny_boots.stand_in(settings.parent / "runs", catalogue, booted)
    monkeypatch.setattr(side_by_side, "boot", boot)
    # Which boots are on record is asked by it; a real one takes a minute.
    monkeypatch.setattr(pipeline_boot, "prepare_userland", lambda *_: USERLAND)
    return Tree(folder, booted)


def contents(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, time of the last change and bytes of everything in a folder, refs included."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() and not path.is_symlink() else b"",
        )
        for path in (folder, *folder.rglob("*"))
    }
