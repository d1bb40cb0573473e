"""Kills in a first start, in starts after a crash and a stop, while the service runs and stops."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench import beginnings
from tests.integration.installation import copy_checkout

pytestmark = pytest.mark.long


def test_nothing_is_lost_or_doubled_and_nobody_is_needed(tmp_path: Path) -> None:
    life = beginnings.Life.begin(tmp_path / "life", copy_checkout(tmp_path / "checkout"))
    try:
        moments = [moment for moment, _ in beginnings.faults(life, 5, random.Random(7))]
        assert set(moments) == {beginnings.FIRST, *beginnings.MOMENTS}
        found = beginnings.judged(life)
        asked = found.pop("asked for")
        assert asked
        assert not any(found.values()), found
        # Negative control: a request that nobody has taken is a loss.
        life.asked += 1
        assert beginnings.judged(life)["lost"] == 1
    finally:
        life.end()
