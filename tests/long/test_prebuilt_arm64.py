# SPDX-License-Identifier: GPL-2.0-only
"""A kernel that Debian has built for arm64, fetched, unpacked and booted on the emulated board."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.emulated import Emulated, board_of, emulated
from tests.night.clone import environment
from tests.night.digests import figures
from vlag.errors import ExitCode

pytestmark = pytest.mark.long

TREE = """
[trees.prebuilt-arm64.images]
"6.1" = "linux-image-6.1.*-cloud-arm64"
"6.12" = "linux-image-6.12.*-cloud-arm64"
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        settings = made.folder / "vlag.toml"
        if "prebuilt-arm64" not in settings.read_text():
            settings.write_text(settings.read_text() + TREE)
        yield made


@pytest.mark.parametrize("branch", ["6.1", "6.12"])
def test_a_prebuilt_kernel_of_arm64_is_measured(place: Emulated, branch: str) -> None:
    words = ("--tree", "prebuilt-arm64", "--ref", branch, "--board-type", "qemu-arm64")
    built = place.vlag("build", *words)
    kernel = Path(built["bundle"])
    document = json.loads((kernel / "build.json").read_text())
    assert document["kernel"]["arch"] == "arm64"
    assert document["release"].startswith(f"{branch}.")
    assert document["release"].endswith("-cloud-arm64")
    ran = place.run(kernel, board_of("qemu-arm64"), "stress-ng-switch", 300, {"duration_s": 2})
    assert document["release"] in ran.environment["uname"]
    assert [s for s in figures(ran.folder, ran.document).samples if s.values]
    # Asked for again, nothing is unpacked twice.
    assert place.vlag("build", *words)["bundle"] == built["bundle"]


def test_the_other_architecture_is_refused(place: Emulated) -> None:
    """Negative control: a board of x86-64 for the same kernel."""
    refused = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "build", "--tree", "prebuilt-arm64",
         "--ref", "6.12", "--board-type", "qemu-sim-2"],
        capture_output=True, text=True, check=False, env=environment(place.folder / "vlag.toml"),
    )  # fmt: skip
    assert refused.returncode == ExitCode.USAGE
    assert "arm64" in refused.stderr
    assert "x86_64" in refused.stderr
    assert "Traceback" not in refused.stderr
