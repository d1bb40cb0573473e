# SPDX-License-Identifier: GPL-2.0-only
"""Scheduler counters that explain a change, as lines of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vlag.report.compared import number, percent
from vlag.report.document import CounterData
from vlag.report.layout import clip, pairs, section
from vlag.report.limited_parts import Part

Data = Mapping[str, Any]

TITLE = "Scheduler counters"
_ONE = {"operation": "an operation", "second": "a second"}
_NAME = 24  # columns of a counter's name, as of a figure's
_TENFOLD = 10


def part(c: Data) -> Part:
    """Return the counters of a comparison below a line for those of the same boots."""
    rows: Sequence[CounterData] = c.get("counters", ())
    groups: dict[str, list[str]] = {}
    for row in rows:
        values = cells(row)
        head = clip(f"  {values['group']}, n {values['boots']}")
        groups.setdefault(head, []).append(_line(row, values))
    items = [
        x for head, (first, *rest) in groups.items() for x in ([head, first], *([r] for r in rest))
    ]
    title = f"{TITLE:<{_NAME}} {'base':>10} {'new':>10} {'change':>9}  95 % interval"
    return Part(title=title, items=items, spare=True)


def whole(c: Data) -> list[str]:
    """Return the same as a section of the whole report; nothing without counters."""
    counters = part(c)
    return section(counters.title, (line for item in counters.items for line in item))


def cells(row: CounterData) -> dict[str, str]:
    """Return a counter in words: `name` with its unit, `group`, `change`, `interval` and `boots`.

    `group` is the benchmark, and by what the counter is divided.
    """
    given = f" {pairs(row['overrides'])}" if row["overrides"] else ""
    extra = " observing boots" if row["observing"] else ""
    return {
        "name": f"{row['counter']}{' [ns]' if row['unit'] == 'ns' else ''}",
        "group": f"{row['benchmark']}{given}, {_ONE[row['per']]}",
        "change": "new" if row["effect"] is None else f"{percent(row['effect'])} %",
        "interval": _interval(row["low"], row["high"]),
        "boots": f"{row['n_base']} + {row['n_new']}{extra}",
    }


def _line(row: CounterData, columns: Data) -> str:
    values = f" {number(row['base']):>10} {number(row['new']):>10} {columns['change']:>9}"
    name = f"    {columns['name']}".ljust(_NAME)
    return f"{name}{values}  {columns['interval']}".rstrip()


def _interval(low: float | None, high: float | None) -> str:
    """Return an interval in percent; nothing where base has no event."""
    return "" if low is None or high is None else f"[{_tenths(low)}, {_tenths(high)}]"


def _tenths(change: float) -> str:
    # As in the change beside it, less is left of the point the larger it is.
    return f"{100 * change:+.{1 if abs(change) < _TENFOLD else 0}f}"
