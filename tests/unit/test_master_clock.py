# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""A night begins once a day, also on the days when summer time begins and ends."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from buildbot.plugins import schedulers

from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.schedulers import ByTheClock


@pytest.fixture(params=["Europe/London", "America/New_York", "Australia/Lord_Howe", "UTC"])
def zone(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield ZoneInfo(request.param)
    monkeypatch.undo()
    time.tzset()


def starts(kind, zone: ZoneInfo, hour: int, days: int = 365) -> list[datetime]:
    """Return when a scheduler starts in so many days from new year on."""
    made = kind(name="night", builderNames=["nightly"], hour=hour, minute=30)
    made.hour, made.minute = hour, 30
    made.dayOfMonth = made.month = made.dayOfWeek = "*"
    at = datetime(2026, 1, 1, 12, tzinfo=zone).timestamp()
    end, found = at + 86400 * days, []
    while True:
        made.getNextBuildTime(at).addCallback(found.append)
        at = found[-1]
        if at > end:
            return [datetime.fromtimestamp(x, UTC).astimezone(zone) for x in found[:-1]]


@pytest.mark.parametrize("hour", [1, 2])
def test_once_a_day_all_year(zone, hour):
    found = starts(ByTheClock, zone, hour)
    first = found[0].date()
    assert [x.date() for x in found] == [first + timedelta(days=n) for n in range(365)]
    # All but the one that the clock leaves out begin when it shows the time.
    odd = [x for x in found if (x.hour, x.minute) != (hour, 30)]
    assert len(odd) <= 1
    for a, b in pairwise(found):
        assert timedelta(hours=22) < b.astimezone(UTC) - a.astimezone(UTC) < timedelta(hours=26)


def test_buildbots_own_starts_twice(monkeypatch):
    """Negative control: why there is one of ours."""
    monkeypatch.setenv("TZ", "Europe/London")
    time.tzset()
    days = [x.date() for x in starts(schedulers.Nightly, ZoneInfo("Europe/London"), 1)]
    monkeypatch.undo()
    time.tzset()
    assert len(days) != len(set(days)) or len(days) != 365
