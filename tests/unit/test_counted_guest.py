# SPDX-License-Identifier: GPL-2.0-only
"""What a boot that counts is compared by can tell a difference."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from tests.counted_guest import Seen, seen, uncounted
from tests.integration import bundles
from vlag.config import catalogue as catalogues

SEEN = Seen(
    console=("@vlag:start", "@vlag:run"), files={"stress-ng.txt": b"1"}, counted=b"1", samples="a"
)


@pytest.mark.parametrize(
    "other",
    [
        evolve(SEEN, console=("@vlag:start",)),
        evolve(SEEN, files={"stress-ng.txt": b"2"}),
        evolve(SEEN, files={}),
        evolve(SEEN, samples="b"),
    ],
)
def test_another_guest_is_told(other: Seen) -> None:
    assert not SEEN.same(other)
    assert SEEN.same(evolve(SEEN, counted=None))


def test_the_emulators_lines_are_none_of_the_guests(tmp_path: Path) -> None:
    of = bundles.kernel("6.12")
    bundles.run(tmp_path, of, catalogues.load())
    (tmp_path / "raw" / "profile.txt").write_bytes(b"2 1\n")
    guest = ["@vlag:start", "@vlag:run"]
    lines = [guest[0], "@vlag:profile begin 2 1", "@vlag:counts 0:3:1", guest[1], "@vlag:done", "x"]
    (tmp_path / "console.log").write_text("\n".join(lines))
    found = seen(tmp_path)
    assert found.console == tuple(guest)
    assert found.counted == b"2 1\n"
    assert "profile.txt" not in found.files
    assert found.samples


def test_the_command_without_the_plugin_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "bin"
    there.mkdir()
    (there / "lockstep-qemu-system-x86_64").write_text("#!/bin/sh\n")
    (there / "lockstep-qemu-system-x86_64").chmod(0o755)
    monkeypatch.setenv("PATH", f"{there}:/usr/bin:/bin")
    here = tmp_path / "plain"
    here.mkdir()
    path = uncounted(here)["PATH"]
    made = shutil.which("lockstep-qemu-system-x86_64", path=path)
    assert made == str(here / "lockstep-qemu-system-x86_64")
    said = Path(made).read_text()
    assert str(tmp_path / "lib/vlag/lockstep.so") in said
    assert "plugin" not in said
    assert subprocess.run(["sh", "-n", made], check=False).returncode == 0
