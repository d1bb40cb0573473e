# SPDX-License-Identifier: GPL-2.0-only
"""Runs that are too short for what a figure is judged by: the report says so."""

from __future__ import annotations

import pytest

from tests.made import figure
from vlag.config import catalogue as catalogues
from vlag.report.data.explanations import too_short
from vlag.store.comparisons import VerdictRow

CATALOGUE = catalogues.load()


def row(metric: str = "inversion-rate", **parameters: int) -> VerdictRow:
    return figure(metric, "IMPROVEMENT", 0.093, benchmark="pi-stress", parameters=parameters)


def test_a_run_of_five_seconds_on_a_real_board_is_named() -> None:
    assert too_short(CATALOGUE, "x86-480", [row(duration_s=5), row(duration_s=5)]) == [
        "pi-stress inversion-rate was measured with duration_s 5: its relevance of 3 % holds"
        " from 30 on"
    ]


@pytest.mark.parametrize(
    ("board_type", "of"),
    [
        ("x86-480", row(duration_s=30)),
        ("qemu-sim-2", row(duration_s=5)),  # it counts instructions, and has its own relevance
        ("a type of nobody", row(duration_s=5)),
        ("x86-480", row(metric="no-metric", duration_s=5)),
        ("x86-480", row()),
    ],
)
def test_nothing_is_said_where_it_holds(board_type: str, of: VerdictRow) -> None:
    """Negative control."""
    assert too_short(CATALOGUE, board_type, [of]) == []
