# SPDX-License-Identifier: GPL-2.0-only
"""Tools that no Debian package has: what is cut off or contradicts itself is refused."""

from __future__ import annotations

import pytest

from tests.unit.captures import (
    CAPTURES,
    cuts,
    damage_refused,
    each_line_twice,
    expected,
    less_each_line,
    parsed,
    read,
    refusals,
    refused,
)

BOARD, YIELD = (f"will-it-scale/2024-{name}.txt" for name in ("board", "yield"))
TOOLS = ("will-it-scale",)
OURS = [
    f"{c.parent.name}/{c.name}"
    for c in CAPTURES
    if "refused" not in expected(c) and c.parent.name in TOOLS
]


def values(name: str) -> dict[str, tuple[float, ...]]:
    return {sample.metric: sample.values for sample in parsed(name).samples}


def test_each_measured_second_has_a_value_and_those_before_have_none() -> None:
    assert values(BOARD) == {
        "throughput": (123324, 123302),
        "task-rate-min": (54902, 55558),
        "task-rate-max": (68422, 67744),
    }


def test_tasks_are_known_where_each_has_a_line() -> None:
    assert parsed(BOARD).defaults["tasks"] == "2"
    assert "tasks" not in parsed(YIELD).defaults


@pytest.mark.parametrize("name", OURS)
def test_an_output_that_lost_its_end_or_a_line_is_refused_or_the_same(name: str) -> None:
    data = read(name)[1]
    assert sum(refusals(name, cuts(data, 7))) > len(data) // 7 * 3 // 4
    assert sum(refusals(name, less_each_line(data))) >= 3
    assert sum(refusals(name, each_line_twice(data))) >= 3


@pytest.mark.parametrize("name", OURS)
def test_damage_gives_no_other_tool_and_no_traceback(name: str) -> None:
    assert damage_refused(name, 150) > 50


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (BOARD, "   1 -> 54902", "   2 -> 54902", "is cut off, of an unknown layout, or not what"),
        (BOARD, "   1 -> 54902\n", "", "1 tasks have a line here, and 2 before"),
        (BOARD, "   1 -> 54902", "   1 -> 54901", "smallest, largest and sum contradict each"),
        (BOARD, "average:123313", "average:123314", "the average is 123313 by the seconds before"),
        (BOARD, "average:123313", "", "its last line must be 'average:' and a number"),
        (BOARD, "measurement\n", "", "'measurement' must stand there once, and stands there 0"),
        (BOARD, "warmup\n", "", "'warmup' must follow the name of the test"),
        (YIELD, "max:302 total:824", "max:302 total:300", "smallest, largest and sum contradict"),
        (YIELD, "min:154 max:235 total:622", "min:0 max:0 total:0", "nothing was done in this"),
        (YIELD, "testcase:", "test case:", "the first line must be 'testcase:' and its name"),
    ],
)
def test_what_contradicts_itself_is_refused(name: str, old: str, new: str, why: str) -> None:
    assert why in refused(name, old, new)
