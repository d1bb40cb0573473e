# SPDX-License-Identifier: GPL-2.0-only
"""Lines of scheduler counters: in one style, never too wide, and counted where there is no room."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.short_reports import WHERE, comparison, crowded, figure
from vlag.report import counter_lines, short, text
from vlag.report.layout import WIDTH

Data = dict[str, Any]


def row(**more: Any) -> Data:
    return {
        "benchmark": "stress-ng-switch", "overrides": {}, "counter": "sched_goidle",
        "unit": "events", "per": "operation", "observing": True, "base": 0.00907,
        "new": 0.01545, "effect": 0.7034, "low": 0.551, "high": 0.8709, "n_base": 3,
        "n_new": 3, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "    sched_goidle            0.00907    0.01545  +70.34 %  [+55.1, +87.1]"),
        ({"effect": None, "low": None, "high": None, "base": 0.0},
         "    sched_goidle                  0    0.01545       new"),
        ({"counter": "run_delay", "unit": "ns", "base": 15181.0, "new": 30362.0, "effect": 1.0,
          "low": -0.02, "high": 10.5},
         "    run_delay [ns]            15181      30362 +100.00 %  [-2.0, +1050]"),
    ],
)  # fmt: skip
def test_a_line(more: Data, expected: str) -> None:
    [[_, line]] = counter_lines.part({"counters": [row(**more)]}).items
    assert line == expected


def test_counters_of_the_same_boots_have_one_head() -> None:
    rows = [row(), row(counter="ttwu_local"), row(counter="pcount", observing=False, n_base=5)]
    found = counter_lines.part({"counters": rows})
    lines = [line for item in found.items for line in item]
    assert [line for line in lines if not line.startswith("    ")] == [
        "  stress-ng-switch, an operation, n 3 + 3 observing boots",
        "  stress-ng-switch, an operation, n 5 + 3",
    ]
    long = row(
        benchmark="b" * 60, overrides={"parameter": "x" * 60}, counter="ttwu_move_balance",
        effect=-9.99, low=-9.99, high=-9.99,
    )  # fmt: skip
    wide = [x for item in counter_lines.part({"counters": [long]}).items for x in item]
    assert max(map(len, wide)) <= WIDTH


def test_a_report_stays_within_its_lines_and_an_empty_part_is_not_there() -> None:
    every = [row(counter=f"counter-{n}") for n in range(3)]
    full = short.render({**crowded(1), "counters": every}, WHERE)
    assert full == short.render(crowded(1), WHERE)  # there was no room even for its title
    for figures, shown in ((5, True), (200, False)):
        c = comparison(*(figure("worse", n) for n in range(figures)), counters=every)
        said = short.render(c, WHERE)
        assert len(said.splitlines()) <= short.COMPARISON_LINES
        assert all((f"counter-{n} " in said) == shown for n in range(3))
        assert (f"{counter_lines.TITLE}: 3, all with --full" in said) == (not shown)
        assert all(f"counter-{n} " in text.render(c) for n in range(3))
    bare = comparison(figure("worse", 1), counters=[])
    assert counter_lines.TITLE not in short.render(bare) + text.render(bare)
