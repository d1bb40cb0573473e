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
        tree="debian", ref=ref, board_type=board_type, say=print,
    )  # fmt: skip
    if (board_type, ref) in TOO_OLD:
        assert found.wrong is not None
        assert found.wrong.startswith("device tree: this kernel has no broadcom/bcm2712")
        return
    assert found.wrong is None
    assert found.needs
    assert unmet(found.needs, found.options) == []
    for need in found.needs:
        dropped = {k: v for k, v in found.options.items() if k != need.option}
        assert unmet(found.needs, dropped) == [need]
