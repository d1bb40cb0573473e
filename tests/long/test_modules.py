# SPDX-License-Identifier: GPL-2.0-only
"""Modules on a real kernel: built by need, packed, and loaded on an emulated board."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.long.emulated import Emulated, emulated
from tests.night.clone import environment
from vlag import ROOT
from vlag.bundle import describe
from vlag.errors import ExitCode
from vlag.kernel import modules
from vlag.kernel.kconfig import options

pytestmark = pytest.mark.long

#: cuse needs fuse; neither needs a disk or a network.
FRAGMENT = "CONFIG_FUSE_FS=m\nCONFIG_CUSE=m\n"


@frozen(kw_only=True)
class Changed(Emulated):
    """The same with a copy of this checkout, which a test may change."""

    copy: Path

    def call(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [Path(sys.executable).with_name("vlag"), *map(str, arguments), "--format", "json"],
            capture_output=True, text=True, check=False, cwd=self.copy,
            env={**environment(self.folder / "vlag.toml"), "PYTHONPATH": str(self.copy)},
        )  # fmt: skip

    def vlag(self, *arguments: object) -> dict[str, Any]:
        done = self.call(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stderr}"
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    def fragment(self, text: str) -> None:
        (self.copy / "workers" / "kconfig" / "modules.config").write_text(text)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changed]:
    copy = tmp_path_factory.mktemp("modules") / "vlag"
    for name in ("vlag", "lava-jobs", "workers", "ansible", "schemas", "kernel-patches"):
        shutil.copytree(ROOT / name, copy / name)
    board = copy / "lava-jobs" / "devices" / "qemu.yaml"
    board.write_text(
        board.read_text()
        + "kconfig: [scheduler.config, qemu-sim.config, modules.config]\n"
        + "modules: {CONFIG_CUSE: [cuse]}\n"
    )
    with emulated() as made:
        found = Changed(folder=made.folder, database=made.database, copy=copy)
        found.fragment(FRAGMENT)
        yield found


@pytest.fixture(scope="module")
def kernel(place: Changed) -> Path:
    return place.build("qemu")


def test_the_bundle_has_the_modules_in_order(kernel: Path) -> None:
    found = options((kernel / "config").read_text())
    assert (found["CONFIG_CUSE"], found["CONFIG_FUSE_FS"]) == ("m", "m")
    asked = modules.ordered(kernel / modules.FILE, ["cuse"])
    assert [name for name, _ in asked] == ["fuse", "cuse"]
    assert all(data.startswith(b"\x7fELF") for _, data in asked)


def test_the_board_loads_them(place: Changed, kernel: Path) -> None:
    ran = place.run(kernel, "qemu-1", "stress-ng-switch", 300, {"duration_s": 2})
    assert ran.document["outcome"] == "complete"
    assert ran.document["read_back"]["modules"] == "fuse cuse"


def test_a_module_that_the_kernel_refuses_is_named(
    place: Changed, kernel: Path, tmp_path: Path
) -> None:
    """Negative control: without the module that it needs cuse does not load."""
    document = json.loads((kernel / "build.json").read_text())
    other = tmp_path / "kernel"
    shutil.copytree(kernel, other)
    cuse = dict(modules.ordered(kernel / modules.FILE, ["cuse"]))["cuse"]
    scratch = tmp_path / "staging" / "lib" / "modules" / "1"
    scratch.mkdir(parents=True)
    # It no longer says what it needs, in as many bytes.
    assert b"\0depends=fuse\0" in cuse
    (scratch / "cuse.ko").write_bytes(cuse.replace(b"\0depends=fuse\0", b"\0depends=\0xxx\0"))
    (scratch / "modules.order").write_text("cuse.ko\n")
    modules.take(tmp_path, "staging", "1", other / modules.FILE)
    document["files"] = [
        describe(other, f["path"]) if f["path"] == modules.FILE else f for f in document["files"]
    ]
    (other / "build.json").write_text(json.dumps(document))
    done = place.call(
        "run", other, "--board", "qemu-1", "--benchmark", "stress-ng-switch", "--timeout", 300
    )
    assert done.returncode == ExitCode.INFRASTRUCTURE, done.stderr
    assert re.search("modules is not as asked for: the board says .cuse: insmod: ", done.stderr)


def test_a_need_that_is_a_module_fails_where_no_board_loads_it(place: Changed) -> None:
    board = place.copy / "lava-jobs" / "devices" / "qemu.yaml"
    place.fragment(f"{FRAGMENT}CONFIG_FUTEX_PI=y\nCONFIG_CRC7=m\n")
    entry = place.copy / "lava-jobs" / "benchmarks" / "stress-ng-switch" / "benchmark.yaml"
    shipped = entry.read_text()
    entry.write_text(shipped.replace("metrics:", "needs: {kconfig: [CONFIG_CRC7]}\nmetrics:", 1))
    with_module = board.read_text()
    check = ("build", "--check", "--tree", "debian", "--ref", "linux-6.12", "--board-type", "qemu")
    try:
        done = place.call(*check)
        assert done.returncode == ExitCode.KERNEL_FAILED
        assert "needs CONFIG_CRC7=y, the kernel made it m" in done.stdout
        board.write_text(with_module.replace("{CONFIG_CUSE", "{CONFIG_CRC7: [crc7], CONFIG_CUSE"))
        assert place.vlag(*check)["wrong"] is None
    finally:
        entry.write_text(shipped)
        board.write_text(with_module)
        place.fragment(FRAGMENT)
