# SPDX-License-Identifier: GPL-2.0-only
"""The same source gives the same image: another path, a cold compiler cache."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.evidence import table, write
from tests.night.clone import Night
from vlag import ROOT

pytestmark = pytest.mark.long

NIGHT = "the night's clone"


def night_build(night: Night) -> dict[str, Any]:
    """Return the night's own build of 6.12."""
    documents = [json.loads(p.read_text()) for p in night.state.glob("builds/*/*/build.json")]
    return next(d for d in documents if d["kernel"]["branch"] == "linux-6.12")


def build_again(folder: Path) -> dict[str, Any]:
    """Import and build 6.12 in an empty state folder."""
    folder.mkdir(parents=True)
    settings = folder / "vlag.toml"
    settings.write_text((ROOT / "vlag.toml").read_text())
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "build", "--tree", "debian",
         "--ref", "linux-6.12", "--board-type", "qemu-sim-2", "--format", "json"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "VLAG_SETTINGS": str(settings)},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    bundle = Path(json.loads(done.stdout.splitlines()[-1])["bundle"])
    document: dict[str, Any] = json.loads((bundle / "build.json").read_text())
    return document


def test_two_builds_from_nothing_give_one_image(night: Night, tmp_path: Path) -> None:
    builds = {
        NIGHT: night_build(night),
        "another, longer path": build_again(tmp_path / "another-longer-path" / "state"),
    }
    write(
        "reproducible-build",
        "The same source gives the same image",
        "pytest -m long tests/long/test_reproducible_build.py",
        [f"compiler: {builds[NIGHT]['toolchain']}"],
        [
            "Debian's 6.12 imported and built twice from nothing, each with a cold cache.",
            "",
            *table(
                ["where", "kernel", "image", "config"],
                (
                    (
                        where,
                        d["kernel"]["digest"][:16],
                        d["image"]["sha256"][:16],
                        d["config"]["sha256"][:16],
                    )
                    for where, d in builds.items()
                ),
            ),
        ],
    )
    one, two = builds.values()
    assert one["kernel"]["digest"] == two["kernel"]["digest"]
    assert one["config"] == two["config"]
    assert one["image"] == two["image"]
