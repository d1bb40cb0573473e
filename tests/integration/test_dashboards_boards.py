# SPDX-License-Identifier: GPL-2.0-only
"""Heat, clock and queue of boards as rows of the dashboards' panels."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboards.interpolation import interpolate
from dashboards.statements import of_dashboard
from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.grafana import BOARDS, Filled, opened
from vlag.config.catalogue import Catalogue

NEW = bundles.kernel("6.12")
NIGHT = datetime.datetime(2026, 3, 1, 22, tzinfo=datetime.UTC)
ZONE = "/sys/class/thermal/thermal_zone{}/temp"
CLOCK = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_cur_freq"
HOT = {
    ZONE.format(0): "61500",
    ZONE.format(1): "47000",
    CLOCK.format(0): "2400000",
    CLOCK.format(4): "1500000",
    "throttled": "throttled=0x50000",
}
COOL = {
    ZONE.format(0): "52000",
    ZONE.format(9): "unreadable: No such device",
    CLOCK.format(0): "2400000",
    "throttled": "unreadable: no vcgencmd on this board",
}


def after(minutes: int) -> str:
    return f"{NIGHT + datetime.timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def filled(cluster: str, template: str, catalogue: Catalogue, tmp_path: Path) -> Iterator[Filled]:
    """Two boards: one at work for half of an hour with a pause, and one that is never asked."""
    for conn, reader in opened(fresh_database(cluster, template)):
        board = {
            **bundles.BOARD, "name": "rpi5-1", "board_type": "rpi5", "cpus": 4,
            "deterministic": False, "emulator": None,
        }  # fmt: skip
        paths = [bundles.build(tmp_path / "build", NEW)]
        # From minute to minute; the second and the third have no pause between them.
        for seed, (start, end, said) in enumerate(((0, 10, COOL), (30, 40, HOT), (40, 50, {})), 1):
            paths.append(
                bundles.run(
                    tmp_path / f"run-{seed}", NEW, catalogue, seed=seed, board=board,
                    started_at=after(start), finished_at=after(end), environment=said,
                )
            )  # fmt: skip
        idle = {**board, "name": "rpi5-2"}
        paths.append(
            bundles.run(
                tmp_path / "idle", NEW, catalogue, seed=9, board=idle,
                started_at="2026-02-01T00:00:00Z", finished_at="2026-02-01T00:10:00Z",
            )
        )  # fmt: skip
        bundles.store(conn, catalogue, paths)
        yield Filled(conn=conn, reader=reader, comparisons=[])


def panel(
    of: Filled, title: str, hours: int = 1, before: datetime.timedelta = datetime.timedelta()
) -> dict[str, dict[str, Any]]:
    """Return the rows of a panel by board; the time range begins with the night, or before it."""
    (found,) = [s for s in of_dashboard(BOARDS["vlag-boards"]) if f" {title}" in s.place]
    values = of.reader.values("vlag-boards")
    end = NIGHT + datetime.timedelta(hours=hours)
    rows = of.reader.ask(interpolate(found.sql, values, NIGHT - before, end)).by_name()
    return {r["board"]: r for r in rows}


def test_what_boards_said_of_heat_and_clock(filled: Filled) -> None:
    found = panel(filled, "Throttling")
    hot = found["rpi5-1"]
    # Sysfs has thousandths of a degree and kilohertz.
    assert float(hot["hottest"]) == 61.5
    assert (float(hot["slowest clock"]), float(hot["fastest clock"])) == (1.5e9, 2.4e9)
    assert hot["firmware says"] == "throttled=0x50000"
    assert hot["boots"] == 2
    # A board that said nothing in the time range is there, and says nothing.
    idle = found["rpi5-2"]
    assert idle["boots"] == 0
    assert {idle[k] for k in ("hottest", "slowest clock", "firmware says")} == {None}
    assert list(found) == ["rpi5-1", "rpi5-2"]


def test_what_cannot_be_read_is_no_heat(filled: Filled) -> None:
    filled.conn.execute("UPDATE run SET environment = '{}' WHERE seed = 2")
    found = panel(filled, "Throttling")["rpi5-1"]
    assert float(found["hottest"]) == 52
    assert found["firmware says"] is None
    assert float(found["slowest clock"]) == 2.4e9


def test_how_full_the_boards_were(filled: Filled) -> None:
    found = panel(filled, "Board utilization")
    busy = found["rpi5-1"]
    assert busy["boots"] == 3
    assert busy["at work"] == pytest.approx(0.5)
    assert busy["longest pause"] == 20 * 60
    assert busy["last boot"] == NIGHT + datetime.timedelta(minutes=50)
    idle = found["rpi5-2"]
    assert (idle["boots"], idle["at work"], idle["longest pause"]) == (0, None, None)
    # Over two hours it is half as full.
    assert panel(filled, "Board utilization", hours=2)["rpi5-1"]["at work"] == pytest.approx(0.25)
    # What was before the first boot on record, or is still to come, makes no board idle.
    earlier = panel(filled, "Board utilization", before=datetime.timedelta(days=30))["rpi5-1"]
    assert earlier["at work"] == pytest.approx(0.5)
    years = 24 * 365 * 50
    assert panel(filled, "Board utilization", hours=years)["rpi5-1"]["at work"] > 2 * 0.5 / years
    # The figures of reports keep no board busy.
    filled.conn.execute("UPDATE run SET synthetic = true")
    assert panel(filled, "Board utilization")["rpi5-1"]["boots"] == 0
    assert panel(filled, "Throttling")["rpi5-1"]["boots"] == 0
