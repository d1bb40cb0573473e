# SPDX-License-Identifier: GPL-2.0-only
"""Settings of vlag with the tree of tests/long/loop_tree alone, and `vlag` with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests import sandboxes, settings_files
from tests.integration import tiny_boots
from tests.long.loop_history import History
from vlag.cli.main import main
from vlag.config import catalogue


def installed(
    folder: Path, dsn: str, monkeypatch: pytest.MonkeyPatch, ids: str = "sha1"
) -> History:
    """Return the tree, which the settings have as `loop`; `ids` is the kind of its commits' ids."""
    for above in (folder, *folder.parents):  # the build's user goes through them
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o001)
    made = History.of(folder / "loop", tiny_boots.options(catalogue.load()), ids)
    text = settings_files.settings(
        state=folder / "state", trees=f'[trees.loop]\nurl = "{made.folder}"', tree="loop",
        branch="main", baseline="v1", keys="paths = []",
    )  # fmt: skip
    settings = folder / "vlag.toml"
    settings.write_text(f'{text}[sandbox]\nuser = "{sandboxes.user()}"\n')
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return made


def vlag(*words: object) -> dict[str, Any]:
    """Run `vlag`; return the document that it prints last."""
    done = CliRunner().invoke(main, [*map(str, words), "--format", "json"])
    assert done.exit_code == 0, done.output[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def built(commit: str) -> dict[str, Any]:
    """Build a commit for the deterministic boards; return what `vlag build` says."""
    return vlag("build", "--tree", "loop", "--ref", commit, "--board-type", "qemu-sim-2")
