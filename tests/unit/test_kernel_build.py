# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of more than one architecture: which compiler, through the cache, which image."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import sandboxes
from tests.unit.kernel_trees import arch_alone, build, source
from vlag.config.catalogue import load, load_board_types
from vlag.errors import UsageError
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.series import Patch, Trailers
from vlag.kernel.tuxmake import CACHED
from vlag.kernel.tuxmake_build import Recipe
from vlag.sandbox import NONE, Rules

__all__ = ["source"]  # fixtures

pytestmark = pytest.mark.slow

#: Machine in an ELF header, as readelf names it.
MACHINES = {"arm64": "AArch64", "x86_64": "Advanced Micro Devices X86-64"}


def machine(image: Path) -> str:
    done = subprocess.run(["readelf", "-h", image], capture_output=True, text=True, check=True)
    return next(line for line in done.stdout.splitlines() if "Machine:" in line).split(":")[1]


@pytest.mark.parametrize(
    ("arch", "target", "compiler"),
    [("arm64", "Image", "aarch64-linux-gnu-gcc"), ("x86_64", "bzImage", "gcc")],
)
def test_each_architecture_has_its_compiler_and_image(
    tmp_path: Path, source: Path, arch: str, target: str, compiler: str
) -> None:
    document = build(tmp_path, source, arch)
    bundle = tmp_path / "builds" / "bundle"
    assert document["reason"] is None
    assert document["toolchain"].startswith(f"{compiler} (")
    assert machine(bundle / document["image"]["path"]).strip() == MACHINES[arch]
    log = (bundle / "build.log").read_text()
    assert f"made {target} by ccache" in log
    assert json.loads((bundle / "build.json").read_text()) == document


def test_a_rust_compiler_of_this_machine_changes_no_config(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "rules", lambda: Rules(kind=NONE))  # it would hide the program
    document = build(tmp_path, source, "x86_64", "without")
    without = document["config"]
    # Kernels that were made before this was so are made again.
    assert document["environment"]["RUSTC"] == "no-rustc"
    program = tmp_path / "bin" / "rustc"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 109500\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert build(tmp_path, source, "x86_64", "with")["config"] == without
    text = (tmp_path / "builds" / "with" / "config").read_text()
    assert set(text.splitlines()) == {"CONFIG_RUSTC_VERSION=0"}


def statistics(cache: Path) -> dict[str, int]:
    done = subprocess.run(
        ["ccache", "--print-stats"], capture_output=True, text=True, check=True,
        env={**os.environ, "CCACHE_DIR": str(cache), **CACHED},
    )  # fmt: skip
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in done.stdout.splitlines()}


def hits(cache: Path) -> int:
    counted = statistics(cache)
    return counted["direct_cache_hit"] + counted["preprocessed_cache_hit"]


def test_the_cross_compiler_goes_through_the_cache(tmp_path: Path, source: Path) -> None:
    first = build(tmp_path, source, "arm64", "first")
    assert hits(tmp_path / "ccache") == 0
    second = build(tmp_path, source, "arm64", "second")
    assert hits(tmp_path / "ccache") == 1
    assert first["image"] == second["image"]


@pytest.mark.parametrize("repository", [True, False])
def test_the_cache_preprocesses_nothing_where_the_headers_are_known(
    tmp_path: Path, source: Path, repository: bool
) -> None:
    if repository:
        for words in (("init", "--quiet"), ("add", "--all")):
            subprocess.run(["git", "-C", source, *words], check=True)
    assert build(tmp_path, source, "x86_64")["reason"] is None
    missed = statistics(tmp_path / "ccache")
    assert missed["cache_miss"] == 1
    assert missed["preprocessed_cache_miss"] == (0 if repository else 1)


def test_a_header_of_a_patch_is_seen(tmp_path: Path, source: Path) -> None:
    """As by a patch: it is applied after the tools are prepared."""
    subprocess.run(["git", "-C", source, "init", "--quiet"], check=True)
    subprocess.run(["git", "-C", source, "add", "--all"], check=True)
    text = 'asm(".incbin \\"payload\\"");'
    diff = (
        "diff --git a/take.h b/take.h\nnew file mode 100644\n--- /dev/null\n"
        f"+++ b/take.h\n@@ -0,0 +1 @@\n+{text}\n"
    ).encode()
    patch = Patch(name="add.patch", sha256="", subject="add", trailers=Trailers(), data=diff)
    kernel_build.build(
        kernel=arch_alone("x86_64"), source=source, bundle=tmp_path / "builds" / "bundle",
        recipe=Recipe(kconfig_target="allnoconfig"), patches=[patch],
        tools=sandboxes.tools(tmp_path / "ccache"), reproduce="",
    )  # fmt: skip
    assert statistics(tmp_path / "ccache")["preprocessed_cache_miss"] == 1


def test_one_cache_for_two_architectures(tmp_path: Path, source: Path) -> None:
    """What one compiler made is never given for the other."""
    images = {arch: build(tmp_path, source, arch, arch)["image"]["sha256"] for arch in MACHINES}
    assert hits(tmp_path / "ccache") == 0
    assert len(set(images.values())) == 2


def test_an_architecture_without_compiler(tmp_path: Path, source: Path) -> None:
    with pytest.raises(UsageError, match="kernel for arch m68k: only for x86_64, arm64"):
        build(tmp_path, source, "m68k")
    assert not (tmp_path / "builds").exists()


def test_a_compiler_that_is_missing(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="aarch64-linux-gnu-gcc, the compiler for arm64, is miss"):
        build(tmp_path, source, "arm64")
    assert not (tmp_path / "builds").exists()


def test_a_kernel_can_be_built_for_each_board_type() -> None:
    for board_type in load().board_types.values():
        assert board_type.arch in MACHINES, board_type.name


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (("bcm2711_defconfig", "bcm2712_defconfig", "defconfig"), "bcm2712_defconfig"),
        # arch/arm64/configs of Debian's 6.12, and of its 6.1
        (("defconfig", "hardening.config", "virt.config"), "defconfig"),
        (("defconfig",), "defconfig"),
    ],
)
def test_a_board_begins_with_the_config_that_its_tree_has(
    there: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    configs = tmp_path / "arch" / "arm64" / "configs"
    configs.mkdir(parents=True)
    for name in there:
        (configs / name).touch()
    target = load_board_types()["rpi5"].kconfig_target
    assert kernel_build.chosen(target, "arm64", tmp_path) == expected
    assert kernel_build.chosen("allnoconfig", "arm64", tmp_path) == "allnoconfig"
