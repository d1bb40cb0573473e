# SPDX-License-Identifier: GPL-2.0-only
"""The final config of each board type by each kernel source, held against every need.

Sources are Debian's and those of `VLAG_TEST_TREES` (tests/long/kernel_sources.py).
What is refused is in tests/long/deep/test_board_kernels.py; CI checks a tree of a few files
(tests/integration/test_build_check.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.long import kernel_sources
from tests.long.emulated import Emulated, emulated
from tests.long.kernel_sources import Tree
from tests.unit.device_facts import DRIVERS, OTHERS
from vlag import config
from vlag.config import Settings
from vlag.config.catalogue import load
from vlag.kernel import option_versions
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.drivers import Source
from vlag.kernel.kconfig import SETTING, Need, unmet
from vlag.pipeline.build_stage import Checked, check, commit_of, fragments_of, worktree

pytestmark = pytest.mark.long

CATALOGUE = load()
#: With a config of its own; others only take in results.
TYPES = sorted(k.name for k in CATALOGUE.board_types.values() if k.kconfig)
TREES = {tree.label: tree for tree in kernel_sources.trees()}
#: Where kernels have the Raspberry Pi 5's device tree.
RPI5 = ("arch/arm64/boot/dts/broadcom/bcm2712*", "arch/arm64/boot/dts/broadcom/rp1*")


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        yield made


@pytest.fixture(scope="module", params=TREES)
def tree(request: pytest.FixtureRequest, place: Emulated) -> tuple[Tree, Settings]:
    """Give a tree, and settings that have it."""
    its = TREES[request.param]
    path = place.folder / f"with-{its.label}.toml"
    shipped = (place.folder / "vlag.toml").read_text(encoding="utf-8")
    path.write_text(f"{shipped}\n{kernel_sources.table(its, place.folder)}")
    return its, config.load(path)


def refused(found: Checked, repository: Path, board_type: str) -> str | None:
    """Return why this source has no kernel for a board type, as git sees its files."""
    if not board_type.startswith("rpi5"):
        return None
    if not kernel_sources.has(repository, found.commit.sha, "", [f"{RPI5[0]}-rpi-5-b.dts"]):
        return "device tree: this kernel has no broadcom/bcm2712-rpi-5-b.dtb"
    if not kernel_sources.has(repository, found.commit.sha, "ethernet0 =", RPI5):
        return "device tree has no device for the network of rpi5"
    return None


@pytest.mark.parametrize("board_type", TYPES)
def test_it_has_all_that_the_board_needs_and_each_is_missed(
    tree: tuple[Tree, Settings], board_type: str, capsys: pytest.CaptureFixture[str]
) -> None:
    its, settings = tree
    found = check(
        settings=settings, catalogue=CATALOGUE,
        tree=its.name, ref=its.ref, board_type=board_type,
    )  # fmt: skip
    with capsys.disabled():
        print(f"\n{its.label}: {board_type}: {found.config.wrong or 'complete'}")
        print("".join(f"    not known: {sentence}\n" for sentence in found.config.unknown))
    why_not = refused(found, settings.mirror(its.name), board_type)
    if why_not is not None:
        assert found.config.wrong is not None
        assert why_not in found.config.wrong
        return
    assert found.config.wrong is None
    assert found.config.needs
    assert unmet(found.config.needs, found.config.options) == []
    needs = found.config.needs
    for need in needs:
        for fate, options in mutations(need, found.config.options).items():
            assert unmet(needs, options) == [need], fate
        module = {**found.config.options, need.option: "m"}
        assert unmet(needs, module) == ([] if need.module else [need])


def test_each_number_of_a_device_is_the_one_that_its_driver_lists(
    tree: tuple[Tree, Settings],
) -> None:
    """Controls: cards of other drivers, and one that no driver has."""
    its, settings = tree
    commit = commit_of(settings, its.name, its.ref)
    asked = {**DRIVERS, **OTHERS}
    with kernel_build.checkout(
        settings.mirror(its.name), worktree(settings, its.name), commit.sha
    ) as source:
        known = Source(source, "arm64").drivers([*asked, "pci:8086:0001"])
    assert {name: [d.file for d in found] for name, found in known.items()} == {
        **{name: [file] for name, file in asked.items()},
        "pci:8086:0001": [],
    }


def mutations(need: Need, options: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return configs that lack a need, by what has become of it."""
    rest = {k: v for k, v in options.items() if k != need.option}
    return {
        "dropped": rest,
        "switched off": {**rest, need.option: "n"},
        "renamed": {**rest, f"{need.option}_ANEW": options[need.option]},
    }


@pytest.mark.parametrize("board_type", TYPES)
@pytest.mark.parametrize("version", [(6, 1), (6, 12), (7, 4)])
def test_an_option_that_a_newer_kernel_renames_is_refused(
    board_type: str, version: tuple[int, int]
) -> None:
    """No kernel knows the option: each that its fragments ask for is a sentence of its own."""
    lifetimes = option_versions.load()
    asked = [
        match.groups()
        for fragment in fragments_of(CATALOGUE.board_type(board_type))
        for line in fragment.read_text().splitlines()
        if (match := SETTING.match(line))
    ]
    assert asked
    for option, value in asked:
        its = lifetimes.get(option)
        why_not = option_versions.refusal(option, value, version, {}, lifetimes)
        may_lack = its is not None and its.name is None and its.may_lack(version)
        assert (why_not is None) is may_lack, option
