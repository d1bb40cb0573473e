# SPDX-License-Identifier: GPL-2.0-only
"""The final config of each board type by each kernel source at hand, held against every need.

What is refused is in tests/long/deep/test_board_kernels.py; CI checks a tree of a few files
(tests/integration/test_build_check.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from tests.long.emulated import Emulated, emulated
from vlag import config
from vlag.config.catalogue import load
from vlag.kernel import option_versions
from vlag.kernel.kconfig import SETTING, Need, unmet
from vlag.pipeline.build_stage import check, fragments_of

pytestmark = pytest.mark.long

CATALOGUE = load()
#: With a config of its own; others only take in results.
TYPES = sorted(k.name for k in CATALOGUE.board_types.values() if k.kconfig)
REFS = ("linux-6.1", "linux-6.12")
#: Linux has the Raspberry Pi 5's device tree from 6.11 on.
TOO_OLD = {("rpi5", "linux-6.1"), ("rpi5-4k", "linux-6.1")}
#: That of 6.12 has no network card yet.
WITHOUT_NETWORK = {("rpi5", "linux-6.12"), ("rpi5-4k", "linux-6.12")}


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        yield made


@pytest.mark.parametrize("board_type", TYPES)
@pytest.mark.parametrize("ref", REFS)
def test_it_has_all_that_the_board_needs_and_each_is_missed(
    place: Emulated, board_type: str, ref: str
) -> None:
    found = check(
        settings=config.load(place.folder / "vlag.toml"), catalogue=CATALOGUE,
        tree="debian", ref=ref, board_type=board_type,
    )  # fmt: skip
    if (board_type, ref) in TOO_OLD:
        assert found.config.wrong is not None
        assert found.config.wrong.startswith("device tree: this kernel has no broadcom/bcm2712")
        return
    if (board_type, ref) in WITHOUT_NETWORK:
        assert found.config.wrong is not None
        assert "device tree has no device for the network of rpi5" in found.config.wrong
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
