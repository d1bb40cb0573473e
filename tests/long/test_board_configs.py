# SPDX-License-Identifier: GPL-2.0-only
"""The final config of each board type by each kernel source at hand, held against every need.

What is refused is in tests/long/deep/test_board_kernels.py; CI checks a tree of a few files
(tests/integration/test_build_check.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.long.emulated import Emulated, emulated
from vlag import config
from vlag.config.catalogue import load
from vlag.kernel.kconfig import unmet
from vlag.pipeline.build_stage import check

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
    for need in found.config.needs:
        dropped = {k: v for k, v in found.config.options.items() if k != need.option}
        assert unmet(found.config.needs, dropped) == [need]
