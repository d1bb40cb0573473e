# SPDX-License-Identifier: GPL-2.0-only
"""What must hold for any bytes whatever: a parser refuses them or says sound figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import PARSERS, schedstat
from vlag.schedstat import perf

CAPTURES = Path(__file__).parents[1] / "data" / "parsers"
EXPECTED = ".expected.json"  # what a capture gives stands beside it
SCHEDSTAT = Path(__file__).parents[1] / "data" / "schedstat"


def _diff(data: bytes, *, path: str) -> object:
    """Read perf's diff, by the versions that the captures with such lines are of."""
    # In perf's own words, and by the name that perf 7.2 prints.
    of_17 = b"imbalance in load" in data or b"lb_imbalance_load" in data
    return perf.diff(data, (17 if of_17 else 15, 17), path=path)


#: Readers of what is no tool's output.
OTHERS: dict[str, Callable[..., object]] = {
    "schedstat": schedstat.read,
    "perf-sched-stats-report": perf.report,
    "perf-sched-stats-diff": _diff,
}
#: Every reader of tools' output.
TOOLS = frozenset({*PARSERS, *OTHERS})


def captures(tool: str) -> list[Path]:
    """Return the raw captures of a tool, sorted by name."""
    folder = SCHEDSTAT if tool in OTHERS else CAPTURES / tool
    return sorted(p for p in folder.glob("*") if not p.name.endswith(EXPECTED))


def check(tool: str, data: bytes) -> bool:
    """Parse bytes as a tool's; return whether they were accepted.

    Raises AssertionError for figures that cannot be, and lets through whatever a parser
    raises beside ParseError.
    """
    try:
        if tool in OTHERS:
            OTHERS[tool](data, path="fuzz")
            return True
        PARSERS[tool].recognise(data)
        parsed = PARSERS[tool].parse(data, path="fuzz")
    except ParseError:
        return False
    _sound(tool, parsed)
    return True


def _sound(tool: str, parsed: ParsedOutput) -> None:
    assert parsed.tool == tool
    assert parsed.samples or parsed.histograms
    quantities = PARSERS[tool].QUANTITIES
    for sample in parsed.samples:
        assert sample.metric in quantities
        assert len(sample.values) == len(sample.instances)
        assert sample.values or sample.absent
        assert all(math.isfinite(value) for value in sample.values)
    for histogram in parsed.histograms:
        assert histogram.metric in quantities
        assert histogram.counts.shape == (len(histogram.instances), len(histogram.bounds))
        assert len(histogram.overflow) == len(histogram.maximum) == len(histogram.instances)
        assert list(histogram.bounds) == sorted(set(histogram.bounds))
        assert int(histogram.counts.min(initial=0)) >= 0
        assert min(histogram.overflow) >= 0
        assert histogram.achieved > 0
