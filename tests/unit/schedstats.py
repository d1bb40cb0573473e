# SPDX-License-Identifier: GPL-2.0-only
"""Captures of /proc/schedstat and of what perf prints of it, and what tests do to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.fuzz.properties import SCHEDSTAT
from tests.unit.captures import replaced
from vlag.errors import ParseError
from vlag.parsers import schedstat
from vlag.parsers.schedstat import Interval
from vlag.schedstat.interval_difference import DiffData, DiffRow, Side

DIFF = "perf-diff-15-17-default.txt"
REPORT, DIFF_7_2 = "perf-7.2-report.txt", "perf-7.2-diff.txt"


def raw(name: str) -> bytes:
    """Return the bytes of a capture."""
    return (SCHEDSTAT / name).read_bytes()


def snapshots(
    capture: str, factors: Mapping[str, float], every: float, hz: int
) -> tuple[bytes, bytes]:
    """Return a real pair of snapshots whose CPUs counted so many times more in between.

    `every` is the factor of all counters, `factors` of some beside it; the capture's kernel had
    250 jiffies a second.
    """
    before, after = (raw(f"{capture}-{when}.txt") for when in ("before", "after"))
    lines = []
    for old, new in zip(before.splitlines(), after.splitlines(), strict=True):
        first, *was = old.decode().split()
        _, *now = new.decode().split()
        if first == "timestamp":
            now = [str(int(was[0]) + (int(now[0]) - int(was[0])) * hz // 250)]
        elif first.startswith("cpu"):
            times = [every * factors.get(name, 1.0) for name in schedstat.CPU_FIELDS]
            now = [
                str(int(a) + round((int(b) - int(a)) * f))
                for a, b, f in zip(was, now, times, strict=True)
            ]
        lines.append(" ".join((first, *now)))
    return before, "".join(f"{line}\n" for line in lines).encode()


def bent(name: str, old: str, new: str) -> bytes:
    """Return the bytes of a capture with the first `old` replaced by `new`."""
    return replaced(raw(name), old, new)


def refused(call: Callable[[], object]) -> str:
    """Return the text of the ParseError that the call raises."""
    with pytest.raises(ParseError) as caught:
        call()
    return str(caught.value)


def side(counts: Interval, source: str = "x", hz: int | None = None) -> Side:
    """Return one side of a comparison."""
    return Side(source=source, counts=counts, hz=hz)


def rows(data: DiffData, title: str) -> dict[str, DiffRow]:
    """Return the rows of one section of a comparison, by field."""
    section = next(s for s in data["sections"] if s["title"] == title)
    return {row["field"]: row for row in section["rows"]}
