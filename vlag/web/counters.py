# SPDX-License-Identifier: GPL-2.0-only
"""Scheduler counters that explain a comparison, as the template `_counters.html` shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from vlag.report import counter_lines
from vlag.report.data import counter_data
from vlag.report.document import CounterData
from vlag.report.read_model.comparison_rows import ComparedRow, MeasuredRow
from vlag.store.database import Connection
from vlag.web.installation import site


class ShownCounter(CounterData):
    """A counter with its words."""

    shown: dict[str, str]


class Counters(TypedDict):
    """What the template takes."""

    counters: list[ShownCounter]
    unread: Sequence[str]


NONE: Counters = {"counters": [], "unread": []}


def of(conn: Connection, compared: ComparedRow, verdicts: Iterable[MeasuredRow]) -> Counters:
    """Return the counters that explain some verdicts of a comparison."""
    counted = counter_data.changed(
        conn, site().catalogue, (compared["base_kernel"], compared["new_kernel"]),
        compared["board_type"], verdicts,
    )  # fmt: skip
    return {
        "counters": [{**row, "shown": counter_lines.cells(row)} for row in counted.rows],
        "unread": counted.unread,
    }
