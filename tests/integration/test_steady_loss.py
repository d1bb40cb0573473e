# SPDX-License-Identifier: GPL-2.0-only
"""A loss of about what matters that stays: nobody hears that it is fixed, and worse again."""

from __future__ import annotations

from pathlib import Path

from bench.years.steady import live
from vlag.store.database import Connection


def test_a_night_that_proves_nothing_heals_nothing(conn: Connection, tmp_path: Path) -> None:
    """Of these nights one has a rerun that refutes the loss: the interval is within 3 %."""
    said = live(conn, tmp_path / "state", seed=1, loss=0.021, nights=14)
    assert said["alert opened"] == 1
    assert not said["alert withdrawn"]
    assert not said["fixed"]
    assert said["worse_since"] == 1
    assert said["worse"] >= 10
    # Negative control: such a night was there.
    refuted = conn.execute(
        "SELECT count(*) FROM read_model.verdict WHERE board_type = 'rpi5'"
        " AND benchmark = 'stress-ng-switch' AND standing = 'refuted' AND worsening > 0.01"
    ).fetchone()
    assert refuted is not None
    assert refuted[0] >= 1
    assert said["uncertain"] >= 1
