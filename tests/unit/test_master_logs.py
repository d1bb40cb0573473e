# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What Buildbot keeps of files: their ends, however much a board printed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from master import builders
from master.steps import SHOWN_BYTES, ShowFiles, last
from tests.unit.asked import small_catalogue
from vlag import ROOT, config


def shown(folder: Path) -> list[tuple[str, list]]:
    """Return the files that any builder shows, with the commands that print them."""
    settings = folder / "vlag.toml"
    settings.write_text((ROOT / "vlag.toml").read_text())
    return [
        (name, command)
        for builder in builders.build_all(config.load(settings), small_catalogue())
        for step in builder.factory.steps
        if step.step_class is ShowFiles
        for name, command in step.args[0].items()
    ]


def test_every_file_that_is_shown_is_shown_by_its_end(tmp_path: Path) -> None:
    found = shown(tmp_path)
    assert {name for name, _ in found} == {"build.log", "output", "console", "run.json"}
    for name, command in found:
        assert command == last(command[-1]), name


def test_the_end_of_a_flood_is_bounded_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "console"
    path.write_bytes(b"x" * (8 << 20) + b"panic\n")
    words = [str(word) for word in last(path)]
    said = subprocess.run(words, capture_output=True, check=True).stdout
    assert len(said) == SHOWN_BYTES
    assert said.endswith(b"panic\n")
    path.write_bytes(b"short\n")
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"short\n"
