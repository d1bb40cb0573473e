# SPDX-License-Identifier: GPL-2.0-only
"""Secrets of the service, made by whichever part comes first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vlag import ROOT, config
from vlag.operate.service import folders

pytestmark = pytest.mark.slow

PARTS, ROUNDS = 4, 8
#: A part that makes a secret at each line it is given, and says what it has read.
PART = """
import sys
from pathlib import Path
from vlag import config
from vlag.operate.service import folders

settings = config.load(Path(sys.argv[1]))
print("up", flush=True)
for name in sys.stdin:
    print(folders.make_secret(settings, name.strip()).read_text().strip(), flush=True)
"""


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    text = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    (tmp_path / "vlag.toml").write_text(text, encoding="utf-8")
    return config.load(tmp_path / "vlag.toml")


def test_parts_that_start_at_once_have_the_same_secrets(settings: config.Settings) -> None:
    folders.make_folders(settings.state)
    parts = [
        subprocess.Popen(
            [sys.executable, "-c", PART, settings.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for _ in range(PARTS)
    ]  # fmt: skip
    try:
        assert [part.stdout.readline() for part in parts if part.stdout] == ["up\n"] * PARTS
        for i in range(ROUNDS):
            for part in parts:
                assert part.stdin
                part.stdin.write(f"secret-{i}\n")
                part.stdin.flush()
            found = {part.stdout.readline().strip() for part in parts if part.stdout}
            kept = (settings.state / "secrets" / f"secret-{i}").read_text().strip()
            assert len(kept) > 30
            assert found == {kept}
    finally:
        for part in parts:
            part.communicate()


def test_a_secret_that_is_there_stays(settings: config.Settings) -> None:
    path = folders.make_secret(settings, "worker")
    path.write_text("given by a person\n")
    assert folders.make_secret(settings, "worker").read_text() == "given by a person\n"
