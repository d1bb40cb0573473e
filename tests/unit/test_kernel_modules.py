# SPDX-License-Identifier: GPL-2.0-only
"""Modules: which are built, what a bundle has of them, and what a board loads in which order."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests import sandboxes
from tests.unit.kernel_trees import arch_alone, module
from tests.unit.shipped import change, copied
from vlag import ROOT
from vlag.bundle import describe, sha256
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import RefusedError, UsageError
from vlag.kernel import modules
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.kconfig import Need, options, unmet
from vlag.kernel.mirror import Commit
from vlag.kernel.tuxmake_build import Recipe
from vlag.pipeline.boot import boot_entry, modules_of
from vlag.sandbox.results import OddResultError

pytestmark = pytest.mark.slow

CATALOGUE = load()
SIM = CATALOGUE.board_type("qemu-sim-2")
SWITCH = CATALOGUE.benchmark("stress-ng-switch")
LOAD = ROOT / "lava-jobs" / "boot" / "load-modules.sh"
#: What boards load of the tree below, where these options are modules.
WANTED = {"CONFIG_UPPER": ("upper",), "CONFIG_ALONE": ("alone",)}

#: A tree whose config has three modules; `upper` needs `lower`.
MAKEFILE = """
HOME_OF = $(INSTALL_MOD_PATH)/lib/modules/1.0
all:
defconfig:
	printf 'CONFIG_MODULES=y\\nCONFIG_UPPER=m\\nCONFIG_OTHER=m\\nCONFIG_SHOWN=y\\n' > $(O)/.config
olddefconfig:
Image bzImage:
	mkdir -p $(O)/arch/x86/boot $(O)/include/config
	echo 1.0 > $(O)/include/config/kernel.release
	echo image > $(O)/arch/x86/boot/$@
modules_install:
	mkdir -p $(HOME_OF)/kernel/x
	cp *.ko $(HOME_OF)/kernel/x
	ls *.ko | sed 's,^,kernel/x/,' > $(HOME_OF)/modules.order
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    for name in ("Kconfig", "Kbuild"):
        (folder / name).touch()
    (folder / "lower.ko").write_bytes(module("lower"))
    (folder / "upper.ko").write_bytes(module("upper", "lower"))
    return folder


def build(tmp_path: Path, source: Path, wanted: modules.Wanted, name: str = "bundle") -> Any:
    fragment = tmp_path / "board.config"
    fragment.write_text("CONFIG_UPPER=m\n" if wanted else "")
    return kernel_build.build(
        kernel=arch_alone("x86_64"), source=source, bundle=tmp_path / "builds" / name,
        recipe=Recipe(
            kconfig_target="defconfig", fragments=[fragment], modules=wanted,
            needs=[Need(option="CONFIG_UPPER", reason="it", module=True)] if wanted else [],
        ),
        tools=sandboxes.tools(tmp_path / "ccache"), reproduce="",
    )  # fmt: skip


