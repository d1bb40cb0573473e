"""The same source gives the same image: other path, other user folder, cold compiler cache."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.evidence import table, write
from vlag import ROOT

pytestmark = pytest.mark.long


def build(folder: Path) -> dict[str, str]:
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
    document = json.loads((bundle / "build.json").read_text())
    return {
        "path": folder.name,
        "kernel": document["kernel"]["digest"],
        "image": document["image"]["sha256"],
        "config": document["config"]["sha256"],
        "toolchain": document["toolchain"],
    }


def test_two_builds_from_nothing_give_one_image(tmp_path: Path) -> None:
    builds = [build(tmp_path / "a"), build(tmp_path / "another-longer-path" / "b")]
    same = {k for k in builds[0] if builds[0][k] == builds[1][k]}
    write(
        "reproducible-build",
        "The same source gives the same image",
        "pytest -m long tests/long/test_reproducible_build.py",
        [f"compiler: {builds[0]['toolchain']}"],
        [
            "Debian's 6.12 imported and built twice, each time in an empty state folder.",
            "",
            *table(
                ["path", "kernel", "image", "config"],
                ((b["path"], b["kernel"][:16], b["image"][:16], b["config"][:16]) for b in builds),
            ),
        ],
    )
    assert same >= {"kernel", "image", "config"}
