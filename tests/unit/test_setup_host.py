"""`workers/setup-host` checks the machine before it fetches anything, as README.md says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from vlag import ROOT

SETUP = ROOT / "workers" / "setup-host"


def set_up(folder: Path, *, free_gb: int, memory_gb: float) -> str:
    """Return what it says on a machine where every apt-get is a failure of this test."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in (
        ("df", f"echo Avail\necho {free_gb * 1_000_000}"),
        ("apt-get", f"touch {folder}/fetched\nexit 1"),
        ("dpkg-query", "exit 1"),
        ("sudo", "exit 1"),
        ("id", "echo 1000"),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    meminfo = folder / "meminfo"
    meminfo.write_text(f"MemTotal:       {int(memory_gb * 1_000_000)} kB\nMemFree: 1 kB\n")
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        [SETUP], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "VLAG_MEMINFO": str(meminfo)},
    )  # fmt: skip
    assert done.returncode == 2
    assert not (folder / "fetched").exists()
    return done.stderr


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ({"free_gb": 14, "memory_gb": 8}, "14 GB free under "),
        ({"free_gb": 20, "memory_gb": 2}, "2000 MB of memory; "),
        # Enough of both: it goes on to the packages, which it may not install here.
        ({"free_gb": 15, "memory_gb": 3.8}, "cannot install Debian packages: "),
    ],
)
def test_a_small_machine_is_refused_before_anything_is_fetched(
    tmp_path: Path, machine: dict[str, float], said: str
) -> None:
    assert said in set_up(tmp_path, **machine)  # type: ignore[arg-type]


def test_the_pages_say_what_is_checked() -> None:
    script = SETUP.read_text()
    found = re.search(r"disk_gb=(\d+) memory_gb=(\d+)", script)
    assert found
    disk, memory = found.groups()
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"with {memory} GB of memory and {disk} GB of free disk" in readme
    assert set(re.findall(r"(\d+) GB of free disk", readme)) == {disk}
    operate = (ROOT / "docs" / "operate.md").read_text()
    assert f"checks memory and disk ({memory} GB, {disk} GB)" in operate


def test_what_validation_lacks_comes_with_the_list_that_its_hint_names() -> None:
    """LAVA's device types are in lava-server, which the service itself does without."""
    lists = {
        name: (ROOT / "workers" / "packages" / f"{name}.txt").read_text().splitlines()
        for name in ("worker", "host", "check")
    }
    hint = (ROOT / "vlag" / "operate" / "farm" / "lava_config.py").read_text()
    assert "lava-server" not in lists["worker"] + lists["host"]
    assert "lava-server" in lists["check"]
    assert "lava-server: `make setup-check` installs it" in hint