def archive(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{name}.ko")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return path


def test_a_bundle_has_the_modules_that_its_board_asks_for(tmp_path: Path, source: Path) -> None:
    document = build(tmp_path, source, WANTED)
    bundle = tmp_path / "builds" / "bundle"
    assert document["reason"] is None
    found = options((bundle / "config").read_text())
    # What is a module by the target alone is left out; what is built in stays.
    assert (found["CONFIG_UPPER"], found["CONFIG_OTHER"], found["CONFIG_SHOWN"]) == ("m", "n", "y")
    assert describe(bundle, modules.FILE) in document["files"]
    board = evolve(SIM, modules=WANTED)
    assert modules_of(bundle, document, board) == [
        ("lower", module("lower")), ("upper", module("upper", "lower")),
    ]  # fmt: skip
    again = build(tmp_path, source, WANTED, "again")
    assert [f["sha256"] for f in again["files"] if f["path"] == modules.FILE] == [
        sha256(bundle / modules.FILE)
    ]
    (bundle / modules.FILE).write_bytes(b"other")
    with pytest.raises(RefusedError, match="not those that were built"):
        modules_of(bundle, document, board)


def test_without_the_option_nothing_is_built_as_a_module(tmp_path: Path, source: Path) -> None:
    document = build(tmp_path, source, {})
    bundle = tmp_path / "builds" / "bundle"
    assert document["reason"] is None
    assert modules.FILE not in {f["path"] for f in document["files"]}
    assert options((bundle / "config").read_text())["CONFIG_OTHER"] == "m"  # as ever
    assert modules_of(bundle, document, SIM) == []
    board = evolve(SIM, modules=WANTED)
    with pytest.raises(UsageError, match="without the modules upper, which boards of type"):
        modules_of(bundle, document, board)


@pytest.mark.parametrize(
    ("absent", "said"), [("upper", "no module upper; there are: lower"),
                         ("lower", "no module lower, which upper needs; there are: upper")]
)  # fmt: skip
def test_a_module_that_was_not_made_fails_the_build(
    tmp_path: Path, source: Path, absent: str, said: str
) -> None:
    (source / f"{absent}.ko").unlink()
    assert build(tmp_path, source, WANTED)["reason"] == f"modules: {said}"


def test_modules_come_after_what_they_need(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.tar",
        **{"a": module("a", "b", "c-d"), "b": module("b", "c_d"), "c-d": module("c_d"), "e": b""},
    )
    assert [name for name, _ in modules.ordered(path, ["e", "a"])] == ["e", "c_d", "b", "a"]
    assert [name for name, _ in modules.ordered(path, ["c_d", "a"])] == ["c_d", "b", "a"]
    circle = archive(tmp_path / "b.tar", a=module("a", "b"), b=module("b", "a"))
    with pytest.raises(UsageError, match="the modules a, b need each other"):
        modules.ordered(circle, ["a"])


def test_a_link_among_the_installed_modules_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "staging" / "lib" / "modules" / "1.0"
    home.mkdir(parents=True)
    (home / "modules.order").write_text("secret.ko\n")
    (home / "secret.ko").symlink_to("/etc/passwd")
    with pytest.raises(OddResultError, match=r"no plain file .*secret\.ko"):
        modules.take(tmp_path, "staging", "1.0", tmp_path / "a.tar")


def test_needs_are_met_by_a_module_only_of_a_board_that_loads_it(tmp_path: Path) -> None:
    kind = CATALOGUE.board_type("vhost-host")
    with_modules = evolve(kind, modules={"CONFIG_VHOST_NET": ("vhost_net",)})
    config = {n.option: "y" for n in kernel_needs.of_board_type(kind, CATALOGUE) if n.least is None}
    config |= {"CONFIG_NR_CPUS": "64", "CONFIG_VHOST_NET": "m"}
    [need] = unmet(kernel_needs.of_board_type(kind, CATALOGUE), config)
    assert need.refusal(config).endswith("needs CONFIG_VHOST_NET=y, the kernel made it m")
    assert unmet(kernel_needs.of_board_type(with_modules, CATALOGUE), config) == []
    config["CONFIG_VHOST_NET"] = "n"
    [need] = unmet(kernel_needs.of_board_type(with_modules, CATALOGUE), config)
    assert need.refusal(config).endswith("needs CONFIG_VHOST_NET=y or m, the kernel made it n")
    path = tmp_path / "config"
    path.write_text("CONFIG_VHOST_NET=m\n")
    asking = evolve(SWITCH, needs=evolve(SWITCH.needs, kconfig=("CONFIG_VHOST_NET",)))
    kernel_needs.check_boot(asking, with_modules, path)
    with pytest.raises(UsageError, match="needs CONFIG_VHOST_NET"):
        kernel_needs.check_boot(asking, kind, path)


def test_a_kernel_with_other_modules_is_another_kernel() -> None:
    def digest(wanted: Mapping[str, Sequence[str]]) -> str:
        commit = Commit(
            sha="a" * 40, describe="v1", subject="s", committed_at="2026-01-01T00:00:00Z"
        )
        found = kernel_build.identity(
            tree="t", branch="b", commit=commit, arch="x86_64",
            recipe=Recipe(kconfig_target="defconfig", modules=wanted),
        )  # fmt: skip
        return str(found["digest"])

    assert len({digest({}), digest(WANTED), digest({"CONFIG_UPPER": ("upper",)})}) == 3


def test_an_initramfs_without_modules_is_what_it_was() -> None:
    plain = boot_entry(SWITCH, {}, 1, {})
    assert boot_entry(SWITCH, {}, 1, {}, modules=[]).sha256 == plain.sha256
    assert b"modules" not in plain.archive.split(b"#!/bin/sh")[0]
    made = boot_entry(SWITCH, {}, 1, {}, modules=[("lower", b"ELF"), ("upper", b"ELF")])
    assert made.sha256 != plain.sha256
    # init reads /vlag/entry, and that the script; init itself is the same.
    assert b"\n. /vlag/load-modules\n" in made.archive
    assert b"lower\nupper\n" in made.archive
    init = (ROOT / "lava-jobs" / "boot" / "init.sh").read_bytes()
    assert init in made.archive
    assert init in plain.archive


def loads(tmp_path: Path, insmod: str, shell: Sequence[str] = ("sh",)) -> str:
    """Run the script with a program in place of insmod, which only a kernel can do."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "list").write_text("lower\nupper\n")
    program = tmp_path / "bin" / "insmod"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{insmod}\n")
    program.chmod(0o755)
    script = LOAD.read_text().replace("/vlag/modules/", f"{folder}/")
    done = subprocess.run(
        [*shell, "-c", f"PATH={program.parent}:$PATH\n{script}\necho next"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.replace(f"{folder}/", "")


@pytest.mark.parametrize("shell", [("sh",), ("busybox", "sh")], ids=" ".join)
def test_the_board_loads_them_and_says_so(tmp_path: Path, shell: Sequence[str]) -> None:
    said = loads(tmp_path, ":", shell)
    assert said == "@vlag:knob modules ok lower upper\nnext\n"


def test_the_first_that_does_not_load_is_named(tmp_path: Path) -> None:
    said = loads(tmp_path, 'case $1 in *upper*) echo "insmod: bad symbol" >&2; exit 1 ;; esac')
    assert said == "@vlag:knob modules failed upper: insmod: bad symbol\nnext\n"


def test_a_board_type_names_options_and_modules(tmp_path: Path) -> None:
    files = copied(tmp_path)
    path = files / "lava-jobs" / "devices" / "altra.yaml"
    change(path, "cmdline:", "modules: {CONFIG_ICE: [ice, irdma]}\ncmdline:")
    assert load(files).board_type("altra").modules == {"CONFIG_ICE": ("ice", "irdma")}
    change(path, "{CONFIG_ICE: [ice, irdma]}", "{CONFIG_ICE: [../ice]}")
    with pytest.raises(UsageError, match=re.escape("altra.yaml: modules.CONFIG_ICE.0")):
        load(files)
